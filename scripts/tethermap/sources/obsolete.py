"""Lists of withdrawn entries and their successors: ``obsolete.dat`` of the wwPDB, or a CSV."""

from __future__ import annotations

import csv
import logging
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

_LOG = logging.getLogger(__name__)
_NAMES = ("obsolete.dat", "obsolete.csv")
_LEVELS = 3
_MAX_STEPS = 20


def load_obsolete(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the successors of each withdrawn entry, lower case; empty for entries without.

    Parameters
    ----------
    path : Path
        wwPDB ``obsolete.dat``, or a CSV with columns ``pdb_id`` and ``replaced_by`` (ids joined by blanks).
    """
    with path.open(encoding="utf-8", errors="replace", newline="") as stream:
        if path.suffix == ".csv":
            return _merged(
                (row.get("pdb_id") or "", re.split(r"[\s;,]+", row.get("replaced_by") or ""))
                for row in csv.DictReader(stream)
            )
        fields = [line.split() for line in stream if line.startswith("OBSLTE")]
    return _merged((words[2], words[3:]) for words in fields if len(words) > 2)


def _merged(rows: Iterable[tuple[str, list[str]]]) -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for old, new in rows:
        name = old.strip().lower()
        if name:
            table[name] = tuple(dict.fromkeys([*table.get(name, ()), *(item.lower() for item in new if item)]))
    return table


def find_obsolete(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the list that belongs to a mirror; empty when there is none.

    The search covers the folder, its parent and grandparent, and ``status`` next to them, the wwPDB's place for it.
    """
    for parent in [folder, *folder.parents][:_LEVELS]:
        for name in _NAMES:
            for path in (parent / name, parent / "status" / name):
                if path.is_file():
                    try:
                        return load_obsolete(path)
                    except (OSError, csv.Error) as error:
                        _LOG.warning("the list of withdrawn entries %s can't be read: %s", path.name, error)
    return {}


def present_successors(
    entry_id: str, table: Mapping[str, tuple[str, ...]], present: Callable[[str], bool]
) -> tuple[str, ...]:
    """Return the existing entries that replace a withdrawn one, over several withdrawals if necessary.

    Parameters
    ----------
    entry_id : str
        The withdrawn entry.
    table : mapping
        Successors by withdrawn entry.
    present : callable
        Returns whether an entry exists.
    """
    queue, seen, there = [entry_id], {entry_id}, []
    for _ in range(_MAX_STEPS):
        following = [new for old in queue for new in table.get(old, ()) if new not in seen]
        there += [name for name in dict.fromkeys(following) if present(name)]
        queue = [name for name in dict.fromkeys(following) if not present(name)]
        seen.update(following)
        if there or not queue:
            break
    return tuple(there)
