"""A searchable index of structure files: SQLite with full text (FTS5) ranked by BM25.

The index of a folder is one file in the cache. A refresh reads only new or changed files (size, modification time),
into a copy that is renamed to the index when it is complete, so that readers never see an incomplete index. If two jobs
refresh at once, one waits for the other.
"""

import json
import logging
import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from operator import itemgetter
from pathlib import Path
from typing import Any

from tethermap.base.errors import UserError, is_full_disk
from tethermap.sources.base import EntrySummary, Hit, KnownEntry
from tethermap.sources.index_rows import IndexRow, read_rows
from tethermap.sources.locks import file_lock
from tethermap.sources.own.sniff import StructureFile
from tethermap.sources.query import spellings
from tethermap.sources.suggestions import NAMES_TABLE, opened_index

_LOG = logging.getLogger(__name__)

SCHEMA_VERSION = 4
"""Raised when the content of the index or its construction changes."""

_TEXTS = "ids, title, names, genes, organisms, ligands, other"
_TABLES = f"""
CREATE TABLE entries (
    number INTEGER PRIMARY KEY, entry_id TEXT NOT NULL UNIQUE, path TEXT NOT NULL, is_mmcif INTEGER NOT NULL,
    size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, summary TEXT NOT NULL, successors TEXT NOT NULL
);
CREATE TABLE ids (number INTEGER PRIMARY KEY, entry_id TEXT NOT NULL);
CREATE TABLE accessions (accession TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (accession, number))
    WITHOUT ROWID;
CREATE INDEX accessions_number ON accessions (number);
CREATE VIRTUAL TABLE texts USING fts5({_TEXTS}, tokenize = 'porter unicode61 remove_diacritics 2');
{NAMES_TABLE}
"""
_STATE = "SELECT entry_id, path, is_mmcif, size, mtime_ns FROM entries"
_WITH_ACCESSION = """
SELECT entry_id, 0.0 FROM ids
WHERE number IN (SELECT number FROM accessions WHERE accession IN (SELECT value FROM json_each(?)))
"""
# The weights of BM25 are those of ids, title, names, genes, organisms, ligands, other.
_WITH_TEXT = """
SELECT entry_id, -round(bm25(texts, 4.0, 6.0, 8.0, 10.0, 2.0, 3.0, 1.0), 12)
FROM texts JOIN ids ON number = texts.rowid WHERE texts MATCH ?
"""
_BATCH = 1000
_PATIENCE = 6 * 3600.0


class TextIndex:
    """The index of a set of structure files.

    Parameters
    ----------
    path : Path
        The index file; `refresh` makes it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None

    def refresh(self, files: Sequence[StructureFile]) -> None:
        """Update the index to the files; afterwards it can be queried.

        Parameters
        ----------
        files : sequence of StructureFile
            All files, one per entry.

        Raises
        ------
        UserError
            If the index can't be written.
        """
        self.close()
        try:
            if not self._is_current(files):
                with file_lock(self.path.with_suffix(".lock"), patience=_PATIENCE) as acquired:
                    if not self._is_current(files):  # an interrupted build is resumed if no other process uses it
                        own = "" if acquired else f".{os.getpid()}"
                        self._rebuild(files, self.path.with_suffix(f"{own}.building"))
            self._connection = _open(self.path)
        except (sqlite3.OperationalError, OSError) as error:
            raise _index_error(error) from error

    def open(self) -> bool:
        """Open the index without an update; return whether it exists."""
        self.close()
        try:
            self._connection = _open(self.path)
        except sqlite3.Error:
            return False
        return True

    def close(self) -> None:
        """Close the index file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def entry_ids(self) -> list[str]:
        """Return all entries in order."""
        return [row[0] for row in self._ask("SELECT entry_id FROM entries ORDER BY entry_id")]

    def lookup(self, entry_ids: Iterable[str]) -> dict[str, KnownEntry]:
        """Return these entries with the successors that their headers name; unknown ids are skipped."""
        sql = "SELECT successors FROM entries WHERE entry_id = ?"
        rows = ((name, text) for name in entry_ids for (text,) in self._ask(sql, name))
        return {name: KnownEntry(name, tuple(json.loads(text))) for name, text in rows}

    def paths(self, entry_ids: Iterable[str]) -> dict[str, Path]:
        """Return the paths of these entries' files; unknown ids are skipped."""
        sql = "SELECT path FROM entries WHERE entry_id = ?"
        return {name: Path(path) for name in entry_ids for (path,) in self._ask(sql, name)}

    def summaries(self, entry_ids: Iterable[str]) -> dict[str, EntrySummary]:
        """Return the metadata of these entries; unknown ids are skipped."""
        summary_of = {}
        for entry_id in entry_ids:
            for (text,) in self._ask("SELECT summary FROM entries WHERE entry_id = ?", entry_id):
                values: dict[str, Any] = {
                    k: tuple(v) if isinstance(v, list) else v for k, v in json.loads(text).items()
                }
                summary_of[entry_id] = EntrySummary(**values)
        return summary_of

    def known_accessions(self, accessions: Iterable[str]) -> set[str]:
        """Return those accessions that an entry has."""
        sql = "SELECT 1 FROM accessions WHERE accession = ? LIMIT 1"
        return {name for name in accessions if self._ask(sql, name)}

    def search(self, terms: Sequence[str], accessions: Sequence[str], *, any_term: bool) -> list[Hit]:
        """Return entries with all terms (or any) and one of the accessions, best first; ties by id."""
        match = match_expression(terms, any_term=any_term)
        chosen = self._ask(_WITH_ACCESSION, json.dumps(list(accessions)))
        hits: list[Hit] = self._ask(_WITH_TEXT, match) if match else chosen
        if match and accessions:
            allowed = {entry_id for entry_id, _ in chosen}
            hits = [row for row in hits if row[0] in allowed]
        hits.sort(key=itemgetter(0))  # settles ties; two sorts by one key each are faster than one by both
        hits.sort(key=itemgetter(1), reverse=True)
        return hits

    def _ask(self, sql: str, *values: str) -> list[Any]:
        if self._connection is None:
            raise RuntimeError("the index was not refreshed")
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise _index_error(error) from error

    def _is_current(self, files: Sequence[StructureFile]) -> bool:
        try:
            with closing(_open(self.path)) as connection:
                return {row[:5] for row in _stated(files)} == set(connection.execute(_STATE))
        except sqlite3.Error:
            return False

    def _rebuild(self, files: Sequence[StructureFile], building: Path) -> None:
        if not _usable(building):
            for left in building.parent.glob(f"{building.name}*"):
                left.unlink()
            if _usable(self.path):
                shutil.copyfile(self.path, building)
        with closing(sqlite3.connect(building)) as connection:
            connection.execute("PRAGMA synchronous = OFF")  # a damaged index is rebuilt
            if connection.execute("PRAGMA user_version").fetchone()[0] != SCHEMA_VERSION:
                connection.executescript(_TABLES)
                connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            _update(connection, files)
        os.replace(building, self.path)


def match_expression(terms: Sequence[str], *, any_term: bool) -> str:
    """Return an FTS5 expression of quoted phrases of letters and digits: no text of a user is an operator."""
    groups = (" OR ".join(f'"{phrase}"' for phrase in spellings(term)) for term in terms)
    return (" OR " if any_term else " AND ").join(f"({group})" for group in dict.fromkeys(groups) if group)


def _open(path: Path) -> sqlite3.Connection:
    """Open an index of this version for reading."""
    connection = opened_index(path)
    connection.execute(f"PRAGMA mmap_size = {1 << 31}")
    if connection.execute("PRAGMA user_version").fetchone()[0] != SCHEMA_VERSION:
        connection.close()
        raise sqlite3.DatabaseError("another version")
    return connection


def _usable(path: Path) -> bool:
    """Return whether a file is a valid index of this version, finished or not."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True)) as connection:
            connection.execute("SELECT count(*) FROM entries")
            return bool(connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION)
    except sqlite3.DatabaseError:
        return False


def _stated(files: Iterable[StructureFile]) -> Iterator[tuple[str, str, int, int, int, StructureFile]]:
    """Yield the existing files in the form that the index records."""
    for file in files:
        try:
            state = os.stat(file.place)  # noqa: PTH116 - a Path takes three times as long
        except OSError:
            continue
        yield file.entry_id, file.place, int(file.is_mmcif), state.st_size, state.st_mtime_ns, file


def _update(connection: sqlite3.Connection, files: Sequence[StructureFile]) -> None:
    """Remove rows of deleted or changed files and add rows of new ones."""
    numbers = dict(connection.execute("SELECT entry_id, number FROM entries"))
    present = {tuple(row): numbers[row[0]] for row in connection.execute(_STATE)}
    wanted = {row[:5]: row[5] for row in _stated(files)}
    gone = [(number,) for key, number in present.items() if key not in wanted]
    for place in ("texts WHERE rowid", *(f"{name} WHERE number" for name in ("names", "accessions", "ids", "entries"))):
        connection.executemany(f"DELETE FROM {place} = ?", gone)  # noqa: S608 - our own names
    new = sorted((key for key in wanted if key not in present), key=itemgetter(0))
    if len(new) > _BATCH:
        _LOG.info("indexing %d structure files", len(new))
    for done, (key, row) in enumerate(zip(new, read_rows([wanted[key] for key in new]), strict=True), start=1):
        _insert(connection, key, row)
        if done % _BATCH == 0:
            connection.commit()
            _LOG.info("indexed %d of %d", done, len(new))
    connection.commit()


def _insert(connection: sqlite3.Connection, key: tuple[str, str, int, int, int], row: IndexRow) -> None:
    values = (*key, json.dumps(asdict(row.summary)), json.dumps(row.successors))
    number = connection.execute("INSERT INTO entries VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)", values).lastrowid
    texts = f"INSERT INTO texts (rowid, {_TEXTS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - our own names
    names = "INSERT OR IGNORE INTO names (name, kind, key, says, number) VALUES (?, ?, ?, ?, ?)"
    connection.execute("INSERT INTO ids VALUES (?, ?)", (number, key[0]))
    connection.execute(texts, (number, *row.texts))
    connection.executemany("INSERT OR IGNORE INTO accessions VALUES (?, ?)", [(a, number) for a in row.summary.uniprot])
    connection.executemany(names, [(*name, number) for name in row.names])


def _index_error(error: sqlite3.Error | OSError) -> UserError:
    """Return the sentence for an index that can't be written or read."""
    text = str(error)
    if is_full_disk(error):
        return UserError("The disk of the cache folder is full: free some space or set cache_dir.", "disk_full")
    if "fts5" in text:
        return UserError(f"This Python's SQLite has no full-text search ({text}): use one built with FTS5.", "input")
    return UserError(
        f"The index of the structures in the cache folder can't be used ({text}): "
        "remove the cache's folder 'mirrors', or set cache_dir to a folder of yours.",
        "input",
    )
