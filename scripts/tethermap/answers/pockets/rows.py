"""Rows of the tables of superpositions and of common directions."""

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, groupby
from operator import itemgetter
from statistics import median

import numpy as np

from tethermap.answers.pockets.directions import Direction, Way, directions
from tethermap.answers.pockets.groups import Group, Placed, entry_count
from tethermap.answers.pockets.sites import binding_sites, by_site, site_class
from tethermap.base.arrays import FloatArray
from tethermap.base.records import Source
from tethermap.base.tables import EXIT_VECTORS, JOINED, Row, Value, cell_parser
from tethermap.exits.words import OPEN_FROM

AHEAD = 3.0
"""The residue nearest to a point this far ahead of the linker's first atom marks a direction, in angstroms."""

SITES = 5
"""Sites of each instance that are compared."""


_COLUMNS = (
    "sdf_index", "site_rank", "anchor_atom", "anchor_equivalents", "kind", "leaving_atoms", "chem_class", "E", "F",
    "score", "closed", "evidence", "evidence_reasons", "vector_x", "vector_y", "vector_z", "breaks_covalent_bond",
    "area_lost_A2", "hbonds_lost", "leaving_residues",
)  # fmt: skip


def read_exits(path: Source) -> Iterator[tuple[str, list[Row]]]:
    """Yield the stem of each instance with its ranked exits, best first, as far as several copies are compared.

    Parameters
    ----------
    path : Source
        Rows of `tethermap.base.tables.EXIT_VECTORS`, those of an instance together.
    """
    columns = {column.name: (k, column) for k, column in enumerate(EXIT_VECTORS.columns)}
    stem, rank = columns["stem"][0], columns["rank"][0]
    wanted = itemgetter(*(columns[name][0] for name in _COLUMNS))
    typed = cell_parser([columns[name][1] for name in _COLUMNS])
    with path.open(encoding="utf-8", newline="") as stream:
        rows = csv.reader(stream)
        next(rows, None)
        for name, of_instance in groupby(rows, key=lambda cells: cells[stem]):
            ranked = (cells for cells in of_instance if cells[rank])
            yield name, [typed(wanted(cells)) for cells in ranked]


def ways_of(exits: Iterable[Row], xyz: FloatArray) -> tuple[Way, ...]:
    """Return the best exits of the first sites of an instance.

    Parameters
    ----------
    exits : iterable of Row
        Rows from `read_exits`.
    xyz : ndarray of float, shape (n_heavy, 3)
        Its heavy atoms in SDF order, in angstroms.
    """
    best: dict[int, Row] = {}
    for row in exits:
        if (site := _number(row, "site_rank")) <= SITES:
            best.setdefault(int(site), row)
    return tuple(
        Way(
            site=site,
            anchor=str(row["anchor_atom"]),
            place=xyz[int(_number(row, "sdf_index"))],
            vector=(vector := np.array([_number(row, f"vector_{axis}") for axis in "xyz"])) / np.linalg.norm(vector),
            way_out=_number(row, "F"),
            score=_number(row, "score"),
            closed=min(_number(row, "E"), _number(row, "F")) < OPEN_FROM,
            evidence=str(row["evidence"]),
        )
        for site, row in best.items()
    )


def _number(row: Row, name: str) -> float:
    return float(row[name] or 0)


def superposition_rows(groups: Iterable[Group]) -> Iterator[Row]:
    """Yield one row for each instance: its motion into the frame of its group's reference, or a reason for its absence.

    Parameters
    ----------
    groups : iterable of Group
        All groups of a job.
    """
    for group in groups:
        sites, protein = binding_sites(group), group.protein
        for copy in group.placed:
            site, fit = sites[copy.member.stem], copy.superposition
            row: dict[str, Value] = {
                **copy.member.names,
                "protein": protein,
                "site": site,
                "site_class": site_class(site),
                "crystal_packing": copy.member.packed,
                "group": group.name,
                "reference": group.reference,
                "is_reference": copy.member.stem == group.reference,
                "target_chain": copy.member.chain,
                "identity": copy.identity,
                "coverage": copy.coverage,
                "superposed": not fit.reason,
                "reason": fit.reason,
                "n_pairs": fit.n_pairs,
                "n_used": fit.n_used,
                "rmsd_A": fit.rmsd,
                "rmsd_all_A": fit.rmsd_all,
            }
            if not fit.reason:
                row |= {f"r{i + 1}{j + 1}": float(fit.rotation[i, j]) for i in range(3) for j in range(3)}
                row |= {f"t{i + 1}": float(fit.translation[i]) for i in range(3)}
            yield row


def consensus_rows(groups: Iterable[Group]) -> Iterator[Row]:
    """Yield one row for each direction of each binding site, those that are open in most entries first.

    Copies with contacts mainly to symmetry mates and ligands between two proteins are excluded.

    Parameters
    ----------
    groups : iterable of Group
        All groups of a job.
    """
    for group in groups:
        numbers = count(1)
        for names, copies in by_site(group):
            placed = [copy for copy in copies if copy.member.decides and not copy.superposition.reason]
            for row in _of_site(group, placed):
                yield {**names, "reference": group.reference, "direction": f"{group.name}-{next(numbers)}", **row}


def _of_site(group: Group, placed: Sequence[Placed]) -> list[Row]:
    """Return the directions of the given instances in one frame."""
    moved = [
        (number, copy.member.stem, way.moved(copy.superposition.rotation, copy.superposition.translation))
        for number, copy in enumerate(placed)
        for way in copy.member.read_ways()
    ]
    counts = {"n_entries": entry_count(placed), "n_instances": len(placed)}
    rows: list[Row] = []
    for direction in directions(moved):
        near = group.placed[0].member.residue_near(direction.start + AHEAD * direction.vector)
        rows.append({**counts, "residue": near[0], "residue_uniprot": near[1], **_direction(direction, placed)})
    rows.sort(key=lambda row: (-int(row["n_entries_open"] or 0), -int(row["n_instances_open"] or 0),
                                -float(row["best_score"] or 0)))  # fmt: skip
    return rows


def _direction(direction: Direction, placed: Sequence[Placed]) -> Row:
    """Return the row of one direction; the best exit is the first of its members."""
    present = {number for number, _ in direction.members}
    opened = {number for number, way in direction.members if not way.closed}
    first, best = direction.members[0]
    anchors: dict[str, Counter[str]] = defaultdict(Counter)
    for number, way in direction.members:
        anchors[placed[number].member.names["Warhead"]][way.anchor] += 1
    named = [f"{ligand}:{atom}" for ligand in sorted(anchors) for atom in sorted(anchors[ligand])]
    (x, y, z), (u, v, w) = direction.start.tolist(), direction.vector.tolist()
    return {
        "n_entries_present": entry_count(placed[number] for number in present),
        "n_entries_open": entry_count(placed[number] for number in opened),
        "n_instances_present": len(present),
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
