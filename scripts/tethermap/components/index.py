"""Component definitions by code: from the index, else from the files server for newer codes."""

import json
import logging
import sqlite3
import weakref
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tethermap.base.component_index import SCHEMA_VERSION
from tethermap.components.codec import may_have_name, unpack, unpack_formula
from tethermap.components.component import Component
from tethermap.components.component_cif import read_components

FetchComponent = Callable[[str], str | None]
"""Returns the CIF text of a component that the index does not know, None when there is none."""

_log = logging.getLogger(__name__)


class ComponentIndex:
    """Read access to a component index; each definition is read once.

    Parameters
    ----------
    path : Path
        File written by `tethermap.components.index_build.build_index`.
    fetch : callable, optional
        Returns the CIF text of codes that are not in the index.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is not a component index of this version.
    """

    def __init__(self, path: Path, fetch: FetchComponent | None = None) -> None:
        if not path.is_file():
            raise FileNotFoundError(f"{path}: no component index; build it: python -m scripts.build_component_index")
        place = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        self._connection = sqlite3.connect(place, uri=True, check_same_thread=False)  # any thread may collect the index
        weakref.finalize(self, self._connection.close)
        self._fetch = fetch
        self.asked_in_vain = False
        """Whether `fetch` had no definition of a code, which it may have later."""
        self._known: dict[str, Component | None] = {}
        try:
            facts = dict(self._connection.execute("SELECT key, value FROM meta"))
        except sqlite3.DatabaseError as error:
            raise ValueError(f"{path}: not a component index ({error})") from error
        if facts.get("schema") != str(SCHEMA_VERSION):
            raise ValueError(f"{path}: component index of another version; delete it and build it again")
        self._preset: bytes = facts["preset"]

    def get(self, comp_id: str) -> Component | None:
        """Return a component by its code in any case, None if it is unknown."""
        comp_id = comp_id.upper()
        if comp_id not in self._known:
            self._known[comp_id] = self._read(comp_id) or self._ask(comp_id)
        return self._known[comp_id]

    def _read(self, comp_id: str) -> Component | None:
        row = self._connection.execute("SELECT data FROM component WHERE id = ?", (comp_id,)).fetchone()
        return None if row is None else unpack(comp_id, row[0], self._preset)

    def _ask(self, comp_id: str) -> Component | None:
        if self._fetch is None:
            return None
        text = self._fetch(comp_id)
        if text is None:
            self.asked_in_vain = True
            return None
        try:
            return read_components(text, origin="network").get(comp_id)
        except ValueError as error:
            _log.warning("the downloaded definition of component %s cannot be read: %s", comp_id, error)
            return None

    def formulas(self, codes: Iterable[str] | None = None) -> Iterator[tuple[str, str]]:
        """Yield code and formula, ``C29 H31 N7 O``, of all components or of those with the given codes."""
        if codes is None:
            rows = self._connection.execute("SELECT id, data FROM component")
        else:
            some = "SELECT id, data FROM component WHERE id IN (SELECT value FROM json_each(?))"
            rows = self._connection.execute(some, [json.dumps(list(codes))])
        for comp_id, data in rows:
            yield comp_id, unpack_formula(data, self._preset)

    def named(self, name: str) -> str | None:
        """Return the code of a component with a code, name or synonym, in any case; None if there is none."""
        comp_id: str = name.upper()
        if self._read(comp_id) is not None:
            return comp_id
        for comp_id, data in self._connection.execute("SELECT id, data FROM component"):
            if may_have_name(data, self._preset, name):
                component = unpack(comp_id, data, self._preset)
                if name.upper() in (comp_id, component.name.upper(), *map(str.upper, component.synonyms)):
                    return comp_id
        return None

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
