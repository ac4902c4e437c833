"""The ligand of an SDF, read back with RDKit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rdkit import Chem

from tethermap.base.arrays import FloatArray, IntArray
from tethermap.selfcheck.deposited import UNKNOWN_ELEMENT

_PERIODIC_TABLE = Chem.GetPeriodicTable()
_LIST = re.compile(r"atom\.[idb]?prop\.")


@dataclass(frozen=True, slots=True)
class SdfLigand:
    """Heavy atoms of a molecule as its SDF gives them.

    Parameters
    ----------
    title : str
        First line.
    element : tuple of str
        Element symbols in file order.
    xyz : ndarray of float, shape (n_heavy, 3)
        In angstroms.
    bonds : ndarray of int, shape (n_bonds, 2)
        Bonds between heavy atoms.
    properties : dict of str to str
        Data fields.
    lists : dict of str to tuple of str
        Atom property lists by name, heavy atoms only; ``n/a`` where a value is missing.
    """

    title: str
    element: tuple[str, ...]
    xyz: FloatArray
    bonds: IntArray
    properties: dict[str, str]
    lists: dict[str, tuple[str, ...]]


def read_sdf(path: Path) -> SdfLigand:
    """Return the first molecule of an SDF as it stands, not sanitised.

    Raises
    ------
    ValueError
        If RDKit can't read it.
    """
    supplier = Chem.SDMolSupplier(str(path), sanitize=False, removeHs=False, strictParsing=True)
    supplier.SetProcessPropertyLists(False)
    mol = supplier[0] if len(supplier) == 1 else None
    if mol is None:
        raise ValueError("not one readable molecule")
    # By index: RDKit's own iterators ask for the number of atoms or bonds before each.
    numbers = [mol.GetAtomWithIdx(k).GetAtomicNum() for k in range(mol.GetNumAtoms())]
    symbol = {number: _PERIODIC_TABLE.GetElementSymbol(number) for number in set(numbers) - {0}}
    heavy = [index for index, number in enumerate(numbers) if number != 1]
    heavy_number = {index: k for k, index in enumerate(heavy)}
    bonds = map(mol.GetBondWithIdx, range(mol.GetNumBonds()))
    pairs = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in bonds]
    properties = {str(name): str(mol.GetProp(name)) for name in mol.GetPropNames()}
    return SdfLigand(
        title=mol.GetProp("_Name"),
        element=tuple(symbol.get(numbers[index], UNKNOWN_ELEMENT) for index in heavy),
        xyz=np.asarray(mol.GetConformer().GetPositions(), dtype=np.float64)[heavy],
        bonds=np.array(
            [(heavy_number[i], heavy_number[j]) for i, j in pairs if i in heavy_number and j in heavy_number],
            dtype=np.int64,
        ).reshape(-1, 2),
        properties=properties,
        lists={name.split(".", 2)[2]: _split(text, heavy) for name, text in properties.items() if _LIST.match(name)},
    )


def _split(text: str, heavy: list[int]) -> tuple[str, ...]:
    """Return the values of the heavy atoms from an atom property list."""
    values = text.split()
    if values and values[0].startswith("[") and values[0].endswith("]"):  # another mark for missing values
        missing = values[0][1:-1]
        values = ["n/a" if value == missing else value for value in values[1:]]
    return tuple(values[index] for index in heavy) if len(values) > max(heavy, default=-1) else ()
