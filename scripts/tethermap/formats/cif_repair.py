"""Atoms of mmCIF files of other programs: missing items that the reader needs are derived from the existing ones."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any

import gemmi
import numpy as np
from gemmi import cif

from tethermap.formats.guess_elements import guess_elements, is_polymer_residue

_ATOMS = "_atom_site."
ITEMS = ("group_PDB", "id", "type_symbol", "label_alt_id", "label_asym_id", "Cartn_x", "auth_seq_id")
"""Items of atoms that the readers need, the first in each row first."""

QUOTED_NUMBER = re.compile(r"(['\"])\s*([+-]?\d+(?:\.\d*)?)\s*\1")
_CHARGE = re.compile(r"(['\"]?)(?:([+-]?\d+)(?:\.0*)?|(\d+)([+-]))\1")
"""A formal charge as whole number, with decimals (``-1.0``), or as in PDB files (``1-``)."""

_NONE = ("?", ".")

_CHARGED = re.compile(r"(['\"]?)([A-Za-z]{1,2})\d*[+-]\1")
"""An element with its oxidation state, ``O1-``: valid in mmCIF, but unknown to gemmi."""


def complete_atoms(block: cif.Block) -> None:
    """Add items to the atoms of a block that have too few for the reader, and remove oxidation states from elements.

    Elements come from names and distances, chains and residue numbers from the other naming scheme, Cartesian
    coordinates from fractional ones and the cell.

    Parameters
    ----------
    block : gemmi.cif.Block
        Block of a model; unchanged if it has all items.
    """
    symbols = block.find_values(f"{_ATOMS}type_symbol")
    if charged := {symbol: match[2] for symbol in set(symbols) if (match := _CHARGED.fullmatch(symbol))}:
        for place, symbol in enumerate(symbols):
            symbols[place] = charged.get(symbol, symbol)
    loop: cif.Loop | None = block.find_mmcif_category(_ATOMS).loop
    if loop is None or not (rows := loop.length()):  # no atoms, or one written as pairs
        return
    tags = {tag.lower() for tag in loop.tags}
    missing = [name for name in ITEMS if f"{_ATOMS}{name}".lower() not in tags]
    if not missing and cif.as_string(symbols[0]):
        return
    if "Cartn_x" in missing and not _add_coordinates(block, loop):
        return
    comp_ids = _either(block, rows, "label_comp_id", "auth_comp_id") or ["UNL"] * rows
    names = _either(block, rows, "label_atom_id", "auth_atom_id") or ["X"] * rows
    made: dict[str, Callable[[], list[str]]] = {
        "group_PDB": lambda: ["ATOM" if is_polymer_residue(comp_id) else "HETATM" for comp_id in comp_ids],
        "id": lambda: [str(number) for number in range(1, rows + 1)],
        "label_alt_id": lambda: ["."] * rows,
        "label_asym_id": lambda: _either(block, rows, "auth_asym_id", "label_entity_id") or ["A"] * rows,
        "auth_seq_id": lambda: _either(block, rows, "label_seq_id") or ["?"] * rows,
        "type_symbol": lambda: ["?"] * rows,
    }
    for name in missing:
        if name != "Cartn_x":
            _add(loop, name, [cif.quote(value) if value not in _NONE else value for value in made[name]()])
    column = block.find_values(f"{_ATOMS}type_symbol")
    known = ["" if symbol in _NONE else cif.as_string(symbol).capitalize() for symbol in column]
    if not all(known):
        xyz = np.array([[*map(cif.as_number, block.find_values(f"{_ATOMS}Cartn_{axis}"))] for axis in "xyz"]).T
        residues = _residues(block, rows, comp_ids)
        for place, element in enumerate(guess_elements(residues, comp_ids, names, xyz, known)):
            column[place] = element or "X"


def with_plain_numbers(block: cif.Block) -> None:
    """Write numbers that the reader refuses without quotes, charges without decimals and with the sign first.

    Other charges become unknown.
    """
    for tag, column in columns_of(block):
        if tag.lower() == f"{_ATOMS}pdbx_formal_charge":
            for place, match in enumerate(map(_CHARGE.fullmatch, column)):
                column[place] = f"{match[4] or ''}{match[2] or match[3]}" if match else "?"
        for place, value in enumerate(column):
            if number := QUOTED_NUMBER.fullmatch(value):
                column[place] = number[2]


def columns_of(block: cif.Block) -> Iterator[tuple[str, cif.Column]]:
    """Yield the tag of each item or column of a block with its values, which can be changed."""
    items: list[Any] = list(block)
    for item in items:
        for tag in [item.pair[0]] if item.pair else item.loop.tags if item.loop else []:
            yield tag, block.find_values(tag)


def _add(loop: cif.Loop, name: str, values: Sequence[str]) -> None:
    loop.add_columns([f"{_ATOMS}{name}"], "?")
    width = loop.width()
    for row, value in enumerate(values):
        loop[row, width - 1] = value


def _either(block: cif.Block, rows: int, *names: str) -> list[str]:
    """Return the first existing item of the given ones, without quotes; ``.`` and ``?`` are kept."""
    for name in names:
        column = block.find_values(f"{_ATOMS}{name}")
        if len(column) == rows:
            return [value if value in _NONE else cif.as_string(value) for value in column]
    return []


def _residues(block: cif.Block, rows: int, comp_ids: Sequence[str]) -> list[str]:
    """Return the residue number of each atom: a new residue begins when any of its names changes."""
    items = ("label_asym_id", "auth_asym_id", "label_seq_id", "auth_seq_id", "pdbx_PDB_ins_code", "pdbx_PDB_model_num")
    columns = [column for name in items if (column := _either(block, rows, name))]
    changes = (before != after for before, after in pairwise(zip(comp_ids, *columns, strict=True)))
    return list(map(str, accumulate(changes, initial=0)))


def _add_coordinates(block: cif.Block, loop: cif.Loop) -> bool:
    """Add Cartesian coordinates to atoms that have fractional ones, if there is a cell."""
    cell = gemmi.UnitCell(*(cif.as_number(block.find_value(f"_cell.{item}") or "?") for item in (
        "length_a", "length_b", "length_c", "angle_alpha", "angle_beta", "angle_gamma")))  # fmt: skip
    columns = [list(block.find_values(f"{_ATOMS}fract_{axis}")) for axis in "xyz"]
    if not all(columns) or not cell.is_crystal():
        return False
    places = [cell.orthogonalize(gemmi.Fractional(*map(cif.as_number, row))) for row in zip(*columns, strict=True)]
    for axis in "xyz":
        _add(loop, f"Cartn_{axis}", [f"{getattr(place, axis):.3f}" for place in places])
    return True
