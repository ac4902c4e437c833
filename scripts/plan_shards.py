"""Deal the selected entries into shards of about equal work."""

import heapq
import json
import math
import shutil
from collections.abc import Sequence
from pathlib import Path

from scripts.lib import layout
from scripts.lib.atomic import write_text
from scripts.lib.logs import logged_to
from scripts.lib.tables import ENTRIES, Value, read_table, write_table

_FEWEST = 20
"""More shards than needed are made for further cores only while each has about this many entries."""

Row = dict[str, Value]


def main(entries: Path, folder: Path, *, entries_per_shard: int, cores: int) -> None:
    """Write the entries of each shard and, last, the plan with their sizes.

    Parameters
    ----------
    entries : Path
        The table of entries.
    folder : Path
        Where the shards' folders go; the plan lies beside it.
    entries_per_shard : int
        The most entries of one shard.
    cores : int
        Processes that work at the same time.
    """
    selected = [row for row in read_table(entries, ENTRIES) if row["selected"]]
    shards = deal(selected, shard_count(len(selected), entries_per_shard, cores), entries_per_shard)
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.iterdir():
        if left.name.isdecimal() and int(left.name) >= len(shards):
            shutil.rmtree(left)
    for number, rows in enumerate(shards):
        path = folder / str(number) / Path(layout.shard_file(str(number), "entries")).name
        if not _holds(path, rows):
            write_table(path, ENTRIES, rows)
    plan = {str(number): len(rows) for number, rows in enumerate(shards)}
    write_text(folder.parent / Path(layout.SHARD_PLAN).name, json.dumps(plan) + "\n")


def shard_count(entries: int, entries_per_shard: int, cores: int) -> int:
    """Return the number of shards; at least one, so that later steps have something to run on."""
    return max(math.ceil(entries / entries_per_shard), min(cores, math.ceil(entries / _FEWEST)), 1)


def deal(rows: Sequence[Row], count: int, entries_per_shard: int) -> list[list[Row]]:
    """Return the rows of each shard in the order of their ranks.

    The largest entry goes first, each to the shard with the least work so far that has room;
    an entry of unknown size counts as the mean of the others.

    Parameters
    ----------
    rows : sequence of dict
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


def _holds(path: Path, rows: Sequence[Row]) -> bool:
    """Tell whether a shard's table is there with just these rows, so that what was made of it stays valid."""
    try:
        return list(read_table(path, ENTRIES)) == list(rows)
    except (OSError, ValueError):
        return False


if __name__ == "__main__":
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake
    with logged_to(snakemake.log[0]):
        main(
            entries=Path(snakemake.input.entries),
            folder=Path(layout.SHARDS),
            entries_per_shard=snakemake.params.entries_per_shard,
            cores=snakemake.resources.processes,
        )
