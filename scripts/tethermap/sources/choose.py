"""Open the source that a job's settings name, and that of its validation reports.

A missing report is recorded and never an error of the job.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tethermap.base.config import NO_PATH, cache_folder
from tethermap.fit.file import NONE, ReportFile, checked, map_beside
from tethermap.sources.base import Fetched, Source, SourceError
from tethermap.sources.cache import StructureCache
from tethermap.sources.mirror import MirrorSource
from tethermap.sources.naming import PDB_REDO
from tethermap.sources.own.sniff import stem_of
from tethermap.sources.suggestions import ARCHIVE

AUTO, OFF = NO_PATH

FOLDER = "validation_reports"
"""Name of the archive's folder of reports; it is next to ``data`` and above the structures."""

_ENDINGS = [form + packer for form in ("cif", "xml") for packer in (".gz", "", ".bz2", ".xz")]

Reports = Callable[[Fetched], ReportFile]
"""Returns the report of a fetched entry; called from several threads."""


def open_source(
    source: Mapping[str, Any], cache_dir: str | None, *, refresh: bool = True, preview: bool = False
) -> Source:
    """Return the opened source that a job's settings name.

    Parameters
    ----------
    source : mapping
        The section of that name, resolved: `kind`, `label`, and the place of a mirror or of files.
    cache_dir : str or None
        Folder of the structure cache; the user's cache folder by default.
    refresh : bool
        Whether to look for new and changed files of a mirror that has an index.
    preview : bool
        Whether a user waits: a service that does not answer is soon given up.

    Raises
    ------
    SourceError
        If it doesn't exist or contains no structures.
    """
    kind, label = source["kind"], source.get("label") or ""
    cache = cache_folder(cache_dir)
    if kind == "rcsb":  # imported here: the network client takes longer to load than all the rest
        from tethermap.run.http import HttpClient, RequestLimits
        from tethermap.sources.rcsb import RcsbSource

        return RcsbSource(cache, http=HttpClient(RequestLimits.from_environment(preview=preview)))
    if kind == "mirror":
        return MirrorSource(Path(source["mirror"]), cache, label=label).open(refresh=refresh)
    if kind == "archive":
        return MirrorSource(ARCHIVE, cache, kind="archive", label="archive").open(refresh=refresh)
    if kind == "files":  # imported here: it reads ligands with RDKit
        from tethermap.sources.files import FilesSource

        given = source["files"]
        paths = [Path(item) for item in ([given] if isinstance(given, str) else given)]
        return FilesSource(paths, cache, label=label).open(refresh=refresh)
    raise SourceError(f"source.kind is {kind!r}: give rcsb, mirror, archive, files or auto.")


def open_reports(chosen: Mapping[str, Any], cache_dir: str | None, source: Source) -> Reports:
    """Return the source of a job's validation reports.

    Parameters
    ----------
    chosen, cache_dir : mapping, str or None
        As for `tethermap.sources.choose.open_source`.
    source : Source
        The source of its structures.

    Raises
    ------
    SourceError
        If the folder that the settings name doesn't exist.
    """
    choice = chosen.get("validation") or AUTO
    if choice == OFF:
        return lambda _: ReportFile(OFF)
    if choice != AUTO:
        folder = Path(choice)
        if not folder.is_dir():
            raise SourceError(f"source.validation: the folder {choice!r} does not exist; correct the path.")
        return _in_folders([folder], "folder")
    if source.kind == "rcsb":
        # Imported here: the network client takes longer to load than all the rest.
        from tethermap.sources.rcsb import RcsbSource, ServiceReports

        assert isinstance(source, RcsbSource)
        return ServiceReports(StructureCache(cache_folder(cache_dir)), source.http, source.addresses.reports)
    if source.kind == "mirror":
        mirror = Path(chosen["mirror"])
        beside = [place / FOLDER for place in (mirror, *mirror.absolute().parents[:4])]
        return _in_folders([place for place in beside if place.is_dir()], "mirror", beside_structures=True)
    return _beside_model if source.kind == "files" else lambda _: NONE


def _first(places: Iterable[Path], source: str) -> ReportFile:
    """Return the first valid report; if all existing ones are damaged, the fault of the last."""
    result = NONE
    for place in places:
        if place.is_file():
            result = checked(place, source)
            if result.path is not None:
                break
    return result


def _in_folders(folders: Iterable[Path], source: str, *, beside_structures: bool = False) -> Reports:
    """Return a lookup of reports in folders of any layout, or of the archive's of 2026 next to the structures."""
    listed = list(folders)

    def places(entry_id: str, structure: Path) -> Iterator[Path]:
        middle = entry_id[-3:-1]
        extended = entry_id if entry_id.startswith("pdb_") else f"pdb_0000{entry_id}"
        below = [f"{middle}/{entry_id}", middle, entry_id, "", f"{middle}/{entry_id}/{FOLDER}"]
        of_2026 = [folder / tree / middle / extended / FOLDER for folder in listed for tree in ("", "entries")]
        if beside_structures and structure.parent.name == "structures":
            of_2026.insert(0, structure.parent.with_name(FOLDER))
        for folder, name in (
            *((folder, extended) for folder in of_2026),
            *((folder / place, entry_id) for folder in listed for place in below),
        ):
            yield from (folder / f"{name}_validation.{ending}" for ending in _ENDINGS)

    def report(fetched: Fetched) -> ReportFile:
        if fetched.source.startswith(PDB_REDO):
            return ReportFile("none for this model of PDB-REDO")
        return _first(places(fetched.entry_id, fetched.path), source)

    return report


def _beside_model(fetched: Fetched) -> ReportFile:
    stem = stem_of(fetched.path.name)
    names = (f"{name}_validation.{ending}" for name in (stem, fetched.entry_id) for ending in _ENDINGS)
    return replace(_first(map(fetched.path.with_name, names), "files"), map=map_beside(fetched.path, stem))
