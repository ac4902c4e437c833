"""Lists of withdrawn entries and their successors: ``obsolete.dat`` of the wwPDB, or a CSV."""

import csv
import logging
import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from tethermap.sources.base import KnownEntry

_LOG = logging.getLogger(__name__)
_NAMES = ("obsolete.dat", "obsolete.csv")
_MAX_STEPS = 20
"""Withdrawals in a row that are followed."""


def load_obsolete(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the successors of each withdrawn entry, lower case; empty for entries without.

    Parameters
    ----------
    path : Path
        wwPDB ``obsolete.dat``, or a CSV with columns ``pdb_id`` and ``replaced_by`` (ids joined by blanks).
    """
    with path.open(encoding="utf-8", errors="replace", newline="") as stream:
        if path.suffix == ".csv":
            read = csv.reader(stream)
            names = next(read, [])
            cells = (dict(zip(names, row, strict=False)) for row in read)
            rows = [(one.get("pdb_id", ""), re.split(r"[\s;,]+", one.get("replaced_by", ""))) for one in cells]
        else:
            listed = (line.split() for line in stream if line.startswith("OBSLTE"))
            rows = [(words[2], words[3:]) for words in listed if len(words) > 2]
    table: dict[str, tuple[str, ...]] = {}
    for old, new in rows:
        if name := old.strip().lower():
            table[name] = tuple(dict.fromkeys([*table.get(name, ()), *(item.lower() for item in new if item)]))
    return table


def find_obsolete(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the list that belongs to a mirror; empty when there is none.

    The search covers the folder, its parent and grandparent, and ``status`` next to them, the wwPDB's place for it.
    """
    parents = [folder, *folder.parents][:3]
    for path in [place / name for parent in parents for name in _NAMES for place in (parent, parent / "status")]:
        if path.is_file():
            try:
                return load_obsolete(path)
            except (OSError, csv.Error) as error:
                _LOG.warning("the list of withdrawn entries %s can't be read: %s", path.name, error)
    return {}


def follow(
    entry_id: str,
    successors: tuple[str, ...],
    successors_of: Callable[[str], tuple[str, ...]],
    present: Callable[[Sequence[str]], Collection[str]],
) -> KnownEntry:
    """Return the first existing entry that replaces a withdrawn one, over several withdrawals if necessary.

    Parameters
    ----------
    entry_id : str
        The withdrawn entry.
    successors : tuple of str
        Entries that replaced it.
    successors_of : callable
        Returns the entries that replaced another one.
    present : callable
        Returns the entries that exist among several.
    """
    queue, seen = successors, {entry_id}
    for _ in range(_MAX_STEPS):
        seen.update(queue)
        existing = present(queue)
        if there := tuple(name for name in queue if name in existing):
            return KnownEntry(there[0], there)
        following = [new for old in queue for new in successors_of(old)]
        queue = tuple(dict.fromkeys(name for name in following if name not in seen))
        if not queue:
            break
    return KnownEntry("", successors)
