"""The service's API as a Python object."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import httpx2

from tethermap_client.download import fetch_archive
from tethermap_client.errors import NotAnsweredError, RefusedError, TookTooLongError, UnauthorizedError
from tethermap_client.model import Job

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
        Its address, with the path below which it lies; None for that of ``TETHERMAP_URL``, else this machine.
    token : str or None
        The token it asks for; None for that of ``TETHERMAP_TOKEN``, else none.
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
        self,
        target_name: str | None = None,
        search_query: str | None = None,
        *,
        fasta_seq: str | None = None,
        pdb_id: str | None = None,
        ligand: str | None = None,
        options: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> Job:
        """Submit a job; sent again within a day it is the same job.

        Parameters
        ----------
        target_name, search_query, fasta_seq, pdb_id, ligand
            As the service knows them; `pdb_id` alone is enough.
        options : mapping or None
            Settings of the pipeline: ``max_entries``, ``max_resolution``, …
        key : str or None
            Idempotency key; None for one made of what is asked.

        Raises
        ------
        RefusedError
            If the service can't take it.
        """
        asked = {
            "target_name": target_name,
            "search_query": search_query,
            "fasta_seq": fasta_seq,
            "pdb_id": pdb_id,
            "ligand": ligand,
            "options": dict(options) if options else None,
        }
        return self.submit_body({name: value for name, value in asked.items() if value is not None}, key=key)

    def submit_body(self, body: Mapping[str, Any], *, key: str | None = None) -> Job:
        """Submit a job as the API has it; otherwise as `submit`."""
        return Job.of(self._post("/api/jobs", body, key or _key(body)))

    def preview(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return which entries a job would take, without making one."""
        return self._json("POST", "/api/jobs", params={"dry_run": "true"}, json=dict(body))

    def job(self, job_id: str, *, wait: int = 0) -> Job:
        """Return the state of a job, at once or after its next change, `wait` seconds at most."""
        return Job.of(self._json("GET", f"/api/jobs/{_part(job_id)}", params={"wait": wait} if wait else {}))

    def jobs(self, **filters: Any) -> Iterator[dict[str, Any]]:
        """Yield the jobs that match, newest first; filters as ``ligand="AQ4"``, ``status="completed"``."""
        offset = 0
        while True:
            page = self._json("GET", "/api/indexed-jobs", params={**filters, "offset": offset, "limit": 500})
            yield from page["jobs"]
            offset += page["returned"]
            if page["next"] is None:
                return

    def wait(self, job_id: str, *, timeout: float | None = None, told: Callable[[Job], None] = lambda _: None) -> Job:
        """Return a job when it has ended.

        Parameters
        ----------
        job_id : str
            The job.
        timeout : float or None
            Seconds to wait for it; None for as long as it takes.
        told : callable
            Told of every state that is seen.

        Raises
        ------
        TookTooLongError
            If it has not ended in time; it goes on.
        """
        until = None if timeout is None else time.monotonic() + timeout
        job = self.job(job_id)
        told(job)
        while not job.final:
            left = _POLL_SECONDS if until is None else until - time.monotonic()
            if left <= 0:
                raise TookTooLongError(f"The job {job_id} is {job.status} after {timeout:g} seconds; it goes on.")
            asked = time.monotonic()
            job = self.job(job_id, wait=max(1, min(_POLL_SECONDS, int(left))))
            told(job)
            if not job.final and time.monotonic() - asked < 1:
                self._sleep(1.0)  # steps that change quickly are not asked for one by one
        return job

    def cancel(self, job_id: str) -> Job:
        """Cancel a job that has not ended."""
        return Job.of(self._json("POST", f"/api/jobs/{_part(job_id)}/cancel"))

    def retry(self, job_id: str) -> Job:
        """Queue a failed or canceled job again; it goes on from the steps that are kept."""
        return Job.of(self._json("POST", f"/api/jobs/{_part(job_id)}/retry"))

    # Batches

    def submit_batch(
        self, jobs: Sequence[Mapping[str, Any]], *, delay_seconds: float = 0, key: str | None = None
    ) -> dict[str, Any]:
        """Submit jobs that run one after another; return the batch with their ids."""
        body = {"jobs": [dict(job) for job in jobs], "delay_seconds": delay_seconds}
        return self._post("/api/batches", body, key or _key(body))

    # Results

    def answers(self, job_id: str, **filters: Any) -> list[dict[str, Any]]:
        """Return one row per ligand, binding site and exit site; filters ``ligand``, ``target``, ``top``."""
        return list(self._json("GET", f"/api/jobs/{_part(job_id)}/answers", params=filters)["answers"])

    def rows(self, job_id: str, table: str = "results", **filters: Any) -> Iterator[dict[str, Any]]:
        """Yield rows of a table, filtered as the API does: ``Warhead="AQ4"``, ``resolution__lte=2``."""
        offset = 0
        while True:
            asked = {**filters, "table": table, "offset": offset, "limit": 500}
            page = self._json("GET", f"/api/jobs/{_part(job_id)}/rows", params=asked)
            yield from page["rows"]
            offset += page["count"]
            if page["next"] is None or not page["count"]:
                return

    def download(
        self, job_id: str, folder: str | Path, *, told: Callable[[int, int], None] = lambda _done, _total: None
    ) -> Path:
        """Download all results into ``<folder>/<job_id>``, going on where an earlier call was stopped.

        Parameters
        ----------
        job_id : str
            The job.
        folder : str or Path
            Where to; made when missing.
        told : callable
            Told of bytes done and bytes in all.
        """
        path = f"/api/jobs/{_part(job_id)}/bundle"
        return fetch_archive(lambda headers: self.stream("GET", path, headers=headers), job_id, Path(folder), told)

    # Within

    @contextmanager
    def stream(self, method: str, path: str, **options: Any) -> Iterator[httpx2.Response]:
        """Give the answer of a path of the API, which is read piece by piece."""
        try:
            with self._http.stream(method, self.url + path, **options) as answer:
                if answer.status_code in (200, 206, 304):
                    yield answer
                    return
                answer.read()
                raise _refusal(answer)
        except httpx2.TransportError as error:
            raise NotAnsweredError(f"{self.url} does not answer: {error}") from error

    def _post(self, path: str, body: Mapping[str, Any], key: str) -> dict[str, Any]:
        return self._json("POST", path, json=dict(body), headers={"Idempotency-Key": key})

    def _json(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        """Return the body of a success; what may pass, on its own or by waiting, is asked again."""
        for attempt in range(_ATTEMPTS):
            last = attempt == _ATTEMPTS - 1
            try:
                answer = self._http.request(method, self.url + path, **options)
            except httpx2.TransportError as error:
                if last:
                    raise NotAnsweredError(f"{self.url} does not answer: {error}") from error
                self._sleep(min(_LONGEST_PAUSE_SECONDS, 0.5 * 2**attempt))
                continue
            if answer.status_code in _BUSY and not last:
                self._sleep(_pause(answer, attempt))
                continue
            if answer.status_code >= 400:
                raise _refusal(answer)
            return dict(answer.json())
        raise AssertionError("unreachable")


def _pause(answer: httpx2.Response, attempt: int) -> float:
    """Return how long a service that is busy wants us to wait."""
    asked = answer.headers.get("retry-after", "")
    return min(_LONGEST_PAUSE_SECONDS, float(asked) if asked.isdecimal() else 0.5 * 2**attempt)


def _refusal(answer: httpx2.Response) -> Exception:
    """Return the error that an answer tells."""
    try:
        error = answer.json()["error"]
        code, message, details = str(error["code"]), str(error["message"]), dict(error["details"])
    except (ValueError, KeyError, TypeError):
        code, message, details = "UNKNOWN", f"The service answered {answer.status_code}.", {}
    if answer.status_code in _BUSY or answer.status_code >= 500:
        return NotAnsweredError(f"{message} ({code})")
    kind = UnauthorizedError if answer.status_code in (401, 403) else RefusedError
    return kind(answer.status_code, code, message, details)


def _key(body: Mapping[str, Any]) -> str:
    """Return an idempotency key that is the same for the same request."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _part(text: str) -> str:
    return quote(text, safe="")
