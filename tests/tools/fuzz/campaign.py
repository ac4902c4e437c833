"""Many cases in forked workers, so that a crash, a hang or a lack of memory is seen and attributed to its case."""

import json
import logging
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import psutil

from tests.tools.fuzz.case import Case
from tests.tools.patience import slowness
from tests.tools.runs import grouped

HANG_SECONDS = 10.0
"""CPU time on a quiet machine after which a case hangs."""

MOST_MB = 1_500
"""Memory of a worker's address space above its initial size, beyond which a case is reported."""

_ASLEEP_SECONDS = 120.0
HANGS = (signal.SIGPROF, signal.SIGALRM)
"""Signals of the timers for CPU and wall time."""


@dataclass(frozen=True)
class Result:
    """Result of a case: the reason of the entry's status, accepted ligands, faults, CPU time in seconds."""

    number: int
    case: str
    reason: str
    instances: int
    wrong: tuple[str, ...]
    seconds: float


class Campaign:
    """Cases ``0 .. count``, distributed over workers by number; recorded ones are not run again.

    Parameters
    ----------
    bases : mapping of str to bytes
        The files to damage.
    record : Path
        One JSON line for each case that has ended.
    """

    def __init__(self, bases: Mapping[str, bytes], record: Path) -> None:
        self._bases = bases
        self._record = record

    def results(self) -> list[Result]:
        """Return the recorded results, each case once."""
        if not self._record.is_file():
            return []
        lines = self._record.read_text(encoding="utf-8").splitlines()
        values: dict[int, dict[str, Any]] = {(value := json.loads(line))["number"]: value for line in lines}
        return [Result(**{**value, "wrong": tuple(value["wrong"])}) for _, value in sorted(values.items())]

    def run(self, count: int, workers: int) -> list[Result]:
        """Run the cases that are not recorded yet; return all."""
        self._record.parent.mkdir(parents=True, exist_ok=True)
        left = self._unrecorded(range(count))
        running = [self._started(left[k::workers]) for k in range(workers)]
        while running:
            wait([process.sentinel for process, _ in running])
            ended = [one for one in running if one[0].exitcode is not None]
            running = [one for one in running if one not in ended]
            running += [self._started(rest) for process, numbers in ended if (rest := self._rest(process, numbers))]
        return [result for result in self.results() if result.number < count]

    def _unrecorded(self, numbers: Iterable[int]) -> list[int]:
        done = {result.number for result in self.results()}
        return [number for number in numbers if number not in done]

    def _started(self, numbers: list[int]) -> tuple[BaseProcess, list[int]]:
        sys.stdout.flush()
        process = multiprocessing.get_context("fork").Process(target=self._work, args=(numbers,))
        process.start()
        return process, numbers

    def _rest(self, process: BaseProcess, numbers: list[int]) -> list[int]:
        """Record the case that ended a process, if one did; return the cases after it."""
        left = self._unrecorded(numbers)
        if not (status := process.exitcode) or not left:
            return []
        wrong = f"hang: more than {HANG_SECONDS:g} s" if -status in HANGS else f"crash: status {status}"
        self._note(Result(left[0], str(Case.number(left[0], self._bases)), "ended", 0, (wrong,), HANG_SECONDS))
        return left[1:]

    def _note(self, result: Result) -> None:
        """Append a result to the record, whole or not at all."""
        line = json.dumps(asdict(result), ensure_ascii=False) + "\n"
        with self._record.open("ab", buffering=0) as stream:
            stream.write(line.encode("utf-8", "backslashreplace"))

    def _work(self, numbers: list[int]) -> None:
        """Run cases one after another (in a worker); a hanging one ends the process by the signal of a timer."""
        from tests.tools.fuzz.one_job import OneJob

        logging.disable(logging.CRITICAL)
        warnings.simplefilter("error")
        sys.stderr = sys.stdout
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # RDKit's and FreeSASA's own messages
        for hang in HANGS:
            signal.signal(hang, signal.SIG_DFL)
        with tempfile.TemporaryDirectory(prefix="tethermap-fuzz-") as folder:
            job = OneJob(Path(folder) / "job")
            if "made" in self._bases:
                job.run(self._bases["made"])  # so that all is loaded before memory is limited
            limit = psutil.Process().memory_info().vms + (MOST_MB << 20)
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            parent = os.getppid()
            for number in numbers:
                if os.getppid() != parent:
                    return  # the campaign was ended
                signal.setitimer(signal.ITIMER_PROF, HANG_SECONDS * slowness())
                signal.setitimer(signal.ITIMER_REAL, _ASLEEP_SECONDS)
                begun = time.process_time()
                case = Case.number(number, self._bases)
                reason, instances, wrong = outcome(job, case.content(self._bases))
                self._note(Result(number, str(case), reason, instances, wrong, round(time.process_time() - begun, 3)))
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)


def outcome(job: Any, content: bytes) -> tuple[str, int, tuple[str, ...]]:
    """Return reason, accepted ligands and faults of one file; an exception of a stage is a fault."""
    try:
        found: tuple[str, int, tuple[str, ...]] = job.run(content)
    except Exception as error:  # noqa: BLE001 - finding whatever a stage lets through is the aim
        places = [frame for frame in traceback.extract_tb(error.__traceback__) if "/scripts/" in frame.filename]
        place = f"{places[-1].filename.rpartition('/scripts/')[2]}:{places[-1].lineno}" if places else "?"
        return "raised", 0, (f"raised: {type(error).__name__} at {place}: {str(error).splitlines()[:1]}",)
    return found


def kinds(results: list[Result]) -> Iterator[tuple[str, list[Result]]]:
    """Yield the faults by kind, the most frequent first, with its cases."""
    pairs = ((": ".join(text.split(": ")[:2]), result) for result in results for text in result.wrong)
    found = grouped(dict.fromkeys(pairs), lambda pair: pair[0])
    for kind in sorted(found, key=lambda kind: (-len(found[kind]), kind)):
        yield kind, [result for _, result in found[kind]]
