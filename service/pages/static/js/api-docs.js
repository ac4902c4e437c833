// Shows the API in Swagger UI in place of the plain list; everything it loads comes from this service.

import { onTheme } from "./theme-button.js";
import { t } from "./texts.js";

const place = document.getElementById("explorer");
const routes = document.getElementById("routes");

globalThis.SwaggerUIBundle?.({
  url: `${document.documentElement.dataset.root ?? ""}/openapi.json`,
  domNode: place,
  docExpansion: "list",
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  validatorUrl: null,
  syntaxHighlight: false,
  presets: [globalThis.SwaggerUIBundle.presets.apis],
  onComplete: () => {
    place.hidden = false;
    routes.hidden = true;
  },
});

// Swagger UI leaves its selects without a name for screen readers, and long examples out of the keyboard's reach.
new MutationObserver(() => {
  for (const select of place.querySelectorAll("select:not([aria-label])")) {
    const row = select.closest("[data-param-name]");
    select.setAttribute("aria-label", row?.dataset.paramName ?? t.kind_of_content);
  }
  for (const example of place.querySelectorAll("pre:not([tabindex])")) example.tabIndex = 0;
}).observe(place, { childList: true, subtree: true });

onTheme((theme) => document.documentElement.classList.toggle("dark-mode", theme === "dark"));
