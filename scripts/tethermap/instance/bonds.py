"""Bonds between residues: declared by the entry, or found by distance."""

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gemmi
import numpy as np

from tethermap.base.elements import are_metals, covalent_radii
from tethermap.base.tables import by_key
from tethermap.components.component import Component, is_hydrogen
from tethermap.entry.atoms import WATER, Atoms, text
from tethermap.entry.near import NearAtoms

LONGEST_BOND = 1.15
"""Longest undeclared bond, as a multiple of the sum of covalent radii (Cordero 2008, doi:10.1039/b801115j)."""

LONGEST_JOIN = 1.10
"""Limit for a bond that would join two het groups: these clash more often than they are linked."""

LONGEST_DECLARED = 1.35
"""A covalent link that the entry declares but draws longer than this multiple of the sum is a contact:
the limit up to which a mapping of names to a molecule counts."""

SHORTEST_BOND = 0.85
"""Nearer than this multiple of the sum, atoms of two residues are alternates or an error, not bonded:
residues are linked by single bonds."""

SHORTEST_TO_NUCLEOPHILE = 0.75
"""Limit for a side chain that attacks a carbon, without other near atoms of the two: 6YZ6 draws leupeptin at 1.41 Å
(0.79) from Cys 145, in 6XCH the same bond is declared at 1.80 Å."""

_NUCLEOPHILES = {b"CYS": b"SG", b"SER": b"OG", b"THR": b"OG1", b"LYS": b"NZ", b"TYR": b"OH", b"HIS": b"NE2"}
"""Side chains that covalent ligands bind (Gehringer 2019, doi:10.1021/acs.jmedchem.8b01153)."""

MOST_BONDS_OF_A_PAIR = 2
"""More contacts of bonding distance between two residues mean that they overlap, not that they are linked."""


VALENCES = {"C": 4, "N": 3, "O": 2, "S": 2, "Se": 2, "F": 1, "Cl": 1, "Br": 1, "I": 1}
MOST_BONDS = 4
"""Maximum number of single bonds of a neutral atom of these elements, and of other elements."""


@dataclass(frozen=True, slots=True)
class Bond:
    """A bond between atoms of different residues, as indices in `Atoms`.

    `kind` is ``covalent``, ``metal`` or, for a declared link too long for a bond, ``contact``.
    """

    first: int
    second: int
    distance: float
    kind: str
    declared: bool

    def ratio(self, atoms: Atoms) -> float:
        """Return its length as a multiple of the sum of covalent radii."""
        return self.distance / float(covalent_radii(atoms.element[[self.first, self.second]]).sum())

    def residues(self, atoms: Atoms) -> tuple[int, int]:
        """Return the residues that it joins."""
        return int(atoms.residue[self.first]), int(atoms.residue[self.second])


def declared_bonds(structure: gemmi.Structure, atoms: Atoms) -> list[Bond]:
    """Return the covalent and metal bonds of LINK or struct_conn inside the deposited copy.

    Bonds to a symmetry image or between different alternates are omitted, as are disulfides and hydrogen bonds.

    Parameters
    ----------
    structure : gemmi.Structure
        With its connections.
    atoms : Atoms
        Atoms of the same structure.
    """
    other_kinds = (gemmi.ConnectionType.Hydrog, gemmi.ConnectionType.Disulf)
    inside = [connection for connection in structure.connections if connection.asu != gemmi.Asu.Different]
    wanted = [connection for connection in inside if connection.type not in other_kinds]
    if not wanted:
        return []
    starts = atoms.starts
    columns = (atoms.auth_asym_id, atoms.auth_seq_id, atoms.ins_code, atoms.comp_id)
    keys = zip(*(column[starts].tolist() for column in columns), strict=True)
    residues = {key: residue for residue, key in enumerate(keys)}
    bonds = []
    for connection in wanted:
        ends = (connection.partner1, connection.partner2)
        label = "".join(end.altloc.strip("\0 ") for end in ends)[:1]
        first, second = (_find(atoms, residues, end, label) for end in ends)
        if first is None or second is None or atoms.residue[first] == atoms.residue[second]:
            continue
        if not same_conformer(atoms, first, second):
            continue
        metal = are_metals(atoms.element[[first, second]]).any()
        distance = float(np.linalg.norm(atoms.xyz[first] - atoms.xyz[second]))
        longest = LONGEST_DECLARED * float(covalent_radii(atoms.element[[first, second]]).sum())
        kind = "metal" if metal else "contact" if distance > longest else "covalent"
        bonds.append(Bond(first, second, distance, kind, True))
    return bonds


def _find(atoms: Atoms, residues: Mapping[tuple[Any, ...], int], address: gemmi.AtomAddress, other: str) -> int | None:
    """Return the index of the atom at an address, None if there is none; a missing label is that of the other end."""
    sequence = address.res_id.seqid
    number = sequence.num if sequence.num is not None else 0
    key = (address.chain_name.encode(), number, sequence.icode.strip().encode(), address.res_id.name.encode())
    if (residue := residues.get(key)) is None:
        return None
    part = atoms.at(residue)
    named = np.flatnonzero(atoms.name[part] == address.atom_name.encode())
    label = (address.altloc.strip("\0 ") or other).encode()
    labelled = [i for i in named if label and atoms.altloc[part][i] == label]
    chosen = labelled or list(named)
    return part.start + int(chosen[0]) if chosen else None


def undeclared_bonds(atoms: Atoms, residue: int, others: NearAtoms) -> list[Bond]:
    """Return the undeclared covalent bonds of one residue, found by distance.

    Atoms of different alternates and metals are never bonded. Residues that overlap (more than `MOST_BONDS_OF_A_PAIR`
    such contacts) are not bonded, nor are residues with atoms nearer than `SHORTEST_BOND`, except for one bond to a
    nucleophile.

    Parameters
    ----------
    atoms : Atoms
        Atoms of the entry.
    residue : int
        Index of the residue.
    others : NearAtoms
        Heavy atoms that can be partners, but water.
    """
    part = atoms.at(residue)
    own = part.start + np.flatnonzero(atoms.heavy[part] & (atoms.occupancy[part] > 0))
    if not len(own):
        return []
    radii = covalent_radii(atoms.element[own])
    reach = LONGEST_BOND * (float(radii.max()) + 1.3)
    index, distance = others.within(atoms.xyz[own], reach)
    elsewhere = atoms.residue[index] != residue
    index, distance = index[elsewhere], distance[elsewhere]
    ratio = distance / (covalent_radii(atoms.element[index])[:, None] + radii[None, :])
    near = np.argwhere(ratio < LONGEST_BOND)
    found = (Bond(int(own[j]), int(index[i]), float(distance[i, j]), "covalent", False) for i, j in near)
    by_residue = by_key((int(atoms.residue[bond.second]), bond) for bond in found)
    return [bond for bonds in by_residue.values() for bond in _linking(atoms, bonds)]


def _linking(atoms: Atoms, near: list[Bond]) -> list[Bond]:
    """Return which of the near pairs of two residues are bonds; none if the residues overlap."""
    bonds = [bond for bond in near if _can_bond(atoms, bond.first, bond.second)]
    if all(bond.ratio(atoms) > SHORTEST_BOND for bond in near):
        return bonds if _pairs_of_names(atoms, bonds) <= MOST_BONDS_OF_A_PAIR else []
    return bonds if _pairs_of_names(atoms, near) == 1 and all(_is_attack(atoms, bond) for bond in near) else []


def _is_attack(atoms: Atoms, bond: Bond) -> bool:
    """Return whether a bond's second atom is a nucleophile at a possible distance from its first, a carbon."""
    nucleophile = _NUCLEOPHILES.get(bytes(atoms.comp_id[bond.second])) == atoms.name[bond.second]
    carbon = atoms.element[bond.first] == b"C"
    return bool(nucleophile and carbon) and bond.ratio(atoms) >= SHORTEST_TO_NUCLEOPHILE


def _pairs_of_names(atoms: Atoms, bonds: list[Bond]) -> int:
    """Count the bonds between two residues, those of alternates once."""
    return len({(bytes(atoms.name[bond.first]), bytes(atoms.name[bond.second])) for bond in bonds})


def _can_bond(atoms: Atoms, first: int, second: int) -> bool:
    metals = are_metals(atoms.element[[first, second]]).any()
    return same_conformer(atoms, first, second) and not metals and atoms.occupancy[second] > 0


def same_conformer(atoms: Atoms, first: int, second: int) -> bool:
    """Return whether two atoms are not of different alternates."""
    return len({bytes(atoms.altloc[first]), bytes(atoms.altloc[second])} - {b""}) < 2


def can_form(atoms: Atoms, bond: Bond, find: Callable[[str], Component | None]) -> bool:
    """Return whether both atoms of an undeclared bond have a valence left for it; else they clash.

    Parameters
    ----------
    find : callable
        Returns the definition of a component.
    """
    ends = [(text(atoms.comp_id[end]), text(atoms.name[end])) for end in (bond.first, bond.second)]
    present = [set(map(text, atoms.name[atoms.at(residue)].tolist())) for residue in bond.residues(atoms)]
    return all(_has_free_valence(find(code), name, names) for (code, name), names in zip(ends, present, strict=True))


def _has_free_valence(component: Component | None, name: str, present: Container[str]) -> bool:
    """Return whether an atom can form another bond: it has hydrogens, a multiple bond, or a neighbour that has left.

    Parameters
    ----------
    component : Component or None
        Definition of its residue; an atom without one can.
    name : str
        Name of the atom.
    present : container of str
        Names of the atoms of its residue that were observed.
    """
    own = next((k for k, atom in enumerate(component.atoms) if atom.name == name), None) if component else None
    if component is None or own is None:
        return True
    bonds = [bond for bond in component.bonds if own in (bond.first, bond.second)]
    others = [component.atoms[bond.first + bond.second - own] for bond in bonds]
    free = any(is_hydrogen(other.element) or other.name not in present for other in others)
    least = VALENCES.get(component.atoms[own].element, MOST_BONDS)
    return free or any(bond.order > 1 for bond in bonds) or len(bonds) < least


def defined_bonds(
    component: Component | None, place: Mapping[str, int], elements: Sequence[str]
) -> set[tuple[int, int]] | None:
    """Return the dictionary's bonds of the atoms of one residue, None unless it has all of them.

    Parameters
    ----------
    place : mapping of str to int
        Numbers of the residue's atoms by name.
    elements : sequence of str
        Elements by number.
    """
    if component is None:
        return None
    own = {k: place[atom.name] for k, atom in enumerate(component.atoms) if atom.name in place}
    if len(own) < len(place) or any(component.atoms[k].element != elements[i] for k, i in own.items()):
        return None
    ends = [(own[bond.first], own[bond.second]) for bond in component.bonds if bond.first in own and bond.second in own]
    return {(min(pair), max(pair)) for pair in ends}


def partners_for_bonds(atoms: Atoms, but: Collection[int] = ()) -> NearAtoms:
    """Return all heavy atoms but water and some residues, for `undeclared_bonds`."""
    heavy = np.flatnonzero(atoms.heavy & (atoms.entity_type != WATER)).astype(np.int64)
    return NearAtoms(atoms.xyz, heavy[~np.isin(atoms.residue[heavy], list(but))] if but else heavy)
