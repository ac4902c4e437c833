// A job that ended before its page was received: the results follow right after its submission, not on the way back.

import { root } from "./http.js";

const results = document.querySelector("[data-results-page]");
const isSubmitted = document.referrer.split("?")[0] === `${location.origin}${root}/`;
if (results && isSubmitted && performance.getEntriesByType("navigation")[0].type === "navigate") location.replace(results.href);
