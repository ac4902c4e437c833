// Series: their core and heat map are fetched when they are unfolded.

import { change } from "./address.js";

/** @param {string} here address of the page */
export function watchSeries(here) {
  for (const fold of document.querySelectorAll("details[data-series]")) {
    fold.addEventListener("toggle", async () => {
      const body = fold.querySelector(":scope > [data-series-body]");
      if (!fold.open) return;
      change({ series: fold.dataset.series });
      if (body.querySelector("[data-series-view]")) return;
      body.textContent = "Loading…";
      try {
        const answer = await fetch(`${here}/series?${new URLSearchParams({ series: fold.dataset.series })}`);
        if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
        const part = new DOMParser().parseFromString(await answer.text(), "text/html");
        body.replaceChildren(...part.body.childNodes);
      } catch (error) {
        body.textContent = `The series could not be loaded: ${error.message}`;
      }
    });
  }
}
