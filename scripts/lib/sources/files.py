"""The user's own structures: a folder, or a list of files and folders; any names, any contents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from scripts.lib.sources.base import EntrySummary, Fetched, FetchError, Hit, Known, Request, SourceError
from scripts.lib.sources.content import read_content
from scripts.lib.sources.mirror import check_folder, explained, index_for, no_sequence_search, walk
from scripts.lib.sources.naming import StructureFile, numbered, own_file


class FilesSource:
    """Structures that the user names; the query filters them by text.

    Parameters
    ----------
    paths : sequence of Path
        Files and folders.
    cache : Path
        The cache folder; the index lies in its ``mirrors``.
    label : str
        Their name in results.
    """

    kind = "files"
    searches_sequences = False
    lists_all = True

    def __init__(self, paths: Sequence[Path], cache: Path, *, label: str = "") -> None:
        self.label = label or "files"
        self.requests: list[Request] = []
        self.notes: list[str] = []
        self._paths = tuple(paths)
        self._index = index_for("\n".join(str(path.resolve()) for path in paths), cache)

    def open(self, *, refresh: bool = True) -> FilesSource:
        """List the files and bring the index up to date; must come before any question.

        Parameters
        ----------
        refresh : bool
            Whether to list the files even if there is an index of them.

        Raises
        ------
        SourceError
            If a path doesn't exist or no structure is among them.
        """
        if not refresh and self._index.open():
            return self
        found: list[StructureFile] = []
        skipped: Counter[str] = Counter()
        for place in self._listed():
            file = own_file(place)
            if isinstance(file, str):
                skipped[file] += 1
            else:
                found.append(file)
        if not found:
            raise SourceError(
                f"source.files: no structure file is among them{explained(skipped)}; "
                "give files whose names end in .cif, .cif.gz, .pdb, .pdb.gz, .ent or .ent.gz."
            )
        self.notes += [f"{count} file(s) skipped: {reason}." for reason, count in sorted(skipped.items())]
        self._index.refresh(numbered(found))
        return self

    def _listed(self) -> list[str]:
        listed: dict[str, None] = {}
        for path in self._paths:
            if path.is_file():
                listed[str(path)] = None
            else:
                check_folder(path, "source.files")
                listed.update(dict.fromkeys(walk(path)))
        return list(listed)

    def resolve(self, entry_ids: Sequence[str]) -> dict[str, Known]:
        """Return what there is under each id."""
        return {
            entry_id: Known(entry_id, entry.withdrawn, entry.successors)
            for entry_id, entry in self._index.lookup(entry_ids).items()
        }

    def known_accessions(self, accessions: Sequence[str]) -> set[str]:
        """Return those accessions that a file has."""
        return self._index.known_accessions(accessions)

    def text_search(self, terms: Sequence[str], accessions: Sequence[str], *, any_term: bool) -> list[Hit]:
        """Return files by text and accession, best first."""
        hits = self._index.search(terms, accessions, any_term=any_term)
        combined = "any" if any_term else "all"
        self.requests.append(
            {"terms": list(terms), "accessions": list(accessions), "combined_by": combined, "total": len(hits)}
        )
        return hits

    def sequence_search(self, _sequence: str, _min_identity: float, /) -> list[Hit]:
        """Refuse: files have no sequence search."""
        raise no_sequence_search(self.kind)

    def all_entries(self) -> list[str]:
        """Return all ids in order."""
        return self._index.entry_ids()

    def summaries(self, entry_ids: Iterable[str]) -> dict[str, EntrySummary]:
        """Return what is known of each file."""
        return self._index.summaries(entry_ids)

    def fetch(self, entry_id: str) -> Fetched:
        """Return a file where it lies."""
        entry = self._index.lookup([entry_id]).get(entry_id)
        if entry is None:
            raise FetchError("not_found", "not among the files")
        content = read_content(entry.path, entry_id)
        return Fetched(
            entry_id=entry_id,
            path=entry.path,
            format=content.format,
            source="files",
            sha256=content.sha256,
            revision=content.revision,
            withdrawn=content.metadata.withdrawn,
            successors=content.metadata.successors,
        )

    def close(self) -> None:
        """Close the index."""
        self._index.close()
