"""Roles of an atom in a contact: donor or acceptor of a hydrogen bond, charged, hydrophobic."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
from rdkit import Chem

from tethermap.base.arrays import BoolArray, IntArray
from tethermap.instance.model import Neighbourhood

LIGAND_PATTERNS = {
    "positive": (
        # a charge that the neighbours do not cancel (quaternary ammonium, pyridinium)
        "[#7;+;!$([#7]~[-])]",
        # amines on sp3 carbon only: protonated at pH 7
        "[NX3;!$(N~[!#6;!#1]);!$(N-[#6;!X4])]",
        # amidines and guanidines without an acceptor group on nitrogen
        "[$([NX3;!$(N-[#6,#16,#15]=O)][CX3]=[NX2;!$(N-[#6,#16,#15]=O);!$(N-C#N)])]",
        "[$([NX2;!$(N-[#6,#16,#15]=O);!$(N-C#N)]=[CX3]-[NX3;!$(N-[#6,#16,#15]=O)])]",
    ),
    "negative": (
        "[#8,#7,#16;-;!$([*]~[+])]",
        # carboxylic, phosphoric, phosphonic, sulfonic and sulfuric acids, written neutral
        "[$([OX1]=[CX3]-[OX2H1]),$([OX2H1]-[CX3]=[OX1]),$([OX1]=[CX3]-[OX1-])]",
        "[$([OX1]=P-[OX2H1,OX1-]),$([OX2H1]-P=[OX1])]",
        "[$([OX1]=S(=[OX1])-[OX2H1,OX1-]),$([OX2H1]-S(=[OX1])=[OX1])]",
    ),
    "donor": ("[#7,#8;!H0]",),
    "acceptor": (
        # aromatic oxygen hardly accepts any (Nobeli 1997, J Comput Chem 18:2060)
        "[O;!+]",
        "[#7;X1,X2;!+]",
    ),
    "hydrophobic": ("[#6;!$([#6]~[!#6;!#1])]",),
}
"""SMARTS on the neutral molecule with its hydrogens, by the role of the first atom."""

POLYMER_DONORS = {
    "ARG": ("NE", "NH1", "NH2"), "ASN": ("ND2",), "GLN": ("NE2",), "HIS": ("ND1", "NE2"), "LYS": ("NZ",),
    "SER": ("OG",), "THR": ("OG1",), "TRP": ("NE1",), "TYR": ("OH",),
    "A": ("N6", "O2'"), "C": ("N4", "O2'"), "G": ("N1", "N2", "O2'"), "U": ("N3", "O2'"),
    "DA": ("N6",), "DC": ("N4",), "DG": ("N1", "N2"), "DT": ("N3",),
}  # fmt: skip
"""Side-chain and base atoms that donate hydrogen bonds."""

POLYMER_ACCEPTORS = {
    "ASN": ("OD1",), "ASP": ("OD1", "OD2"), "GLN": ("OE1",), "GLU": ("OE1", "OE2"), "HIS": ("ND1", "NE2"),
    "SER": ("OG",), "THR": ("OG1",), "TYR": ("OH",),
    "A": ("N1", "N3", "N7", "O2'"), "C": ("N3", "O2", "O2'"), "G": ("N3", "N7", "O6", "O2'"), "U": ("O2", "O4", "O2'"),
    "DA": ("N1", "N3", "N7"), "DC": ("N3", "O2"), "DG": ("N3", "N7", "O6"), "DT": ("O2", "O4"),
}  # fmt: skip
"""Side-chain and base atoms that accept hydrogen bonds."""

BACKBONE_ACCEPTORS = frozenset(("O", "OXT", "OP1", "OP2", "O3'", "O4'", "O5'"))

POSITIVE_ATOMS = {"ARG": ("NE", "NH1", "NH2"), "LYS": ("NZ",), "HIS": ("ND1", "NE2")}
"""Atoms of positive side chains, histidine among them as in PLIP."""

NEGATIVE_ATOMS = {
    "ASP": ("OD1", "OD2"),
    "GLU": ("OE1", "OE2"),
    **dict.fromkeys(("PTR", "SEP", "TPO"), ("O1P", "O2P", "O3P")),
}
"""Atoms of negative side chains."""

PHOSPHATE_ATOMS = frozenset(("OP1", "OP2", "OP3", "OXT"))
"""Charged in any polymer residue: phosphates of nucleic acids, a chain's last carboxylate."""

_STANDARD = "ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL MSE A C G U DA DC DG DT"
STANDARD = frozenset(_STANDARD.split())
"""Residues whose groups the tables above give; others are judged by element and bonds."""


@dataclass(frozen=True, slots=True)
class PolarAtoms:
    """Flags per atom, each an ndarray of bool of shape (n_atoms,)."""

    donor: BoolArray
    acceptor: BoolArray
    positive: BoolArray
    negative: BoolArray
    hydrophobic: BoolArray

    def of(self, index: IntArray) -> PolarAtoms:
        """Return the flags of some of the atoms."""
        return PolarAtoms(*(getattr(self, name)[index] for name in self.__slots__))


@cache
def _patterns(role: str) -> tuple[Chem.Mol, ...]:
    return tuple(Chem.MolFromSmarts(smarts) for smarts in LIGAND_PATTERNS[role])


def ligand_polar_atoms(mol: Chem.Mol, n_heavy: int, thioethers: Iterable[int] = ()) -> PolarAtoms:
    """Return the roles of a ligand's heavy atoms at pH 7.

    Parameters
    ----------
    mol : Chem.Mol
        The neutral molecule, heavy atoms first, hydrogens explicit; sanitisation is not required.
    n_heavy : int
        Number of heavy atoms.
    thioethers : iterable of int
        Atoms bonded to a cysteine: a terminal nitrogen on one is that of a thioimidate (a nitrile after the reaction),
        although the dictionary draws the nitrile or an amine.

    Returns
    -------
    PolarAtoms
        Acids only accept and protonated amines only donate hydrogen bonds.
    """
    if mol.NeedsUpdatePropertyCache() or mol.GetRingInfo().NumRings() == 0:
        mol = Chem.Mol(mol)
        mol.UpdatePropertyCache(strict=False)
        Chem.FastFindRings(mol)
    flags = {}
    for role in LIGAND_PATTERNS:
        flag = np.zeros(mol.GetNumAtoms(), dtype=np.bool_)
        for pattern in _patterns(role):
            for match in mol.GetSubstructMatches(pattern, uniquify=False, maxMatches=10_000):
                flag[match[0]] = True
        flags[role] = flag[:n_heavy]
    has_room = np.array([mol.GetAtomWithIdx(i).GetDegree() < 4 for i in range(n_heavy)], dtype=np.bool_)
    flags["donor"] = (flags["donor"] & ~flags["negative"]) | (flags["positive"] & has_room)
    flags["acceptor"] &= ~flags["positive"]
    for index in thioethers:
        for other in mol.GetAtomWithIdx(index).GetNeighbors():
            if other.GetAtomicNum() == 7 and sum(one.GetAtomicNum() > 1 for one in other.GetNeighbors()) == 1:
                nitrogen = other.GetIdx()
                flags["donor"][nitrogen] = flags["acceptor"][nitrogen] = True
                flags["positive"][nitrogen] = False
    return PolarAtoms(**flags)


def partner_polar_atoms(around: Neighbourhood, near: IntArray, degree: IntArray, hydrophobic: BoolArray) -> PolarAtoms:
    """Return the roles of the atoms of polymers, cofactors and glycans at pH 7.

    Parameters
    ----------
    around, near : Neighbourhood, ndarray of int, shape (n_atoms,)
        Surroundings of a ligand, and which of their atoms.
    degree : ndarray of int, shape (n_atoms,)
        Number of heavy atoms bonded to each.
    hydrophobic : ndarray of bool, shape (n_atoms,)
        Carbons bonded to carbon and hydrogen only; returned unchanged.

    Returns
    -------
    PolarAtoms
        By table for standard residues; in others every O, and every N with at most two bonded heavy atoms, both donates
        and accepts, except that a peptide's N only donates.
    """
    columns = around.comp_id[near], around.atom_name[near], around.element[near], degree
    roles = [_roles(*atom) for atom in zip(*(column.tolist() for column in columns), strict=True)]
    donor, acceptor, positive, negative = np.array(roles, dtype=np.bool_).reshape(-1, 4).T
    return PolarAtoms(donor, acceptor, positive, negative, hydrophobic)


@cache
def _roles(comp_id: str, name: str, element: str, degree: int) -> tuple[bool, bool, bool, bool]:
    """Return whether an atom is donor, acceptor, positive, negative."""
    if element not in ("N", "O"):
        return False, False, False, False
    positive = name in POSITIVE_ATOMS.get(comp_id, ())
    negative = name in NEGATIVE_ATOMS.get(comp_id, ()) or name in PHOSPHATE_ATOMS
    if comp_id in STANDARD:
        donor = name in POLYMER_DONORS.get(comp_id, ()) or (name == "N" and comp_id != "PRO")
        acceptor = name in POLYMER_ACCEPTORS.get(comp_id, ()) or name in BACKBONE_ACCEPTORS
    else:
        donor = degree <= 2 if element == "N" else degree <= 1
        acceptor = element == "O" or (degree <= 2 and name != "N")
    return donor and not negative, acceptor, positive, negative
