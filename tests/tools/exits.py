"""Ligands in space and surroundings for the search of exits."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rdkit import Chem

from tests.tools.ligands import in_space, small_ligand
from tethermap.base.arrays import FloatArray
from tethermap.base.contexts import CONTEXTS
from tethermap.exits.candidates import Candidate, find_candidates
from tethermap.exits.geometry import Opening
from tethermap.exits.graph import LigandGraph, ligand_graph
from tethermap.exits.model import Exit
from tethermap.exits.prior import chemistry_class
from tethermap.instance.model import Instance, Surroundings
from tethermap.molecule.record import NAME, LigandMolecule


def embedded(smiles: str) -> tuple[Instance, LigandMolecule]:
    """Return a ligand in three dimensions with its hydrogens; heavy atom k is the k-th of the SMILES."""
    mol = in_space(smiles)
    count = Chem.MolFromSmiles(smiles).GetNumAtoms()
    xyz = [tuple(place) for place in mol.GetConformer().GetPositions()[:count].tolist()]
    instance, record = small_ligand(smiles, xyz)
    for atom in mol.GetAtoms():
        atom.SetProp(NAME, [*instance.atoms.name, *["H"] * mol.GetNumAtoms()][atom.GetIdx()])
        atom.SetAtomMapNum(0)
    heavy = Chem.RemoveHs(mol)
    alike = np.array(list(Chem.CanonicalRankAtoms(heavy, breakTies=False)), dtype=np.int64)
    return instance, replace(record, mol=mol, symmetry_class=alike)


def sdf_molecule(text: str, *, sanitize: bool = True, hydrogens: bool = False) -> Chem.Mol:
    """Return the only molecule of an SDF text, with its hydrogens or without."""
    supplier = Chem.SDMolSupplier()
    supplier.SetData(text, sanitize=sanitize, removeHs=not hydrogens)
    (mol,) = supplier
    return mol


def graph_of(smiles: str) -> LigandGraph:
    """Return the graph of a ligand made from SMILES."""
    return ligand_graph(embedded(smiles)[1])


def surroundings(*xyz: Sequence[float], element: str = "C", context: str = "target") -> Surroundings:
    """Return surroundings of atoms of one element in one context."""
    return Surroundings(
        xyz=np.array(xyz, dtype=np.float32).reshape(-1, 3),
        element=np.full(len(xyz), element, dtype="S2"),
        context=np.full(len(xyz), CONTEXTS.index(context), dtype=np.int8),
        largest=len(CONTEXTS) - 1,
    )


def joined(*parts: Surroundings) -> Surroundings:
    """Return several surroundings as one."""
    joint: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in ("xyz", "element", "context")
    }
    return replace(parts[0], **joint)


def scattered(graph: LigandGraph, count: int = 400, *, seed: int = 3) -> Surroundings:
    """Return made-up carbons around a ligand, none nearer than 3.5 Å, all within 14 Å of its middle."""
    random = np.random.default_rng(seed)
    places = random.uniform(-14, 14, (20 * count, 3)) + graph.xyz.mean(axis=0)
    nearest = np.linalg.norm(places[:, None] - graph.xyz[None], axis=2).min(axis=1)
    return surroundings(*places[nearest > 3.5][:count].tolist())


def caged(graph: LigandGraph) -> Surroundings:
    """Return a wall of atoms more than 3 Å from a ligand on all sides."""
    cage = np.stack(np.meshgrid(*[np.arange(-14, 15, 1.5)] * 3), axis=-1).reshape(-1, 3) + graph.xyz.mean(axis=0)
    far = np.linalg.norm(cage[:, None] - graph.xyz[None], axis=2).min(axis=1) > 3.0
    return surroundings(*cage[far].tolist())


def moved(
    graph: LigandGraph, around: Surroundings, turn: FloatArray, shift: FloatArray
) -> tuple[LigandGraph, Surroundings]:
    """Return a ligand and its surroundings after a rigid motion."""
    hydrogens = tuple(h @ turn.T + shift for h in graph.hydrogens)
    xyz = (around.xyz.astype(np.float64) @ turn.T + shift).astype(np.float32)
    return replace(graph, xyz=graph.xyz @ turn.T + shift, hydrogens=hydrogens), replace(around, xyz=xyz)


def reordered(graph: LigandGraph, order: Sequence[int]) -> LigandGraph:
    """Return a graph with atom `order[k]` in place k, and other names."""
    place = {old: new for new, old in enumerate(order)}
    return LigandGraph(
        element=tuple(graph.element[k] for k in order),
        names=tuple(f"X{k}" for k in range(len(order))),
        xyz=graph.xyz[list(order)],
        near=tuple(tuple(sorted(place[other] for other in graph.near[k])) for k in order),
        order={(place[a], place[b]): value for (a, b), value in graph.order.items()},
        ring_bonds=frozenset((place[a], place[b]) for a, b in graph.ring_bonds),
        hydrogens=tuple(graph.hydrogens[k] for k in order),
        symmetry_class=graph.symmetry_class[list(order)],
    )


def candidate_of(graph: LigandGraph, anchor: int, first: int | None = None) -> Candidate:
    """Return the candidate of an anchor from which a hydrogen or the side of an atom leaves."""
    found = (one for one in find_candidates(graph) if one.anchor == anchor)
    return next(one for one in found if next(iter(one.leaving), None) == first)


def opening_of(one: Exit) -> Opening:
    """Return the opening of an exit that was scored."""
    assert one.opening is not None
    return one.opening


def is_open(one: Exit) -> bool:
    """Return whether an exit has room and a way out."""
    return min(opening_of(one).room["target"], one.way_out) >= 0.1


def same_openings(before: Exit, after: Exit) -> bool:
    """Return whether two exits have the same room and way out, apart from the errors of grids."""
    first, second = opening_of(before), opening_of(after)
    return bool(first.room == pytest.approx(second.room, abs=0.02)) and bool(
        first.way_out == pytest.approx(second.way_out, abs=0.02)
    )


def classes(graph: LigandGraph) -> list[str]:
    """Return the sorted classes of all candidates of a ligand."""
    return sorted(chemistry_class(graph, one.anchor, next(iter(one.leaving), None)) for one in find_candidates(graph))
