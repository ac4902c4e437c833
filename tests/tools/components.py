"""Ligand instances made from the dictionary's ideal coordinates, and small component definitions."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing

import numpy as np
from rdkit import Chem

from tests.tools.ligands import Xyz, instance_of
from tethermap.base.arrays import FloatArray
from tethermap.base.component_index import default_index
from tethermap.components.component import Component, ComponentAtom, ComponentBond
from tethermap.instance.model import Instance, Link, Residue

Known = Callable[[str], Component]
"""Returns a component that the index must have."""

PARTNER = Residue("A", "A", "CYS", 145)


def component_codes() -> list[str]:
    """Return the codes of all components of the index, sorted."""
    with closing(sqlite3.connect(f"{default_index().resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
        return [code for (code,) in database.execute("SELECT id FROM component ORDER BY id")]


def without_stereo(smiles: str) -> str:
    """Return the canonical SMILES of a molecule without its stereochemistry."""
    return str(Chem.MolToSmiles(Chem.MolFromSmiles(smiles), isomericSmiles=False))


def ideal_instance(
    component: Component,
    *,
    omit: Sequence[str] = (),
    renamed: Mapping[str, str] | None = None,
    order: Sequence[int] | None = None,
    turn: FloatArray | None = None,
    links: tuple[Link, ...] = (),
    hydrogens: Sequence[tuple[str, str, Xyz]] = (),
) -> Instance:
    """Return an instance with a component's heavy atoms at their ideal coordinates.

    Parameters
    ----------
    component : Component
        With ideal coordinates.
    omit : sequence of str
        Atoms that were not observed.
    renamed : mapping of str to str
        Deposited names that differ from the dictionary's.
    order : sequence of int
        Order of the atoms in the file.
    turn : ndarray of float, shape (3, 3)
        Rotation or reflection of the coordinates.
    links : tuple of Link
        Bonds to the protein.
    hydrogens : sequence of (name, element, coordinates)
        Deposited hydrogens.
    """
    kept = [atom for atom in component.atoms if atom.xyz is not None and atom.name not in omit]
    names = [(renamed or {}).get(atom.name, atom.name) for atom in kept] + [h[0] for h in hydrogens]
    elements = [atom.element for atom in kept] + [h[1] for h in hydrogens]
    xyz = np.array([atom.xyz for atom in kept] + [h[2] for h in hydrogens], dtype=np.float64).reshape(-1, 3)
    if turn is not None:
        xyz = xyz @ turn.T
    chosen = list(order if order is not None else range(len(names)))
    named = [names[i] for i in chosen], [elements[i] for i in chosen]
    return instance_of(Residue("A", "B", component.comp_id, 1), *named, xyz[chosen], links)


def linked(component: Component, atom: str, *, omit: Sequence[str]) -> Instance:
    """Return an ideal instance whose atom is bonded to a protein atom.

    The protein atom is in the direction of the first omitted neighbour of the atom.
    """
    instance = ideal_instance(component, omit=omit)
    names = [one.name for one in component.atoms]
    place = {one.name: np.array(one.xyz) for one in component.atoms if one.xyz is not None}
    near = [names[b.first + b.second - names.index(atom)] for b in component.bonds if names.index(atom) in b[:2]]
    away = place[next(name for name in near if name in omit)] - place[atom]
    x, y, z = (place[atom] + 1.8 * away / np.linalg.norm(away)).tolist()
    link = Link(instance.atoms.name.index(atom), PARTNER, "SG", "S", (x, y, z), 1.8, "covalent", declared=True)
    return ideal_instance(component, omit=omit, links=(link,))


def component_of(
    comp_id: str, atoms: Sequence[tuple[str, str, Xyz]], bonds: Sequence[tuple[str, str, int]]
) -> Component:
    """Return a component from names, elements and coordinates, and bonds by name with their order."""
    names = [name for name, _, _ in atoms]
    return Component(
        comp_id,
        comp_id,
        "NON-POLYMER",
        "",
        tuple(ComponentAtom(name, name, element, 0, False, False, "N", xyz) for name, element, xyz in atoms),
        tuple(ComponentBond(names.index(a), names.index(b), order, False) for a, b, order in bonds),
        origin="user",
    )
