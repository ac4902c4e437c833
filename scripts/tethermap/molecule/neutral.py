"""The neutral form of a molecule: exposure classes, properties and files use it."""

from rdkit import Chem
from rdkit.Chem import rdqueries
from rdkit.Chem.MolStandardize import rdMolStandardize

from tethermap.base.elements import HALOGENS, is_metal
from tethermap.molecule.template import fix_hydrogens

_CHARGED = rdqueries.FormalChargeEqualsQueryAtom(0, negate=True)
"""Finds the atoms with a charge, without a loop over all."""

_UNCHARGER = rdMolStandardize.Uncharger()


def neutralised(mol: Chem.Mol) -> Chem.Mol:
    """Return a molecule with its acids and bases in the neutral form; coordinates are unchanged.

    A charge is removed if a proton can be removed, also one that the dictionary draws at another nitrogen of a
    protonated azole or amidine than the one with the proton (JQ1). Charges that no proton can neutralise remain:
    quaternary nitrogen, nitro groups, N-oxides, borates. If such a cation remains,
    the same number of acids remain anions to balance it. Molecules with a metal are unchanged, because their charges
    belong to the bonding; so are halide ions.

    Parameters
    ----------
    mol : Chem.Mol
        Sanitised, hydrogens implicit or counted on their atoms.
    """
    if not len(mol.GetAtomsMatchingQuery(_CHARGED)):
        return mol
    symbols = [atom.GetSymbol() for atom in mol.GetAtoms()]
    if any(map(is_metal, symbols)) or (len(symbols) == 1 and symbols[0] in HALOGENS):
        return mol
    uncharged = Chem.RWMol(_UNCHARGER.uncharge(mol))
    for deprotonate in (_deprotonate_azolium, _deprotonate_amidinium, _deprotonate_ylide):
        for index in range(uncharged.GetNumAtoms()):
            atom = uncharged.GetAtomWithIdx(index)
            if _is_bare_ammonium(atom):
                deprotonate(uncharged, atom)
    # a form that RDKit rejects is not a neutral form
    if Chem.SanitizeMol(uncharged, catchErrors=True) != Chem.SanitizeFlags.SANITIZE_NONE:
        return mol
    return uncharged.GetMol()


def _is_bare_ammonium(atom: Chem.Atom) -> bool:
    """Return whether a nitrogen is a cation without a hydrogen or an adjacent anion."""
    if atom.GetAtomicNum() != 7 or atom.GetFormalCharge() != 1 or atom.GetTotalNumHs():
        return False
    return all(other.GetFormalCharge() >= 0 for other in atom.GetNeighbors())


def _deprotonate_azolium(mol: Chem.RWMol, atom: Chem.Atom) -> None:
    """Neutralise a protonated azole whose charge is at another nitrogen of its ring."""
    if not atom.GetIsAromatic():
        return
    rings = (ring for ring in mol.GetRingInfo().AtomRings() if len(ring) == 5 and atom.GetIdx() in ring)
    for ring in rings:
        for index in sorted(ring):
            other = mol.GetAtomWithIdx(index)
            if other.GetAtomicNum() == 7 and other.GetIsAromatic() and other.GetTotalNumHs() == 1:
                _take_proton(other)
                atom.SetFormalCharge(0)
                return


def _deprotonate_amidinium(mol: Chem.RWMol, atom: Chem.Atom) -> None:
    """Neutralise a protonated amidine or guanidine whose charge is at a nitrogen without hydrogen."""
    for bond in atom.GetBonds():
        carbon = bond.GetOtherAtom(atom)
        if bond.GetBondType() != Chem.BondType.DOUBLE or carbon.GetAtomicNum() != 6 or carbon.GetIsAromatic():
            continue
        for other in sorted(carbon.GetNeighbors(), key=lambda one: (one.GetDegree(), one.GetIdx())):
            link = mol.GetBondBetweenAtoms(carbon.GetIdx(), other.GetIdx())
            single = link.GetBondType() == Chem.BondType.SINGLE
            if single and other.GetAtomicNum() == 7 and other.GetFormalCharge() == 0 and other.GetTotalNumHs():
                _take_proton(other)
                bond.SetBondType(Chem.BondType.SINGLE)
                link.SetBondType(Chem.BondType.DOUBLE)
                atom.SetFormalCharge(0)
                return


def _deprotonate_ylide(mol: Chem.RWMol, atom: Chem.Atom) -> None:
    """Write a protonated nitro group, azide or N-oxide as the neutral molecule it is."""
    for other in sorted(atom.GetNeighbors(), key=lambda one: int(one.GetIdx())):
        single = mol.GetBondBetweenAtoms(atom.GetIdx(), other.GetIdx()).GetBondType() == Chem.BondType.SINGLE
        oxide = other.GetAtomicNum() == 8 and single
        azide = other.GetAtomicNum() == 7 and not single and not atom.GetIsAromatic()
        if (oxide or azide) and other.GetDegree() == 1 and other.GetTotalNumHs() == 1:
            _take_proton(other)
            other.SetFormalCharge(-1)
            return


def _take_proton(atom: Chem.Atom) -> None:
    fix_hydrogens(atom, atom.GetTotalNumHs() - 1)
    atom.UpdatePropertyCache(strict=False)
