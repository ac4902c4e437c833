"""Rows of the table of exits, the search's inputs from instance, molecule and exposure, and the ligand's geometry."""

from collections.abc import Iterator, Sequence

import numpy as np

from tethermap.base.arrays import FloatArray, as_text
from tethermap.base.contexts import CONTEXTS, HEADLINE_CONTEXT
from tethermap.base.tables import JOINED, Row, Value, split_cell
from tethermap.entry.near import distances
from tethermap.exits.graph import LigandGraph
from tethermap.exits.limits import BOND
from tethermap.exits.model import Exit
from tethermap.exposure.rows import instance_cells
from tethermap.fit.geometry import Geometry, ligand_geometry
from tethermap.instance.backbone import TOUCHES_WITHIN
from tethermap.instance.model import Instance, Neighbourhood, Surroundings, chain_of_copy
from tethermap.molecule.record import LigandMolecule

WITHIN = 5.0
"""Atoms farther than this from the box around a ligand touch none of its atoms, in angstroms."""

LYSINE_SITES = 5
"""Maximum number of exit sites, the best ones, whose best exit lists the lysines around it."""


def geometry_of(instance: Instance, molecule: LigandMolecule, around: Surroundings) -> Geometry:
    """Return the geometry of an instance; nothing for a molecule that does not pass RDKit's checks."""
    if not molecule.sanitised:
        return Geometry()
    xyz = instance.atoms.xyz[molecule.atom_index]
    near = around.context <= CONTEXTS.index(HEADLINE_CONTEXT)
    near &= ((around.xyz > xyz.min(axis=0) - WITHIN) & (around.xyz < xyz.max(axis=0) + WITHIN)).all(axis=1)
    links = [(instance.atoms.xyz[link.atom], np.array(link.partner_xyz)) for link in instance.links]
    xyz, element = around.xyz[near].astype(np.float64), as_text(around.element[near]).tolist()
    return ligand_geometry(molecule.mol, xyz, element, links, molecule.flat)


def linked_atoms(instance: Instance, molecule: LigandMolecule) -> frozenset[int]:
    """Return the heavy atoms of a molecule that are covalently bound to the protein."""
    linked = {link.atom for link in instance.links if link.kind == "covalent"}
    return frozenset(k for k, index in enumerate(molecule.atom_index.tolist()) if index in linked)


def area_lost(rows: Sequence[Row]) -> FloatArray:
    """Return the area that each atom loses to the complex, from its rows of `tables.SASA_ATOMS` in SDF order.

    Returns
    -------
    ndarray of float, shape (n_heavy,)
        SASA of the free ligand minus that in the headline context, in square angstroms.

    >>> area_lost([{"SASA_free_A2": 40.0, "Exposure_A2": 15.0}]).tolist()
    [25.0]
    """
    free, bound = (np.array([row[name] for row in rows], dtype=np.float64) for name in ("SASA_free_A2", "Exposure_A2"))
    return free - bound


def residues_beside(instance: Instance, xyz: FloatArray, around: Neighbourhood) -> list[dict[str, Value]]:
    """Return the residues of the headline context that touch each atom of a ligand, as cells of the table of exits.

    Parameters
    ----------
    instance : Instance
        The ligand.
    xyz : ndarray of float, shape (n_heavy, 3)
        Its heavy atoms, in angstroms.
    around : Neighbourhood
        The atoms around it.

    Returns
    -------
    list of dict
        For each atom its residues, the nearest first (``CYS A 797``), and their UniProt numbers (``P00533:797``, empty
        if unknown) in the same order.
    """
    near = np.flatnonzero(around.context <= CONTEXTS.index(HEADLINE_CONTEXT))
    apart = distances(xyz, around.xyz[near])
    columns = around.comp_id, around.auth_asym_id, around.residue_id, around.copy_name
    residues = list(zip(*(column[near].tolist() for column in columns), strict=True))
    atom, other = np.nonzero(apart < TOUCHES_WITHIN)
    order = np.lexsort((apart[atom, other].round(3), atom))
    touching: list[dict[tuple[str, ...], None]] = [{} for _ in apart]
    for k, j in zip(atom[order].tolist(), other[order].tolist(), strict=True):
        touching[k][residues[j]] = None
    cells: list[dict[str, Value]] = []
    for names in touching:
        numbers = [instance.uniprot.get(f"{chain} {residue}", "") for _, chain, residue, _ in names]
        cells.append({
            "anchor_residues": JOINED.join(
                f"{comp_id} {chain_of_copy(chain, copy)} {residue}" for comp_id, chain, residue, copy in names
            ),
            "anchor_uniprot": JOINED.join(numbers) if any(numbers) else "",
        })  # fmt: skip
    return cells


def exit_rows(
    target_name: str, instance: Instance, graph: LigandGraph, exits: Sequence[Exit], beside: Sequence[Row] = ()
) -> Iterator[Row]:
    """Yield the rows of one instance in `tethermap.base.tables.EXIT_VECTORS`, the ranked ones first.

    A ligand without a candidate has one row with the reason. `beside` contains the results of `residues_beside` per
    atom, for the scored candidates.
    """
    names = instance_cells(target_name, instance)
    if not exits:
        yield {**names, "reason": "no_candidate"}
    best_of_site = {exit_.site_rank: exit_ for exit_ in reversed(exits)}
    for exit_ in exits:
        resolution = {"resolution": instance.facts.resolution} if exit_.evidence else {}
        touched: Row = {}
        if beside and exit_.opening:
            lost = [name for k in exit_.candidate.leaving for name in split_cell(beside[k]["anchor_residues"])]
            touched = {**beside[exit_.candidate.anchor], "leaving_residues": JOINED.join(dict.fromkeys(lost))}
        is_listed = exit_ is best_of_site[exit_.site_rank] and 0 < (exit_.site_rank or 0) <= LYSINE_SITES
        lysines = _lysines(instance, graph, exit_) if is_listed else {}
        yield {**names, **_action(graph, exit_), **_terms(exit_), **resolution, **touched, **lysines}


def _lysines(instance: Instance, graph: LigandGraph, exit_: Exit) -> dict[str, Value]:
    """Return the exposed lysines of the target seen from an exit, the nearest first."""
    if exit_.opening is None or not instance.lysines:
        return {}
    away = np.array([lysine.xyz for lysine in instance.lysines]) - graph.xyz[exit_.candidate.anchor]
    away -= BOND * exit_.opening.direction
    apart = np.linalg.norm(away, axis=1)
    cosine = np.clip(away @ exit_.opening.direction / np.maximum(apart, 1e-6), -1.0, 1.0)
    order = np.argsort(apart.round(3), kind="stable")
    degrees = np.degrees(np.arccos(cosine[order])).tolist()
    lysines = [instance.lysines[k] for k in order.tolist()]
    numbers = [one.uniprot for one in lysines]
    return {
        "lysines": JOINED.join(f"{chain_of_copy(one.chain, one.copy_name)} {one.residue_id}" for one in lysines),
        "lysine_uniprot": JOINED.join(numbers) if any(numbers) else "",
        "lysine_distances_A": JOINED.join(f"{distance:.1f}" for distance in apart[order].tolist()),
        "lysine_angles_deg": JOINED.join(f"{angle:.0f}" for angle in degrees),
    }


def _action(graph: LigandGraph, exit_: Exit) -> dict[str, Value]:
    candidate = exit_.candidate
    return {
        "rank": exit_.rank,
        "site_rank": exit_.site_rank,
        "site_id": f"S{exit_.site}",
        "anchor_atom": graph.names[candidate.anchor],
        "anchor_equivalents": JOINED.join(graph.names[k] for k in exit_.equivalents),
        "kind": candidate.kind,
        "leaving_atoms": JOINED.join(candidate.leaving_names(graph)),
        "chem_class": exit_.chem_class,
        "prior": exit_.prior,
        "incomplete": exit_.reason == "incomplete",
        "reason": exit_.reason,
        "breaks_covalent_bond": candidate.frees_link,
        "sdf_index": candidate.anchor,
    }


def _terms(exit_: Exit) -> dict[str, Value]:
    """Return the terms of the score; none for a candidate that was not scored."""
    opening = exit_.opening
    if opening is None:
        return {}
    x, y, z = opening.direction.tolist()
    row: dict[str, Value] = {
        "E": opening.room["target"],
        "F": opening.way_out["target"],
        "area_lost_A2": exit_.area_lost,
        "score": exit_.score,
        "closed": exit_.closed,
        "vector_x": x,
        "vector_y": y,
        "vector_z": z,
        "hbonds_lost": exit_.hbonds_lost,
        "hbonds_anchor": exit_.hbonds_anchor,
        "depth_atoms": opening.depth,
        "clearance_A": opening.clearance,
        "torsion_deg": opening.torsion,
        "torsions_open": opening.torsions_open,
        "cone_deg": opening.cone if opening.torsions_open else None,
        **{f"E_{context}": opening.room[context] for context in ("assembly", "crystal")},
        **{f"F_{context}": opening.way_out[context] for context in ("assembly", "crystal")},
    }
    if (found := exit_.evidence) is not None:
        row |= {
            "evidence": found.grade,
            "evidence_reasons": JOINED.join(found.reasons),
            "occupancy": found.occupancy,
            "B_iso": found.b_iso,
            "B_normalised": found.b_normalised,
        }
    return row
