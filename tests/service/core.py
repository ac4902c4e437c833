"""The service in this process, or as a separate process that can be killed.

Runs are those of a small process tree that replaces Snakemake, or real ones on request.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import httpx2
from starlette.testclient import TestClient

from service.app import create_app
from service.jobs.clock import Clock
from service.jobs.record import FINAL, JobRecord
from service.jobs.submission import Submission, parse_submission
from service.runs import processes
from service.runs.ending import Ending
from service.runs.lifecycle import Parts, build_parts
from service.runs.runner import read_state
from service.settings import EXTRAS, Settings, Token
from tests.service.answers import DEFAULTS, checked
from tests.standin.pipeline import COMMAND, HOLD
from tests.tools.patience import patience, wait_until
from tests.tools.runs import ROOT

if TYPE_CHECKING:
    from tests.service.forks import Forked

HPV = {"target_name": "HIV protease", "search_query": "1HPV"}
MIXED = {"target_name": "Mixed", "search_query": "1HPV 4CUP 1GBT"}
NOTHING = {"target_name": "zebra", "search_query": "zebra crossing"}
REFUSED = {
    "target_name": "BAZ2B",
    "search_query": "4CUP",
    "options": {"sequence_search": True},
    "fasta": "ACDEFGHIKLMNPQ",
}
"""A job that the embedded archive refuses at once: it can't be searched by sequence."""


TOKENS = tuple(Token(name, f"{name}-secret") for name in ("ann", "ben", "operator"))
ANN, BEN, OPERATOR = ({"Authorization": f"Bearer {token.secret}"} for token in TOKENS)


WITHOUT_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For clients on this machine; the default loads certificates for 20 ms."""


class SettableClock(Clock):
    """A wall clock that a test sets; the monotonic one is real."""

    def __init__(self) -> None:
        self.shift = timedelta()

    def utc(self) -> datetime:
        return datetime.now(UTC) + self.shift


def settings_in(folder: Path, **values: Any) -> Settings:
    """Return settings of a service over the embedded archive."""
    base = {
        "jobs_dir": folder / "jobs",
        "cache_dir": folder / "cache",
        "index_dir": folder / "index",
        "source": "archive",
        "extras": EXTRAS,
    }
    return Settings(**{**base, **values})


def submission(body: Mapping[str, Any] = HPV, **changes: Any) -> Submission:
    """Return a checked submission."""
    return parse_submission({**body, **changes}, DEFAULTS)


def local(folder: Path, **values: Any) -> TestClient:
    """Return a client of a service in this process, with the stand-in pipeline."""
    app = create_app(build_parts(settings_in(folder, **values), snakemake=COMMAND))
    return TestClient(app, "http://127.0.0.1", raise_server_exceptions=False)


@contextlib.asynccontextmanager
async def client_of(parts: Parts) -> AsyncIterator[httpx2.AsyncClient]:
    """Run the application over a service's parts in this event loop; yield a client of it."""
    app = create_app(parts)
    transport = httpx2.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client,
    ):
        yield client


def run_form(job: Mapping[str, Any]) -> dict[str, tuple[None, str]]:
    """Return the form by which a client of WES submits a job."""
    values = {"workflow_params": json.dumps(job), "workflow_type": "SMK", "workflow_type_version": "9"}
    return {name: (None, value) for name, value in {**values, "workflow_url": "tethermap"}.items()}


def free_port() -> int:
    """Return a port that no program uses."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextlib.asynccontextmanager
async def running(
    settings: Settings, *, real: bool = False, serving: bool = True, **options: Any
) -> AsyncIterator[Parts]:
    """Run the service's parts in this process; `real` for the real Snakemake."""
    parts = build_parts(settings, **{"snakemake": None if real else COMMAND, **options})
    async with parts.running(serving=serving):
        yield parts


def status(parts: Parts, job_id: str) -> str:
    """Return the status of a job; empty if there is none."""
    record = parts.store.get(job_id)
    return str(record.status) if record is not None else ""


async def ended(parts: Parts, job_id: str, seconds: float = 60) -> JobRecord:
    """Wait for a job's end and return its record."""
    async with asyncio.timeout(patience(seconds)):
        *_, record = [record async for record in parts.queue.ledger.watch(job_id)]
        assert record.status in FINAL, record
        return record


async def outcome(settings: Settings, body: Mapping[str, Any] = REFUSED, **options: Any) -> JobRecord:
    """Run a service for one job to its end and return its record."""
    async with running(settings, **options) as parts:
        return await ended(parts, (await parts.queue.submit(submission(body))).job_id)


def reason(record: JobRecord | Ending) -> tuple[str, str]:
    """Return the kind and message of the error of a job that failed."""
    assert record.error is not None
    return record.error.kind, record.error.message


async def until(true: Callable[[], Any], seconds: float = 30) -> Any:
    """Wait until something is true and return it."""
    async with asyncio.timeout(patience(seconds)):
        while not (value := true()):  # noqa: ASYNC110 - anything can be waited for
            await asyncio.sleep(0.02)
        return value


def hold(folder: Path, step: str) -> Path:
    """Let jobs below a folder, or those of a query (``step query``), stay at a step of the stand-in pipeline.

    They continue when the file that is returned is gone.
    """
    part = folder / f".{HOLD}"
    part.write_text(step, encoding="utf-8")
    return part.rename(folder / HOLD)


@contextlib.contextmanager
def waiting_job(service: LiveService, body: Mapping[str, Any]) -> Iterator[str]:
    """Submit a job that waits, because the one before it in its batch is paused; yield its id."""
    gate = hold(service.folder, "search_entries 1GBT")
    before = {"target_name": "Trypsin", "search_query": "1GBT"}
    status, batch = service.call("POST", "/api/batches", {"jobs": [before, body]})
    assert status == 202, batch
    yield batch["jobs"][1]["job_id"]
    service.call("POST", f"/api/batches/{batch['batch_id']}/cancel")
    gate.unlink()


def living(folder: Path) -> list[processes.Process]:
    """Return the processes of a job's last run."""
    state = read_state(folder)
    return [] if state is None else processes.members(state.token, state.pid, state.start)


class LiveService:
    """`python -m service` as a separate process.

    Parameters
    ----------
    folder : Path
        Folder of its jobs, cache and index.
    quick : bool
        Whether it starts quickly, with the stand-in pipeline.
    **variables : str
        Further `TETHERMAP_` settings, without the prefix.
    """

    def __init__(self, folder: Path, *, quick: bool = False, **variables: str) -> None:
        self.folder = folder
        self._quick = quick
        self.jobs = Path(variables.get("JOBS_DIR", folder / "jobs"))
        self.port = free_port()
        self.http = httpx2.Client(
            base_url=self.address, timeout=patience(60), verify=WITHOUT_TLS, event_hooks={"response": [checked]}
        )
        base = {"JOBS_DIR": self.jobs, "CACHE_DIR": folder / "cache", "INDEX_DIR": folder / "index"}
        given = {**base, "SOURCE": "archive", "PORT": self.port, "EXTRAS": ",".join(EXTRAS), **variables}
        self.environment = {**os.environ, **{f"TETHERMAP_{key}": str(value) for key, value in given.items()}}
        self.environment["XDG_DATA_HOME"] = str(folder / "data")  # not the examples that its user has built
        self.environment.pop("PYTHONWARNINGS", None)
        self._process: subprocess.Popen[bytes] | Forked | None = None

    def start(self) -> Self:
        """Start it and wait until it answers."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / "service.log"
        if self._quick:
            from tests.service.forks import Forked

            self._process = Forked(self.environment, path)
        else:
            with path.open("ab") as log:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "service"],
                    cwd=ROOT, env=self.environment, stdout=log, stderr=log, start_new_session=True,
                )  # fmt: skip
        process = self._process
        wait_until(lambda: self.answers(process), 30, "the service to answer")
        return self

    def log(self) -> str:
        """Return the end of its log."""
        path = self.folder / "service.log"
        return path.read_text()[-3000:] if path.exists() else ""

    @property
    def process_id(self) -> int:
        """The id of its process."""
        assert self._process is not None, "the service does not run"
        return self._process.pid or 0

    def kill(self) -> None:
        """Kill it at once, like a crash; its runs continue."""
        self._end(signal.SIGKILL)

    def terminate(self) -> float:
        """End it as an operator would; return how many seconds that took."""
        begun = time.monotonic()
        self._end(signal.SIGTERM)
        return time.monotonic() - begun

    def restart(self) -> Self:
        """Kill it and start it again."""
        self.kill()
        return self.start()

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            os.kill(self.process_id, number)
            self._process.wait(patience(15))
            self._process = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.http.close()
        for folder in self.jobs.iterdir() if self.jobs.is_dir() else ():
            processes.send(living(folder), signal.SIGKILL)

    @property
    def address(self) -> str:
        """Its address without a path."""
        return f"http://127.0.0.1:{self.port}"

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Send a request over its own connection; return status and JSON."""
        answer = self.http.request(method, path, json=body, headers={"Connection": "close"})
        return answer.status_code, answer.json()

    def submit(self, body: Mapping[str, Any] = HPV) -> str:
        """Submit a job and return its id."""
        status, answer = self.call("POST", "/api/jobs", dict(body))
        assert status == 202, answer
        return str(answer["job_id"])

    def job(self, job_id: str) -> dict[str, Any]:
        """Return a job's body."""
        status, answer = self.call("GET", f"/api/jobs/{job_id}")
        assert status == 200, answer
        return dict(answer)

    def ended(self, job_id: str, seconds: float = 50) -> dict[str, Any]:
        """Wait for a job's end and return its body."""

        def final() -> dict[str, Any] | None:
            body = self.job(job_id)
            return body if body["status"] in FINAL else None

        return dict(wait_until(final, seconds, f"{job_id} to end\n{self.log()}"))

    def completed(self, body: Mapping[str, Any] = HPV, seconds: float = 120) -> str:
        """Run a job to its successful end and return its id."""
        job_id = self.submit(body)
        assert self.ended(job_id, seconds)["status"] == "completed"
        return job_id

    def record(self, job_id: str) -> dict[str, Any]:
        """Return a job's record from the disk."""
        return dict(json.loads((self.jobs / job_id / "job_record.json").read_text()))

    def answers(self, process: subprocess.Popen[bytes] | Forked | None = None) -> bool:
        """Return whether a service answers at its port; `process` must be alive meanwhile."""
        assert process is None or process.poll() is None, self.log()
        with contextlib.suppress(httpx2.TransportError):
            return self.call("GET", "/api/health")[0] in (200, 503)
        return False
