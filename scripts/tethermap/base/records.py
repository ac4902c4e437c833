"""Archives of a shard and their raw content by entry: records, lines and rows are passed on unparsed."""

import hashlib
import json
import shutil
import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from io import TextIOWrapper
from itertools import groupby
from pathlib import Path
from typing import IO, Any, AnyStr, Literal, overload
from zipfile import BadZipFile, ZipFile, ZipInfo

from tethermap.base import layout
from tethermap.base.atomic import replacing

MAGIC = b"tethermap records 1\n"
"""First bytes of a file of records."""

_SIZES = struct.Struct("<II")
_STEM = b'{"stem":"'
_INSTANCE = (b'{"entry_id":"', b'","stem":"')


@dataclass(frozen=True, slots=True)
class ArchivePart:
    """A part of an archive, to be opened and read like a path."""

    archive: Path
    name: str

    @overload
    def open(self, mode: Literal["rb"]) -> AbstractContextManager[IO[bytes]]: ...
    @overload
    def open(self, *, encoding: str, newline: str | None = None) -> AbstractContextManager[IO[str]]: ...
    @contextmanager
    def open(self, mode: str = "r", **text: Any) -> Iterator[IO[Any]]:
        """Open it for the block.

        Raises
        ------
        FileNotFoundError
            If the step has not written its archive.
        KeyError
            If the archive lacks the part, as one of another version.
        ValueError
            If the archive is damaged.
        """
        try:
            archive = ZipFile(self.archive)
        except BadZipFile as error:
            raise ValueError(f"{self.archive}: damaged") from error
        with archive, archive.open(self.name) as stream:
            yield stream if mode == "rb" else TextIOWrapper(stream, **text)

    def read_bytes(self) -> bytes:
        """Return its bytes."""
        with self.open("rb") as stream:
            return stream.read()


Source = Path | ArchivePart
"""A file, or a part of an archive."""


def part(job: Path, shard: str, name: str) -> ArchivePart:
    """Return a part of a shard's archives, named by step and part: ``clean_complexes/instances``."""
    step, _, inside = name.partition("/")
    return ArchivePart(job / layout.archive(shard, step), inside)


def written_at(source: Source) -> int:
    """Return when a file, or the archive of a part, was written, in nanoseconds."""
    path = source if isinstance(source, Path) else source.archive
    return path.stat().st_mtime_ns


def write_archive(path: Path, parts: Mapping[str, IO[bytes]]) -> None:
    """Write an archive, complete or not at all; the same parts give the same bytes."""
    with replacing(path) as temporary, ZipFile(temporary, "w") as archive:
        for name, content in parts.items():
            member = ZipInfo(name)  # its date is always in 1980
            member.file_size = content.seek(0, 2)  # distinguishes files above 2 GB
            content.seek(0)
            with archive.open(member, "w") as stream:
                shutil.copyfileobj(content, stream, 1 << 20)


def packed(stem: str, header: Mapping[str, Any], content: bytes) -> bytes:
    """Return one record of an instance: small values, which are JSON, and bytes."""
    text = json.dumps({"stem": stem, **header}, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    return _SIZES.pack(len(text), len(content)) + text + content


def unpacked(record: bytes) -> tuple[dict[str, Any], memoryview]:
    """Return the values and the bytes of a record."""
    size, _ = _SIZES.unpack_from(record)
    begin = _SIZES.size + size
    return json.loads(record[_SIZES.size : begin]), memoryview(record)[begin:]


def stem_of(record: bytes) -> str:
    """Return the stem of a record's instance."""
    begin = _SIZES.size + len(_STEM)
    return record[begin : record.index(b'"', begin)].decode("utf-8")


def read_records(path: Source) -> Iterator[bytes]:
    """Yield the records of a file in the order they were written.

    Raises
    ------
    ValueError
        If the file is not a file of records or is cut off.
    """
    with path.open("rb") as stream:
        if stream.read(len(MAGIC)) != MAGIC:
            raise ValueError(f"{path}: not a file of records")
        while sizes := stream.read(_SIZES.size):
            length = sum(_SIZES.unpack(sizes)) if len(sizes) == _SIZES.size else -1
            data = stream.read(max(length, 0))
            if len(data) != length:
                raise ValueError(f"{path}: cut off")
            yield sizes + data


@dataclass(slots=True)
class EntryParts:
    """Content of a shard's files for one entry, in the order of its instances.

    Parameters
    ----------
    entry_id : str
        The entry.
    stems : list of str
        Stems of the instances.
    lines : list of bytes
        Lines of its instances in the file of instances.
    records, rows : dict of str to list of bytes
        Records, and the lines of rows, by the kind of file.
    """

    entry_id: str
    stems: list[str] = field(default_factory=list)
    lines: list[bytes] = field(default_factory=list)
    records: dict[str, list[bytes]] = field(default_factory=dict)
    rows: dict[str, list[bytes]] = field(default_factory=dict)

    def digest(self) -> str:
        """Return a digest of all of it."""
        total = hashlib.sha256()
        for name, parts in (("", self.lines), *sorted(self.records.items()), *sorted(self.rows.items())):
            total.update(f"{name} {list(map(len, parts))}".encode())
            for part in parts:
                total.update(part)
        return total.hexdigest()


def entry_parts(
    instances: Source, records: Mapping[str, Source], rows: Mapping[str, Source] | None = None
) -> Iterator[EntryParts]:
    """Yield the content of a shard's files, entry by entry, for the instances that all files contain.

    Parameters
    ----------
    instances : Path
        One line of JSON an instance, `tethermap.instance.store`; those of an entry follow one another.
    records : mapping
        Files with one record per instance, by kind.
    rows : mapping, optional
        Tables with the rows of an instance together, whose last column is its stem.

    Raises
    ------
    ValueError
        If a file contains other instances, or in another order.
    """
    rows = rows or {}
    others = [*map(named_records, records.values()), *map(_blocks, rows.values())]
    for entry_id, members in groupby(joined(named_lines(instances), *others), lambda member: entry_of(member[1])):
        entry = EntryParts(entry_id)
        for stem, line, *parts in members:
            entry.stems.append(stem)
            entry.lines.append(line)
            for name, record in zip(records, parts, strict=False):
                entry.records.setdefault(name, []).append(record)
            for name, block in zip(rows, parts[len(records) :], strict=True):
                entry.rows.setdefault(name, []).extend(block)
        yield entry


def joined(first: Iterable[tuple[str, Any]], *others: Iterable[tuple[str, Any]]) -> Iterator[tuple[Any, ...]]:
    """Yield stem and parts of each instance that several files contain, in their order.

    A file lacks the instances on which a step has failed.

    Parameters
    ----------
    first, others : iterable of (str, part)
        Stems and parts; the first has all instances.

    Raises
    ------
    ValueError
        If a file contains other instances, or in another order.

    >>> list(joined([("a", 1), ("b", 2), ("c", 3)], [("a", 4), ("c", 5)]))
    [('a', 1, 4), ('c', 3, 5)]
    """
    readers = [iter(other) for other in others]
    heads = [next(reader, None) for reader in readers]
    for stem, part in first:
        parts = [head[1] for head in heads if head is not None and head[0] == stem]
        whole = len(parts) == len(heads)
        heads = [
            next(reader, None) if head is not None and head[0] == stem else head
            for head, reader in zip(heads, readers, strict=True)
        ]
        if whole:
            yield stem, part, *parts
    if left := [head[0] for head in heads if head is not None]:
        raise ValueError(f"the parts of {left[0]} in this file and in other files must be one instance")


def named_lines(instances: Source) -> Iterator[tuple[str, bytes]]:
    """Yield stem and line of each instance of a shard."""
    with instances.open("rb") as stream:
        for line in stream:
            yield _named(line)[1], line


def entry_of(line: bytes) -> str:
    """Return the entry of an instance by its line."""
    return _named(line)[0]


def named_records(path: Source) -> Iterator[tuple[str, bytes]]:
    """Yield stem and record of each instance of a file of records."""
    return ((stem_of(record), record) for record in read_records(path))


def _named(line: bytes) -> tuple[str, str]:
    """Return entry and stem of an instance, which its line begins with."""
    before, between = _INSTANCE
    if not line.startswith(before):
        raise ValueError("not a file of instances")
    entry_id, _, rest = line[len(before) :].partition(between)
    return entry_id.decode("utf-8"), rest[: rest.index(b'"')].decode("utf-8")


def _blocks(path: Source) -> Iterator[tuple[str, list[bytes]]]:
    """Yield the lines of each instance of a table, by the stem at their end."""
    with path.open("rb") as stream:
        stream.readline()
        rows = whole_rows(stream, b'"')
        for stem, block in groupby(rows, key=lambda row: row.rstrip(b"\n").rpartition(b",")[2].strip(b'"')):
            yield stem.decode("utf-8"), list(block)


def whole_rows(lines: Iterable[AnyStr], quote: AnyStr) -> Iterator[AnyStr]:
    """Yield the rows of a table, which have several lines if a cell has a line end."""
    begun = quote[:0]
    for line in lines:
        begun += line
        if begun.count(quote) % 2 == 0:
            yield begun
            begun = quote[:0]
    if begun:
        yield begun
