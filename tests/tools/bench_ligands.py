"""Compare the accepted ligands with exclusion lists of other programs, on the judged entries of the large mirror.

``python -m tests.tools.bench_ligands JOB`` uses the decisions of a finished job over the mirror; without a job it
prints the results of the lists. The verdicts cover what Tethermap keeps: all other components count as unwanted, and
its own
recall is 1 until a judged ligand is lost. ``--record`` writes the candidates of the job to
``data/benchmark/ligands/candidates.csv``.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.tools.runs import ROOT, grouped, rows_of
from tethermap.base import layout

BENCHMARK = ROOT / "data" / "benchmark" / "ligands"
JUDGED = "data/reference/judged_ligands.csv"
MANY_COPIES = 15
"""Copies from which on PLIP leaves a listed component out."""

Pair = tuple[str, str]
"""Entry and component."""


def wanted_pairs() -> set[Pair]:
    """Return the relevant components by entry."""
    return {
        (entry, row["comp_id"])
        for row in rows_of(ROOT, JUDGED)
        if row["verdict"] == "wanted"
        for entry in row["entries"].split()
    }


def by_list(candidates: Iterable[Mapping[str, str]], listed: set[str], least: int) -> set[Pair]:
    """Return the components that an exclusion list accepts; it drops a component with this number of copies in an entry
    or more."""
    return {
        (row["pdb_id"], row["comp_id"])
        for row in candidates
        if row["comp_id"] not in listed or int(row["copies"]) < least
    }


def told(kept: set[Pair], wanted: set[Pair], entries: set[str]) -> str:
    """Return recall, unwanted components for each entry, and entries that a method leaves empty."""
    empty = {entry for entry, _ in wanted} - {entry for entry, _ in kept & wanted}
    recall = len(kept & wanted) / len(wanted)
    return f"{recall:8.3f} {len(kept - wanted) / len(entries):10.3f} {len(empty):6d}"


def record(job: Path) -> None:
    """Write the candidates of a job: all components outside polymers but single ions."""
    rows = [row for row in rows_of(job, layout.LIGAND_STATUS) if row["kind"] not in ("ion", "modified_residue")]
    copies = Counter((row["pdb_id"], row["ligand"]) for row in rows)
    lines = [f"{entry},{comp_id},{count}" for (entry, comp_id), count in sorted(copies.items())]
    (BENCHMARK / "candidates.csv").write_text("\n".join(["pdb_id,comp_id,copies", *lines, ""]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("job", type=Path, nargs="?")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    if options.record:
        record(options.job)
    candidates = rows_of(BENCHMARK, "candidates.csv")
    lists = grouped(rows_of(BENCHMARK, "exclusion_lists.csv"), lambda row: row["list"])
    wanted, entries = wanted_pairs(), {row["pdb_id"] for row in candidates}
    methods: dict[str, set[Pair]] = {}
    if options.job:
        rows = rows_of(options.job, layout.LIGAND_STATUS)
        methods["Tethermap"] = {(row["pdb_id"], row["ligand"]) for row in rows if row["reason"] == "kept"}
    for name, listed in lists.items():
        codes = {row["comp_id"] for row in listed}
        methods[name] = by_list(candidates, codes, 1)
        methods[f"{name}, {MANY_COPIES} copies or more"] = by_list(candidates, codes, MANY_COPIES)
    methods["without ions and polymers"] = by_list(candidates, set(), 1)
    lines = [f"{'method':40s} {'recall':>8s} {'unwanted':>10s} {'empty':>6s}"]
    lines += [f"{name:40s} {told(kept, wanted, entries)}" for name, kept in methods.items()]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
