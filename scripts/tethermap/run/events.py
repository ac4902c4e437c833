"""The record of a run: one JSON line per event, for the service, the job's log and people."""

import json
import os
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tethermap.base import layout
from tethermap.base.atomic import new_lines


class RunEvents:
    """Appends events of a run to the job's event file: numbered, with UTC time, flushed, never raising.

    Numbering continues after the events of an earlier run of the job. The file is opened in the current folder when the
    first event occurs.

    Attributes
    ----------
    step : str
        The rule that began last, empty before the first.
    failed_step : str
        The rule that failed last; empty if none did.
    failed : bool
        Whether the last record of the run is an error.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._number = 0
        self._descriptor: int | None = None
        self.closed = False
        self._jobs: dict[object, dict[str, Any]] = {}
        self.step = ""
        self.failed_step = ""
        self.failed = False

    def write(self, event: str, **fields: Any) -> None:
        """Append one event.

        Parameters
        ----------
        event : str
            Name of the event.
        **fields
            Plain values without paths or facts about this machine, because the job's log is made from them.
        """
        with self._lock:
            if self.closed:
                return
            try:
                if self._descriptor is None:
                    self._open(Path(layout.EVENTS))
                self._number += 1
                now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
                line = {"n": self._number, "time": now, "event": event, **fields}
                os.write(self._descriptor or 0, json.dumps(line, default=str).encode() + b"\n")
            except OSError:
                self.closed = True

    def close(self) -> None:
        """Close the file; later events are dropped."""
        with self._lock:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None
            self.closed = True

    def _open(self, path: Path) -> None:
        """Open the file for appending, after the last number in it and on a new line."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._number = max((event["n"] for event in read_events(path)), default=0)
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        size = os.fstat(self._descriptor).st_size
        if size and os.pread(self._descriptor, 1, size - 1) != b"\n":  # a run was killed while it wrote
            os.write(self._descriptor, b"\n")

    def take(self, name: str, record: Mapping[str, Any]) -> None:
        """Write the event of a log record of Snakemake, if it has one; that of an invalid record is ``unreadable``.

        Parameters
        ----------
        name, record : str, mapping
            Snakemake's name of the event, and the fields of its log record.
        """
        try:
            self._translate(name, record)
        except Exception as error:  # noqa: BLE001 - Snakemake would silently stop calling a handler that raises
            self.write("unreadable", about=name, error=type(error).__name__)

    def _translate(self, name: str, record: Mapping[str, Any]) -> None:
        if name in ("error", "progress"):
            self.failed = name == "error"
        if name == "workflow_started":
            self.write("run_started", snakemake=record.get("snakemake_version"))
        elif name == "run_info":
            self.write("planned", jobs=record["stats"].get("total"))
        elif name == "job_info":
            shard = dict(record["wildcards"] or {}).get("shard")
            job = {"job": record["jobid"], "rule": record["rule_name"], "shard": shard}
            self._jobs[record["jobid"]] = job
            self.step = job["rule"]
            self.write("job_started", **job)
        elif name == "job_finished":
            self.write("job_finished", **self._jobs.get(record["job_id"], {"job": record["job_id"]}))
        elif name == "job_error":
            job = {"job": record["jobid"], "rule": record["rule_name"]}
            self.failed_step = record["rule_name"]
            self.write("job_error", **self._jobs.get(record["jobid"], job))
        elif name == "progress":
            self.write("progress", done=record["done"], total=record["total"])
        elif name == "error":
            self.write("error", exception=record.get("exception"))


def read_events(path: Path) -> Iterator[dict[str, Any]]:
    """Return the events of a file in order; a half-written line is left out, a missing file has none.

    >>> list(read_events(Path("no such file")))
    []
    """
    return NewEvents(path).read()


class NewEvents:
    """Reads the new events of a growing file.

    Parameters
    ----------
    path : Path
        The file, which may not exist yet.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0

    def read(self) -> Iterator[dict[str, Any]]:
        """Yield the events after those of the last call; half-written and unreadable lines are left out."""
        try:
            lines, self._offset = new_lines(self._path, self._offset)
        except OSError:
            return
        for line in lines:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict) and isinstance(event.get("n"), int):
                yield event
