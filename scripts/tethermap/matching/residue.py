"""One residue of a ligand: its observed atoms, and its heavy atoms with bonds after assignment."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.base.tables import by_key
from tethermap.components.component import Component
from tethermap.instance.model import Instance
from tethermap.molecule.template import Template


@dataclass(frozen=True, slots=True)
class ObservedResidue:
    """The heavy atoms of one residue of an instance, sorted by name, element and place.

    The order depends only on the atoms, so that a file written in another order gives the same molecule.

    Parameters
    ----------
    atom_index : tuple of int
        Index of each atom in `Instance.atoms`.
    names, elements : tuple of str
        Deposited atom names, element symbols.
    charges : tuple of int
        Deposited charges, 0 where not given.
    xyz : ndarray of float, shape (n_atoms, 3)
        Deposited coordinates in angstroms.
    linked : frozenset of int
        Atoms (by position here) with a covalent bond to another residue.
    hydrogens : tuple of int
        Number of deposited hydrogens nearest to each atom.
    conect : tuple of (int, int, int)
        Bonds by ``CONECT`` records, the lower atom first, with the number of mentions in one record.
    """

    comp_id: str
    atom_index: tuple[int, ...]
    names: tuple[str, ...]
    elements: tuple[str, ...]
    charges: tuple[int, ...]
    xyz: FloatArray
    linked: frozenset[int]
    hydrogens: tuple[int, ...]
    conect: tuple[tuple[int, int, int], ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    @property
    def has_duplicates(self) -> bool:
        """Whether an atom name occurs twice."""
        return len(set(self.names)) < len(self.names)


@dataclass(frozen=True, slots=True)
class ResidueGraph:
    """Heavy atoms of one residue in their final order, with bonds.

    Parameters
    ----------
    atom_index : tuple of int
        Index of each atom in `Instance.atoms`.
    dictionary_names : tuple of str
        Names in the dictionary, empty if unknown.
    elements : tuple of str
        Element symbols.
    charges : tuple of int
        Formal charges.
    hydrogens : tuple of int or None
        Hydrogens on each atom, valences of unobserved neighbours filled up; None if RDKit's valence model is to decide.
    bonds : tuple of (int, int, int)
        Atoms and order.
    source : str
        One of `record.BOND_SOURCES`.
    missing : tuple of str
        Dictionary names of heavy atoms that were not observed, without leaving atoms of links.
    shape : Template or None
        Graph of the whole component.
    origin : tuple of int
        Atom of `shape` that each atom is; empty without a shape.
    left : frozenset of int
        Atoms of `shape` that left when the residue was linked.
    open_bonds : tuple of (int, int)
        Bonds to a metal that the definition has but the structure has not.
    component : Component or None
        Definition used.
    """

    atom_index: tuple[int, ...]
    dictionary_names: tuple[str, ...]
    elements: tuple[str, ...]
    charges: tuple[int, ...]
    hydrogens: tuple[int, ...] | None
    bonds: tuple[tuple[int, int, int], ...]
    source: str
    missing: tuple[str, ...] = ()
    shape: Template | None = None
    origin: tuple[int, ...] = ()
    left: frozenset[int] = frozenset()
    open_bonds: tuple[tuple[int, int], ...] = ()
    component: Component | None = None


def observed_residues(instance: Instance, parents: dict[int, int]) -> list[ObservedResidue]:
    """Return the residues of an instance that have heavy atoms, in the order of its components.

    Components of one name and number in several chains are parts of one residue if they share no atom name.

    Parameters
    ----------
    parents : dict of int to int
        Heavy atom that each deposited hydrogen sits on, as indices in `Instance.atoms`.
    """
    atoms = instance.atoms
    places = [(component.comp_id, component.residue_id) for component in instance.components]
    heavy = sorted((int(atoms.component[index]), index) for index in atoms.heavy.tolist())
    named = Counter((places[k], atoms.name[index]) for k, index in heavy)
    repeated = {place for (place, _), times in named.items() if times > 1}
    owner = {index: (places[k], k if places[k] in repeated else 0) for k, index in heavy}
    members = by_key((key, index) for index, key in owner.items())
    bound = {link.atom for link in instance.links if link.kind == "covalent"}
    bound.update(index for pair in instance.inner_links if owner[pair[0]] != owner[pair[1]] for index in pair)
    counts = Counter(parents.values())
    residues = []
    for ((comp_id, _), _), indices in members.items():
        indices.sort(key=lambda i: (atoms.name[i], atoms.element[i], *atoms.xyz[i].tolist()))
        number = {index: k for k, index in enumerate(indices)}
        listed = [(number[i], number[j], times) for i, j, times in instance.conect if i in number and j in number]
        residues.append(
            ObservedResidue(
                comp_id=comp_id,
                atom_index=tuple(indices),
                names=tuple(atoms.name[i] for i in indices),
                elements=tuple(atoms.element[i] for i in indices),
                charges=tuple(int(atoms.charge[i]) for i in indices),
                xyz=np.asarray(atoms.xyz[indices], dtype=np.float64).reshape(-1, 3),
                linked=frozenset(k for k, i in enumerate(indices) if i in bound),
                hydrogens=tuple(counts[i] for i in indices),
                conect=tuple(sorted((min(i, j), max(i, j), times) for i, j, times in listed)),
            )
        )
    return residues
