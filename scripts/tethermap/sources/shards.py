"""Distribution of a job's entries over shards of about equal work, and reuse of shards when entries are added."""

import heapq
import json
import math
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tethermap.base import layout
from tethermap.base.atomic import write_text
from tethermap.base.records import part
from tethermap.base.tables import SHARD_ENTRIES, STRUCTURES, Row, read_table, write_table

_FEWEST = 20
"""Number of entries per shard below which a job gets no further shards for more cores."""

Rows = list[Row]

ENTRIES_OF_SHARD = Path(layout.shard_entries("0")).name


def plan_shards(selected: Sequence[Row], folder: Path, entries_per_shard: int, cores: int) -> dict[int, Rows]:
    """Return the entries of each shard by its number.

    Existing shards are reused if all their entries are still selected; the entries of other shards and new entries form
    new shards, so that finished work is not repeated.

    Parameters
    ----------
    selected : sequence of Row
        The entries taken, rows of `tables.ENTRIES`.
    folder : Path
        Parent of the shards' folders.
    entries_per_shard : int
        The most entries of one shard.
    cores : int
        Processes that work at the same time.
    """
    left = {str(row["pdb_id"]): {name: row[name] for name in SHARD_ENTRIES.names} for row in selected}
    planned = frozenset(left)
    plan: dict[int, Rows] = {}
    for number, rows in sorted(_earlier(folder).items()):
        ids = [str(row["pdb_id"]) for row in rows]
        same = [left.get(entry_id) for entry_id in ids] == rows
        if rows and same and len(rows) <= entries_per_shard and _is_current(folder / str(number), rows, planned):
            plan[number] = rows
            for entry_id in ids:
                del left[entry_id]
    if left or not plan:
        rest = list(left.values())
        free = (number for number in range(len(plan) + len(selected) + 1) if number not in plan)
        shards = deal(rest, shard_count(len(rest), entries_per_shard, cores), entries_per_shard)
        plan.update(zip(free, shards, strict=False))
    return dict(sorted(plan.items()))


def write_plan(plan: Mapping[int, Rows], folder: Path) -> None:
    """Write the entries of each shard if missing, and, last, the plan with their numbers.

    Parameters
    ----------
    plan : mapping of int to list of Row
        Result of `plan_shards`.
    folder : Path
        Parent of the shards' folders; the plan is in the same folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.iterdir():
        if left.name.isdecimal() and int(left.name) not in plan:
            shutil.rmtree(left)
    earlier = _earlier(folder)
    for number, rows in plan.items():
        if earlier.get(number) != rows:  # results of the same entries are still valid
            for progress in (folder.parent / Path(layout.PROGRESS).name).glob(f"*.{number}.jsonl"):
                progress.unlink()  # the results belong to other entries
            write_table(folder / str(number) / ENTRIES_OF_SHARD, SHARD_ENTRIES, rows)
    sizes = {str(number): len(rows) for number, rows in plan.items()}
    write_text(folder.parent / Path(layout.SHARD_PLAN).name, json.dumps(sizes) + "\n")


def _earlier(folder: Path) -> dict[int, Rows]:
    """Return the entries of the shards that an earlier plan has left, by their numbers."""
    earlier: dict[int, Rows] = {}
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name.isdecimal():
            with suppress(OSError, ValueError):
                earlier[int(path.name)] = list(read_table(path / ENTRIES_OF_SHARD, SHARD_ENTRIES))
    return earlier


def _is_current(shard: Path, rows: Rows, planned: frozenset[str]) -> bool:
    """Return whether a shard would select the same files among these entries.

    It would not if it used the successor of a withdrawn entry that is now a separate entry, or skipped one that is no
    longer skipped.
    """
    try:
        structures = list(read_table(part(shard.parents[2], shard.name, "download_entries/structures"), STRUCTURES))
    except (OSError, ValueError):
        return True  # nothing was assigned yet
    ids = {str(row["pdb_id"]) for row in structures if row["path"]}
    for row, structure in zip(rows, structures, strict=False):
        if structure["reason"] == "same_as_other" and str(structure["value"]) not in planned | ids:
            return False
        if structure["path"] and structure["pdb_id"] != row["pdb_id"] and structure["pdb_id"] in planned:
            return False
    return True


def shard_count(entries: int, entries_per_shard: int, cores: int) -> int:
    """Return the number of shards; at least one, so that later steps have something to run on."""
    return max(math.ceil(entries / entries_per_shard), min(cores, math.ceil(entries / _FEWEST)), 1)


def deal(rows: Sequence[Row], count: int, entries_per_shard: int) -> list[Rows]:
    """Return the rows of each shard in their order.

    The largest entry is assigned first, each to the shard with the least work so far that has room; an entry of unknown
    size counts as the mean of the others.

    Parameters
    ----------
    rows : sequence of Row
        Selected entries.
    count : int
        Number of shards.
    entries_per_shard : int
        The most entries of one shard.
    """
    sizes = [float(size) for row in rows if isinstance(size := row["size"], (int, float)) and size > 0]
    mean = sum(sizes) / len(sizes) if sizes else 1.0
    weighed = [(float(row["size"] or 0) or mean, position) for position, row in enumerate(rows)]
    shards: list[list[int]] = [[] for _ in range(count)]
    loads = [(0.0, number) for number in range(count)]
    for weight, position in sorted(weighed, key=lambda item: (-item[0], item[1])):
        load, number = heapq.heappop(loads)
        shards[number].append(position)
        if len(shards[number]) < entries_per_shard:
            heapq.heappush(loads, (load + weight, number))
    return [[rows[position] for position in sorted(shard)] for shard in shards]
