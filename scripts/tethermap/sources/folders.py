"""Base of mirrors and of users' files: structures in folders, searched through an index."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from tethermap.entry.model import PolymerEntity
from tethermap.sources.base import EntrySummary, Fetched, FetchError, Hit, KnownEntry, Request, Source, SourceError
from tethermap.sources.content import read_content
from tethermap.sources.suggestions import index_file
from tethermap.sources.text_index import TextIndex


class FolderSource(Source):
    """Structures in folders, listed in an index in the cache and used in place.

    Parameters
    ----------
    kind : str
        ``mirror``, ``archive`` or ``files``.
    label : str
        Its name in results.
    places : Path or str
        Unique text that identifies the index of these folders.
    cache : Path
        The cache folder; the index is in its folder ``mirrors``.

    Attributes
    ----------
    check : callable
        Reads and checks the file of an entry; the last argument is whether it is the user's own.
    """

    engine: Mapping[str, str] = MappingProxyType({})
    """Search engine and its ranking, for the record of requests."""

    def __init__(self, kind: str, label: str, places: Path | str, cache: Path) -> None:
        self.kind, self.label = kind, label
        self.requests: list[Request] = []
        self.notes: list[str] = []
        self.check: Callable[[Path, str, bool], Fetched] = read_content
        self._index = TextIndex(index_file(cache, places))

    def known_accessions(self, accessions: Sequence[str]) -> set[str]:
        """Return those accessions that an entry has."""
        return self._index.known_accessions(accessions)

    def text_search(self, terms: Sequence[str], accessions: Sequence[str], *, any_term: bool) -> list[Hit]:
        """Return entries by text and accession, best first."""
        hits = self._index.search(terms, accessions, any_term=any_term)
        query = {"terms": list(terms), "accessions": list(accessions), "combined_by": "any" if any_term else "all"}
        self.requests.append({**self.engine, **query, "total": len(hits)})
        return hits

    def all_entries(self) -> list[str]:
        """Return all ids in order."""
        return self._index.entry_ids()

    def summaries(self, entry_ids: Iterable[str]) -> dict[str, EntrySummary]:
        """Return the metadata of each entry."""
        return self._index.summaries(entry_ids)

    def polymers(self, entry_ids: Sequence[str]) -> dict[str, tuple[PolymerEntity, ...]]:
        """Return the polymers that the files' headers name; a file that can't be read has none."""
        entities = {}
        for entry_id, path in self._index.paths(entry_ids).items():
            with suppress(FetchError):
                entities[entry_id] = read_content(path, entry_id, own=self.lists_all).entities
        return entities

    def _fetched(self, entry: KnownEntry) -> Fetched:
        """Return the file of an indexed entry in its place, checked."""
        path = self._index.paths([entry.entry_id])[entry.entry_id]
        checked = self.check(path, entry.entry_id, self.lists_all)
        return replace(checked, successors=entry.successors or checked.successors)

    def close(self) -> None:
        """Close the index."""
        self._index.close()


def check_folder(folder: Path, key: str) -> None:
    """Refuse a folder that doesn't exist or can't be read, in one sentence."""
    shown = repr(str(folder))
    if not folder.exists():
        raise SourceError(f"{key}: {shown} does not exist; correct the path or make it available.")
    if not folder.is_dir():
        raise SourceError(f"{key}: {shown} is a file; give the folder with the structure files.")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise SourceError(f"{key}: the folder {shown} can't be read; give this user the right to read it.")
