"""Replacement for Snakemake in tests of the service's own book-keeping: a small process tree, started directly.

It locks the job folder, writes events, runs the steps as separate processes that copy their results from a finished
job, continues after an earlier run, and ends like Snakemake after a signal to it or to a step. A job costs a
quarter of a second.
"""

import hashlib
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from tethermap.base import layout  # noqa: E402 - started by its path alone, as that is quick
from tethermap.run.display import STEPS  # noqa: E402
from tethermap.run.events import RunEvents  # noqa: E402

COMMAND = (sys.executable, "-I", "-S", str(Path(__file__).resolve()))
"""Command for the service in place of Snakemake's."""

HOLD = "hold"
"""File next to the folder of all jobs: the step that it names, of a query or all, runs until the file is removed."""

LONGEST_HOLD = 600.0
"""Seconds after which a paused step continues, because its test must have ended."""

FINISHED = {query: ROOT / "data/examples" / f"exam{query}" for query in ("1hpv", "4cup", "1gbt")}
"""Jobs whose results it copies, by query; other queries get the headers of the first one's tables."""

RULES = [name for name in STEPS if name != "all"]
MADE = {layout.SEARCH_ENTRIES: "search_entries", layout.SEARCH_QUERY: "search_entries",
        layout.WAR_PDB: "clean_complexes", layout.MCS_SDF: "match_ligands", layout.MCS_SVG: "measure_sasa",
        layout.PROTAC_FOLDER: "write_protac_inputs", layout.REPORT: "finish_job", "logs": "finish_job",
        layout.MANIFEST: "finish_job", "job_record.json": ""}  # fmt: skip
"""Step that makes a file or the files of a folder; the others are tables."""

CAN_NOT = "The embedded archive can't search by sequence."


def finished(query: str) -> dict[str, bytes]:
    """Return the result files of a job by path, without intermediates."""
    folder = FINISHED.get(query.lower(), FINISHED["1hpv"])
    files = {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()}
    results = {name: path for name, path in files.items() if not name.startswith(f"{layout.WORK}/")}
    contents = {name: path.read_bytes() for name, path in results.items() if step_of(name)}
    if query.lower() in FINISHED:
        return contents
    manifest = json.loads(contents[layout.MANIFEST])
    manifest["counts"] = dict.fromkeys(manifest["counts"], 0)
    empty = {name: text[: text.index(b"\n") + 1] for name, text in contents.items() if name.endswith(".csv")}
    manifest["files"] = [
        {"path": name, "sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
        for name, content in sorted(empty.items())
    ]
    return {**empty, layout.JOB_LOG: contents[layout.JOB_LOG], layout.MANIFEST: json.dumps(manifest).encode()}


def step_of(name: str) -> str:
    """Return the rule that makes a file; empty for other files."""
    return next((rule for place, rule in MADE.items() if f"{name}/".startswith(f"{place}/")), "build_tables")


def run_step(rule: str, query: str) -> None:
    """Write the output of a step, each file under another name first, unless it is paused."""
    hold = Path("../..", HOLD)
    until = time.monotonic() + LONGEST_HOLD
    held = (rule, f"{rule} {query}")
    while hold.exists() and hold.read_text(encoding="utf-8") in held and time.monotonic() < until:
        time.sleep(0.01)
    for name, content in finished(query).items():
        if step_of(name) == rule:
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_name(f".{path.name}.{os.getpid()}.part")
            part.write_bytes(content)
            part.replace(path)


class Run:
    """One run in the current folder."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._settings = settings
        self._query = str(settings["search_query"])
        self._events = RunEvents()
        self._told = 0
        self._step = 0
        self._lock = Path(".snakemake/locks/0.input.lock")

    def run(self) -> int:
        """Run the steps that are not done yet; return the exit status."""
        if self._lock.exists():
            sys.stderr.write("LockException: Directory cannot be locked.\n")
            return 1
        self._lock.parent.mkdir(parents=True, exist_ok=True)
        self._lock.touch()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._heard)
        try:
            return next((status for status in self._steps() if status), 0)
        finally:
            self._lock.unlink(missing_ok=True)

    def _heard(self, number: int, _: FrameType | None) -> None:
        self._told = number
        if number == signal.SIGINT and self._step:
            os.kill(self._step, signal.SIGKILL)

    def _done(self, step: str) -> bool:
        """Return whether a step has been run and its output still exists."""
        files = [name for name in finished(self._query) if step_of(name) == step]
        return Path(layout.WORK, "done", step).exists() and all(Path(name).exists() for name in files)

    def _in_own_process(self, rule: str) -> int:
        """Run a step; return the signal that ended it, 0 if none did."""
        self._step = os.fork()
        if not self._step:
            for heard in (signal.SIGTERM, signal.SIGINT):
                signal.signal(heard, signal.SIG_DFL)
            try:
                run_step(rule, self._query)
            finally:
                os._exit(0)
        _, status = os.waitpid(self._step, 0)
        self._step = 0
        return os.WTERMSIG(status)

    def _steps(self) -> Iterator[int]:
        left = [name for name in RULES if not self._done(name)]
        self._events.write("run_started", snakemake="none")
        self._events.write("planned", jobs=len(left))
        for done, name in enumerate(left):
            self._events.write("job_started", job=done, rule=name, shard=None)
            if name == "search_entries" and self._settings.get("sequence_search"):
                refused = {"message": CAN_NOT, "step": name, "kind": "input"}
                Path(layout.ERROR).write_text(json.dumps(refused), encoding="utf-8")
                self._events.write("job_error", job=done, rule=name, shard=None)
                yield 1
            log = Path(layout.RULE_LOGS, f"{name}.log")
            log.parent.mkdir(parents=True, exist_ok=True)
            log.touch()
            if ended_by := self._in_own_process(name):
                sys.stderr.write(f"Command died with <Signals.{signal.Signals(ended_by).name}: {ended_by}>.\n")
                yield 1
            mark = Path(layout.WORK, "done", name)
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()
            self._events.write("job_finished", job=done, rule=name, shard=None)
            self._events.write("progress", done=done + 1, total=len(left))
            found = int(self._query.lower() in FINISHED)
            self._events.write("entries", found=found, done=found, kept=found, rejected=0)
            if self._told:
                sys.stderr.write("Will exit after finishing currently running jobs (scheduler).\n")
                yield 1
        yield 0


def main(arguments: list[str]) -> int:
    """Execute the arguments of Snakemake."""
    given = dict(pairwise(arguments))
    os.chdir(given["--directory"])
    if "--unlock" in arguments:
        shutil.rmtree(".snakemake/locks", ignore_errors=True)
        return 0
    return Run(json.loads(Path(given["--configfile"]).read_text(encoding="utf-8"))).run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
