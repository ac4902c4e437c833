"""The index of all jobs and their results in DuckDB: a copy that can be deleted and is then rebuilt.

Only this module opens the file. One task writes; readers have separate cursors in threads.
No keys and no `CREATE INDEX`: rows that change are deleted and inserted.
"""

import asyncio
import contextlib
import logging
import re
import secrets
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

import duckdb

from service.index.query import COLUMNS, EXPORTED, SORTS, JobFilters, csv_bytes, where, words
from service.jobs.record import JobRecord, ResultRow
from service.lru import Lru

SCHEMA = 4
_FROM_RECORD = (
    "job_id VARCHAR, sequence BIGINT, target_name VARCHAR, search_query VARCHAR, fasta_len INTEGER,"
    " status VARCHAR, has_results BOOLEAN, result_rows INTEGER, ligand_count INTEGER, created_at VARCHAR,"
    " started_at VARCHAR, finished_at VARCHAR, modified_at VARCHAR, source VARCHAR, batch_id VARCHAR, owner VARCHAR"
)
"""Columns of jobs that are fields of a record."""
_COLUMNS = f"{_FROM_RECORD}, codes VARCHAR, entries VARCHAR, created_s BIGINT, modified_s BIGINT, stamp BIGINT"

_CODE = re.compile(r"[A-Za-z0-9]+")
_fields_of = attrgetter(*(column.split()[0] for column in _FROM_RECORD.split(", ")))


@dataclass(frozen=True, slots=True)
class IndexedJob:
    """Input of the index for a job: its record, the time of the record's file, and its results.

    Parameters
    ----------
    record : JobRecord
        The record on disk.
    stamp : int
        Modification time of its file in nanoseconds; after a restart, it shows whether the file must be read again.
    rows : tuple of ResultRow
        Results of the job; empty before it has finished.
    """

    record: JobRecord
    stamp: int
    rows: tuple[ResultRow, ...] = ()


def job_row(job: IndexedJob) -> tuple[Any, ...]:
    """Return the row of a job, in the order of the table."""
    record = job.record
    return (
        *_fields_of(record),
        words(code for row in job.rows for code in (row[2], *_CODE.findall(row[4]))),
        words(row[0] for row in job.rows),
        _seconds(record.created_at),
        _seconds(record.modified_at),
        job.stamp,
    )


def _seconds(time: str) -> int:
    """Return a record's time as a number, which reduces the cost of sorting to a third."""
    return int(datetime.fromisoformat(time).timestamp())


FILE = "index.duckdb"

_BULK = 2000
_EXPORT_ROWS = 2000
_READERS = 4
_PAGES, _PAGE_ROWS = 64, 200
"""Pages that are remembered until the index changes, and how long one may be; DuckDB keeps a little memory of every
sorted query, so the same question is not put twice."""

_T = TypeVar("_T")
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Known:
    """State of a job in the index."""

    stamp: int
    status: str
    sequence: int


class Index:
    """The index.

    Parameters
    ----------
    folder : Path
        Folder of the file; created if missing.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._changes: asyncio.Queue[IndexedJob | str | asyncio.Future[None]] = asyncio.Queue()
        self._writer: asyncio.Task[None] | None = None
        self._threads = ThreadPoolExecutor(_READERS, thread_name_prefix="index")
        self._writing = ThreadPoolExecutor(1, thread_name_prefix="index-writer")
        self.failed = False
        self._pages: Lru[tuple[Any, ...], tuple[int, list[dict[str, Any]]]] = Lru(_PAGES)
        self._changed = 0
        self._began = secrets.token_hex(8)
        self.rebuilt = False

    @property
    def version(self) -> str:
        """Text that differs after each change."""
        return f"{self._began} {self._changed}"

    @property
    def consistent(self) -> bool:
        """Whether the index agrees with the job folders, except for current changes."""
        return self._connection is not None and not self.failed

    # Opening and closing

    def open(self) -> None:
        """Open the file; one that is broken or of another version is moved aside for an empty one.

        If no file can be created, the index is in memory.
        """
        path = self.folder / FILE
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._connection = self._connect(path)
        except (duckdb.Error, OSError) as error:
            _LOG.warning("the index is rebuilt: %s", str(error).splitlines()[0][:200])
            self.rebuilt = True
            try:
                for broken in (path, path.with_name(path.name + ".wal")):
                    if broken.exists():
                        broken.replace(broken.with_name(f"{broken.name}.broken"))
                self._connection = self._connect(path)
            except (duckdb.Error, OSError) as again:
                _LOG.error("the index is kept in memory: %s", str(again).splitlines()[0][:200])
                self._connection = self._connect(None)

    def _connect(self, path: Path | None) -> duckdb.DuckDBPyConnection:
        """Open a file and make its tables if it is new; `duckdb.Error` if it is broken or of another version."""
        options: dict[str, Any] = {"threads": 2, "preserve_insertion_order": True, "memory_limit": "1GB"}
        connection = duckdb.connect(str(path) if path else ":memory:", config=options)
        with contextlib.ExitStack() as on_error:
            on_error.callback(connection.close)
            connection.execute("SET force_compression = 'uncompressed'")  # reading costs a fifth
            if not connection.execute("SELECT 1 FROM duckdb_tables()").fetchone():
                connection.execute(f"CREATE TABLE jobs ({_COLUMNS})")
                connection.execute("CREATE TABLE meta (schema INTEGER)")
                connection.execute("INSERT INTO meta VALUES (?)", [SCHEMA])
            right = connection.execute("SELECT schema FROM meta").fetchall() == [(SCHEMA,)]
            # All of an old file is read, so that a broken page shows now.
            counted = connection.execute("SELECT count(COLUMNS(*)) FROM jobs").fetchone() or ()
            if not right or len(counted) != _COLUMNS.count(",") + 1:
                raise duckdb.CatalogException("it is of another version")
            on_error.pop_all()
        return connection

    def start(self) -> None:
        """Begin to take changes."""
        self._writer = asyncio.create_task(self._write_changes(), name="index-writer")

    async def close(self) -> None:
        """Write pending changes, close the file."""
        if self._writer is not None:
            await self.settled()
            self._writer.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._writer
            self._writer = None
        if self._connection is not None:
            await self.in_writer(self._checkpoint)
            await self.in_writer(self._connection.close)
            self._connection = None
        self._threads.shutdown()
        self._writing.shutdown()

    # Writing

    def put(self, job: IndexedJob) -> None:
        """Note a job that has changed; it is written soon."""
        self._changes.put_nowait(job)

    def remove(self, job_id: str) -> None:
        """Record a deleted job."""
        self._changes.put_nowait(job_id)

    async def settled(self) -> None:
        """Wait until all changes noted before are written."""
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._changes.put_nowait(written)
        await written

    def known(self) -> dict[str, Known]:
        """Return the state of every job in the index; blocks."""
        rows = self._cursor().execute("SELECT job_id, stamp, status, sequence FROM jobs").fetchall()
        return {row[0]: Known(*row[1:]) for row in rows}

    def load(self, jobs: Iterable[IndexedJob], gone: Sequence[str] = ()) -> None:
        """Write many jobs at once and remove others, before the service starts; blocks.

        Parameters
        ----------
        jobs : iterable of IndexedJob
            Jobs that are new or have changed.
        gone : sequence of str
            Jobs that are in the index only.
        """
        changes: Iterator[IndexedJob | str] = chain(gone, jobs)
        while batch := list(islice(changes, _BULK)):
            self._apply(batch)
        if self._changed:
            self._checkpoint()

    async def _write_changes(self) -> None:
        while True:
            changes = [await self._changes.get()]
            while len(changes) < _BULK and not self._changes.empty():
                changes.append(self._changes.get_nowait())
            await self.in_writer(self._apply, [change for change in changes if not isinstance(change, asyncio.Future)])
            for change in changes:
                if isinstance(change, asyncio.Future) and not change.done():
                    change.set_result(None)

    def _apply(self, changes: Sequence[IndexedJob | str]) -> None:
        """Write changes in one transaction; a failure marks the index as inconsistent."""
        if not changes or self._connection is None:
            return
        last_changes = {change if isinstance(change, str) else change.record.job_id: change for change in changes}
        jobs = [change for change in last_changes.values() if not isinstance(change, str)]
        cursor = self._cursor()
        try:
            cursor.execute("BEGIN")
            cursor.execute("DELETE FROM jobs WHERE job_id IN (SELECT unnest(?))", [list(last_changes)])
            columns = [list(column) for column in zip(*map(job_row, jobs), strict=True)]  # by row costs far more
            if columns:
                cursor.execute(f"INSERT INTO jobs SELECT {', '.join('unnest(?)' for _ in columns)}", columns)
            cursor.execute("COMMIT")
            self._changed += 1
        except (duckdb.Error, OSError, ValueError) as error:
            _LOG.error("the index could not be written: %s", str(error).splitlines()[0][:200])
            self.failed = True
            with contextlib.suppress(duckdb.Error):
                cursor.execute("ROLLBACK")

    def _checkpoint(self) -> None:
        """Bring what many changes have written into the file.

        Not after few changes: each checkpoint leaves small row groups that are never joined, and DuckDB keeps them in
        memory (0.5 MB of file and 1 MB of memory each time). Otherwise DuckDB does it when the log has 16 MB.
        """
        try:
            self._cursor().execute("CHECKPOINT")
        except (duckdb.Error, OSError) as error:
            _LOG.warning("no checkpoint of the index: %s", str(error).splitlines()[0][:200])

    # Reading

    async def jobs(
        self, filters: JobFilters, sort: str = "created_desc", limit: int = 50, offset: int = 0
    ) -> tuple[int, list[dict[str, Any]]]:
        """Return how many jobs match, and one page of them.

        Parameters
        ----------
        sort : str
            One of `SORTS`.
        """
        condition, values = where(filters)
        question = (self._changed, condition, *values, sort, limit, offset)
        if (remembered := self._pages.use(question)) is not None:
            return remembered[0], [dict(row) for row in remembered[1]]

        def read() -> tuple[int, list[dict[str, Any]]]:
            cursor = self._cursor()
            total = cursor.execute(f"SELECT count(*) FROM jobs {condition}", values).fetchone()  # noqa: S608
            page = f"SELECT {COLUMNS} FROM jobs {condition} ORDER BY {SORTS[sort]} LIMIT ? OFFSET ?"  # noqa: S608
            rows = cursor.execute(page, [*values, limit, offset]).fetchall()
            names = [column[0] for column in cursor.description]
            return int(total[0]) if total else 0, [dict(zip(names, row, strict=True)) for row in rows]

        total, rows = await self._in_reader(read)
        if len(rows) <= _PAGE_ROWS:
            self._pages.keep(question, (total, [dict(row) for row in rows]))
        return total, rows

    async def export(self, filters: JobFilters, sort: str = "created_desc") -> AsyncIterator[bytes]:
        """Yield the jobs that match as CSV (RFC 4180), header first, in pieces."""
        condition, values = where(filters)
        statement = f"SELECT {EXPORTED} FROM jobs {condition} ORDER BY {SORTS[sort]}"  # noqa: S608
        cursor = await self._in_reader(self._cursor)
        try:
            await self._in_reader(lambda: cursor.execute(statement, values))
            yield csv_bytes([[column[0] for column in cursor.description]])
            while data := await self._in_reader(lambda: csv_bytes(cursor.fetchmany(_EXPORT_ROWS))):
                yield data
        finally:
            cursor.close()

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        assert self._connection is not None, "the index is closed"
        return self._connection.cursor()

    async def _in_reader(self, function: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, function)

    async def in_writer(self, function: Callable[..., _T], *arguments: Any) -> _T:
        """Call a blocking function where the index is written, between two changes."""
        return await asyncio.get_running_loop().run_in_executor(self._writing, function, *arguments)
