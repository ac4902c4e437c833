"""Measure a release of the mirror: ``make bench-release``; needs TETHERMAP_TEST_MIRROR.

The cost of an entry is fitted to that of all partitions, as a part for each partition, entry and atom: partitions of
the complete PDB contain about 180 entries, those of a small mirror few.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from scripts import release
from tests.tools.figures import Figure, large_mirror, write_section

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
    count = sum(state["entries"] for state in done)
    atoms = sum(state["atoms"] for state in done)
    sizes = np.array([[1, state["entries"], state["atoms"]] for state in done], dtype=np.float64)
    spent = np.array([state["cpu_seconds"] for state in done])
    (per_partition, per_entry, per_atom), *_ = np.linalg.lstsq(sizes, spent, rcond=None)
    whole = per_partition * PARTITIONS + (per_entry + per_atom * atoms / count) * ENTRIES
    size_mb = sum(row["bytes"] for state in done for row in state["files"]) / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return [
        Figure("largest process", peak, "MB", "memory", at_most=300),
        Figure(f"CPU per entry, {count} entries in {len(done)} partitions", 1000 * spent.sum() / count, "ms", "cpu"),
        Figure("of it for a partition", 1000 * per_partition, "ms", "cpu"),
        Figure("of it for an entry", 1000 * per_entry, "ms", "cpu"),
        Figure("of it for 1,000 atoms", 1e6 * per_atom, "ms", "cpu"),
        Figure("atoms per entry", atoms / count),
        Figure(f"CPU for {ENTRIES:,} entries of as many atoms", whole / 3600, "h", "cpu"),
        Figure(f"Parquet of {ENTRIES:,} entries", size_mb * ENTRIES / count / 1e3, "GB"),
        Figure(f"cache of {ENTRIES:,} entries", cache_mb * ENTRIES / count / 1e3, "GB"),
        Figure("CPU of a second run with nothing to do", again_seconds, "s", "cpu"),
    ]


def run(folder: Path, mirror: Path) -> float:
    """Run the release in this process and return its CPU time in seconds."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    release.main([str(folder), "--mirror", str(mirror), "--cores", "1"])
    after = resource.getrusage(resource.RUSAGE_SELF)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Run the release twice and write the section."""
    mirror = large_mirror()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        run(folder, mirror)
        again = run(folder, mirror)
        cache = sum(path.stat().st_size for path in (folder / ".work" / "cache").rglob("*") if path.is_file()) / 1e6
        note = (
            "All entries of the large mirror of the tests, only tables, on one core. Cost is fitted as a part for each"
            " partition, entry and atom; the atoms of an entry are those of the mirror in the mean."
        )
        write_section("release", "make bench-release", figures(release.states(folder), again, cache), (), [note])
    return 0


if __name__ == "__main__":
    sys.exit(main())
