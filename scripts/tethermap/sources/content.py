"""Checks whether content is a complete structure file. Decompression, checks, checksum, revision."""

import hashlib
import re
from dataclasses import replace
from pathlib import Path
from threading import BoundedSemaphore

import gemmi

from tethermap.base.packed import GZIP, DamagedGzip, unpacked
from tethermap.entry.metadata import metadata_of
from tethermap.entry.text_search import PDB_START, first_line
from tethermap.sources.base import Fetched, FetchError

_AT_ONCE = BoundedSemaphore(2)
_OTHER_COMPRESSION = (b"\x1f\x9d", b"BZh", b"\xfd7zXZ", b"PK\x03\x04", b"\x28\xb5\x2f\xfd")
_PAGE = re.compile(rb"\s*(?:<|\{|\[)")
_CIF_START = re.compile(rb"(?:\s|#[^\n]*\n)*data_", re.IGNORECASE)
_PDB_START = re.compile(PDB_START.encode())
_DEPOSITED = re.compile(rb"OBSLTE|HEADER[^\n]{44}\d\d-[A-Z]{3}-\d\d")
"""Beginning of a PDB file of the wwPDB: the date is in columns 51-59."""

_LONGEST_LINE = 1000
"""Number of bytes at a file's end that are examined first."""
_CIF_ATOM = re.compile(rb"^(?:ATOM|HETATM)\s", re.MULTILINE)
_CIF_ATOM_TAGS = re.compile(rb"^_atom_site\.\S+[ \t]*\r?\n(?![_#]|loop_|data_|\s*$)", re.MULTILINE | re.IGNORECASE)
_CIF_SEPARATOR = re.compile(rb"\n#[ \t]*\r?\n")


def read_content(path: Path, entry_id: str, own: bool = False) -> Fetched:
    """Read and check a structure file, see `check_file`."""
    return replace(check_file(read_file(path), entry_id, own=own), path=path)


def read_file(path: Path) -> bytes:
    """Return a file in its stored form.

    Raises
    ------
    FetchError
        If it isn't there or can't be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FetchError("not_found", "the file no longer exists") from None
    except OSError as error:
        raise FetchError("file_unreadable", error.strerror or "it can't be read") from error


def check_file(data: bytes, entry_id: str, *, own: bool = False) -> Fetched:
    """Decompress, check and describe a file; at most two threads do so at a time, as large entries need much memory.

    Parameters
    ----------
    data : bytes
        The whole file, gzipped or not.
    entry_id : str
        Id of the entry.
    own : bool
        Whether it is a user's own file: other programs end an mmCIF file with its atoms.

    Raises
    ------
    FetchError
        If it is damaged, empty, a page, cut off, unreadable, or without atoms.
    """
    if data.startswith(_OTHER_COMPRESSION):
        raise FetchError("file_not_structure", "compressed in another way than gzip")
    with _AT_ONCE:
        try:
            return _checked(unpacked(data), entry_id, own=own)
        except DamagedGzip as error:
            raise FetchError("file_truncated", f"gzip: {error}") from error


def _checked(data: bytes, entry_id: str, *, own: bool) -> Fetched:
    if not data or data.isspace():
        raise FetchError("file_empty")
    is_mmcif = _CIF_START.match(data) is not None
    if not is_mmcif and (_PAGE.match(data) or not _PDB_START.match(data)):
        if data.startswith(GZIP):
            raise FetchError("file_not_structure", "packed twice with gzip: unpack it once")
        shown = "".join(sign for sign in " ".join(data[:60].decode("utf-8", "replace").split()) if sign.isprintable())
        raise FetchError("file_not_structure", f"begins with {shown!r}")
    header = data if is_mmcif else data[: first_line(data, (b"\nATOM  ", b"\nHETATM"))]
    if is_mmcif:
        _check_mmcif(data, own=own)
    else:
        _check_pdb(data, header)
    try:
        metadata = metadata_of(header, is_mmcif=is_mmcif, entry_id=entry_id)
    except ValueError as error:
        raise FetchError("file_unreadable", str(error).splitlines()[0][:200] if str(error) else "") from error
    return Fetched(
        entry_id,
        "mmcif" if is_mmcif else "pdb",
        hashlib.sha256(data).hexdigest(),
        f"{metadata.revision} {metadata.revision_date}".strip(),
        withdrawn=metadata.withdrawn,
        successors=metadata.successors,
        entities=metadata.entities,
    )


def _check_mmcif(data: bytes, *, own: bool) -> None:
    """Refuse a file that ends in the middle or has no atoms.

    Files of the wwPDB put a line ``#`` after each category; one that does so at its beginning
    and doesn't end with it is cut off, unless its last category is whole to the end of a line.
    """
    cut = not _end_of(data).endswith(b"#") and _CIF_SEPARATOR.search(data, 0, 4000)
    if cut and not _ends_with_a_row(data, own=own):
        raise FetchError("file_truncated", "the mmCIF file stops in the middle")
    start = data.lower().find(b"_atom_site.") if b"_atom_site." not in data else data.find(b"_atom_site.")
    if start < 0 or not (_CIF_ATOM.search(data, start) or _CIF_ATOM_TAGS.search(data, start)):
        raise FetchError("no_atoms")


def _end_of(data: bytes) -> bytes:
    """Return the end of a file without blanks, at least its last line."""
    end = data[-_LONGEST_LINE:].rstrip()
    return end if b"\n" in end else data.rstrip()


def _ends_with_a_row(data: bytes, *, own: bool) -> bool:
    """Return whether the last category of a file is whole: a value for each tag in every row.

    The atoms of a deposited entry do not count: the next row may be missing, and other categories follow.
    """
    begin = max((match.end() for match in _CIF_SEPARATOR.finditer(data)), default=0)
    if not own and b"_atom_site." in data[begin : begin + 2000].lower():
        return False
    try:
        gemmi.cif.read_string(b"data_last\n" + data[begin:])
    except (ValueError, RuntimeError):
        return False
    return data.endswith(b"\n")


def _check_pdb(data: bytes, header: bytes) -> None:
    """Refuse a file of the wwPDB without its END line, and one without atoms."""
    if len(header) == len(data):
        raise FetchError("no_atoms")
    last = _end_of(data).rpartition(b"\n")[2].strip()
    if _DEPOSITED.match(data) and b"\nSEQRES" in data and not last.startswith(b"END"):
        raise FetchError("file_truncated", "the PDB file has no END line")
