// Series: their core and heat map are fetched when they are unfolded.

import { getPage } from "../http.js";
import { filled, t } from "../texts.js";
import { change } from "./address.js";

/** @param {string} here address of the page */
export function watchSeries(here) {
  for (const fold of document.querySelectorAll("details[data-series]")) {
    fold.addEventListener("toggle", async () => {
      if (!fold.open) return;
      const body = fold.querySelector(":scope > [data-series-body]");
      change({ series: fold.dataset.series });
      if (body.querySelector("[data-series-view]")) return;
      body.textContent = t.loading_series;
      try {
        const part = await getPage(`${here}/series?${new URLSearchParams({ series: fold.dataset.series })}`);
        body.replaceChildren(...part.body.childNodes);
      } catch (error) {
        body.textContent = filled(t.series_not_loaded, { reason: error.message });
      }
    });
  }
}
