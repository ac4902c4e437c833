"""Files that a shard writes into the shared result folders, each with its row in the shard's list."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tethermap.base.atomic import write_bytes
from tethermap.base.tables import FILES, Row, table_writer


def write_result(job: Path, path: str, data: bytes) -> Row:
    """Write a result file, complete or not at all; return its row in a list, `tethermap.base.tables.FILES`.

    Parameters
    ----------
    path : str
        Relative to the job folder.
    """
    write_bytes(job / path, data)
    return {"path": path, "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}


class ResultFiles:
    """Writes result files and remembers them."""

    def __init__(self, job: Path) -> None:
        self._job = job
        self.rows: list[Row] = []

    def write(self, path: str, content: str) -> None:
        """Write one file, complete or not at all, and note its checksum.

        Parameters
        ----------
        path : str
            Relative to the job folder.
        """
        self.rows.append(write_result(self._job, path, content.encode("utf-8")))


@contextmanager
def listed_files(job: Path, listing: Path) -> Iterator[ResultFiles]:
    """Yield a writer of result files; their list appears when the block ends well.

    Parameters
    ----------
    listing : Path
        The list, `tethermap.base.tables.FILES`.
    """
    files = ResultFiles(job)
    with table_writer(listing, FILES) as write:
        yield files
        for row in files.rows:
            write(row)
