"""Links of sugars that are stretched or that the entry does not declare."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from tethermap.entry.atoms import Atoms, text
from tethermap.entry.near import NearAtoms
from tethermap.instance.bonds import Bond, same_conformer
from tethermap.instance.classify import HetGroup

LONGEST_SUGAR_LINK = 2.2
"""A sugar that lacks O1 has lost it to a link: an atom this near to its C1 is the other end, in angstroms. House rule:
glycans of low resolution are drawn with links of up to 2.1, a distance that no other atoms have."""

BESIDE = 4.0
"""A sugar that lost its O1 but has no link belongs to a glycan this near, in angstroms. House rule."""

IsSugar = Callable[[str], bool]

_CARRIERS = {"ASN": ("ND2", "OD1"), "SER": ("OG",), "THR": ("OG1",)}
"""Atoms of residues that carry glycans; OD1 if the amide is flipped."""


def with_sugar_links(
    atoms: Atoms, het: Iterable[int], bonds: list[Bond], others: NearAtoms, is_sugar: IsSugar
) -> list[Bond]:
    """Return the bonds of an entry with the links that sugars without O1 must have.

    Parameters
    ----------
    atoms : Atoms
        Atoms of the entry.
    het : iterable of int
        Het residues of the entry.
    bonds : list of Bond
        Bonds found by length so far; a declared contact may turn out to be such a link.
    others : NearAtoms
        Heavy atoms but water.
    is_sugar : callable
        Whether a component is a sugar.
    """
    bonded = {end for bond in bonds if bond.kind == "covalent" for end in (bond.first, bond.second)}
    bond_of = {frozenset((bond.first, bond.second)): bond for bond in bonds}
    for residue in het:
        part = atoms.at(residue)
        carbons = np.flatnonzero(atoms.name[part] == b"C1")
        if not len(carbons) or b"O1" in atoms.name[part] or not is_sugar(text(atoms.comp_id[part.start])):
            continue
        for carbon in part.start + carbons:
            if carbon in bonded or (end := _other_end(atoms, int(carbon), others, is_sugar)) is None:
                continue
            pair = frozenset((int(carbon), end[0]))
            known = bond_of.get(pair, Bond(int(carbon), *end, "covalent", False))
            bond_of[pair] = replace(known, kind="covalent")
    return list(bond_of.values())


def stray_glycans(atoms: Atoms, groups: Sequence[HetGroup], is_sugar: IsSugar) -> Iterator[tuple[int, HetGroup]]:
    """Yield the positions of sugars that lost their O1 to a link that the model draws too long, as glycans.

    They are near an asparagine or a glycan, in entries that have glycans.

    Parameters
    ----------
    atoms : Atoms
        Atoms of the entry.
    groups : sequence of HetGroup
        Its het groups with their kinds.
    is_sugar : callable
        Whether a component is a sugar.
    """
    linked = [residue for group in groups if group.kind == "glycan" for residue in group.residues]
    if not linked:
        return
    carriers = (atoms.comp_id == b"ASN") & np.isin(atoms.name, (b"ND2", b"OD1"))
    beside = NearAtoms(atoms.xyz, np.flatnonzero(carriers | np.isin(atoms.residue, linked)).astype(np.int64))
    for place, group in enumerate(groups):
        parts = [atoms.at(residue) for residue in group.residues]
        sugars = all(is_sugar(text(atoms.comp_id[part.start])) for part in parts)
        if group.kind != "ligand" or not sugars or group.links or any(b"O1" in atoms.name[part] for part in parts):
            continue
        if len(beside.nearest(np.concatenate([atoms.xyz[part] for part in parts]), BESIDE)[0]):
            reason = "a sugar without O1 next to a glycan or asparagine"
            yield place, replace(group, kind="glycan", kind_reason=reason)


def _other_end(atoms: Atoms, carbon: int, others: NearAtoms, is_sugar: IsSugar) -> tuple[int, float] | None:
    """Return the nearest atom that can carry a sugar, and its distance in angstroms."""
    index, distance = others.within(atoms.xyz[[carbon]], LONGEST_SUGAR_LINK)
    for near in np.argsort(distance[:, 0] if len(index) else index, kind="stable"):
        atom = int(index[near])
        code, name = text(atoms.comp_id[atom]), text(atoms.name[atom])
        elsewhere = atoms.residue[atom] != atoms.residue[carbon]
        carries = name in _CARRIERS.get(code, ()) or (name.startswith("O") and is_sugar(code))
        if elsewhere and same_conformer(atoms, atom, carbon) and carries:
            return atom, float(distance[near, 0])
    return None
