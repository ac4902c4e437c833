"""Measure a release of the mirror: ``make bench-release``; needs TETHERMAP_TEST_MIRROR.

The cost of an entry is fitted to that of all partitions, as a part for each partition, entry and atom: partitions of
the complete PDB contain about 180 entries, those of a small mirror few.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from scripts import release
from tests.tools.figures import Figure, Section, large_mirror, measure_section
from tests.tools.slopes import peak_mb, spent

ENTRIES, PARTITIONS = 230_000, 1_296
"""Entries of the PDB at the end of 2025, rounded, and pairs of letters and digits."""


def figures(states: Mapping[str, Mapping[str, Any]], again_seconds: float, cache_mb: float) -> list[Figure]:
    """Return the cost of an entry, and its extrapolation to the complete PDB.

    Parameters
    ----------
    states : mapping
        Recorded state of each partition in the release.
    again_seconds : float
        CPU time of a second run with nothing to do.
    cache_mb : float
        Size of the cache.
    """
    done = list(states.values())
    sizes = np.array([[1, state["entries"], state["atoms"]] for state in done], dtype=np.float64)
    cpu = np.array([state["cpu_seconds"] for state in done])
    count, atoms = (int(total) for total in sizes.sum(axis=0)[1:])
    (per_partition, per_entry, per_atom), *_ = np.linalg.lstsq(sizes, cpu, rcond=None)
    whole = per_partition * PARTITIONS + (per_entry + per_atom * atoms / count) * ENTRIES
    size_mb = sum(row["bytes"] for state in done for row in state["files"]) / 1e6
    return [
        Figure("largest process", peak_mb(), "MB", "memory", at_most=300),
        Figure(f"CPU per entry, {count} entries in {len(done)} partitions", 1000 * cpu.sum() / count, "ms", "cpu"),
        Figure("of it for a partition", 1000 * per_partition, "ms", "cpu"),
        Figure("of it for an entry", 1000 * per_entry, "ms", "cpu"),
        Figure("of it for 1,000 atoms", 1e6 * per_atom, "ms", "cpu"),
        Figure("atoms per entry", atoms / count),
        Figure(f"CPU for {ENTRIES:,} entries of as many atoms", whole / 3600, "h", "cpu"),
        Figure(f"Parquet of {ENTRIES:,} entries", size_mb * ENTRIES / count / 1e3, "GB"),
        Figure(f"cache of {ENTRIES:,} entries", cache_mb * ENTRIES / count / 1e3, "GB"),
        Figure("CPU of a second run with nothing to do", again_seconds, "s", "cpu"),
    ]


def measure(folder: Path) -> Section:
    """Run the release twice, in this process."""
    arguments = [str(folder), "--mirror", str(large_mirror()), "--cores", "1"]
    _, again = (spent(lambda: release.main(arguments)) for _ in range(2))
    cache = sum(path.stat().st_size for path in (folder / ".work" / "cache").rglob("*") if path.is_file()) / 1e6
    note = (
        "All entries of the large mirror of the tests, only tables, on one core. Cost is fitted as a part for each"
        " partition, entry and atom; the atoms of an entry are those of the mirror in the mean."
    )
    return figures(release.states(folder), again, cache), (), [note]


if __name__ == "__main__":
    measure_section("release", "make bench-release", measure)
