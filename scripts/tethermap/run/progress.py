"""Progress of a job by entry and within long ones: shards append lines, one reader adds them up."""

import csv
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from tethermap.base import layout
from tethermap.base.atomic import new_lines, read_json

LAST_STEP = "measure_sasa"
"""A kept entry is done when this step has passed it; a rejected one as soon as it is rejected."""

_T = TypeVar("_T")

_SECONDS = 1.0
"""Time between two lines on the ligands of one entry."""


class ShardProgress:
    """Progress of one step of one shard, as JSON lines: one for each entry, more for long ones.

    Parameters
    ----------
    path : Path
        The progress file of this step and shard; truncated at the start of the step.
    step : str
        Name of the rule.
    """

    def __init__(self, path: Path, step: str) -> None:
        self._path = path
        self._step = step
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")

    def entry(self, entry_id: str, kept: bool | None = None) -> None:
        """Record that the step has finished an entry.

        Parameters
        ----------
        kept : bool or None
            Whether the entry is kept; None when this step doesn't decide it.
        """
        self._append({"step": self._step, "entry": entry_id, "kept": kept})

    def ligands(self, entry_id: str, ligands: Sequence[_T]) -> Iterator[_T]:
        """Yield the ligands of an entry; for long entries, record the number of finished ones from time to time."""
        reported = time.monotonic()
        for done, ligand in enumerate(ligands):
            if time.monotonic() - reported >= _SECONDS:
                reported = time.monotonic()
                self._append({"step": self._step, "entry": entry_id, "kept": None, "ligands": [done, len(ligands)]})
            yield ligand

    def _append(self, line: dict[str, object]) -> None:
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line) + "\n")


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a job.

    Parameters
    ----------
    found : int or None
        Entries that the search selected; None before it has ended.
    done, kept, rejected : int
        Entries that are finished; those of them with a ligand that is kept; those without.
    passed : dict of str to int
        Finished entries of each step, by rule.
    ligands, ligands_done : int
        Ligands of long entries in progress; finished ligands among them.
    """

    found: int | None = None
    done: int = 0
    kept: int = 0
    rejected: int = 0
    passed: dict[str, int] = field(default_factory=dict)
    ligands: int = 0
    ligands_done: int = 0


@dataclass(slots=True)
class ProgressReader:
    """Reads new lines of a job's progress files repeatedly."""

    job: Path
    _offsets: dict[Path, int] = field(default_factory=dict, repr=False)
    _verdict: dict[str, bool] = field(default_factory=dict, repr=False)
    _passed: dict[str, set[str]] = field(default_factory=dict, repr=False)
    _within: dict[tuple[str, str], list[int]] = field(default_factory=dict, repr=False)

    def read(self) -> Progress:
        """Return the progress as of now; missing and half-written lines don't count yet."""
        sizes: dict[str, int] | None = read_json(self.job / layout.SHARD_PLAN)  # None before they are planned
        paths = sorted((self.job / layout.PROGRESS).glob("*.jsonl"))
        files = {path: path.stat().st_size for path in paths if sizes is None or path.stem.rpartition(".")[2] in sizes}
        if any(files.get(path, 0) < offset for path, offset in self._offsets.items()):
            self._begin_anew()  # a step has started again, or its shard was distributed again
        try:
            for path, size in files.items():
                if size > self._offsets.get(path, 0):
                    self._read_file(path)
        except (ValueError, TypeError, KeyError):  # a step has started again meanwhile: the next call reads all again
            self._begin_anew()
        rejected = sum(not kept for kept in self._verdict.values())
        kept = sum(self._verdict.get(entry, False) for entry in self._passed.get(LAST_STEP, ()))
        return Progress(
            found=_entries_searched(self.job) if sizes is None else sum(sizes.values()),
            done=kept + rejected,
            kept=kept,
            rejected=rejected,
            passed={step: len(entries) for step, entries in self._passed.items()},
            ligands=sum(total for _, total in self._within.values()),
            ligands_done=sum(done for done, _ in self._within.values()),
        )

    def _begin_anew(self) -> None:
        self._offsets, self._verdict, self._passed, self._within = {}, {}, {}, {}

    def _read_file(self, path: Path) -> None:
        """Count the new complete lines of a file."""
        lines, self._offsets[path] = new_lines(path, self._offsets.get(path, 0))
        for line in map(json.loads, lines):
            step, entry, kept = line["step"], line["entry"], line["kept"]
            if "ligands" in line:
                self._within[step, entry] = line["ligands"]
                continue
            self._within.pop((step, entry), None)
            self._passed.setdefault(step, set()).add(entry)
            if kept is not None:
                self._verdict[entry] = self._verdict.get(entry, True) and kept


def progress_file(step: str, shard: str) -> str:
    """Return the path of a progress file, relative to the job folder; ``{shard}`` gives a rule's pattern.

    >>> Path(progress_file("measure_sasa", "0001")).name
    'measure_sasa.0001.jsonl'
    """
    return f"{layout.PROGRESS}/{step}.{shard}.jsonl"


def _entries_searched(job: Path) -> int | None:
    """Count the entries that the search selected; None before it has ended."""
    try:
        with (job / layout.SEARCH_ENTRIES).open(encoding="utf-8", newline="") as stream:
            return sum(1 for row in csv.DictReader(stream) if row["selected"] == "True")
    except OSError:
        return None
