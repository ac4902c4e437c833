"""InChI and InChIKey of molecules, metal complexes too."""

from functools import lru_cache

from rdkit import Chem, rdBase

from tethermap.base.component_index import default_index
from tethermap.base.elements import is_metal
from tethermap.components.component import Component
from tethermap.components.index import ComponentIndex
from tethermap.molecule.dictionary import dictionary_molecule

FIRST_ATOM, VALENCE, NO_VALENCE = 4, slice(48, 51), 15
"""Line of the first atom in a V2000 molfile, the columns of its valence, and the number for zero."""


@lru_cache(maxsize=512)
def inchikey_of_component(comp_id: str) -> str:
    """Return the InChIKey of a component's neutral parent by the installed dictionary; empty if it has none."""
    path = default_index()
    if not path.is_file():
        return ""
    component = ComponentIndex(path).get(comp_id)
    mol = dictionary_molecule(component, neutral=True) if component else None
    return key_of_inchi(inchi(mol)) if mol is not None else ""


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
    """Return the InChI of a molecule, empty if there is none."""
    with rdBase.BlockLogs():
        return str(Chem.MolToInchi(with_plain_bonds(mol)))  # type: ignore[no-untyped-call]


def key_of_inchi(text: str) -> str:
    """Return the InChIKey of an InChI, empty if there is none.

    >>> key_of_inchi("InChI=1S/CH4/h1H4")
    'VNWKTOKETHGBQD-UHFFFAOYSA-N'
    """
    return str(Chem.InchiToInchiKey(text)) if text else ""  # type: ignore[no-untyped-call]


@lru_cache(maxsize=512)
def component_inchi(component: Component) -> str:
    """Return the InChI of a component with a metal, with the double bonds that its ideal coordinates show, as wwPDB's.

    Empty if InChI fails. RDKit leaves double bonds in rings through a metal open; InChI reads them from
    coordinates.
    """
    mol = dictionary_molecule(component, neutral=False)
    if mol is None or not mol.GetNumConformers():
        return ""
    plain = with_plain_bonds(mol)
    lines = Chem.MolToMolBlock(plain).split("\n")
    for atom in plain.GetAtoms():
        if is_metal(atom.GetSymbol()):  # its valence is the drawn one: no hydrogens
            valence = round(sum(bond.GetBondTypeAsDouble() for bond in atom.GetBonds())) or NO_VALENCE
            line = lines[FIRST_ATOM + atom.GetIdx()].ljust(VALENCE.stop)
            lines[FIRST_ATOM + atom.GetIdx()] = f"{line[: VALENCE.start]}{valence:3d}{line[VALENCE.stop :]}"
    with rdBase.BlockLogs():
        return str(Chem.MolBlockToInchi("\n".join(lines)))  # type: ignore[no-untyped-call]


@lru_cache(maxsize=4096)
def inchi_of(smiles: str) -> str:
    """Return the InChI of a SMILES, empty if there is none."""
    mol = Chem.MolFromSmiles(smiles)
    return "" if mol is None else inchi(mol)  # type: ignore[redundant-expr]


def inchikey(smiles: str) -> str:
    """Return the InChIKey of a SMILES, empty if there is none.

    Examples
    --------
    >>> inchikey("CC(=O)Oc1ccccc1C(=O)O")
    'BSYNRYMUTXBXSQ-UHFFFAOYSA-N'
    """
    return key_of_inchi(inchi_of(smiles))
