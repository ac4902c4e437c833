"""A user's own components, for codes that the dictionary does not know: CIF files and SMILES tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from rdkit import Chem, rdBase
from rdkit.Chem import rdDistGeom
from rdkit.Chem.MolStandardize import rdMolStandardize
from rdkit.Chem.rdMolDescriptors import CalcMolFormula

from scripts.lib.errors import UserError
from scripts.lib.molecule.component import Component, ComponentAtom, ComponentBond
from scripts.lib.molecule.component_cif import read_components
from scripts.lib.molecule.formula import spaced_formula

UserComponents = dict[str, Component]
"""A user's definitions by component code."""

_EMBEDDING_SEED = 20080401
_LARGEST_EMBEDDED = 150
_CIF_SUFFIXES = (".cif", ".mmcif")


class UserComponentError(UserError):
    """A user's component cannot be read; the message names the file, the line and the value."""


def read_user_components(path: Path) -> UserComponents:
    """Read one file of components, or all files of a folder in order of their names.

    Parameters
    ----------
    path : Path
        ``*.cif``: component definitions, one block each. Any other file: a table with one
        component a line, code and SMILES separated by comma, semicolon, tab or space; a first
        line without a SMILES is a header, ``#`` starts a comment.

    Raises
    ------
    UserComponentError
        If a file cannot be read as that; two files that define one code are an error as well.
    """
    files = sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith(".")) if path.is_dir() else [path]
    found: UserComponents = {}
    for file in files:
        try:
            text = file.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise UserComponentError(f"{file.name}: cannot be read as text ({error})") from error
        try:
            if file.suffix.lower() in _CIF_SUFFIXES:
                defined = read_components(text, origin="user")
            else:
                defined = components_from_table(text)
        except ValueError as error:
            raise UserComponentError(f"{file.name}: {error}") from error
        if twice := sorted(found.keys() & defined.keys()):
            raise UserComponentError(f"{file.name}: {twice[0]} is defined in another file as well; keep one of them")
        found |= defined
    return found


def components_from_table(text: str) -> UserComponents:
    """Return the components of a table of codes and SMILES.

    Raises
    ------
    ValueError
        With the number of the line that is wrong.
    """
    found: UserComponents = {}
    for number, cells in enumerate(_rows(text), start=1):
        if not cells:
            continue
        if len(cells) < 2:
            raise ValueError(f"line {number}: a component code and a SMILES are needed, found {cells[0]!r}")
        code, smiles = cells[0].upper(), cells[1]
        if not found and smiles.lower() in ("smiles", "smi", "canonical_smiles"):
            continue
        if code in found:
            raise ValueError(f"line {number}: {code} is defined twice")
        if not code.isalnum() or len(code) > 5:
            raise ValueError(f"line {number}: {code!r} is no component code: 1 to 5 letters and digits are")
        try:
            found[code] = component_from_smiles(code, smiles)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error
    return found


def component_from_smiles(code: str, smiles: str) -> Component:
    """Return a SMILES as a component; the largest part of a salt is taken.

    Atoms are named by element and number. Ideal coordinates, which carry the configuration, are
    made when the SMILES defines every stereo centre.

    Raises
    ------
    ValueError
        If RDKit cannot read the SMILES.
    """
    with rdBase.BlockLogs():
        mol = Chem.MolFromSmiles(smiles)
    if mol is None or not mol.GetNumAtoms():  # type: ignore[redundant-expr]
        raise ValueError(f"{smiles!r} is no SMILES that RDKit can read")
    if len(Chem.GetMolFrags(mol)) > 1:
        with rdBase.BlockLogs():
            mol = rdMolStandardize.LargestFragmentChooser().choose(mol)
    heavy = mol.GetNumAtoms()
    full = Chem.AddHs(mol)
    places = _places(full, heavy)
    kekulised = Chem.Mol(full)
    Chem.Kekulize(kekulised, clearAromaticFlags=True)
    counts: dict[str, int] = {}
    atoms = []
    for atom, place in zip(full.GetAtoms(), places, strict=True):
        element = atom.GetSymbol()
        counts[element] = counts.get(element, 0) + 1
        name = f"{element.upper()}{counts[element]}"
        charge, aromatic = atom.GetFormalCharge(), atom.GetIsAromatic()
        atoms.append(ComponentAtom(name, name, element, charge, aromatic, False, "N", place))
    bonds = [
        ComponentBond(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), int(bond.GetBondTypeAsDouble()), False)
        for bond in kekulised.GetBonds()
    ]
    formula = spaced_formula(CalcMolFormula(full))
    return Component(code, "", "NON-POLYMER", formula, tuple(atoms), tuple(bonds), origin="user")


def _rows(text: str) -> Iterable[list[str]]:
    lines = [line.partition("#")[0] if line.lstrip().startswith("#") else line for line in text.splitlines()]
    first = next((line for line in lines if line.strip()), "")
    delimiter = next((mark for mark in ("\t", ",", ";") if mark in first), None)
    if delimiter is None:
        return [line.split() for line in lines]
    rows = csv.reader(io.StringIO("\n".join(lines)), delimiter=delimiter)
    return [[cell.strip() for cell in row] if any(cell.strip() for cell in row) else [] for row in rows]


def _places(full: Chem.Mol, heavy: int) -> list[tuple[float, float, float] | None]:
    """Return coordinates of the heavy atoms by RDKit's embedding with a fixed seed, where that is of use."""
    nothing: list[tuple[float, float, float] | None] = [None] * full.GetNumAtoms()
    elements = Chem.FindPotentialStereo(full)
    if any(item.specified != Chem.StereoSpecified.Specified for item in elements) or heavy > _LARGEST_EMBEDDED:
        return nothing
    mol = Chem.Mol(full)
    settings = rdDistGeom.ETKDGv3()
    settings.randomSeed = _EMBEDDING_SEED  # type: ignore[assignment]
    settings.maxIterations = 20  # type: ignore[assignment]
    with rdBase.BlockLogs():
        if rdDistGeom.EmbedMolecule(mol, settings) != 0:
            return nothing
    positions = mol.GetConformer().GetPositions().tolist()
    return [(x, y, z) if index < heavy else None for index, (x, y, z) in enumerate(positions)]
