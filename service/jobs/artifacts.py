"""The files of a job folder that a client may see: the only resolver, the only listing, the kinds."""

import contextlib
import json
import os
import re
import stat
import threading
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from itertools import count
from pathlib import Path
from urllib.parse import quote

from service.errors import FileNotFound, InvalidPath
from service.jobs.durable import raise_shortage
from service.jobs.record import utc_text
from service.lru import Lru
from tethermap.base import layout

KINDS = ("manifest", "war_pdb", "pdb", "sdf", "svg", "table", "csv", "html", "log", "other")
"""Kinds in the order of listings' counts; the first that matches is a file's."""

MEDIA_TYPES = {
    ".pdb": "chemical/x-pdb",
    ".cif": "chemical/x-mmcif",
    ".sdf": "chemical/x-mdl-sdfile",
    ".svg": "image/svg+xml",
    ".csv": "text/csv; charset=utf-8",
    ".tsv": "text/tab-separated-values; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".htm": "text/html; charset=utf-8",
    ".json": "application/json",
    ".log": "text/plain; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".png": "image/png",
    ".parquet": "application/vnd.apache.parquet",
}
"""Extensions that a client may see, with their content."""

ANY_FILE = tuple(sorted({*MEDIA_TYPES.values()}, key=lambda media: (media == "application/json", media)))
"""Media types of files, JSON last: a generated client uses the first type that it knows for all files."""

_FOLDERS = (layout.RESULTS, "search")
_SHORT_NAMES = {Path(path).name: path for path in (layout.LIGAND_METADATA, layout.SASA_SUMMARY)}
_TABLE_WORDS = re.compile(
    "results_display|summary|metadata|index|table|atoms|chainrename|chain_similarity|filtered_data|cifdata|ligand_mcs_map"
)
_LONGEST_PATH = 1024
_SETTLED_NS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file that a client may see.

    Parameters
    ----------
    location : str
        Where it is, with all links resolved.
    relative : str
        Its path in the job folder, with ``/``.
    kind : str
        One of `KINDS`.
    size : int
        Bytes.
    modified : float
        Time of the last change, seconds since 1970.
    """

    location: str
    relative: str
    kind: str
    size: int
    modified: float

    @property
    def path(self) -> Path:
        """Path of the file."""
        return Path(self.location)

    @property
    def name(self) -> str:
        """Name of the file."""
        return self.relative.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """Its folder, empty at the root of the job."""
        return self.relative.rpartition("/")[0]

    @property
    def media_type(self) -> str:
        """Media type of the file."""
        return MEDIA_TYPES[_suffix(self.name.lower())]

    def url(self, base_url: str) -> str:
        """Return its address; `base_url` is that of the job's or the example's files."""
        return f"{base_url}/{quote(self.relative, safe='/')}"


@lru_cache(maxsize=1024)
def utc(timestamp: int) -> str:
    """Return a time as clients see it."""
    return utc_text(datetime.fromtimestamp(timestamp, UTC))


def safe_parts(text: str) -> tuple[str, ...]:
    """Return the parts of a relative path that a client gave.

    Raises
    ------
    InvalidPath
        If it has empty, ``.`` or ``..`` parts, a backslash, control characters or is too long.
    """
    if len(text) > _LONGEST_PATH or "\\" in text or any(unicodedata.category(c) in ("Cc", "Cs") for c in text):
        raise InvalidPath("The path is too long, or contains a backslash or control characters.")
    parts = tuple(text.split("/"))
    if any(part in ("", ".", "..") for part in parts):
        raise InvalidPath("The path must be relative, without empty, . and .. parts.")
    return parts


def resolve_artifact(job: Path, path: str) -> Artifact:
    """Return the file for a client's path in the job folder.

    Every path from a client goes through here.

    Parameters
    ----------
    path : str
        The decoded path. `Ligand_Metadata.csv` and `Resolved_SASA_Summary.csv` without a folder are aliases of those of
        the results.

    Raises
    ------
    InvalidPath
        If it is not a plain relative path.
    FileNotFound
        If there is no such file, or clients may not see it.
    """
    relative = "/".join(safe_parts(path))
    artifact = _artifact(Path(os.path.realpath(job)), _SHORT_NAMES.get(relative, relative))
    if artifact is None:
        raise FileNotFound(f"The job has no file {relative}: its list of files has all names.", path=path)
    return artifact


def _artifact(root: Path, relative: str) -> Artifact | None:
    """Return a file if it may be seen; `root` is the real path of the job folder."""
    if not _may_be_seen(relative):
        return None
    try:
        path = (root / relative).resolve(strict=True)
        status = path.stat()
    except (OSError, RuntimeError, ValueError):  # absent, a loop of links, a name the disk can't have
        return None
    inside = path.is_relative_to(root) and stat.S_ISREG(status.st_mode)
    if not inside or (path != root / relative and not _may_be_seen(path.relative_to(root).as_posix())):
        return None
    return Artifact(str(path), relative, kind_of(root, relative), status.st_size, status.st_mtime)


def _may_be_seen(relative: str) -> bool:
    if relative.startswith(".") or "/." in relative or _suffix(relative.lower()) not in MEDIA_TYPES:
        return False
    folder, slash, _ = relative.partition("/")
    return relative in layout.ROOT_FILES or relative == layout.JOB_LOG or (slash != "" and folder in _FOLDERS)


def _suffix(path: str) -> str:
    """Return the extension of a file that is not hidden: a listing has thousands, for which `pathlib` is slow."""
    _, dot, extension = path.rpartition(".")
    return f"{dot}{extension}" if dot else ""


def kind_of(root: Path, relative: str) -> str:
    """Return the kind of a file by its path; a structure's mmCIF counts where it has no PDB twin."""
    parts = relative.split("/")
    name = parts[-1].lower()
    suffix = _suffix(name)
    if relative == layout.MANIFEST or suffix == ".json":
        return "manifest"
    cleaned = Path(layout.WAR_PDB).name in parts[:-1]
    if cleaned and (suffix == ".pdb" or (suffix == ".cif" and not (root / relative).with_suffix(".pdb").exists())):
        return "war_pdb"
    if suffix in (".pdb", ".sdf", ".svg"):
        return suffix[1:]
    if suffix in (".tsv", ".parquet"):
        return "table"
    if suffix == ".csv":
        return "table" if _TABLE_WORDS.search(name) or "Target_Table" in parts[:-1] else "csv"
    return {".html": "html", ".htm": "html", ".log": "log", ".txt": "log"}.get(suffix, "other")


@dataclass(frozen=True, slots=True, eq=False)
class Listing:
    """All files of a job that a client may see, by kind, then path; no two listings have the same number."""

    artifacts: Sequence[Artifact]
    sha256: Mapping[str, str]
    number: int = field(default_factory=count().__next__)

    def of(self, kind: str = "all", folder: str = "") -> list[Artifact]:
        """Return the files of one kind and below one folder: some parts of a path, in any case, such as ``WAR_PDB``.

        The kind ``war_pdb`` has each cleaned complex once: as PDB, or as mmCIF if there is no PDB file.

        Raises
        ------
        InvalidPath
            If the kind is unknown or the folder is not a plain relative path.
        """
        if kind != "all" and kind not in KINDS:
            raise InvalidPath(f"kind must be one of all, {', '.join(KINDS)}.", kind=kind[:64])
        if folder and not folder.rstrip("/"):
            raise InvalidPath("The folder must be a relative path.")
        within = f"/{'/'.join(safe_parts(folder.rstrip('/'))).lower()}/" if folder else ""
        return [
            artifact
            for artifact in self.artifacts
            if kind in ("all", artifact.kind) and within in f"/{artifact.folder.lower()}/"
        ]

    def counts(self) -> dict[str, int]:
        """Return the number of files of each kind, zeros included."""
        counts = Counter(artifact.kind for artifact in self.artifacts)
        return {kind: counts[kind] for kind in KINDS}

    def folders(self) -> dict[str, int]:
        """Return the number of files directly in each folder."""
        return dict(sorted(Counter(artifact.folder for artifact in self.artifacts).items()))


Stamps = dict[Path, tuple[int, int]]
"""When folders and the manifest were changed last, and their sizes."""


_MOST_LISTED = 50_000
"""Maximum number of files in all cached listings; a job counts as 800 files or more."""

_LISTINGS: Lru[Path, tuple[Stamps, Listing]] = Lru(_MOST_LISTED, lambda _, cached: max(800, len(cached[1].artifacts)))
"""Listings of finished jobs, whose files are replaced under another name or never: their folders' times show it."""
_LISTINGS_LOCK = threading.Lock()


def _stamps(paths: Sequence[Path]) -> Stamps:
    """Return the state of folders and files; none for a missing one."""
    stamps = {}
    for path in paths:
        with contextlib.suppress(OSError):
            status = path.stat()
            stamps[path] = status.st_mtime_ns, status.st_size
    return stamps


def list_artifacts(job: Path) -> Listing:
    """Return all files of a job folder that a client may see; none when there is no folder."""
    root = Path(os.path.realpath(job))
    with _LISTINGS_LOCK:
        cached = _LISTINGS.use(root)
    if cached is not None and _stamps(list(cached[0])) == cached[0]:
        return cached[1]
    since = time.time_ns()
    folders: list[str] = []
    artifacts = [artifact for artifact in _walk(root, folders) if artifact is not None]
    order = {kind: number for number, kind in enumerate(sorted(KINDS))}
    artifacts.sort(key=lambda artifact: (order[artifact.kind], artifact.relative))
    listing = Listing(artifacts, manifest_hashes(root))
    watched = [layout.MANIFEST, layout.JOB_LOG.rpartition("/")[0], *folders]
    stamps = _stamps([root, *(root / path for path in watched)])
    # A recent change may be followed by another one within the same tick of the clock.
    if root / layout.MANIFEST in stamps and max(changed_ns for changed_ns, _ in stamps.values()) < since - _SETTLED_NS:
        with _LISTINGS_LOCK:
            _LISTINGS.keep(root, (stamps, listing))
    return listing


def _walk(root: Path, folders: list[str]) -> Iterator[Artifact | None]:
    """Yield all files below the folders that clients may see, which are added to `folders`; no linked ones."""
    for name in (*layout.ROOT_FILES, layout.JOB_LOG):
        yield _artifact(root, name)
    waiting = [name for name in _FOLDERS if (root / name).is_dir() and not (root / name).is_symlink()]
    while waiting:
        folder = waiting.pop()
        folders.append(folder)
        try:
            entries = list(os.scandir(root / folder))
        except OSError as error:  # removed meanwhile
            raise_shortage(error)
            continue
        for entry in entries:
            relative = f"{folder}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith("."):
                    waiting.append(relative)
            elif entry.is_symlink():
                yield _artifact(root, relative)
            elif entry.is_file(follow_symlinks=False) and _may_be_seen(relative):
                with contextlib.suppress(OSError):  # removed meanwhile
                    status = entry.stat(follow_symlinks=False)
                    yield Artifact(entry.path, relative, kind_of(root, relative), status.st_size, status.st_mtime)


def manifest_hashes(job: Path) -> Mapping[str, str]:
    """Return the SHA-256 of each file that the job's manifest names."""
    path = job / layout.MANIFEST
    try:
        status = path.stat()
    except OSError:
        return {}
    return _hashes(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=16)
def _hashes(path: Path, modified: int, size: int) -> Mapping[str, str]:  # noqa: ARG001 - the cache's key
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        return {str(row["path"]): str(row["sha256"]) for row in manifest["files"]}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise_shortage(error)
        return {}
