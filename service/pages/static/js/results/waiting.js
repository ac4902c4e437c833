// A job that is not done: its results are shown as soon as it ends.

import { followJob } from "../follow.js";

const place = document.querySelector("[data-waiting]");
const bar = place.querySelector("progress");
followJob(place.dataset.waiting, {
  status: (body) => { document.querySelector(".badge").dataset.state = document.querySelector(".badge").textContent = body.status; },
  progress: (progress) => { if (bar && progress.percent !== null) bar.value = progress.percent; },
  mode: (mode) => { if (mode === "ended") location.reload(); },
});
