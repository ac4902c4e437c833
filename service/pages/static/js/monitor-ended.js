// A job that ended before its page was received: the results follow right after it was submitted or retried, not on the
// way back.

import { root } from "./http.js";

const results = document.querySelector("[data-results-page]");
const isSubmitted = [`${root}/`, location.pathname].some((path) => document.referrer.split("?")[0] === location.origin + path);
if (results && isSubmitted && performance.getEntriesByType("navigation")[0].type === "navigate") location.replace(results.href);
