// Follows the job of a monitor page. Words, steps and buttons come from the server:
// whenever the state changes, its part of the page is fetched again.

import { announce } from "./dom.js";
import { FINAL, followJob } from "./follow.js";
import { ApiError, getJson, getPage } from "./http.js";
import { filled, t } from "./texts.js";

const job = document.querySelector("script[data-job]").dataset.job;
const log = document.getElementById("log");
const mode = document.getElementById("log-mode");
const pause = document.getElementById("pause");
const held = [];
const RETRY_MS = 5000;
let lines = 0;
let source = "";
let refreshing = false;
let wanted = false;

/** Fetch the state's part of the page; again when it changed in the meantime. */
async function refresh() {
  wanted = true;
  if (refreshing) return;
  refreshing = true;
  while (wanted) {
    wanted = false;
    try {
      replace(await getPage(location.pathname));
    } catch (error) {
      if (error.status !== 404) setTimeout(refresh, RETRY_MS); // no further change may follow
    }
  }
  refreshing = false;
}

function replace(fresh) {
  const state = fresh.getElementById("state");
  const old = document.getElementById("state");
  if (state === null) return;
  const focused = document.activeElement?.id;
  const before = document.getElementById("sentence").textContent;
  old.replaceWith(document.adoptNode(state));
  if (focused) document.getElementById(focused)?.focus();
  document.title = fresh.title;
  const [icon, href] = [document, fresh].map((page) => page.querySelector("link[rel=icon]").getAttribute("href"));
  if (icon !== href) document.querySelector("link[rel=icon]").setAttribute("href", href);
  const now = document.getElementById("sentence").textContent;
  if (now !== before) announce(now);
  if (FINAL.has(state.dataset.status)) {
    pause.hidden = true;
    const results = state.querySelector("[data-results-page]");
    if (results && !held.length) location.assign(results.href);
    if (held.length) resume();
  }
}

function showProgress(progress) {
  for (const [name, value] of Object.entries(progress.entries)) {
    const place = document.querySelector(`[data-entries="${name}"]`);
    if (place) place.textContent = value ?? "–";
    if (place && name === "ligands") place.closest("div").hidden = !value;
  }
  const bar = document.querySelector("progress[data-percent]");
  if (bar && progress.percent !== null) {
    bar.value = progress.percent;
    document.title = document.title.replace(/^◐ (\d+ % )?/, `◐ ${progress.percent} % `);
  }
}

function write(text) {
  const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 24;
  log.append(text);
  if (atEnd) log.scrollTop = log.scrollHeight;
}

function addLine(line) {
  lines += 1;
  const text = lines === 1 ? line : `\n${line}`;
  if (lines === 1) log.textContent = ""; // the complete log is sent again, from its first line
  if (isPaused()) {
    held.push(text);
    pause.textContent = filled(t.continue_log, { n: held.length });
  } else {
    write(text);
  }
  showMode();
}

function showMode() {
  mode.textContent = `${filled(t.n_lines, { n: lines })}${source}`;
}

const isPaused = () => pause.getAttribute("aria-pressed") === "true";

function resume() {
  pause.setAttribute("aria-pressed", "false");
  pause.textContent = t.pause;
  write(held.splice(0).join(""));
}

pause.addEventListener("click", () => {
  if (isPaused()) return resume();
  pause.setAttribute("aria-pressed", "true");
  pause.textContent = t.go_on;
});

document.addEventListener("submit", async (event) => {
  if (event.target.id !== "cancel-form") return;
  event.preventDefault();
  const button = document.getElementById("cancel");
  button.disabled = true;
  button.textContent = t.canceling;
  try {
    await getJson(`/api/jobs/${job}/cancel`, { method: "POST" });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) {
      button.disabled = false;
      button.textContent = t.cancel_job;
      document.getElementById("sentence").textContent = error.message;
      announce(error.message);
      return;
    }
  }
  await refresh();
});

setInterval(() => {
  const place = document.querySelector("[data-seconds]");
  if (!place) return;
  const seconds = Number(place.dataset.seconds) + 1;
  place.dataset.seconds = String(seconds);
  place.textContent = seconds < 100 ? filled(t.seconds, { seconds }) : filled(t.minutes, { minutes: Math.floor(seconds / 60), seconds: seconds % 60 });
}, 1000);

log.scrollTop = log.scrollHeight;
followJob(`/api/jobs/${job}`, {
  status: refresh,
  progress: showProgress,
  log: addLine,
  mode: (name) => {
    source = name === "stream" ? ` · ${t.live}` : "";
    showMode();
  },
});
