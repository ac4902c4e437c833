"""Build the component index: the dictionary bundled with biotite as one small SQLite file."""

import importlib.metadata
import importlib.util
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tethermap.base.atomic import replacing
from tethermap.base.component_index import SCHEMA_VERSION
from tethermap.components.codec import pack, preset_of
from tethermap.components.component import Component, ComponentAtom, ComponentBond, is_hydrogen, names_of, on_one_line

_TABLES = """
PRAGMA page_size=16384;
PRAGMA journal_mode=OFF;
PRAGMA synchronous=OFF;
CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
CREATE TABLE component (id TEXT NOT NULL UNIQUE, data BLOB NOT NULL);
"""
_IN_PRESET = 60
"""Components whose text is the compression preset of all others."""

_ORDERS = {"SING": 1, "DOUB": 2, "TRIP": 3}

Column = npt.NDArray[Any]


def build_index(path: Path, dictionary: Path | None = None) -> int:
    """Write the component index and return the number of components in it.

    The file gets its name when it is complete; processes that build it at the same time each write their own copy, and
    the last one wins.

    Parameters
    ----------
    dictionary : Path or None
        A BinaryCIF file of components; the one bundled with biotite by default.

    Raises
    ------
    FileNotFoundError
        If biotite is not installed or was built without it.
    """
    package = importlib.util.find_spec("biotite")
    bundled = Path((package and package.origin) or "none").with_name("structure") / "info" / "components.bcif"
    if not (dictionary or bundled).is_file():
        raise FileNotFoundError("the package biotite with its component dictionary is missing: pip install biotite")
    components = read_dictionary(dictionary or bundled)
    in_preset = list(islice(components, _IN_PRESET))
    preset = preset_of(in_preset)
    with replacing(path) as temporary, closing(sqlite3.connect(temporary)) as connection:
        connection.executescript(_TABLES)
        rows = ((c.comp_id, pack(c, preset)) for c in chain(in_preset, components))
        count = connection.executemany("INSERT INTO component VALUES (?, ?)", rows).rowcount
        version = importlib.metadata.version("biotite")
        facts = {"schema": str(SCHEMA_VERSION), "biotite": version, "components": str(count), "preset": preset}
        connection.executemany("INSERT INTO meta VALUES (?, ?)", sorted(facts.items()))
        connection.commit()
    return count


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
    listed = block["chem_comp_atom"]
    codes = ("atom_id", "alt_atom_id", "type_symbol", "pdbx_stereo_config")
    atoms = _Rows(listed, codes, ("pdbx_aromatic_flag", "pdbx_leaving_atom_flag"))
    atoms.columns += [listed.pop("charge").data.array]
    for name in ("pdbx_model_Cartn_{}_ideal", "model_Cartn_{}"):
        axes = [listed.pop(name.format(axis)).as_array(np.float32, np.nan) for axis in "xyz"]
        atoms.columns.append(np.stack(axes, axis=1))
    bonds = _Rows(block["chem_comp_bond"], ("atom_id_1", "atom_id_2", "value_order"), ("pdbx_aromatic_flag",))
    for comp_id, name, kind, formula, others in sorted(rows):
        members = _atoms(*atoms.of(comp_id))
        position = {atom.name: index for index, atom in enumerate(members)}
        ends_and_orders = zip(*(column.tolist() for column in bonds.of(comp_id)), strict=True)
        joined = tuple(
            ComponentBond(position[a], position[b], _ORDERS[order], flag) for a, b, order, flag in ends_and_orders
        )
        yield Component(comp_id, on_one_line(name), kind, formula, members, joined, synonyms=names_of(others))


def _text(category: Any, name: str) -> Column:
    """Remove a column from a category (to free its memory) and return it as text, empty if the value is masked."""
    values: Column = category.pop(name).as_array(np.str_, "")
    return values


class _Rows:
    """Columns of a table: codes, flags and further ones, cut by component."""

    def __init__(self, category: Any, codes: Sequence[str], flags: Sequence[str]) -> None:
        comp_ids = _text(category, "comp_id")
        starts = [0, *(np.flatnonzero(comp_ids[1:] != comp_ids[:-1]) + 1).tolist(), len(comp_ids)]
        self._ranges = {str(comp_ids[start]): slice(start, end) for start, end in pairwise(starts)}
        self.columns = [_text(category, name) for name in codes]
        self.columns += [_text(category, name) == "Y" for name in flags]

    def of(self, comp_id: str) -> list[Column]:
        """Return the values of a component; none for one without atoms (``UNL``) or bonds."""
        rows = self._ranges.get(comp_id, slice(0))
        return [column[rows] for column in self.columns]


def _atoms(
    name: Column, alt_name: Column, symbol: Column, stereo: Column, aromatic: Column, leaving: Column, charge: Column,
    *coordinates: Column,
) -> tuple[ComponentAtom, ...]:  # fmt: skip
    """Return the atoms of a component, with the first coordinates that all heavy atoms have."""
    element = [text.strip().capitalize() for text in symbol.tolist()]
    heavy = np.array([not is_hydrogen(one) for one in element], dtype=np.bool_)
    places: list[tuple[float, float, float] | None] = [None] * len(element)
    for xyz in coordinates:
        if heavy.any() and np.isfinite(xyz[heavy]).all():
            centred = (xyz - xyz[heavy].mean(axis=0)).tolist()
            places = [tuple(point) if use else None for point, use in zip(centred, heavy, strict=True)]
            break
    facts = (column.tolist() for column in (charge, aromatic, leaving, stereo))
    return tuple(map(ComponentAtom, name.tolist(), alt_name.tolist(), element, *facts, places))
