// Follows a job by its event stream. If no stream arrives, the page is reloaded, as without scripts.

import { rooted } from "./http.js";

const PATIENCE_MS = 8000;
export const FINAL = new Set(["completed", "failed", "canceled"]);

/**
 * Follow a job until it ends.
 * @param {string} base address of the job: /api/jobs/<id>
 * @param {object} tell callbacks `status(body)`, `progress(progress)`, `log(line)`, `mode("stream"|"ended")`
 */
export function followJob(base, tell) {
  const stream = new EventSource(rooted(`${base}/events`));
  // A browser tries a broken stream again and again: without a word in all this time it is given up.
  // The page remains while the service can't be reached.
  const wait = () => setTimeout(() => fetch(location.href).then(() => location.reload(), () => { patience = wait(); }), PATIENCE_MS);
  let patience = wait();
  const listen = (name, act) => stream.addEventListener(name, (event) => {
    clearTimeout(patience);
    patience = 0;
    act(event.data);
  });
  stream.addEventListener("open", () => tell.mode?.("stream"));
  stream.addEventListener("error", () => { patience ||= wait(); });
  listen("progress", (data) => tell.progress?.(JSON.parse(data)));
  listen("log", (line) => tell.log?.(line));
  listen("status", (data) => {
    const body = JSON.parse(data);
    tell.status?.(body);
    if (!FINAL.has(body.status)) return;
    stream.close();
    tell.mode?.("ended");
  });
}
