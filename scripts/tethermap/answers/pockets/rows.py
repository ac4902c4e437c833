"""Rows of the tables of superpositions and of common directions."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from statistics import median

import numpy as np

from tethermap.answers.pockets.directions import AHEAD, Way, directions, way_of
from tethermap.answers.pockets.groups import Group, Placed, entry_count
from tethermap.answers.pockets.sites import binding_sites, by_site, site_class
from tethermap.base.tables import JOINED, Row, Value

SITES = 5
"""Sites of each instance that are compared."""


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


def _of_site(group: Group, placed: Sequence[Placed]) -> list[dict[str, Value]]:
    """Return the directions of the given instances in one frame."""
    ways = [
        way_of(number, copy.member.stem, exit_, copy.superposition.rotation, copy.superposition.translation)
        for number, copy in enumerate(placed)
        for exit_ in {one.site: one for one in reversed(copy.member.read_exits()) if one.site <= SITES}.values()
    ]
    counts = {"n_entries": entry_count(placed), "n_instances": len(placed)}
    rows = [{**counts, **_direction(group, direction, placed)} for direction in directions(ways)]
    rows.sort(key=lambda row: (-int(row["n_entries_open"] or 0), -int(row["n_instances_open"] or 0),
                                -float(row["best_score"] or 0)))  # fmt: skip
    return rows


def _direction(group: Group, direction: Sequence[Way], placed: Sequence[Placed]) -> dict[str, Value]:
    """Return the row of one direction: means of its exits, the first of which is the best."""
    present = {way.number for way in direction}
    opened = {way.number for way in direction if way.exit.is_open}
    first, _, best, _, _ = direction[0]
    anchors = {(placed[way.number].member.names["Warhead"], way.exit.anchor) for way in direction}
    vectors = np.array([way.vector for way in direction])
    start, total = np.mean([way.start for way in direction], axis=0), vectors.sum(axis=0)
    vector = total / np.linalg.norm(total)
    (x, y, z), (u, v, w) = start.tolist(), vector.tolist()
    residue, uniprot = group.placed[0].member.residue_near(start + AHEAD * vector)
    return {
        "residue": residue,
        "residue_uniprot": uniprot,
        "n_entries_present": entry_count(placed[number] for number in present),
        "n_entries_open": entry_count(placed[number] for number in opened),
        "n_instances_present": len(present),
        "n_instances_open": len(opened),
        "n_ligands": len({ligand for ligand, _ in anchors}),
        "F_median": median(way.exit.way_out for way in direction),
        "F_best": max(way.exit.way_out for way in direction),
        "best_score": best.score,
        "best_stem": placed[first].member.stem,
        "best_anchor": best.anchor,
        "evidence": best.evidence,
        "x": x, "y": y, "z": z, "vector_x": u, "vector_y": v, "vector_z": w,
        "spread_deg": float(np.degrees(np.arccos(np.clip((vectors @ vector).min(), -1.0, 1.0)))),
        "anchors": JOINED.join(map(":".join, sorted(anchors))),
        "open_in": JOINED.join(placed[number].member.stem for number in sorted(opened)),
    }  # fmt: skip
