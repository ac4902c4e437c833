"""Many cases in forked workers, so that a crash, a hang or a lack of memory is seen and attributed to its case."""

from __future__ import annotations

import json
import logging
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.tools.fuzz.case import Case
from tests.tools.patience import slowness

HANG_SECONDS = 10.0
"""CPU time on a quiet machine after which a case hangs."""

MOST_MB = 1_500
"""Memory of a worker's address space above its initial size, beyond which a case is reported."""

_CPU, _ASLEEP = float(os.sysconf("SC_CLK_TCK")), 120.0


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
    seed : int
        Another seed draws other cases.
    """

    def __init__(self, bases: Mapping[str, bytes], record: Path, seed: int = 0) -> None:
        self._bases = bases
        self._record = record
        self._seed = seed

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
        done = {result.number for result in self.results()}
        left = [number for number in range(count) if number not in done]
        running = [_Worker(self, left[k::workers]) for k in range(workers)]
        while sum(worker.watch() for worker in running):  # any() would stop at the first true value
            time.sleep(0.2)
        return [result for result in self.results() if result.number < count]

    def case(self, number: int) -> Case:
        """Return a case by its number."""
        return Case.number(number, self._bases, self._seed)

    def note(self, result: Result) -> None:
        """Append a result to the record, whole or not at all."""
        line = json.dumps(asdict(result), ensure_ascii=False) + "\n"
        handle = os.open(self._record, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        os.write(handle, line.encode("utf-8", "backslashreplace"))
        os.close(handle)

    def work(self, numbers: list[int], told: int) -> None:
        """Run cases one after another, writing the number of each before it begins (in a worker)."""
        from tests.tools.fuzz.one_job import OneJob

        logging.disable(logging.CRITICAL)
        warnings.simplefilter("error")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # RDKit's and FreeSASA's own messages
        with tempfile.TemporaryDirectory(prefix="tethermap-fuzz-") as folder:
            job = OneJob(Path(folder) / "job")
            if "made" in self._bases:
                job.run(self._bases["made"])  # so that all is loaded before memory is limited
            limit = _address_space() + (MOST_MB << 20)
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            parent = os.getppid()
            for number in numbers:
                if os.getppid() != parent:
                    return  # the campaign was ended
                os.write(told, f"{number}\n".encode())
                begun = time.process_time()
                case = self.case(number)
                reason, instances, wrong = outcome(job, case.content(self._bases))
                self.note(Result(number, str(case), reason, instances, wrong, round(time.process_time() - begun, 3)))


def outcome(job: Any, content: bytes) -> tuple[str, int, tuple[str, ...]]:
    """Return reason, accepted ligands and faults of one file; an exception of a stage is a fault."""
    try:
        result = job.run(content)
    except Exception as error:  # noqa: BLE001 - finding whatever a stage lets through is the aim
        places = [frame for frame in traceback.extract_tb(error.__traceback__) if "/scripts/" in frame.filename]
        place = f"{places[-1].filename.rpartition('/scripts/')[2]}:{places[-1].lineno}" if places else "?"
        return "raised", 0, (f"raised: {type(error).__name__} at {place}: {str(error).splitlines()[:1]}",)
    return result.reason, result.instances, result.wrong


class _Worker:
    """One worker process and the cases it still has."""

    def __init__(self, campaign: Campaign, numbers: list[int]) -> None:
        self._campaign = campaign
        self._numbers = numbers
        self._process = 0
        if numbers:
            self._start()

    def _start(self) -> None:
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        self._told, self._at, self._text = reading, -1, ""
        sys.stdout.flush()
        self._process = os.fork()
        if self._process:
            os.close(writing)
            return
        try:
            self._campaign.work(self._numbers, writing)
        except BaseException:  # noqa: BLE001 - the copy of the parent must not go on
            traceback.print_exc(file=sys.stdout)
            os._exit(3)
        os._exit(0)

    def watch(self) -> bool:
        """Watch the process; return whether it is still running."""
        if not self._process:
            return False
        self._listen()
        ended, status = os.waitpid(self._process, os.WNOHANG)
        wrong = ""
        if ended:
            self._listen()
            wrong = f"crash: status {os.waitstatus_to_exitcode(status)}" if status else ""
        elif self._at >= 0 and (self._hangs() or time.monotonic() - self._since > _ASLEEP):
            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)
            ended, wrong = self._process, f"hang: more than {HANG_SECONDS:g} s"
        if not ended:
            return True
        os.close(self._told)
        self._process = 0
        if wrong and self._at < 0:
            raise RuntimeError(f"a worker did not start: {wrong}")
        if wrong:
            case = str(self._campaign.case(self._at))
            self._campaign.note(Result(self._at, case, "ended", 0, (wrong,), HANG_SECONDS))
            self._numbers = self._numbers[self._numbers.index(self._at) + 1 :]
            if self._numbers:
                self._start()
        return bool(self._process)

    def _hangs(self) -> bool:
        taken = _cpu_seconds(self._process) - self._began
        return taken > HANG_SECONDS and taken > HANG_SECONDS * slowness()

    def _listen(self) -> None:
        """Take note of the case that has begun."""
        try:
            self._text += os.read(self._told, 1 << 16).decode()
        except BlockingIOError:
            return
        *whole, self._text = self._text.split("\n")
        if whole:
            self._at = int(whole[-1])
            self._began, self._since = _cpu_seconds(self._process), time.monotonic()


def _cpu_seconds(process: int) -> float:
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except (OSError, ValueError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _CPU


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()


def kinds(results: list[Result]) -> Iterator[tuple[str, list[Result]]]:
    """Yield the faults by kind, the most frequent first, with its cases."""
    found: dict[str, list[Result]] = {}
    for result in results:
        for kind in {": ".join(text.split(": ")[:2]) for text in result.wrong}:
            found.setdefault(kind, []).append(result)
    yield from sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
