"""Rows of the tables of superpositions and of common directions."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median

import numpy as np

from scripts.lib.consensus.directions import Direction, Way, directions
from scripts.lib.consensus.groups import Group, Placed
from scripts.lib.instance.model import FloatArray
from scripts.lib.tables import EXIT_VECTORS, JOINED, Row

SITES = 5
"""Sites of each instance that are compared."""


def read_ways(path: Path) -> Iterator[tuple[str, list[tuple[int, list[str]]]]]:
    """Yield the stem of each instance with the cells of the best exits of its first sites, and their SDF index.

    Cells are not typed: most rows are read for nothing but their stem.

    Parameters
    ----------
    path : Path
        Rows of `scripts.lib.tables.EXIT_VECTORS`, those of an instance together, best first.
    """
    column = {name: k for k, name in enumerate(EXIT_VECTORS.names)}
    stem, rank, site, index = (column[name] for name in ("stem", "rank", "site_rank", "sdf_index"))
    current, found = "", dict[str, tuple[int, list[str]]]()
    with path.open(encoding="utf-8", newline="") as stream:
        rows = csv.reader(stream)
        next(rows, None)
        for cells in rows:
            if cells[stem] != current:
                if current:
                    yield current, list(found.values())
                current, found = cells[stem], {}
            if cells[rank] and int(cells[site]) <= SITES:
                found.setdefault(cells[site], (int(cells[index]), cells))
    if current:
        yield current, list(found.values())


def ways_of(found: Iterable[tuple[int, list[str]]], xyz: FloatArray) -> tuple[Way, ...]:
    """Return the exits of an instance from their cells.

    Parameters
    ----------
    found : iterable of (int, list of str)
        As `read_ways` gives them.
    xyz : ndarray of float, shape (n_heavy, 3)
        Its heavy atoms in SDF order, in angstroms.
    """
    column = {name: k for k, name in enumerate(EXIT_VECTORS.names)}
    return tuple(
        Way(
            site=int(cells[column["site_rank"]]),
            anchor=cells[column["anchor_atom"]],
            place=xyz[index],
            vector=_vector([cells[column[f"vector_{axis}"]] for axis in "xyz"]),
            way_out=float(cells[column["F"]]),
            score=float(cells[column["score"]]),
            closed=cells[column["closed"]] == "True",
            evidence=cells[column["evidence"]],
        )
        for index, cells in found
    )


def _vector(cells: Sequence[str]) -> FloatArray:
    vector: FloatArray = np.array([float(cell) for cell in cells])
    return vector / float(np.linalg.norm(vector))


def superposition_rows(groups: Iterable[Group]) -> Iterator[Row]:
    """Yield one row for each instance: its motion into the frame of its group's reference, or the reason why not.

    Parameters
    ----------
    groups : iterable of Group
        All groups of a job.
    """
    for group in groups:
        for one in group.placed:
            yield _superposition(group, one)


def _superposition(group: Group, one: Placed) -> Row:
    fit = one.superposition
    row: Row = {
        **one.member.names,
        "group": group.name,
        "reference": group.reference,
        "is_reference": one.member.stem == group.reference,
        "target_chain": one.member.backbone.chain,
        "identity": one.identity,
        "coverage": one.coverage,
        "superposed": not fit.reason,
        "reason": fit.reason,
        "n_pairs": fit.n_pairs,
        "n_used": fit.n_used,
        "rmsd_A": fit.rmsd,
        "rmsd_all_A": fit.rmsd_all,
    }
    if fit.reason:
        return row
    matrix = {f"r{i + 1}{j + 1}": float(fit.rotation[i, j]) for i in range(3) for j in range(3)}
    return {**row, **matrix, **{f"t{i + 1}": float(fit.translation[i]) for i in range(3)}}


def consensus_rows(groups: Iterable[Group]) -> Iterator[Row]:
    """Yield one row for each direction of each group, those that are open in most entries first.

    Parameters
    ----------
    groups : iterable of Group
        All groups of a job.
    """
    for group in groups:
        placed = [one for one in group.placed if not one.superposition.reason]
        moved = [
            (number, one.member.stem, way.moved(one.superposition.rotation, one.superposition.translation))
            for number, one in enumerate(placed)
            for way in one.member.ways
        ]
        found = [_direction(direction, placed) for direction in directions(moved)]
        found.sort(key=lambda row: (-int(row["n_entries_open"] or 0), -int(row["n_instances_open"] or 0),
                                    -float(row["best_score"] or 0)))  # fmt: skip
        entries = {one.member.key[0] for one in placed}
        for number, row in enumerate(found, 1):
            yield {
                "group": group.name,
                "reference": group.reference,
                "direction": f"{group.name}-{number}",
                "n_entries": len(entries),
                "n_instances": len(placed),
                **row,
            }


def _direction(direction: Direction, placed: Sequence[Placed]) -> Row:
    """Return what is told of one direction; the best exit stands first among its members."""
    there = {number for number, _ in direction.members}
    opened = {number for number, way in direction.members if not way.closed}
    first, best = direction.members[0]
    anchors: dict[str, Counter[str]] = defaultdict(Counter)
    for number, way in direction.members:
        anchors[placed[number].member.names["Warhead"]][way.anchor] += 1
    named = [f"{ligand}:{atom}" for ligand in sorted(anchors) for atom in sorted(anchors[ligand])]
    (x, y, z), (u, v, w) = direction.start.tolist(), direction.vector.tolist()
    return {
        "n_entries_present": len({placed[number].member.key[0] for number in there}),
        "n_entries_open": len({placed[number].member.key[0] for number in opened}),
        "n_instances_present": len(there),
        "n_instances_open": len(opened),
        "n_ligands": len(anchors),
        "F_median": median(way.way_out for _, way in direction.members),
        "F_best": max(way.way_out for _, way in direction.members),
        "best_score": best.score,
        "best_stem": placed[first].member.stem,
        "best_anchor": best.anchor,
        "evidence": best.evidence,
        "x": x, "y": y, "z": z, "vector_x": u, "vector_y": v, "vector_z": w,
        "spread_deg": direction.spread,
        "anchors": JOINED.join(named),
        "open_in": JOINED.join(placed[number].member.stem for number in sorted(opened)),
    }  # fmt: skip
