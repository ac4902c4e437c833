"""The molecule of a linked group of components by definition, independent of the observed atoms."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from rdkit import Chem

from tethermap.base.arrays import FloatArray
from tethermap.molecule.adduct import bond_atoms
from tethermap.molecule.layout2d import molecule_layout
from tethermap.molecule.neutral import neutralised
from tethermap.molecule.stereo import assign_stereo, set_coordinates
from tethermap.molecule.template import Template, assemble, bonds_within, sanitise

_BOND_LENGTH = 1.5

Link = tuple[int, int, int, int]
"""Two residues of a group and the template atoms of the bond: (residue, atom, residue, atom)."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupReference:
    """A group as defined.

    Parameters
    ----------
    smiles, parent_smiles : str
        As the dictionary stores its parts, and neutralised.
    layout : ndarray of float, shape (n_heavy, 2)
        Depiction coordinates.
    number : dict of (int, int) to int
        Atom of the group by residue and template atom.
    has_stereo : bool
        Whether its configuration is known: not when a part has no ideal coordinates.
    """

    smiles: str
    parent_smiles: str
    layout: FloatArray
    number: dict[tuple[int, int], int]
    has_stereo: bool


@lru_cache(maxsize=128)
def group_reference(
    shapes: tuple[Template, ...], left: tuple[frozenset[int], ...], links: tuple[Link, ...]
) -> GroupReference:
    """Return the definition of a group of linked components with all atoms.

    Parameters
    ----------
    left : tuple of frozenset of int
        Atoms of each residue that left when it was linked.
    """
    atoms = ((residue, atom) for residue, shape in enumerate(shapes) for atom in range(len(shape)))
    number = {key: k for k, key in enumerate(key for key in atoms if key[1] not in left[key[0]])}
    stored, passed = sanitise(_joined(shapes, number, links))
    places = _placed(shapes, left, links)
    neutral = Chem.RWMol(neutralised(stored)) if passed else stored
    for mol in (stored, neutral):
        if places is not None:
            set_coordinates(mol, [places[residue][atom] for residue, atom in number])
            if passed:
                assign_stereo(mol, flattest=0.0)
    smiles, parent_smiles = Chem.MolToSmiles(stored), Chem.MolToSmiles(neutral)
    return GroupReference(smiles, parent_smiles, molecule_layout(neutral), number, places is not None)


def _joined(shapes: Sequence[Template], number: dict[tuple[int, int], int], links: Sequence[Link]) -> Chem.RWMol:
    bonds: list[tuple[int, int, int]] = []
    filled: Counter[int] = Counter()
    for residue, shape in enumerate(shapes):
        inner, missing = bonds_within(shape.bonds, {atom: k for (part, atom), k in number.items() if part == residue})
        bonds += inner
        filled += missing
    atoms = [(shapes[residue], atom, k) for (residue, atom), k in number.items()]
    mol = assemble(
        [shape.elements[atom] for shape, atom, _ in atoms],
        [shape.charges[atom] for shape, atom, _ in atoms],
        bonds,
        [shape.hydrogens[atom] + filled[k] if shape.counts_hydrogens else None for shape, atom, k in atoms],
    )
    for first, a, second, b in links:
        bond_atoms(mol, number[first, a], number[second, b])
    return mol


def _placed(
    shapes: Sequence[Template], left: Sequence[frozenset[int]], links: Sequence[Link]
) -> list[FloatArray] | None:
    """Return ideal coordinates of all residues, each turned so that its link points at its neighbour.

    The configuration of the linked atoms is then that of the parts. None if a residue has no ideal coordinates.
    """
    if any(point is None for shape in shapes for point in shape.xyz):
        return None
    places = [np.array(shape.xyz, dtype=np.float64).reshape(-1, 3) for shape in shapes]
    done = {0}
    todo = list(links)
    while len(done) < len(shapes):
        link = next((link for link in todo if (link[0] in done) != (link[2] in done)), None)
        if link is None:
            done.add(min(set(range(len(shapes))) - done))
            continue
        todo.remove(link)
        fixed, a, moved, b = link if link[0] in done else (link[2], link[3], link[0], link[1])
        outward = _free_direction(shapes[fixed], places[fixed], left[fixed], a)
        inward = _free_direction(shapes[moved], places[moved], left[moved], b)
        turned = (places[moved] - places[moved][b]) @ _half_turn(inward, -outward)
        places[moved] = turned + places[fixed][a] + _BOND_LENGTH * outward
        done.add(moved)
    return places


def _free_direction(shape: Template, xyz: FloatArray, left: frozenset[int], atom: int) -> FloatArray:
    """Return the unit vector of an atom's link: to the atom that left, else away from the others."""
    near = [b if a == atom else a for a, b, _ in shape.bonds if atom in (a, b)]
    gone = next((other for other in near if other in left), None)
    if gone is not None:
        return _unit(xyz[gone] - xyz[atom])
    return _unit(-sum((_unit(xyz[other] - xyz[atom]) for other in near), np.zeros(3)))


def _unit(vector: FloatArray) -> FloatArray:
    size = float(np.linalg.norm(vector))
    return vector / size if size > 1e-6 else np.array([1.0, 0.0, 0.0])


def _half_turn(source: FloatArray, target: FloatArray) -> FloatArray:
    """Return the matrix of the half turn that moves one unit vector to another, about the axis between them."""
    axis = source + target
    if np.linalg.norm(axis) < 1e-6:
        axis = np.cross(source, np.eye(3)[int(np.argmin(np.abs(source)))])
    axis = _unit(axis)
    return 2 * np.outer(axis, axis) - np.eye(3)
