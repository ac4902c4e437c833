// Follows a job: by its event stream, and by asking again and again where no stream comes through.

import { getJson, rooted } from "./http.js";

const POLL_MS = 2000;
const PATIENCE_MS = 8000;
const FINAL = new Set(["completed", "failed", "canceled"]);

/**
 * Follow a job until it ends.
 * @param {string} base address of the job: /api/jobs/<id>
 * @param {object} tell `status(body)`, `progress(progress)`, `log(line)`, `mode("stream"|"polling"|"ended"|"gone")`
 * @returns {() => void} ends it
 */
export function followJob(base, tell) {
  let ended = false;
  let stream = null;
  let timer = 0;
  let lines = 0; // log lines told, so that polling goes on where the stream has left off

  const end = () => {
    ended = true;
    stream?.close();
    clearTimeout(timer);
  };

  const told = (body) => {
    tell.status?.(body);
    if (FINAL.has(body.status)) {
      end();
      tell.mode?.("ended");
    }
  };

  async function poll() {
    if (ended) return;
    try {
      const log = await getJson(base.replace("/api/jobs/", "/api/job_log/") + `?since=${lines}`);
      for (const line of log.log) {
        lines += 1;
        tell.log?.(line);
      }
      const body = await getJson(base);
      tell.progress?.(body.progress);
      told(body);
    } catch (error) {
      if (error.status === 404) { // deleted in the meantime
        end();
        tell.mode?.("gone");
      } // else no answer this time: asked again
    }
    if (!ended) timer = setTimeout(poll, POLL_MS);
  }

  function usePolling() {
    if (ended || stream === null) return;
    clearTimeout(patience);
    stream.close();
    stream = null;
    tell.mode?.("polling");
    poll();
  }

  stream = new EventSource(rooted(`${base}/events`));
  // A browser tries a broken stream again and again: without a word in all this time it is given up.
  let patience = setTimeout(usePolling, PATIENCE_MS);
  const alive = () => {
    clearTimeout(patience);
    patience = 0;
  };
  stream.addEventListener("open", () => tell.mode?.("stream"));
  stream.addEventListener("status", (event) => { alive(); told(JSON.parse(event.data)); });
  stream.addEventListener("progress", (event) => { alive(); tell.progress?.(JSON.parse(event.data)); });
  stream.addEventListener("log", (event) => { alive(); lines += 1; tell.log?.(event.data); });
  stream.addEventListener("error", () => {
    if (stream?.readyState === EventSource.CLOSED) usePolling();
    else if (patience === 0) patience = setTimeout(usePolling, PATIENCE_MS);
  });
  return end;
}
