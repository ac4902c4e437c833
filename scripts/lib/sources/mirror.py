"""Structures in a folder: a wwPDB mirror in any usual layout, or the archive that comes with Tethermap."""

from __future__ import annotations

import hashlib
import logging
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from scripts.lib.sources.base import EntrySummary, Fetched, FetchError, Hit, Known, Request, SourceError
from scripts.lib.sources.content import read_content
from scripts.lib.sources.naming import StructureFile, structure_file
from scripts.lib.sources.obsolete import find_obsolete, present_successors
from scripts.lib.sources.text_index import TextIndex

_LOG = logging.getLogger(__name__)


class MirrorSource:
    """Entries of a folder, searched through an index in the cache, used in place.

    Parameters
    ----------
    folder : Path
        The mirror.
    cache : Path
        The cache folder; the index lies in its ``mirrors``.
    kind : str
        ``mirror`` or ``archive``.
    label : str
        Its name in results.
    """

    searches_sequences = False
    lists_all = False

    def __init__(self, folder: Path, cache: Path, *, kind: str = "mirror", label: str = "") -> None:
        self.kind = kind
        self.label = label or folder.name or "mirror"
        self.requests: list[Request] = []
        self.notes: list[str] = []
        self._folder = folder
        self._index = index_for(folder.resolve(), cache)
        self._obsolete: dict[str, tuple[str, ...]] = {}

    def open(self, *, refresh: bool = True) -> MirrorSource:
        """Scan the folder and bring the index up to date; must come before any question.

        Parameters
        ----------
        refresh : bool
            Whether to scan the folder even if there is an index of it.

        Raises
        ------
        SourceError
            If the folder doesn't exist or holds no structure.
        """
        check_folder(self._folder, "source.mirror")
        self._obsolete = find_obsolete(self._folder.absolute())
        if not refresh and self._index.open():
            return self
        chosen, skipped = choose_files(walk(self._folder))
        if not chosen:
            raise SourceError(
                f"source.mirror: no structure file was found in {str(self._folder)!r}"
                f"{explained(skipped)}; give a folder with files such as 1abc.cif.gz or pdb1abc.ent.gz."
            )
        for reason, count in sorted(skipped.items()):
            if reason != "not a structure file":
                self.notes.append(f"{count} file(s) of the mirror skipped: {reason}.")
        self._index.refresh(chosen)
        return self

    def resolve(self, entry_ids: Sequence[str]) -> dict[str, Known]:
        """Return what there is under each id."""
        indexed = self._index.lookup(entry_ids)
        known = {}
        for entry_id in entry_ids:
            listed = self._obsolete.get(entry_id, ())
            if entry_id in indexed:
                entry = indexed[entry_id]
                withdrawn = entry.withdrawn or entry_id in self._obsolete
                known[entry_id] = Known(entry_id, withdrawn, listed or entry.successors)
            elif entry_id in self._obsolete:
                there = present_successors(entry_id, self._obsolete, self._index.has)
                known[entry_id] = Known(there[0] if there else "", True, there or listed)
        return known

    def known_accessions(self, accessions: Sequence[str]) -> set[str]:
        """Return those accessions that an entry of the mirror has."""
        return self._index.known_accessions(accessions)

    def text_search(self, terms: Sequence[str], accessions: Sequence[str], *, any_term: bool) -> list[Hit]:
        """Return entries by text and accession, best first."""
        hits = self._index.search(terms, accessions, any_term=any_term)
        self.requests.append(
            {
                "index": "SQLite FTS5, BM25",
                "terms": list(terms),
                "accessions": list(accessions),
                "combined_by": "any" if any_term else "all",
                "total": len(hits),
            }
        )
        return hits

    def sequence_search(self, _sequence: str, _min_identity: float, /) -> list[Hit]:
        """Refuse: a folder has no sequence search."""
        raise no_sequence_search(self.kind)

    def all_entries(self) -> list[str]:
        """Return all entries in order."""
        return self._index.entry_ids()

    def summaries(self, entry_ids: Iterable[str]) -> dict[str, EntrySummary]:
        """Return what is known of each entry."""
        return self._index.summaries(entry_ids)

    def fetch(self, entry_id: str) -> Fetched:
        """Return an entry's file where it lies."""
        known = self.resolve([entry_id]).get(entry_id)
        if known is None:
            raise FetchError("not_found", f"not in the {self.kind}")
        if not known.entry_id:
            raise FetchError("withdrawn", " ".join(known.successors), successor=" ".join(known.successors))
        path = self._index.lookup([known.entry_id])[known.entry_id].path
        content = read_content(path, known.entry_id)
        return Fetched(
            entry_id=known.entry_id,
            path=path,
            format=content.format,
            source=self.kind if self.kind == "archive" else f"{self.kind}:{self.label}",
            sha256=content.sha256,
            revision=content.revision,
            withdrawn=(known.withdrawn and known.entry_id == entry_id) or content.metadata.withdrawn,
            successors=known.successors or content.metadata.successors,
        )

    def close(self) -> None:
        """Close the index."""
        self._index.close()


def index_for(place: Path | str, cache: Path) -> TextIndex:
    """Return the index of a folder, or of a list of files, in the cache folder."""
    name = hashlib.sha256(str(place).encode("utf-8", "surrogateescape")).hexdigest()[:20]
    return TextIndex(cache / "mirrors" / f"{name}.sqlite")


def check_folder(folder: Path, key: str) -> None:
    """Refuse a folder that doesn't exist or can't be read, in one sentence."""
    shown = repr(str(folder))
    if not folder.exists():
        raise SourceError(f"{key}: the folder {shown} does not exist; correct the path or make the folder available.")
    if not folder.is_dir():
        raise SourceError(f"{key}: {shown} is a file; give the folder that holds the structure files.")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise SourceError(f"{key}: the folder {shown} can't be read; give this user the right to read it.")


def no_sequence_search(kind: str) -> SourceError:
    """Return the sentence that refuses a sequence search."""
    return SourceError(
        f"sequence_search is on, but the source {kind!r} can't search by sequence: "
        "set source.kind to rcsb or sequence_search to false."
    )


def explained(skipped: Counter[str]) -> str:
    """Return why files were skipped, as a clause in parentheses."""
    parts = [f"{count} skipped: {reason}" for reason, count in skipped.most_common(3)]
    return f" ({'; '.join(parts)})" if parts else ""


def walk(folder: Path) -> Iterator[str]:
    """Yield the paths of all files below a folder in a fixed order; links to folders are followed, each folder once."""
    seen: set[tuple[int, int]] = set()
    for place, folders, names in os.walk(folder, followlinks=True):
        state = Path(place).stat()
        if (state.st_dev, state.st_ino) in seen:
            folders.clear()
            continue
        seen.add((state.st_dev, state.st_ino))
        folders.sort()
        for name in sorted(names):
            if not name.startswith("."):
                yield os.path.join(place, name)  # noqa: PTH118 - a Path takes three times as long


def choose_files(places: Iterable[str]) -> tuple[list[StructureFile], Counter[str]]:
    """Return one file per entry, by id, and how many files were skipped for which reason.

    mmCIF wins over PDB, the shorter path over the longer, then the first by name.
    """
    best: dict[str, tuple[tuple[bool, int, str], StructureFile]] = {}
    skipped: Counter[str] = Counter()
    for place in places:
        file = structure_file(place)
        if isinstance(file, str):
            skipped[file] += 1
            continue
        rank = (not file.is_mmcif, place.count(os.sep), place)
        if file.entry_id not in best or rank < best[file.entry_id][0]:
            best[file.entry_id] = (rank, file)
    return [best[entry_id][1] for entry_id in sorted(best)], skipped
