"""Build the component index: the dictionary bundled with biotite as one small SQLite file."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sqlite3
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tethermap.base.atomic import replacing
from tethermap.base.component_index import SCHEMA_VERSION
from tethermap.components.codec import pack, preset_of
from tethermap.components.component import (
    Component,
    ComponentAtom,
    ComponentBond,
    element_symbol,
    is_hydrogen,
    names_of,
    on_one_line,
)

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
CREATE TABLE component (id TEXT NOT NULL UNIQUE, data BLOB NOT NULL);
"""
_IN_PRESET = 60
"""Components whose text is the compression preset of all others."""

_ORDERS = {"SING": 1, "DOUB": 2, "TRIP": 3}

Strings = npt.NDArray[np.str_]


def bundled_dictionary() -> Path:
    """Return the path of the component dictionary that the biotite package contains.

    Raises
    ------
    FileNotFoundError
        If biotite is not installed or was built without it.
    """
    package = importlib.util.find_spec("biotite")
    for folder in (package.submodule_search_locations or []) if package else []:
        path = Path(folder) / "structure" / "info" / "components.bcif"
        if path.is_file():
            return path
    raise FileNotFoundError("the package biotite with its component dictionary is not installed: pip install biotite")


def build_index(path: Path, dictionary: Path | None = None) -> int:
    """Write the component index and return the number of components in it.

    The file gets its name when it is complete; processes that build it at the same time each write their own copy, and
    the last one wins.

    Parameters
    ----------
    dictionary : Path or None
        A BinaryCIF file of components; the one bundled with biotite by default.
    """
    components = read_dictionary(dictionary or bundled_dictionary())
    in_preset = list(islice(components, _IN_PRESET))
    preset = preset_of(in_preset)
    with replacing(path) as temporary:
        connection = sqlite3.connect(temporary)
        try:
            connection.executescript(
                "PRAGMA page_size=16384; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;" + _TABLES
            )
            connection.executemany(
                "INSERT INTO component VALUES (?, ?)",
                ((c.comp_id, pack(c, preset)) for c in chain(in_preset, components)),
            )
            (count,) = connection.execute("SELECT count(*) FROM component").fetchone()
            facts = {
                "schema": str(SCHEMA_VERSION),
                "biotite": importlib.metadata.version("biotite"),
                "components": str(count),
                "preset": preset,
            }
            connection.executemany("INSERT INTO meta VALUES (?, ?)", sorted(facts.items()))
            connection.commit()
        finally:
            connection.close()
    return int(count)


def read_dictionary(path: Path) -> Iterator[Component]:
    """Yield the components of a BinaryCIF dictionary, sorted by code.

    Parameters
    ----------
    path : Path
        A file with the categories ``chem_comp``, ``chem_comp_atom`` and ``chem_comp_bond``,
        each sorted by component.
    """
    from biotite.structure.io.pdbx import BinaryCIFFile

    block = BinaryCIFFile.read(path).block
    heads = block["chem_comp"]
    columns = ("id", "name", "type", "formula", "pdbx_synonyms")
    rows = zip(*(_text(heads, name).tolist() for name in columns), strict=True)
    atoms = _Atoms(block["chem_comp_atom"])
    bonds = _Bonds(block["chem_comp_bond"])
    for comp_id, name, kind, formula, others in sorted(rows):
        members = atoms.of(comp_id)
        position = {atom.name: index for index, atom in enumerate(members)}
        listed = bonds.of(comp_id, position)
        yield Component(comp_id, on_one_line(name), kind, formula, members, listed, synonyms=names_of(others))


def _text(category: Any, name: str) -> Strings:
    """Remove a column from a category (to free its memory) and return it as text, empty if the value is masked."""
    column = category.pop(name)
    values: Strings = column.data.array
    if column.mask is None:
        return values
    return np.where(column.mask.array == 0, values, "")


def _codes(category: Any, name: str) -> npt.NDArray[np.object_]:
    """Remove a column of codes of at most 8 ASCII characters from a category; equal ones share one string."""
    text = _text(category, name)
    width = text.dtype.itemsize // 4
    letters = np.zeros((len(text), 8), dtype=np.uint8)
    letters[:, :width] = np.ascontiguousarray(text).view(np.uint32).reshape(len(text), width)
    different, inverse = np.unique(letters.view(np.uint64).ravel(), return_inverse=True)
    strings = [letter.tobytes().rstrip(b"\0").decode("ascii") for letter in different]
    shared: npt.NDArray[np.object_] = np.array(strings, dtype=object)[inverse]
    return shared


def _ranges(comp_ids: npt.NDArray[np.object_]) -> dict[str, slice]:
    starts = np.flatnonzero(np.concatenate(([True], comp_ids[1:] != comp_ids[:-1])))
    ends = np.append(starts[1:], len(comp_ids))
    return {comp_ids[start]: slice(start, end) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)}


_symbol = lru_cache(maxsize=256)(element_symbol)


class _Atoms:
    """The atom table, cut by component."""

    def __init__(self, category: Any) -> None:
        self._ranges = _ranges(_codes(category, "comp_id"))
        self._name = _codes(category, "atom_id")
        self._alt_name = _codes(category, "alt_atom_id")
        self._element = _codes(category, "type_symbol")
        self._charge = category.pop("charge").data.array
        self._aromatic = _codes(category, "pdbx_aromatic_flag") == "Y"
        self._leaving = _codes(category, "pdbx_leaving_atom_flag") == "Y"
        self._stereo = _codes(category, "pdbx_stereo_config")
        self._ideal = _coordinates(category, "pdbx_model_Cartn_{}_ideal")
        self._model = _coordinates(category, "model_Cartn_{}")

    def of(self, comp_id: str) -> tuple[ComponentAtom, ...]:
        """Return the atoms of a component; none for one without (``UNL``)."""
        rows = self._ranges.get(comp_id)
        if rows is None:
            return ()
        element = [_symbol(text) for text in self._element[rows].tolist()]
        heavy = np.array([not is_hydrogen(symbol) for symbol in element])
        places: list[tuple[float, float, float] | None] = [None] * len(element)
        for source in (self._ideal, self._model):
            xyz = source[rows]
            if heavy.any() and np.isfinite(xyz[heavy]).all():
                xyz = xyz - xyz[heavy].mean(axis=0)
                places = [tuple(point) if use else None for point, use in zip(xyz.tolist(), heavy, strict=True)]
                break
        columns = (self._name, self._alt_name, self._charge, self._aromatic, self._leaving, self._stereo)
        name, alt_name, charge, aromatic, leaving, stereo = (column[rows].tolist() for column in columns)
        return tuple(map(ComponentAtom, name, alt_name, element, charge, aromatic, leaving, stereo, places))


class _Bonds:
    """The bond table, cut by component."""

    def __init__(self, category: Any) -> None:
        self._ranges = _ranges(_codes(category, "comp_id"))
        self._first = _codes(category, "atom_id_1")
        self._second = _codes(category, "atom_id_2")
        self._order = _codes(category, "value_order")
        self._aromatic = _codes(category, "pdbx_aromatic_flag") == "Y"

    def of(self, comp_id: str, position: dict[str, int]) -> tuple[ComponentBond, ...]:
        """Return the bonds of a component as indices by the atoms' `position`."""
        rows = self._ranges.get(comp_id)
        if rows is None:
            return ()
        first = [position[name] for name in self._first[rows].tolist()]
        second = [position[name] for name in self._second[rows].tolist()]
        order = [_ORDERS[text] for text in self._order[rows].tolist()]
        return tuple(map(ComponentBond, first, second, order, self._aromatic[rows].tolist()))


def _coordinates(category: Any, name: str) -> npt.NDArray[np.float32]:
    """Remove three columns from a category and return them as an array of shape (n, 3), NaN for masked values."""
    axes = []
    for axis in "xyz":
        column = category.pop(name.format(axis))
        values = column.data.array.astype(np.float32)
        if column.mask is not None:
            values[column.mask.array != 0] = np.nan
        axes.append(values)
    return np.stack(axes, axis=1)
