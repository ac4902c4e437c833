"""Structures in a folder: a wwPDB mirror in any usual layout, or the archive shipped with Tethermap."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType

from tethermap.base.layout import walk
from tethermap.sources.base import Fetched, FetchError, KnownEntry, SourceError
from tethermap.sources.folders import FolderSource, check_folder
from tethermap.sources.naming import PDB_REDO, REDONE, structure_file
from tethermap.sources.obsolete import find_obsolete, follow
from tethermap.sources.own.sniff import StructureFile


class MirrorSource(FolderSource):
    """Entries of a folder, searched through an index in the cache, used in place.

    Parameters
    ----------
    folder : Path
        The mirror.
    cache : Path
        The cache folder; the index is in its folder ``mirrors``.
    kind : str
        ``mirror`` or ``archive``.
    label : str
        Its name in results.
    """

    engine = MappingProxyType({"index": "SQLite FTS5, BM25"})

    def __init__(self, folder: Path, cache: Path, *, kind: str = "mirror", label: str = "") -> None:
        super().__init__(kind, label or folder.name or "mirror", folder.resolve(), cache)
        self._folder = folder
        self._obsolete: dict[str, tuple[str, ...]] = {}

    def open(self, *, refresh: bool = True) -> MirrorSource:
        """Scan the folder and update the index; call it before all other methods.

        Parameters
        ----------
        refresh : bool
            Whether to scan the folder even if there is an index of it.

        Raises
        ------
        SourceError
            If the folder doesn't exist or contains no structure.
        """
        check_folder(self._folder, "source.mirror")
        self._obsolete = find_obsolete(self._folder.absolute())
        if not refresh and self._index.open():
            return self
        chosen, skipped = choose_files(walk(self._folder))
        if not chosen:
            reasons = "; ".join(f"{count} skipped: {reason}" for reason, count in skipped.most_common(3))
            raise SourceError(
                f"source.mirror: no structure file was found in {str(self._folder)!r}"
                f"{reasons and f' ({reasons})'}; give a folder with files such as 1abc.cif.gz or pdb1abc.ent.gz."
            )
        for reason, count in sorted(skipped.items()):
            if reason != "not a structure file":
                self.notes.append(f"{count} file(s) of the mirror skipped: {reason}.")
        self._index.refresh(chosen)
        return self

    def resolve(self, entry_ids: Sequence[str]) -> dict[str, KnownEntry]:
        """Return the entry of each id."""
        indexed = self._index.lookup(entry_ids)
        found = {}
        for entry_id in entry_ids:
            listed = self._obsolete.get(entry_id)
            if entry := indexed.get(entry_id):
                found[entry_id] = KnownEntry(entry_id, listed or entry.successors)
            elif listed is not None:
                found[entry_id] = follow(
                    entry_id, listed, lambda name: self._obsolete.get(name, ()), self._index.lookup
                )
        return found

    def fetch(self, entry_id: str) -> Fetched:
        """Return an entry's file in its place."""
        found = self.resolve([entry_id]).get(entry_id)
        if found is None:
            raise FetchError("not_found", f"not in the {self.kind}")
        if not found.entry_id:
            raise FetchError("withdrawn", " ".join(found.successors), successor=" ".join(found.successors))
        fetched = self._fetched(found)
        kind = PDB_REDO if REDONE.fullmatch(fetched.path.name) else self.kind
        listed = found.entry_id == entry_id and entry_id in self._obsolete
        source = kind if kind == "archive" else f"{kind}:{self.label}"
        return replace(fetched, source=source, withdrawn=fetched.withdrawn or listed)


def choose_files(places: Iterable[str]) -> tuple[list[StructureFile], Counter[str]]:
    """Return one file per entry, by id, and the number of skipped files by reason.

    Prefer mmCIF to PDB, then the shorter path, then the first by name.
    """
    files = list(map(structure_file, places))
    skipped = Counter(file for file in files if isinstance(file, str))
    usable = [file for file in files if isinstance(file, StructureFile)]
    usable.sort(key=lambda file: (file.entry_id, not file.is_mmcif, file.place.count(os.sep), file.place))
    return [next(group) for _, group in groupby(usable, key=attrgetter("entry_id"))], skipped
