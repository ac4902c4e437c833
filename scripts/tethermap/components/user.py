"""A user's own components, for codes that the dictionary does not know: CIF files and SMILES tables."""

import csv
import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from operator import attrgetter
from pathlib import Path

from rdkit import Chem, rdBase
from rdkit.Chem import rdDistGeom
from rdkit.Chem.MolStandardize import rdMolStandardize
from rdkit.Chem.rdMolDescriptors import CalcMolFormula

from tethermap.base.errors import UserError
from tethermap.base.identifiers import SMILES_COLUMN, SMILES_EXTENSION, short_code
from tethermap.base.packed import DamagedGzip, unpacked
from tethermap.components.component import Component, ComponentAtom, ComponentBond
from tethermap.components.component_cif import read_components
from tethermap.components.formula import spaced_formula

UserComponents = dict[str, Component]
"""A user's definitions by component code in capitals."""

_EMBEDDING_SEED = 20080401
_LARGEST_EMBEDDED = 150
_content = attrgetter("atoms", "bonds")
_NAME = "[A-Z0-9][A-Z0-9_-]{0,31}"


class UserComponentError(UserError):
    """A user's component cannot be read; the message names the file, the line and the value."""


def read_user_components(*paths: Path) -> UserComponents:
    """Read files of components; of a folder all files in order of their names.

    Parameters
    ----------
    *paths : Path
        ``*.cif``: component definitions, one block each; packed files are read too. Any other file: a table with one
        component a line, code and SMILES in either order, separated by comma, semicolon, tab or
        space; a first line may name the column of the SMILES, ``#`` starts a comment.

    Raises
    ------
    UserComponentError
        If a file cannot be read as that; two files that define one code differently are an error as well.
    """
    files = [file for path in paths for file in (sorted(path.iterdir()) if path.is_dir() else [path])
             if not path.is_dir() or (file.is_file() and not file.name.startswith("."))]  # fmt: skip
    components: UserComponents = {}
    for file in files:
        try:
            text = unpacked(file.read_bytes()).decode("utf-8-sig")
            is_cif = any(suffix.lower() in (".cif", ".mmcif") for suffix in file.suffixes[-2:])
            defined = (
                read_components(text, origin="user")
                if is_cif
                else components_from_table(text, smiles_first=".smi" in map(str.lower, file.suffixes[-2:]))
            )
        except (OSError, UnicodeDecodeError, DamagedGzip) as error:
            raise UserComponentError(f"{file.name}: cannot be read as text ({error})") from error
        except ValueError as error:
            raise UserComponentError(f"{file.name}: {error}") from error
        defined = {code.upper(): component for code, component in defined.items()}
        both = components.keys() & defined.keys()
        if twice := sorted(code for code in both if _content(components[code]) != _content(defined[code])):
            raise UserComponentError(f"{file.name}: {twice[0]} is also defined in another file; remove one of the two")
        components |= defined
    return components


@lru_cache(maxsize=32)
def components_from_table(text: str, *, smiles_first: bool = False) -> UserComponents:
    """Return the components of a table of codes and SMILES; cached, because embedding the molecules takes time.

    Parameters
    ----------
    smiles_first : bool
        Whether the first of two words is the SMILES if both can be one, as in a ``.smi`` file.

    Raises
    ------
    ValueError
        With the number of the line that is wrong.
    """
    components: UserComponents = {}
    first, second = 0, 1
    for number, cells in enumerate(_rows(text), start=1):
        if not cells:
            continue
        if not components and (named := [k for k, cell in enumerate(cells) if SMILES_COLUMN.fullmatch(cell)]):
            first, second = int(named[0] == 0), named[0]
            continue
        if len(cells) <= max(first, second):
            raise ValueError(f"line {number}: a component code and a SMILES are needed, found {cells[0]!r}")
        code, smiles = cells[first].upper(), cells[second]
        is_other = (smiles_first and (first, second) == (0, 1)) or not _is_smiles(smiles)
        if is_other and re.fullmatch(_NAME, smiles.upper()) and _is_smiles(cells[first]):
            code, smiles = smiles.upper(), cells[first]
        if (name := short_code(code)) in components:
            raise ValueError(f"line {number}: {code} is defined twice")
        if not re.fullmatch(_NAME, code):
            raise ValueError(f"line {number}: {code!r} is no component code: letters and digits are")
        try:
            components[name] = component_from_smiles(name, smiles)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error
    if not components:
        raise ValueError("give a component code and a SMILES in each line")
    return components


def _is_smiles(text: str) -> bool:
    with rdBase.BlockLogs():
        return Chem.MolFromSmiles(text) is not None


def component_from_smiles(code: str, smiles: str) -> Component:
    """Return a SMILES as a component; the largest part of a salt is taken.

    Atoms are named by element and number. Ideal coordinates, which carry the configuration, are
    made when the SMILES defines every stereo centre.

    Raises
    ------
    ValueError
        If RDKit cannot read the SMILES, or it is not a whole molecule.

    >>> component_from_smiles("ETH", "CCO.Cl").formula
    'C2 H6 O'
    """
    with rdBase.BlockLogs():
        mol = Chem.MolFromSmiles(smiles)
        if mol is None or not mol.GetNumAtoms():  # type: ignore[redundant-expr]
            raise ValueError(f"{smiles!r} is no SMILES that RDKit can read")
        if "*" in smiles or "~" in smiles:  # a fragment or a query, which no ligand matches
            raise ValueError(f"{smiles!r} has an unknown atom or bond (* or ~): give the whole molecule")
        mol = rdMolStandardize.LargestFragmentChooser().choose(mol)
        full = Chem.AddHs(mol)
        places = _places(full, mol.GetNumAtoms())
    kekulised = Chem.Mol(full)
    Chem.Kekulize(kekulised, clearAromaticFlags=True)
    counts = Counter[str]()
    atoms = []
    for atom, xyz in zip(full.GetAtoms(), places, strict=True):
        counts[element := atom.GetSymbol()] += 1
        name, charge, aromatic = f"{element.upper()}{counts[element]}", atom.GetFormalCharge(), atom.GetIsAromatic()
        atoms.append(ComponentAtom(name, name, element, charge, aromatic, False, "N", xyz))
    bonds = tuple(
        ComponentBond(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), int(bond.GetBondTypeAsDouble()), False)
        for bond in kekulised.GetBonds()
    )
    formula = spaced_formula(CalcMolFormula(full))
    return Component(code, "", "NON-POLYMER", formula, tuple(atoms), bonds, origin="user", named=False)


def _rows(text: str) -> Iterable[list[str]]:
    lines = [line.partition("#")[0] if line.lstrip().startswith("#") else line for line in text.splitlines()]
    first = SMILES_EXTENSION.sub("", next((line for line in lines if line.strip()), ""))
    delimiter = next((mark for mark in ("\t", ",", ";") if mark in first), None)
    if delimiter is None:
        return [SMILES_EXTENSION.sub("", line).split() for line in lines]
    rows = csv.reader(lines, delimiter=delimiter)
    return [[cell.strip() for cell in row] if any(cell.strip() for cell in row) else [] for row in rows]


def _places(full: Chem.Mol, heavy: int) -> list[tuple[float, float, float] | None]:
    """Return coordinates of the heavy atoms by RDKit's embedding with a fixed seed, if they are useful."""
    nothing: list[tuple[float, float, float] | None] = [None] * full.GetNumAtoms()
    stereo = Chem.FindPotentialStereo(full)
    if any(item.specified != Chem.StereoSpecified.Specified for item in stereo) or heavy > _LARGEST_EMBEDDED:
        return nothing
    mol = Chem.Mol(full)
    settings = rdDistGeom.ETKDGv3()
    settings.randomSeed = _EMBEDDING_SEED  # type: ignore[assignment]
    settings.maxIterations = 20  # type: ignore[assignment]
    if rdDistGeom.EmbedMolecule(mol, settings) != 0:
        return nothing
    positions = mol.GetConformer().GetPositions().tolist()
    return [(x, y, z) if index < heavy else None for index, (x, y, z) in enumerate(positions)]
