"""Archives of a shard: what one step writes of it, in parts. Readers name a part as ``step/part``."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, Literal, overload
from zipfile import BadZipFile, ZipFile, ZipInfo

from tethermap.base import layout
from tethermap.base.atomic import replacing


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
            member = ZipInfo(name)  # its time stays 1980
            member.file_size = content.seek(0, 2)  # tells files above 2 GB apart
            content.seek(0)
            with archive.open(member, "w") as stream:
                shutil.copyfileobj(content, stream, 1 << 20)
