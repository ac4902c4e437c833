// The list of jobs: a state selected with the mouse applies at once, and the list is refreshed while jobs wait or run.

import { getPage } from "./http.js";

const EVERY_MS = 5000;
const form = document.querySelector("form.filters");

// Empty fields are left out of the address.
form.addEventListener("formdata", ({ formData }) => {
  for (const [name, value] of [...formData]) if (value.trim() === "") formData.delete(name);
});
// An arrow key changes a select with each press, so with the keyboard the button applies the choice.
let byKeys = false;
form.addEventListener("keydown", () => (byKeys = true));
form.addEventListener("pointerdown", () => (byKeys = false));
form.addEventListener("change", (event) => {
  if (event.target.tagName === "SELECT" && !byKeys) form.requestSubmit();
});

async function refresh() {
  const list = document.getElementById("jobs");
  if (!list.hasAttribute("data-moving")) return;
  if (!document.hidden && !list.contains(document.activeElement)) {
    try {
      const fresh = (await getPage(location.href)).getElementById("jobs");
      if (fresh) list.replaceWith(document.adoptNode(fresh));
    } catch {
      // no response: retry
    }
  }
  setTimeout(refresh, EVERY_MS);
}
setTimeout(refresh, EVERY_MS);
