"""The atoms of an entry as NumPy columns, and its residues as slices of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import gemmi
import numpy as np
import numpy.typing as npt

from tethermap.base.arrays import BoolArray, BytesArray, FloatArray, IntArray
from tethermap.formats.pdb_columns import UNPLACED

POLYMER, NON_POLYMER, WATER = 1, 2, 4
"""Values of `gemmi.EntityType` in `Atoms.entity_type`."""

SYMBOLS = np.array([*(gemmi.Element(number).name for number in range(119)), "D"], dtype="S2")
"""Symbols by gemmi's number of an element: its atomic number, 0 for unknown ones, a separate number for deuterium."""


@dataclass(frozen=True)
class Atoms:
    """All atoms of the first model in file order, each field of shape (n_atoms,).

    Parameters
    ----------
    xyz : ndarray of float, shape (n_atoms, 3)
        Coordinates in angstroms, `UNPLACED` if unknown.
    name, comp_id, auth_asym_id, label_asym_id, entity_id, element : ndarray of bytes
        Names as deposited; `label_asym_id` is gemmi's own for PDB files.
    auth_seq_id : ndarray of int
        Author residue numbers.
    ins_code, altloc : ndarray of bytes
        Residue numbers; empty if missing.
    occupancy, b_iso : ndarray of float
        As deposited; NaN for atoms without B factor.
    charge : ndarray of int
        Deposited formal charges.
    entity_type : ndarray of int
        Value of `gemmi.EntityType`.
    """

    xyz: FloatArray
    name: BytesArray
    comp_id: BytesArray
    auth_asym_id: BytesArray
    label_asym_id: BytesArray
    entity_id: BytesArray
    element: BytesArray
    auth_seq_id: npt.NDArray[np.int32]
    ins_code: BytesArray
    altloc: BytesArray
    occupancy: npt.NDArray[np.float32]
    b_iso: npt.NDArray[np.float32]
    charge: npt.NDArray[np.int8]
    entity_type: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, structure: gemmi.Structure) -> Atoms:
        """Return the atoms of a structure of one model."""
        flat = gemmi.FlatStructure(structure)
        flat.strings_as_numbers = False
        return cls(
            xyz=np.nan_to_num(np.array(flat.pos), nan=UNPLACED),
            name=np.array(flat.atom_names),
            comp_id=np.array(flat.residue_names),
            auth_asym_id=np.array(flat.chain_ids),
            label_asym_id=np.array(flat.subchains),
            entity_id=np.array(flat.entity_ids),
            element=SYMBOLS[np.array(flat.elements)],
            auth_seq_id=np.array(flat.resnums),
            ins_code=_letters(flat.icodes),
            altloc=_letters(flat.altlocs),
            occupancy=np.array(flat.occ),
            b_iso=np.array(flat.b_iso),
            charge=np.array(flat.charge),
            entity_type=np.array(flat.entity_type),
        )

    def __len__(self) -> int:
        return len(self.xyz)

    @cached_property
    def heavy(self) -> BoolArray:
        """Atoms that are not hydrogen or deuterium, shape (n_atoms,)."""
        heavy: BoolArray = (self.element != b"H") & (self.element != b"D")
        return heavy

    @cached_property
    def unplaced(self) -> BoolArray:
        """Atoms whose coordinates are unknown, shape (n_atoms,)."""
        unplaced: BoolArray = (self.xyz == UNPLACED).any(axis=1)
        return unplaced

    @cached_property
    def starts(self) -> IntArray:
        """Index of the first atom of each residue, shape (n_residues,)."""
        changed = np.zeros(len(self), dtype=bool)
        changed[:1] = True
        for column in (self.label_asym_id, self.auth_asym_id, self.auth_seq_id, self.ins_code, self.comp_id):
            words = column.view(f"u{column.itemsize}")  # numbers are compared twenty times as fast as letters
            changed[1:] |= words[1:] != words[:-1]
        changed[self._repeats(changed)] = True
        return np.flatnonzero(changed).astype(np.int64)

    def _repeats(self, changed: BoolArray) -> IntArray:
        """Find the first atom of a second copy of a component under the number of the first.

        Only non-polymer residues without alternates that repeat all their atom names count; such pairs occur in files
        of the 1990s.
        """
        bounds = np.append(np.flatnonzero(changed), len(self))
        begins: list[int] = []
        kinds = self.entity_type[bounds[:-1]]
        het = (kinds != POLYMER) & (kinds != WATER)
        for residue in np.flatnonzero(het & (np.diff(bounds) > 1)).tolist():
            begin, end = bounds[residue : residue + 2].tolist()
            if (self.altloc[begin:end] != b"").any():
                continue
            names = self.name[begin:end].tolist()
            size = names.index(names[0], 1) if names[0] in names[1:] else 0
            if size and len(names) % size == 0 and names == names[:size] * (len(names) // size):
                begins.extend(range(begin + size, end, size))
        return np.array(begins, dtype=np.int64)

    @cached_property
    def ends(self) -> IntArray:
        """Index after the last atom of each residue, shape (n_residues,)."""
        return np.append(self.starts[1:], len(self))

    @cached_property
    def residue(self) -> IntArray:
        """Index of each atom's residue, shape (n_atoms,)."""
        return np.repeat(np.arange(len(self.starts)), self.ends - self.starts)

    @cached_property
    def residue_ids(self) -> npt.NDArray[np.str_]:
        """Author number with insertion code of each residue, shape (n_residues,)."""
        ids = np.array([str(number) for number in self.auth_seq_id[self.starts].tolist()], dtype="U13")
        codes = self.ins_code[self.starts]
        lettered = np.flatnonzero(codes != b"")
        ids[lettered] = np.char.add(ids[lettered], codes[lettered].astype("U1"))
        return ids

    def fullest_conformer(self, part: slice) -> int:
        """Return the number of heavy atoms in the conformer of a part of the atoms that has most of them."""
        counts = letter_counts(self.altloc[part][self.heavy[part]])
        return int(counts[0] + counts[1:].max())

    def at(self, residue: int) -> slice:
        """Return the atoms of one residue as a slice."""
        return slice(int(self.starts[residue]), int(self.ends[residue]))


def _letters(codes: npt.NDArray[np.int8]) -> BytesArray:
    """Turn character codes (0 or blank for none) into one-letter bytes."""
    letters = np.array(codes).astype(np.uint8)
    letters[letters == ord(" ")] = 0
    return letters.view("S1")


def letter_counts(letters: BytesArray) -> IntArray:
    """Return the number of occurrences of each letter, shape (256,); the first is the number of empty ones.

    >>> letter_counts(np.array([b"", b"A", b"A"]))[[0, 65]].tolist()
    [1, 2]
    """
    return np.bincount(letters.view(np.uint8), minlength=256)


def text(value: bytes) -> str:
    """Return a name of the file as text."""
    return value.decode("ascii", "replace")
