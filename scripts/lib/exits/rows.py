"""Rows of the table of exits, and what the search takes from instance, molecule and exposure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from scripts.lib.exits.graph import LigandGraph
from scripts.lib.exits.rank import Exit
from scripts.lib.instance.model import FloatArray, Instance
from scripts.lib.molecule.component import Component
from scripts.lib.molecule.record import LigandMolecule
from scripts.lib.tables import JOINED, Row, Value


def linked_atoms(instance: Instance, molecule: LigandMolecule) -> frozenset[int]:
    """Return the heavy atoms of a molecule that are covalently bound to the protein."""
    place = {index: k for k, index in enumerate(molecule.atom_index.tolist())}
    return frozenset(place[link.atom] for link in instance.links if link.kind == "covalent" and link.atom in place)


def incomplete_atoms(
    instance: Instance, molecule: LigandMolecule, find: Callable[[str], Component | None]
) -> frozenset[int]:
    """Return the heavy atoms of a molecule that have a neighbour in the dictionary which was not observed.

    Parameters
    ----------
    instance, molecule : Instance, LigandMolecule
        The ligand.
    find : callable
        Look-up of a component by its code, None when unknown.
    """
    missing = frozenset(molecule.atoms_missing)
    if not missing:
        return frozenset()
    found: set[int] = set()
    for number, residue in enumerate(instance.components):
        component = find(residue.comp_id)
        if component is None:
            continue
        prefix = instance.label_prefix(number)
        lost = {i for i, atom in enumerate(component.atoms) if prefix + atom.name in missing}
        pairs = [pair for bond in component.bonds for pair in (bond[:2], bond[1::-1])]
        beside = {component.atoms[i].name for i, j in pairs if j in lost}
        found.update(
            k
            for k, name in enumerate(molecule.dictionary_names)
            if int(molecule.residue[k]) == number and name in beside
        )
    return frozenset(found)


def area_lost(rows: Sequence[Row]) -> FloatArray:
    """Return the area that each atom loses to the complex, from its rows of `tables.SASA_ATOMS` in SDF order.

    Returns
    -------
    ndarray of float, shape (n_heavy,)
        SASA of the free ligand minus that in the headline context, in square angstroms.
    """
    areas = [[row["SASA_free_A2"], row["Exposure_A2"]] for row in rows]
    both = np.array(areas, dtype=np.float64).reshape(-1, 2)
    lost: FloatArray = both[:, 0] - both[:, 1]
    return lost


def exit_rows(target_name: str, instance: Instance, graph: LigandGraph, exits: Sequence[Exit]) -> Iterator[Row]:
    """Yield the rows of one instance in `scripts.lib.tables.EXIT_VECTORS`, the ranked ones first.

    A ligand without a candidate has one row with the reason.

    Parameters
    ----------
    target_name : str
        Target as given.
    instance : Instance
        The ligand.
    graph : LigandGraph
        Its atoms.
    exits : sequence of Exit
        Its candidates.
    """
    name = instance.name
    names: dict[str, Value] = {
        "Target": target_name,
        "pdb_id": instance.entry_id,
        "Chain": name.auth_asym_id,
        "Warhead": name.comp_id,
        "Residue_ID": name.residue_id,
        "stem": instance.stem,
    }
    if not exits:
        yield {**names, "reason": "no_candidate"}
    for one in exits:
        resolution = {"resolution": instance.facts.resolution} if one.evidence else {}
        yield {**names, **_action(graph, one), **_terms(one), **resolution}


def _action(graph: LigandGraph, one: Exit) -> dict[str, Value]:
    candidate = one.candidate
    return {
        "rank": one.rank,
        "site_rank": one.site_rank,
        "site_id": f"S{one.site}",
        "anchor_atom": graph.names[candidate.anchor],
        "anchor_equivalents": JOINED.join(graph.names[k] for k in one.equivalents),
        "kind": candidate.kind,
        "leaving_atoms": JOINED.join(graph.names[k] for k in candidate.leaving),
        "chem_class": one.chem_class,
        "prior": one.prior,
        "incomplete": one.reason == "incomplete",
        "reason": one.reason,
        "sdf_index": candidate.anchor,
    }


def _terms(one: Exit) -> dict[str, Value]:
    """Return the terms of the score; none for a candidate that was not scored."""
    opening = one.opening
    if opening is None:
        return {}
    x, y, z = opening.direction.tolist()
    return {
        **_evidence(one),
        "E": opening.room["target"],
        "F": opening.way_out["target"],
        "area_lost_A2": one.area_lost,
        "score": one.score,
        "closed": one.closed,
        "vector_x": x,
        "vector_y": y,
        "vector_z": z,
        "hbonds_lost": one.hbonds_lost,
        "hbonds_anchor": one.hbonds_anchor,
        "depth_atoms": opening.depth,
        "clearance_A": opening.clearance,
        **{f"E_{context}": opening.room[context] for context in ("assembly", "crystal")},
        **{f"F_{context}": opening.way_out[context] for context in ("assembly", "crystal")},
    }


def _evidence(one: Exit) -> dict[str, Value]:
    evidence = one.evidence
    if evidence is None:
        return {}
    return {
        "evidence": evidence.grade,
        "evidence_reasons": JOINED.join(evidence.reasons),
        "occupancy": evidence.occupancy,
        "B_iso": evidence.b_iso,
        "B_normalised": evidence.b_normalised,
    }
