"""Molecules joined: links between residues, and the adduct of a covalent ligand with the protein."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from rdkit import Chem
from rdkit.Geometry import Point3D

from tethermap.base.elements import atomic_number
from tethermap.molecule.geometry import height_above
from tethermap.molecule.stereo import assign_stereo
from tethermap.molecule.template import fix_hydrogens, sanitise

PLANAR = 0.25
"""Distance in angstroms of a carbon from the plane of its neighbours and the linked protein atom up to which it is
trigonal: an acyl carbon is near 0, a tetrahedral carbon near 0.5."""


LONGEST_IMINE = 1.40
"""Length in angstroms up to which a bond between carbon and nitrogen is double (Schiff base 1.28, amine 1.47)."""


class ProteinAtom(NamedTuple):
    """A protein atom linked to a ligand: heavy atom of the ligand, element and place in angstroms."""

    atom: int
    element: str
    xyz: tuple[float, float, float]


_VALENCES = {6: 4, 7: 3, 8: 2}


def bond_atoms(mol: Chem.RWMol, first: int, second: int) -> None:
    """Join two atoms of an assembled molecule by a single bond in the place of a hydrogen of each.

    If an atom has no hydrogen to lose, `make_room` changes its bonds.
    """
    for atom in (first, second):
        mol.UpdatePropertyCache(strict=False)
        _give_valence(mol, atom)
    mol.AddBond(first, second, Chem.BondType.SINGLE)


def adduct(mol: Chem.Mol, partners: Sequence[ProteinAtom], vacated: Mapping[int, int]) -> tuple[str, list[ProteinAtom]]:
    """Return the SMILES of a ligand with the protein atoms it is linked to.

    Each protein atom carries a dummy atom ``*`` that stands for the rest of the protein. It replaces a hydrogen or an
    atom that left, by a single bond; by a double bond if it is a nitrogen, the atom that left was doubly bonded and the
    distance is that of an imine. A ligand atom that has
    neither, or a multiple bond that the reaction used up, gets a free valence: its multiple bond is lowered by one
    towards the best neighbour (see `make_room`).

    Parameters
    ----------
    mol : Chem.Mol
        Neutral ligand of heavy atoms, sanitised, with a conformer.
    vacated : mapping of int to int
        Atoms of `mol` that lost a neighbour when they were linked, with the order of that bond.

    Returns
    -------
    tuple of (str, list of ProteinAtom)
        The SMILES, and the links whose ligand atom had no free valence.
    """
    blocked, imines = [], []
    full = Chem.RWMol(mol)
    aromatic = {bond.GetIdx() for bond in mol.GetBonds() if bond.GetIsAromatic()}
    Chem.Kekulize(full, clearAromaticFlags=True)
    for partner in partners:
        order = Chem.BondType.SINGLE
        spent = partner.atom not in vacated and _multiple_bond_was_used(full, partner, aromatic)
        if spent or full.GetAtomWithIdx(partner.atom).GetTotalNumHs() == 0:
            blocked.append(partner)
            make_room(full, partner.atom)
        else:
            _give_valence(full, partner.atom)
            if vacated.get(partner.atom, 1) > 1 and _is_imine(full, partner):
                _give_valence(full, partner.atom)
                order = Chem.BondType.DOUBLE
        linked, rest = full.AddAtom(Chem.Atom(atomic_number(partner.element))), full.AddAtom(Chem.Atom(0))
        full.AddBond(partner.atom, linked, order)
        full.AddBond(linked, rest, Chem.BondType.SINGLE)
        place = np.array(partner.xyz)
        beyond = place + (place - full.GetConformer().GetPositions()[partner.atom])
        for number, xyz in ((linked, place), (rest, beyond)):
            full.GetConformer().SetAtomPosition(number, Point3D(*xyz.tolist()))
        if order == Chem.BondType.DOUBLE:
            imines.append((partner.atom, linked))
    result, passed = sanitise(full)
    if passed:
        assign_stereo(result)
        for ends in imines:
            result.GetBondBetweenAtoms(*ends).SetStereo(Chem.BondStereo.STEREONONE)
    return str(Chem.MolToSmiles(result)), blocked


def _is_imine(mol: Chem.RWMol, partner: ProteinAtom) -> bool:
    atom = mol.GetAtomWithIdx(partner.atom)
    if partner.element != "N" or atom.GetAtomicNum() != 6 or atom.GetTotalNumHs() == 0:
        return False
    distance = np.linalg.norm(mol.GetConformer().GetPositions()[partner.atom] - np.array(partner.xyz))
    return bool(distance < LONGEST_IMINE)


def make_room(mol: Chem.RWMol, index: int) -> None:
    """Free a valence of an atom that has no hydrogen to lose, in place.

    A multiple bond is lowered by one and the neighbour gets a hydrogen: towards oxygen first, then nitrogen, sulfur,
    carbon; a triple bond before a double one. An atom without a multiple bond becomes charged: nitrogen, oxygen, sulfur
    and phosphorus +1, boron -1.

    Parameters
    ----------
    mol : Chem.RWMol
        Kekulé form.
    """
    atom = mol.GetAtomWithIdx(index)
    preference = {8: 0, 7: 1, 16: 2, 6: 3}
    choices = []
    for bond in atom.GetBonds():
        order, other = int(bond.GetBondTypeAsDouble()), bond.GetOtherAtom(atom)
        if order > 1:
            rank = preference.get(other.GetAtomicNum(), 4)
            choices.append((-order, rank, other.GetTotalNumHs(), other.GetIdx(), bond.GetIdx()))
    if choices:
        order, _, count, neighbour, bond_index = min(choices)
        fix_hydrogens(mol.GetAtomWithIdx(neighbour), count + 1)
        mol.GetBondWithIdx(bond_index).SetBondType(Chem.BondType.values[-order - 1])
        mol.GetBondWithIdx(bond_index).SetStereo(Chem.BondStereo.STEREONONE)
    elif atom.GetAtomicNum() in (7, 8, 15, 16, 34):
        atom.SetFormalCharge(atom.GetFormalCharge() + 1)
    elif atom.GetAtomicNum() == 5:
        atom.SetFormalCharge(-1)
    fix_hydrogens(atom, atom.GetTotalNumHs())


def _give_valence(mol: Chem.RWMol, index: int) -> None:
    """Remove a hydrogen from an atom, or free a valence if it has none; a group (NH2) has a free valence already."""
    atom = mol.GetAtomWithIdx(index)
    count = atom.GetTotalNumHs()
    used = count + sum(bond.GetBondTypeAsDouble() for bond in atom.GetBonds())
    if not atom.GetFormalCharge() and used + 1 <= _VALENCES.get(atom.GetAtomicNum(), 0):
        return
    if count:
        fix_hydrogens(atom, count - 1)
    else:
        make_room(mol, index)


def _multiple_bond_was_used(mol: Chem.RWMol, partner: ProteinAtom, aromatic: set[int]) -> bool:
    """Return whether the geometry shows that a multiple bond at the linked carbon reacted.

    The dictionary may define the form before the reaction: an alkene, alkyne, aldehyde or imine.
    The link then adds to the multiple bond, unless that goes to a heteroatom and the carbon is trigonal with the link:
    an acyl group that the dictionary defines as an aldehyde.
    """
    atom = mol.GetAtomWithIdx(partner.atom)
    multiple = [bond for bond in atom.GetBonds() if bond.GetBondTypeAsDouble() > 1]
    if atom.GetAtomicNum() != 6 or not multiple or any(bond.GetIdx() in aromatic for bond in multiple):
        return False
    if all(bond.GetOtherAtom(atom).GetAtomicNum() == 6 for bond in multiple):
        return True
    if atom.GetDegree() != 2:
        return bool(atom.GetDegree() < 2)
    positions = mol.GetConformer().GetPositions()
    first, second = (positions[other.GetIdx()] for other in atom.GetNeighbors())
    return height_above(positions[partner.atom], first, second, np.array(partner.xyz)) > PLANAR
