"""Files that are complete whenever they exist: written under another name, then renamed."""

import glob
import json
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_ENDING = ".part"

_LONGEST_NAME = 80
"""Maximum part of a file's name in its temporary name, which is longer; file systems allow 255 bytes."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path in the folder of `path`; rename the file to `path` on success.

    The folder is created when missing. On any error the temporary file is removed and an earlier file at `path` remain
    unchanged.

    Parameters
    ----------
    path : Path
        The file to be written.

    Yields
    ------
    Path
        Where to write; on the same file system as `path`.
    """
    if not path.parent.is_dir():
        path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name[:_LONGEST_NAME]}.{os.getpid()}.{secrets.token_hex(4)}{_ENDING}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        # The file still exists after an error, or if both names are links to one file: a rename then changes nothing.
        temporary.unlink(missing_ok=True)


def read_json(path: Path) -> Any:
    """Return the content of a JSON file; None if it is missing or damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def new_lines(path: Path, offset: int) -> tuple[list[bytes], int]:
    """Return the complete lines of a growing file after an offset, and the offset after them."""
    with path.open("rb") as stream:
        stream.seek(offset)
        data = stream.read()
    complete = data[: data.rfind(b"\n") + 1]
    return complete.splitlines(), offset + len(complete)


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text with ``\\n`` line ends, complete or not at all."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write bytes, complete or not at all."""
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def write_parts(path: Path, parts: Iterable[str]) -> None:
    """Write the parts of a UTF-8 text one by one, complete or not at all."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(parts)


def remove_leftovers(folder: Path) -> None:
    """Remove the temporary files that writers left below `folder` when they were killed.

    Only for folders in which no one else is writing.
    """
    for parent, _, names in os.walk(folder):
        for name in names:
            if is_leftover(name):
                Path(parent, name).unlink(missing_ok=True)


def remove_leftovers_of(path: Path) -> None:
    """Remove the temporary files that writers of one file left next to it; those of other files stay."""
    for left in path.parent.glob(f".{glob.escape(path.name[:_LONGEST_NAME])}.*{_ENDING}"):
        left.unlink(missing_ok=True)


def is_leftover(name: str) -> bool:
    """Return whether a file's name is one that `replacing` gives while it is written.

    >>> is_leftover(".ligands.sdf.1234.0a1b2c3d.part"), is_leftover("ligands.sdf")
    (True, False)
    """
    return name.startswith(".") and name.endswith(_ENDING)
