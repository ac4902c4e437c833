"""The user's own structures: a folder, or a list of files and folders; any names, any contents."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tethermap.base.atomic import write_text
from tethermap.base.errors import isolate_errors
from tethermap.base.identifiers import is_utf8
from tethermap.base.layout import walk
from tethermap.base.packed import ending_of
from tethermap.run.software import source_digest
from tethermap.sources import naming
from tethermap.sources.base import Fetched, FetchError, KnownEntry, SourceError
from tethermap.sources.folders import FolderSource, check_folder
from tethermap.sources.own.archives import ArchiveError, members, unpack
from tethermap.sources.own.definitions import is_definition
from tethermap.sources.own.pairing import read_list
from tethermap.sources.own.prepare import Complex, Given, prepared
from tethermap.sources.own.sniff import BESIDE, COMPLEXES, LIGANDS, kind_of, stem_of
from tethermap.sources.own.split import complexes_of

_MOST_NAMES = 3

Skipped = dict[str, list[str]]
"""Names of files that are not used, by the reason."""


class FilesSource(FolderSource):
    """Structures that the user names; the query filters them by text.

    Parameters
    ----------
    paths : sequence of Path
        Files and folders.
    cache : Path
        The cache folder; the index is in its folder ``mirrors``.
    label : str
        Their name in results.

    Attributes
    ----------
    given, ligands_of : dict of str to str
        The user's own file of each entry, and the entry of each file of ligands, by path.
    labels : dict of str to str
        The user's name of each file by path; those in archives begin with the archive's.
    """

    lists_all = True

    def __init__(self, paths: Sequence[Path], cache: Path, *, label: str = "") -> None:
        super().__init__("files", label or "files", "\n".join(str(path.resolve()) for path in paths), cache)
        self._paths = tuple(paths)
        self._prepared = cache / "complexes" / source_digest()[:16]  # another version may read the same files otherwise
        self._origins: dict[str, tuple[str, int]] = {}
        self._origins_file = self._index.path.with_suffix(".origins.json")
        self._folders: dict[str, str] = {}
        self.given: dict[str, str] = {}
        self.ligands_of: dict[str, str] = {}
        self.labels: dict[str, str] = {}

    def open(self, *, refresh: bool = True) -> FilesSource:
        """List the files and update the index; call it before all other methods.

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
            if self._origins_file.is_file():
                self._origins = json.loads(self._origins_file.read_text(encoding="utf-8"))
            return self
        given, skipped = self._sorted()
        if not given.structures:
            advice = "give the protein too, as PDB or mmCIF" if given.ligands else "give files in PDB or mmCIF format"
            raise SourceError(f"No structure is among the files: {'; '.join([*_skipped_notes(skipped), advice])}.")
        self.notes += [f"{note}." for note in _skipped_notes(skipped)]
        complexes, pairs, notes = prepared(given, self._prepared)
        self.notes += notes
        files = naming.numbered(complexes)
        self._index.refresh(files)
        self.given = {f.entry_id: f.given for f in files}
        self._origins = {f.entry_id: (given.labels.get(f.given, Path(f.given).name), f.record) for f in files}
        write_text(self._origins_file, json.dumps(self._origins))
        self.labels = given.labels
        self.failed = {name: given.failed[place] for name, place in self.given.items() if place in given.failed}
        entries = {place: entry_id for entry_id, place in reversed(self.given.items())}
        self.ligands_of = {ligand: entries[place] for ligand, place in pairs.items() if place in entries}
        by_hand = [name for name, place in self.given.items() if Path(place) in self._paths]
        found = self._index.summaries(by_hand).items()
        self.wordless = [name for name, s in found if not (s.title or s.descriptions or s.genes or s.uniprot)]
        return self

    def _sorted(self) -> tuple[Given, Skipped]:
        """Return the files by kind, and the number of skipped ones by reason."""
        skipped: Skipped = {}
        labels = self._labelled(skipped)
        given = Given(labels=labels, folders=self._folders)
        structures: list[Complex] = []
        for place in labels:
            with isolate_errors(place) as failures:
                kind, reason = kind_of(Path(place))
                if kind in LIGANDS or (kind == "text" and ending_of(place) in ("sdf", "sd", "mol", "mol2", "dlg")):
                    given.ligands.append(place)
                    continue
                if naming.TABLE.fullmatch(place) and ((pairs := read_list(Path(place))) or is_definition(Path(place))):
                    given.pairs += pairs
                    continue
                file = naming.own_file(place, kind)
                if reason or isinstance(file, str):
                    if reason or ending_of(place) not in BESIDE:
                        skipped.setdefault(reason or str(file), []).append(labels[place])
                elif not (file.is_mmcif and is_definition(file.path)):
                    structures.append(Complex(file.entry_id, place, file.is_mmcif, place))
            if failures:
                skipped.setdefault("an error in this program; the log has it", []).append(labels[place])
        ids = {file.entry_id for file in structures if not naming.is_assembly(file.path.name)}
        for file in structures[:]:
            if naming.is_assembly(file.path.name) and file.entry_id.partition("-assembly")[0] in ids:
                structures.remove(file)
                skipped.setdefault("an assembly whose deposited entry is also given", []).append(labels[file.place])
        unpacked = {place: label for place, label in labels.items() if place.startswith(str(self._prepared))}
        given.structures = naming.numbered(structures, unpacked)
        return given, skipped

    def _labelled(self, skipped: Skipped) -> dict[str, str]:
        """Return the label of each file by its path, those of archives too, in the order of the numbers in them."""
        labels: dict[str, str] = {}
        for path in self._paths:
            if path.is_file():
                labels[str(path)] = path.name
            else:
                check_folder(path, "source.files")
                own = f"{self._prepared.resolve()}{os.sep}"
                labels |= {
                    place: os.path.relpath(place, path)
                    for place in walk(path)
                    if not str(Path(place).resolve()).startswith(own)
                }
        for place in [place for place in labels if not is_utf8(place)]:
            name = labels.pop(place).encode("utf-8", "backslashreplace").decode("utf-8")
            skipped.setdefault("a path that is not in UTF-8; rename it", []).append(name)
        labels = {file: name for place, label in labels.items() for file, name in self._opened(place, label, skipped)}
        return dict(sorted(labels.items(), key=lambda item: naming.natural(item[1])))

    def _opened(self, place: str, label: str, skipped: Skipped) -> Iterator[tuple[str, str]]:
        """Yield place and label of a file, or of the files extracted from an archive or a complex with bonds."""
        kind = kind_of(Path(place))[0]
        if kind != "archive" and kind not in COMPLEXES:
            yield place, label
            return
        try:
            inside = unpack(Path(place), self._prepared, members if kind == "archive" else complexes_of)
        except ArchiveError as error:
            skipped.setdefault(str(error), []).append(label)
            return
        for file in map(str, inside):
            if kind != "archive":
                self._folders[file] = str(Path(place).parent)
                yield file, label
            elif kind_of(Path(file))[0] != "archive":
                inner = "/".join(Path(file).relative_to(self._prepared).parts[2:])
                yield from self._opened(file, f"{label}/{inner}", skipped)
            else:
                skipped.setdefault("an archive in an archive; unpack it first", []).append(label)

    def resolve(self, entry_ids: Sequence[str]) -> dict[str, KnownEntry]:
        """Return the entry of each id or file name."""
        found = self._index.lookup(entry_ids)
        named = {name: naming.own_id(stem_of(name)) for name in entry_ids if name not in found}
        others = self._index.lookup(named.values())
        return found | {name: others[entry_id] for name, entry_id in named.items() if entry_id in others}

    def fetch(self, entry_id: str) -> Fetched:
        """Return a file in its place."""
        if entry_id not in self._index.lookup([entry_id]):
            raise FetchError("not_found", "not among the files")
        label, record = self._origins.get(entry_id, ("", None))
        fetched = self._fetched(KnownEntry(entry_id))
        return replace(fetched, source=self.kind, source_file=label, source_record=record)


def _skipped_notes(skipped: Skipped) -> list[str]:
    """Return which files are not used, and why."""
    return [
        f"{', '.join(names[:_MOST_NAMES])}{f' and {len(names) - _MOST_NAMES} more' if len(names) > _MOST_NAMES else ''}"
        f" {'was' if len(names) == 1 else 'were'} not used: {reason}"
        for reason, names in sorted(skipped.items())
    ]
