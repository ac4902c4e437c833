"""InChI and InChIKey of molecules, metal complexes too."""

from __future__ import annotations

from functools import lru_cache

from rdkit import Chem


def with_plain_bonds(mol: Chem.Mol) -> Chem.Mol:
    """Return a molecule without its dative bonds: InChI knows none, and cuts the other bonds to metals itself."""
    dative = [bond for bond in mol.GetBonds() if bond.GetBondType() == Chem.BondType.DATIVE]
    if not dative:
        return mol
    plain = Chem.RWMol(mol)
    for bond in dative:
        plain.RemoveBond(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx())
    return plain.GetMol()


def inchi(mol: Chem.Mol) -> str:
    """Return the InChI of a molecule, empty where there is none."""
    return str(Chem.MolToInchi(with_plain_bonds(mol)))  # type: ignore[no-untyped-call]


def key_of_inchi(text: str) -> str:
    """Return the InChIKey of an InChI, empty where there is none.

    >>> key_of_inchi("InChI=1S/CH4/h1H4")
    'VNWKTOKETHGBQD-UHFFFAOYSA-N'
    """
    return str(Chem.InchiToInchiKey(text)) if text else ""  # type: ignore[no-untyped-call]


@lru_cache(maxsize=4096)
def inchikey(smiles: str) -> str:
    """Return the InChIKey of a SMILES, empty where there is none.

    Examples
    --------
    >>> inchikey("CC(=O)Oc1ccccc1C(=O)O")
    'BSYNRYMUTXBXSQ-UHFFFAOYSA-N'
    """
    mol = Chem.MolFromSmiles(smiles)
    if mol is None:
        return ""  # type: ignore[unreachable]
    return str(Chem.MolToInchiKey(with_plain_bonds(mol)))  # type: ignore[no-untyped-call]
