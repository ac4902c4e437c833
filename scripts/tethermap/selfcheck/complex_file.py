"""The ligand of a cleaned complex, read back from its file."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import gemmi
import numpy as np
import numpy.typing as npt

from tethermap.base.arrays import FloatArray, IntArray
from tethermap.selfcheck.deposited import HYDROGEN, lines_with

_WIDTH = 78
"""Columns of a line of the PDB format, those of the element the last."""

_RECORDS = ("ATOM  ", "HETATM")
_SERIAL = np.arange(6, 11)
_RESIDUE = slice(17, 27)


@dataclass(frozen=True, slots=True)
class FileLigand:
    """Heavy atoms of the ligand as a complex holds them.

    Parameters
    ----------
    serial : ndarray of int, shape (n_atoms,)
        Serial numbers.
    name, element, comp_id, chain, residue : tuple of str
        Names as written; `residue` is number and insertion code.
    xyz : ndarray of float, shape (n_atoms, 3)
        In angstroms.
    others : int
        Atoms in the same residues that are none of the ligand's.
    """

    serial: IntArray
    name: tuple[str, ...]
    element: tuple[str, ...]
    comp_id: tuple[str, ...]
    chain: tuple[str, ...]
    residue: tuple[str, ...]
    xyz: FloatArray
    others: int


def read_ligand(path: Path, serials: Collection[int]) -> FileLigand:
    """Return the atoms with given serial numbers and what else their residues hold.

    Parameters
    ----------
    path : Path
        PDB or mmCIF file.
    serials : collection of int
        Serial numbers of the ligand's heavy atoms.

    Returns
    -------
    FileLigand
        In the order of the file.
    """
    if path.suffix == ".pdb":
        return _ligand_of_pdb(path.read_bytes(), serials)
    flat, heavy = _read(path)
    chosen = np.flatnonzero(np.isin(np.array(flat.serials), list(serials)) & heavy)
    others = _same_residues(flat, chosen) & heavy
    return _ligand(flat, chosen, int(others.sum()) - len(chosen))


def read_residues(path: Path, residues: Collection[tuple[str, str, str]]) -> FileLigand:
    """Return the heavy atoms of residues given by chain, component, and number with insertion code.

    Parameters
    ----------
    path : Path
        PDB or mmCIF file.
    residues : collection of tuple of str
        The residues of the ligand.
    """
    flat, heavy = _read(path)
    everything = _ligand(flat, np.flatnonzero(heavy), 0)
    keys = zip(everything.chain, everything.comp_id, everything.residue, strict=True)
    chosen = [int(index) for index, key in zip(np.flatnonzero(heavy), keys, strict=True) if key in residues]
    return _ligand(flat, np.array(chosen, dtype=np.int64), 0)


def _ligand_of_pdb(content: bytes, serials: Collection[int]) -> FileLigand:
    """Return the ligand of a PDB file by the columns of its lines; those of other residues are not looked at."""
    text = content.decode("latin-1")  # a letter a byte
    letters = np.frombuffer(content, dtype=np.uint8)
    begins = np.append(0, np.flatnonzero(letters == ord("\n")) + 1)
    begins = begins[begins + _WIDTH <= len(text)]
    digits = letters[begins[:, None] + _SERIAL] & 15  # 0 for a blank too
    numbered = begins[np.isin(digits @ np.array([10_000, 1_000, 100, 10, 1]), list(serials))]
    lines = [line for begin in numbered.tolist() if _is_heavy(line := text[begin : begin + _WIDTH])]
    residues = {line[_RESIDUE] for line in lines}
    same = [line for line in lines_with(text, residues) if line[_RESIDUE] in residues and _is_heavy(line)]
    return FileLigand(
        serial=np.array([int(line[6:11]) for line in lines], dtype=np.int64),
        name=tuple(line[12:16].strip() for line in lines),
        element=tuple(_element(line) for line in lines),
        comp_id=tuple(line[17:20].strip() for line in lines),
        chain=tuple(line[20:22].strip() for line in lines),
        residue=tuple(line[22:27].strip() for line in lines),
        xyz=np.array([(float(line[30:38]), float(line[38:46]), float(line[46:54])) for line in lines]).reshape(-1, 3),
        others=len(same) - len(lines),
    )


def _element(line: str) -> str:
    return line[76:78].strip().capitalize()


def _is_heavy(line: str) -> bool:
    """Return whether a line of a PDB file is that of an atom other than hydrogen."""
    return line.startswith(_RECORDS) and _element(line) not in HYDROGEN


def _read(path: Path) -> tuple[gemmi.FlatStructure, npt.NDArray[np.bool_]]:
    """Return the atoms of a file as columns and which of them are heavy."""
    flat = gemmi.FlatStructure(gemmi.read_structure(str(path)))
    flat.strings_as_numbers = False
    return flat, ~np.isin(np.array(flat.element_names), (b"H", b"D"))


def _ligand(flat: gemmi.FlatStructure, chosen: IntArray, others: int) -> FileLigand:
    letters = np.asarray(flat.icodes)[chosen].astype("u1").view("S1").astype(str).tolist()
    numbers = np.asarray(flat.resnums)[chosen].tolist()
    return FileLigand(
        serial=np.asarray(flat.serials)[chosen].astype(np.int64),
        name=tuple(np.asarray(flat.atom_names)[chosen].astype(str).tolist()),
        element=tuple(name.capitalize() for name in np.asarray(flat.element_names)[chosen].astype(str).tolist()),
        comp_id=tuple(np.asarray(flat.residue_names)[chosen].astype(str).tolist()),
        chain=tuple(np.asarray(flat.chain_ids)[chosen].astype(str).tolist()),
        residue=tuple(f"{number}{letter.strip()}" for number, letter in zip(numbers, letters, strict=True)),
        xyz=np.asarray(flat.pos)[chosen].astype(np.float64).reshape(-1, 3),
        others=others,
    )


def _same_residues(flat: gemmi.FlatStructure, chosen: IntArray) -> npt.NDArray[np.bool_]:
    """Tell the atoms that share chain, number, insertion code and component with one of those chosen."""
    numbers, codes, chains, names = (
        np.asarray(column) for column in (flat.resnums, flat.icodes, flat.chain_ids, flat.residue_names)
    )
    same = np.zeros(len(numbers), dtype=np.bool_)
    keys = zip(*(column[chosen].tolist() for column in (numbers, codes, chains, names)), strict=True)
    for number, code, chain, name in set(keys):
        numbered = np.flatnonzero((numbers == number) & (codes == code))
        same[numbered] |= (chains[numbered] == chain) & (names[numbered] == name)
    return same
