"""The neutral form of a molecule: exposure classes, properties and files use it."""

from __future__ import annotations

from functools import cache

from rdkit import Chem
from rdkit.Chem.MolStandardize import rdMolStandardize

from scripts.lib.molecule.geometry import is_metal

_HALOGENS = frozenset({9, 17, 35, 53})


def neutralised(mol: Chem.Mol) -> Chem.Mol:
    """Return a molecule with its acids and bases in the neutral form; coordinates stay as they are.

    Charges that no proton can take away stay: quaternary nitrogen, nitro groups, N-oxides,
    borates. Where such a cation stays, as many acids stay anions as balance it. Molecules with
    a metal stay as they are, for their charges belong to the bonding; so do halide ions.

    Parameters
    ----------
    mol : Chem.Mol
        Sanitised, hydrogens implicit or counted on their atoms.
    """
    if not any(atom.GetFormalCharge() for atom in mol.GetAtoms()):
        return mol
    if any(is_metal(atom.GetSymbol()) for atom in mol.GetAtoms()):
        return mol
    if mol.GetNumAtoms() == 1 and mol.GetAtomWithIdx(0).GetAtomicNum() in _HALOGENS:
        return mol
    uncharged = _deprotonated_ylides(_uncharger().uncharge(mol))
    # hydrogen counts that RDKit cannot accept are no neutral form
    if Chem.SanitizeMol(Chem.Mol(uncharged), catchErrors=True) != Chem.SanitizeFlags.SANITIZE_NONE:
        return mol
    return uncharged


def _deprotonated_ylides(mol: Chem.Mol) -> Chem.Mol:
    """Write protonated nitro groups, azides and N-oxides as the neutral molecules they are."""
    changed = Chem.RWMol(mol)
    for atom in changed.GetAtoms():
        if atom.GetAtomicNum() != 7 or atom.GetFormalCharge() != 1 or atom.GetTotalNumHs():
            continue
        near = list(atom.GetNeighbors())
        if any(other.GetFormalCharge() < 0 for other in near):
            continue
        for other in near:
            single = changed.GetBondBetweenAtoms(atom.GetIdx(), other.GetIdx()).GetBondType() == Chem.BondType.SINGLE
            oxide = other.GetAtomicNum() == 8 and single
            azide = other.GetAtomicNum() == 7 and not single and not atom.GetIsAromatic()
            if (oxide or azide) and other.GetDegree() == 1 and other.GetTotalNumHs() == 1:
                other.SetNoImplicit(True)
                other.SetNumExplicitHs(0)
                other.SetFormalCharge(-1)
                break
    changed.UpdatePropertyCache(strict=False)
    return changed.GetMol()


@cache
def _uncharger() -> rdMolStandardize.Uncharger:
    return rdMolStandardize.Uncharger()
