"""The user's own structures: a folder, or a list of files and folders; any names, any contents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tethermap.base.errors import failed_at, isolate_errors
from tethermap.sources.base import EntrySummary, Fetched, FetchError, KnownEntry, SourceError
from tethermap.sources.folders import FolderSource, check_folder, explained, walk
from tethermap.sources.naming import (
    StructureFile,
    goes_with_models,
    is_ligand_file,
    is_ligand_table,
    model_stem,
    numbered,
    own_file,
    own_id,
)
from tethermap.sources.own.definitions import is_definition
from tethermap.sources.own.pairing import read_list
from tethermap.sources.own.prepare import Complex, Given, prepared


class FilesSource(FolderSource):
    """Structures that the user names; the query filters them by text.

    Parameters
    ----------
    paths : sequence of Path
        Files and folders.
    cache : Path
        The cache folder; the index lies in its ``mirrors``.
    label : str
        Their name in results.

    Attributes
    ----------
    given, ligands_of : dict of str to str
        The user's own file of each entry, and the entry of each file of ligands, by path.
    """

    lists_all = True

    def __init__(self, paths: Sequence[Path], cache: Path, *, label: str = "") -> None:
        super().__init__("files", label or "files", "\n".join(str(path.resolve()) for path in paths), cache)
        self._paths = tuple(paths)
        self._prepared = cache / "complexes"
        self.given: dict[str, str] = {}
        self.ligands_of: dict[str, str] = {}

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
        given, skipped = self._sorted()
        if not given.structures:
            advice = "give files whose names end in .cif, .cif.gz, .pdb, .pdb.gz, .ent or .ent.gz"
            advice += ", the ligands' structures" if given.ligands else ""
            raise SourceError(f"source.files: no structure file is among them{explained(skipped)}; {advice}.")
        self.notes += [f"{count} file(s) skipped: {reason}." for reason, count in sorted((+skipped).items())]
        failed: dict[str, str] = {}

        def note(place: str, error: Exception) -> None:
            failed[place] = failed_at("search_entries", error)

        complexes, pairs, notes = prepared(given, self._prepared, note)
        self.notes += notes
        files = numbered([StructureFile(one.name, one.place, one.is_mmcif) for one in complexes])
        self._index.refresh(files)
        self.given = {file.entry_id: one.given for file, one in zip(files, complexes, strict=True)}
        self.failed = {name: failed[place] for name, place in self.given.items() if place in failed}
        entries = {place: entry_id for entry_id, place in reversed(self.given.items())}
        self.ligands_of = {ligand: entries[place] for ligand, place in pairs.items() if place in entries}
        by_hand = {str(path) for path in self._paths}
        self.wordless = [
            file.entry_id
            for file, one in zip(files, complexes, strict=True)
            if one.given in by_hand and not _says_something(self._index.summaries([file.entry_id])[file.entry_id])
        ]
        return self

    def _sorted(self) -> tuple[Given, Counter[str]]:
        """Return the files by what they are, and how many were skipped for which reason."""
        places = self._listed()
        given = Given(all_files=set(places))
        skipped: Counter[str] = Counter()
        structures: list[StructureFile] = []
        for place in places:
            with isolate_errors(place, lambda _: skipped.update(["an error in this program; the log has it"])):
                if is_ligand_file(place):
                    given.ligands.append(place)
                    continue
                if is_ligand_table(place) and ((pairs := read_list(Path(place))) or is_definition(Path(place))):
                    given.pairs += pairs
                    continue
                file = own_file(place)
                if isinstance(file, str):
                    skipped[file] += not goes_with_models(place)
                elif not (file.is_mmcif and is_definition(file.path)):
                    structures.append(file)
        given.structures = [
            Complex(file.entry_id, file.place, file.is_mmcif, file.place) for file in numbered(structures)
        ]
        return given, skipped

    def _listed(self) -> list[str]:
        listed: dict[str, None] = {}
        for path in self._paths:
            if path.is_file():
                listed[str(path)] = None
            else:
                check_folder(path, "source.files")
                listed.update(dict.fromkeys(walk(path)))
        return list(listed)

    def resolve(self, entry_ids: Sequence[str]) -> dict[str, KnownEntry]:
        """Return what there is under each id, or under the name of its file."""
        known = self._index.lookup(entry_ids)
        named = {name: own_id(model_stem(name)) for name in entry_ids if name not in known}
        others = self._index.lookup(set(named.values()))
        return {
            name: KnownEntry(entry_id, entry.withdrawn, entry.successors)
            for name, entry_id in [*zip(known, known, strict=True), *named.items()]
            if (entry := known.get(entry_id) or others.get(entry_id)) is not None
        }

    def fetch(self, entry_id: str) -> Fetched:
        """Return a file where it lies."""
        if not self._index.has(entry_id):
            raise FetchError("not_found", "not among the files")
        return self._fetched(KnownEntry(entry_id), self.kind)


def _says_something(summary: EntrySummary) -> bool:
    """Tell whether a file's header has any words to search in."""
    return bool(summary.title or summary.descriptions or summary.genes or summary.uniprot)
