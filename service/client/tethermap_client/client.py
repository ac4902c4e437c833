"""The service's API as a Python object."""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import httpx2

from tethermap_client.download import Download
from tethermap_client.errors import NotAnsweredError, NotReadyError, RefusedError, TookTooLongError, UnauthorizedError
from tethermap_client.model import DEAD, Job

DEFAULT_URL = "http://127.0.0.1:8000"

_ATTEMPTS = 6
_LONGEST_PAUSE_SECONDS = 30.0
_POLL_SECONDS = 20
_BUSY = (429, 502, 503, 504)


class Tethermap:
    """A service.

    Parameters
    ----------
    url : str or None
        Its address, with its path prefix; None for the address in ``TETHERMAP_URL``, else this machine.
    token : str or None
        Token of the service; None for the token in ``TETHERMAP_TOKEN``, if any.
    timeout : float
        Seconds that one answer may take to begin.
    sleep : callable
        Waits for seconds.
    **options
        Further options of ``httpx2.Client``: ``verify``, ``proxy``, ``transport``.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        timeout: float = 60.0,
        sleep: Callable[[float], None] = time.sleep,
        **options: Any,
    ) -> None:
        self.url = (url or os.environ.get("TETHERMAP_URL") or DEFAULT_URL).rstrip("/")
        token = token or os.environ.get("TETHERMAP_TOKEN")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx2.Client(headers=headers, timeout=timeout, **options)
        self._sleep = sleep

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    # Jobs

    def submit(
        self, target_name: str | None = None, search_query: str | None = None, *, key: str | None = None, **fields: Any
    ) -> Job:
        """Submit a job; within a day the same request returns the same job, unless that failed or was canceled.

        Parameters
        ----------
        target_name, search_query : str or None
            Fields of the API.
        key : str or None
            Idempotency key; None for one derived from the fields.
        **fields
            Further fields of the API: ``fasta_seq, pdb_id, ligand``, ``structures`` (the id of an upload), ``options``
            (settings of the pipeline: ``max_entries``, ``max_resolution``, …).

        Raises
        ------
        RefusedError
            If the service rejects it.
        """
        given = {"target_name": target_name, "search_query": search_query, **fields}
        body = {name: value for name, value in given.items() if value is not None}
        made, answered = self._post("/api/jobs", body, key or _key(body))
        job = self.job(str(made["job_id"]))
        while key is None and _ended_before(job, answered):
            made, answered = self._post("/api/jobs", body, _key([body, job.job_id]))
            job = self.job(str(made["job_id"]))
        return job

    def preview(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the entries that a job would use, without creating one."""
        return self._json("POST", "/api/jobs", params={"dry_run": "true"}, json=dict(body))

    def job(self, job_id: str, *, wait: int = 0) -> Job:
        """Return the state of a job, at once or after its next change, `wait` seconds at most."""
        return Job.of(self._json("GET", f"/api/jobs/{_part(job_id)}", params={"wait": wait} if wait else {}))

    def jobs(self, **filters: Any) -> Iterator[dict[str, Any]]:
        """Yield the jobs that match, newest first; filters as ``ligand="AQ4"``, ``status="completed"``."""
        return self._pages("/api/indexed-jobs", "jobs", filters)

    def wait(self, job_id: str, *, timeout: float | None = None, told: Callable[[Job], None] = lambda _: None) -> Job:
        """Return a job when it has ended.

        Parameters
        ----------
        job_id : str
            The job.
        timeout : float or None
            Seconds to wait for it; None for no limit.
        told : callable
            Called with every observed state.

        Raises
        ------
        TookTooLongError
            If it has not finished in time; the job continues.
        """
        until = None if timeout is None else time.monotonic() + timeout
        job = self.job(job_id)
        told(job)
        while not job.final:
            left = _POLL_SECONDS if until is None else until - time.monotonic()
            if left <= 0:
                raise TookTooLongError(f"The job {job_id} is {job.status} after {timeout:g} seconds; it continues.")
            asked = time.monotonic()
            job = self.job(job_id, wait=max(1, min(_POLL_SECONDS, int(left))))
            told(job)
            if not job.final and time.monotonic() - asked < 1:
                self._sleep(1.0)  # fast steps may be skipped
        return job

    def cancel(self, job_id: str) -> Job:
        """Cancel a job that has not ended."""
        return Job.of(self._json("POST", f"/api/jobs/{_part(job_id)}/cancel"))

    def delete(self, job_id: str) -> None:
        """Delete a job that has ended, with its files."""
        self._json("DELETE", f"/api/jobs/{_part(job_id)}")

    def retry(self, job_id: str) -> Job:
        """Queue a failed or canceled job again; finished steps are reused."""
        return Job.of(self._json("POST", f"/api/jobs/{_part(job_id)}/retry"))

    # Batches

    def submit_batch(
        self, jobs: Sequence[Mapping[str, Any]], *, delay_seconds: float = 0, key: str | None = None
    ) -> dict[str, Any]:
        """Submit jobs that run one after another; return the batch with their ids.

        Jobs of an earlier batch of the same jobs that failed or were canceled are submitted again, in a new batch.
        """
        body = _batch(jobs, delay_seconds)
        batch, answered = self._post("/api/batches", body, key or _key(body))
        while key is None:
            state = self._json("GET", f"/api/batches/{_part(batch['batch_id'])}")
            known = {job["job_id"] for job in state["jobs"] if job["status"] in DEAD}
            dead = [place for place, job in enumerate(batch["jobs"]) if job["job_id"] in known]
            dead = [place for place in dead if _ended_before(self.job(batch["jobs"][place]["job_id"]), answered)]
            if not dead:
                break
            again = _batch([jobs[place] for place in dead], delay_seconds)
            made, answered = self._post("/api/batches", again, _key([again, batch["batch_id"]]))
            for place, job in zip(dead, made["jobs"], strict=True):
                batch["jobs"][place] = job
            batch["batch_id"] = made["batch_id"]
        return batch

    # Uploads

    def upload(self, files: Sequence[str | Path]) -> dict[str, Any]:
        """Send structures or ligands; return their content, and the ``upload_id`` for `structures` of a job."""
        with ExitStack() as opened:
            parts = [("files", (Path(file).name, opened.enter_context(Path(file).open("rb")))) for file in files]
            return self._parsed(self._once("POST", "/api/uploads", files=parts))

    # Results

    def answers(self, job_id: str, **filters: Any) -> list[dict[str, Any]]:
        """Return one row per ligand, binding site and exit site; filters ``ligand``, ``target``, ``top``."""
        return list(self._results(f"/api/jobs/{_part(job_id)}/answers", filters)["answers"])

    def exits(self, job_id: str, **filters: Any) -> list[dict[str, Any]]:
        """Return one row per exit of each copy; filters ``pdb_id``, ``chain``, ``ligand``, ``residue_id``, ``top``."""
        return list(self._results(f"/api/jobs/{_part(job_id)}/exit-vectors", filters)["exits"])

    def rows(self, job_id: str, table: str = "results", **filters: Any) -> Iterator[dict[str, Any]]:
        """Yield rows of a table, filtered like in the API: ``Warhead="AQ4"``, ``resolution__lte=2``."""
        return self._pages(f"/api/jobs/{_part(job_id)}/rows", "rows", {**filters, "table": table})

    def compare(self, a: str, b: str, **filters: Any) -> Iterator[dict[str, Any]]:
        """Yield pairs of answers of two jobs, best first; filters ``a_ligand``, ``b_ligand``."""
        return self._pages("/api/compare", "pairs", {**filters, "a": a, "b": b})

    def degraders(self, **halves: Any) -> Iterator[dict[str, Any]]:
        """Yield degraders of two halves: ``a``, ``a_stem``, ``a_anchor`` or ``a_smiles``, likewise ``b``."""
        return self._pages("/api/degraders", "degraders", {**halves, "format": "json"})

    def tool_inputs(self, job_id: str, stem: str, anchor: str, file: str | Path, **others: Any) -> Path:
        """Write a ZIP with inputs of programs that model degraders; `tool` names one of them."""
        return self.save(f"/api/jobs/{_part(job_id)}/protac-inputs", file, stem=stem, anchor=anchor, **others)

    def save(self, path: str, file: str | Path, **parameters: Any) -> Path:
        """Write the file at a path of the API."""
        with self.stream("GET", path, params=parameters) as answer, Path(file).open("wb") as stream:
            stream.writelines(answer.iter_bytes())
        return Path(file)

    def columns(self, name: str) -> list[str]:
        """Return the fields of a type of the OpenAPI document: ``ExitAnswer``, ``ExitVector``."""
        return list(self.schemas[name]["properties"])

    @cached_property
    def schemas(self) -> dict[str, Any]:
        """Types of the service's OpenAPI document, by name."""
        return dict(self._json("GET", "/openapi.json")["components"]["schemas"])

    def download(
        self,
        job_id: str,
        folder: str | Path,
        *,
        told: Callable[[int, int], None] = lambda _done, _total: None,
        changed: Callable[[Sequence[str]], None] = lambda _names: None,
    ) -> Path:
        """Download all results into ``<folder>/<job_id>`` and check them by the hashes of the job's manifest.

        An interrupted download continues. Files that are not of the job stay.

        Parameters
        ----------
        job_id : str
            The job.
        folder : str or Path
            Parent folder; made when missing.
        told : callable
            Called with the bytes done and the bytes in all.
        changed : callable
            Called with the files of an earlier download that were changed or removed since; they are written again.
        """
        ask = partial(self.stream, "GET", f"/api/jobs/{_part(job_id)}/bundle")
        return Download(ask, job_id, Path(folder), self._sleep).run(told, changed)

    # Within

    @contextmanager
    def stream(self, method: str, path: str, **options: Any) -> Iterator[httpx2.Response]:
        """Give the response of a path of the API, whose body is read piece by piece."""
        try:
            with self._http.stream(method, self.url + path, **options) as answer:
                if answer.status_code == httpx2.codes.ACCEPTED or answer.status_code >= 400:
                    answer.read()
                    raise _refusal(answer)
                if answer.headers.get("content-type") == "application/json":
                    answer.read()
                    _available(dict(answer.json()))
                yield answer
        except httpx2.TransportError as error:
            raise NotAnsweredError(f"{self.url} does not answer: {error}") from error

    def _pages(self, path: str, name: str, filters: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        offset = 0
        while True:
            page = self._results(path, {"limit": 500, **filters, "offset": offset})
            yield from page[name]
            offset += len(page[name])
            if "limit" in filters or page["next"] is None or not page[name]:
                return

    def _results(self, path: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return a body of results; NotReadyError if there are none yet."""
        return _available(self._json("GET", path, params=dict(parameters)))

    def _post(self, path: str, body: Mapping[str, Any], key: str) -> tuple[dict[str, Any], str]:
        """Return the body of the response, and the time of the service when it answered."""
        answer = self._send("POST", path, json=dict(body), headers={"Idempotency-Key": key})
        return self._parsed(answer), answer.headers.get("date", "")

    def _json(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        return self._parsed(self._send(method, path, **options))

    def _send(self, method: str, path: str, **options: Any) -> httpx2.Response:
        """Return the response to a request, which is repeated if the service is busy or does not answer."""
        for attempt in range(_ATTEMPTS - 1):
            try:
                answer = self._once(method, path, **options)
            except NotAnsweredError:
                self._sleep(min(_LONGEST_PAUSE_SECONDS, 0.5 * 2**attempt))
                continue
            if answer.status_code not in _BUSY:
                return answer
            self._sleep(_pause(answer, attempt))
        return self._once(method, path, **options)

    def _once(self, method: str, path: str, **options: Any) -> httpx2.Response:
        try:
            return self._http.request(method, self.url + path, **options)
        except httpx2.TransportError as error:
            raise NotAnsweredError(f"{self.url} does not answer: {error}") from error

    def _parsed(self, answer: httpx2.Response) -> dict[str, Any]:
        if answer.status_code >= 400:
            raise _refusal(answer)
        body = dict(answer.json())
        if body.get("ok") is False and "error" in body:
            raise _refusal(answer)
        return body


def _available(body: dict[str, Any]) -> dict[str, Any]:
    if body.get("available") is False:
        raise NotReadyError(f"The example {body.get('job_id')} is not available: {body.get('status_reason')}")
    return body


def _batch(jobs: Sequence[Mapping[str, Any]], delay_seconds: float) -> dict[str, Any]:
    return {"jobs": [dict(job) for job in jobs], "delay_seconds": delay_seconds}


def _ended_before(job: Job, answered: str) -> bool:
    """Return whether a job had failed or been canceled before the service answered with its id."""
    finished = job.body.get("finished_at")
    if not job.dead or not finished or not answered:
        return False
    return datetime.fromisoformat(finished) < parsedate_to_datetime(answered)


def _pause(answer: httpx2.Response, attempt: int) -> float:
    """Return how long a service that is busy wants us to wait."""
    asked = answer.headers.get("retry-after", "")
    return min(_LONGEST_PAUSE_SECONDS, float(asked) if asked.isdecimal() else 0.5 * 2**attempt)


def _refusal(answer: httpx2.Response) -> Exception:
    """Return the error in a response."""
    try:
        error = answer.json()["error"]
        code, message, details = str(error["code"]), str(error["message"]), dict(error["details"])
    except (ValueError, KeyError, TypeError):
        code, message, details = "UNKNOWN", f"The service answered {answer.status_code}.", {}
    if answer.status_code == httpx2.codes.ACCEPTED:
        return NotReadyError(f"{message} ({code})")
    if answer.status_code in _BUSY or answer.status_code >= 500:
        return NotAnsweredError(f"{message} ({code})")
    kind = UnauthorizedError if answer.status_code in (401, 403) else RefusedError
    return kind(answer.status_code, code, message, details)


def _key(body: Any) -> str:
    """Return an idempotency key that is the same for the same request."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _part(text: str) -> str:
    return quote(text, safe="")
