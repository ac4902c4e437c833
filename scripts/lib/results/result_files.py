"""Files that a shard writes into the shared result folders, each with its row in the shard's list."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.lib.atomic import write_bytes
from scripts.lib.tables import FILES, table_writer


class ResultFiles:
    """Writes result files and remembers them."""

    def __init__(self, job: Path) -> None:
        self._job = job
        self.rows: list[dict[str, str | int | float | bool | None]] = []

    def write(self, path: str, content: str) -> None:
        """Write one file, complete or not at all, and note its checksum.

        Parameters
        ----------
        path : str
            Relative to the job folder.
        """
        data = content.encode("utf-8")
        write_bytes(self._job / path, data)
        self.rows.append({"path": path, "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)})


@contextmanager
def listed_files(job: Path, listing: Path) -> Iterator[ResultFiles]:
    """Yield a writer of result files; their list appears when the block ends well.

    Parameters
    ----------
    listing : Path
        The list, `scripts.lib.tables.FILES`.
    """
    files = ResultFiles(job)
    with table_writer(listing, FILES) as write:
        yield files
        for row in files.rows:
            write(row)
