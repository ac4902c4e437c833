// The page of a job that has ended: after its submission, but not on the way back, the results follow.

import { root } from "./http.js";

const results = document.querySelector("[data-results-page]");
const isSubmitted = document.referrer.split("?")[0] === `${location.origin}${root}/`;
if (results && isSubmitted && performance.getEntriesByType("navigation")[0].type === "navigate") location.replace(results.href);
