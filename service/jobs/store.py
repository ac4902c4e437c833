"""The folders of all jobs: the service's only source of truth, read and written only in this module."""

import contextlib
import fcntl
import logging
import os
import secrets
import shutil
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from service.jobs.durable import read_json, sync_folder, write_json
from service.jobs.outcome import record_of_folder
from service.jobs.record import (
    BATCH_ID,
    BATCH_RECORDS,
    CANCELED,
    CONFIG,
    JOB_ID,
    JOB_RECORDS,
    RECORD,
    SERVICE_FOLDER,
    BatchItem,
    BatchRecord,
    JobRecord,
    State,
)
from service.lru import Lru
from tethermap.base.errors import is_full_disk

BATCHES = "batches"
KEYS = ".keys"
REQUESTS = ".requests"

_NEW, _DELETED, _LOCK, _RESERVE = ".new.", ".deleted.", ".lock", ".reserve"
_RESERVE_BYTES = 256 << 10
_REMEMBERED = 4096

_LOG = logging.getLogger(__name__)


class JobsFolderBusyError(Exception):
    """Another process of the service uses the jobs folder."""


class Store:
    """Jobs, batches and curated examples on disk, and frequently read data in memory.

    Reads use memory and at most one file; writes block for the disk and must run in a thread.

    Parameters
    ----------
    jobs_dir : Path
        Folder of all jobs; made when missing.
    examples_dirs : sequence of Path
        Folders of curated examples, the first that has one wins.
    """

    def __init__(self, jobs_dir: Path, examples_dirs: Sequence[Path] = ()) -> None:
        self.jobs_dir = jobs_dir
        self.requests = jobs_dir / REQUESTS
        self.keys = jobs_dir / KEYS
        self.readers: Counter[str] = Counter()
        """Number of requests that read each job, to the last byte of their answers."""
        self.unwritten: dict[str, JobRecord] = {}
        """Records that a full disk has refused."""
        self._examples_dirs = tuple(examples_dirs)
        self._active: dict[str, JobRecord] = {}
        self._final: Lru[str, JobRecord] = Lru(_REMEMBERED)
        self._examples: dict[str, tuple[Path, JobRecord]] = {}
        self._batches: Lru[str, BatchRecord] = Lru(_REMEMBERED)
        self._noting = threading.Lock()
        """Locked while the record of a batch is changed: jobs of one batch may be deleted at once."""
        self._lock: int | None = None

    # The folder as a whole

    def open(self) -> None:
        """Acquire the lock on the jobs folder, and complete or remove partly created jobs.

        Raises
        ------
        JobsFolderBusyError
            If another process has it.
        """
        if self._lock is not None:
            return
        (self.jobs_dir / BATCHES).mkdir(parents=True, exist_ok=True)
        self._lock = os.open(self.jobs_dir / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._lock)
            self._lock = None
            raise JobsFolderBusyError(f"another service uses {self.jobs_dir}") from error
        for entry in list(os.scandir(self.jobs_dir)):
            if entry.name.startswith(_NEW):
                self._settle(Path(entry.path))
            elif entry.name.startswith(_DELETED):
                shutil.rmtree(entry.path, ignore_errors=True)
        self.keep_reserve()

    def close(self) -> None:
        """Give the jobs folder back."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def keep_reserve(self) -> None:
        """Reserve some disk space, so that records can be written when the disk is full."""
        path = self.jobs_dir / _RESERVE
        with contextlib.suppress(OSError):
            if not path.exists():
                path.write_bytes(bytes(_RESERVE_BYTES))

    def scan(self) -> Iterator[tuple[str, int]]:
        """Yield the id of every job on disk with the time of its record in nanoseconds."""
        with os.scandir(self.jobs_dir) as entries:
            for entry in entries:
                if JOB_ID.fullmatch(entry.name):
                    with contextlib.suppress(OSError):
                        yield entry.name, Path(entry.path, RECORD).stat().st_mtime_ns

    def read(self, job_id: str) -> JobRecord | None:
        """Return a job's record from the disk; None if there is none."""
        data = read_json(self.jobs_dir / job_id / RECORD)
        if not isinstance(data, dict):
            return None
        try:
            record = JOB_RECORDS.validate_python(data)
        except ValueError:
            _LOG.warning("%s has an unreadable record and is skipped", job_id)
            return None
        return record if record.job_id == job_id else None

    def remember(self, record: JobRecord) -> None:
        """Take a record into memory."""
        if record.final:
            self._final.keep(record.job_id, record)
            self._active.pop(record.job_id, None)
        else:
            self._final.pop(record.job_id, None)
            self._active[record.job_id] = record

    # Jobs

    def get(self, job_id: str) -> JobRecord | None:
        """Return a job's record, examples included; None when there is no such job any more."""
        if not JOB_ID.fullmatch(job_id):
            return None
        if job_id in self.unwritten:
            return self.unwritten[job_id]
        if os.path.exists(f"{self.jobs_dir}/{job_id}/{RECORD}"):  # noqa: PTH110 - asked at every poll
            record = self._active.get(job_id) or self._final.get(job_id)
            if record is None and (record := self.read(job_id)) is not None:
                self.remember(record)
            return record
        self._forget(job_id)
        example = self._example(job_id)
        return example[1] if example else None

    def folder(self, job_id: str) -> Path:
        """Return the path of a job's folder; the job need not exist."""
        path = self.jobs_dir / job_id
        if not (path / RECORD).exists() and (example := self._example(job_id)):
            return example[0]
        return path

    def is_example(self, job_id: str) -> bool:
        """Return whether an id is that of an existing curated example."""
        record = self.get(job_id)
        return record is not None and record.source == "example"

    def examples(self) -> list[JobRecord]:
        """Return the records of all existing curated examples, by id."""
        names = {path.name for root in self._examples_dirs if root.is_dir() for path in root.iterdir() if path.is_dir()}
        return [example[1] for name in sorted(names) if (example := self._example(name))]

    def active(self) -> list[JobRecord]:
        """Return all jobs that are queued or running, in the queue's order."""
        return sorted(self._active.values(), key=lambda record: record.sequence)

    def create(
        self, jobs: Sequence[tuple[JobRecord, Mapping[str, Any]]], batch: BatchRecord | None = None
    ) -> list[int]:
        """Make the folders of new jobs, all or none, and return the times of their records.

        Raises
        ------
        FileExistsError
            If an id is taken.
        """
        if existing := [record.job_id for record, _ in jobs if self.folder(record.job_id).exists()]:
            raise FileExistsError(existing[0])
        staged = [self._new_folder(record.job_id) for record, _ in jobs]
        try:
            for path, (record, config) in zip(staged, jobs, strict=True):
                (path / SERVICE_FOLDER).mkdir(parents=True)
                write_json(path / CONFIG, dict(config))
                write_json(path / RECORD, asdict(record))
            if batch is not None:  # from here on the batch exists, even after a crash
                write_json(self._batch_path(batch.batch_id), asdict(batch))
        except BaseException:
            for path in staged:
                shutil.rmtree(path, ignore_errors=True)
            raise
        for path, (record, _) in zip(staged, jobs, strict=True):
            path.rename(self.jobs_dir / record.job_id)
            self.remember(record)
        sync_folder(self.jobs_dir)
        if batch is not None:
            self._batches[batch.batch_id] = batch
        return [(self.jobs_dir / record.job_id / RECORD).stat().st_mtime_ns for record, _ in jobs]

    def adopt(self, folder: Path, record: JobRecord) -> int:
        """Take a copy of a finished job folder in as a job; return the time of its record in nanoseconds."""
        path = self._new_folder(record.job_id)
        try:
            shutil.copytree(folder, path, symlinks=True, ignore=shutil.ignore_patterns(".snakemake", RECORD))
            write_json(path / RECORD, asdict(record))
            path.rename(self.jobs_dir / record.job_id)
        except BaseException:
            shutil.rmtree(path, ignore_errors=True)
            raise
        self.remember(record)
        return (self.jobs_dir / record.job_id / RECORD).stat().st_mtime_ns

    def save(self, record: JobRecord) -> int | None:
        """Write a job's record; on a full disk it is kept in memory until `flush` can write it.

        Returns
        -------
        int or None
            Time of the record in nanoseconds; None when it could not be written.

        Raises
        ------
        FileNotFoundError
            If the job's folder was deleted.
        """
        path = self.jobs_dir / record.job_id / RECORD
        stamp: int | None = None
        try:
            path.stat()  # one that was deleted by hand is not written again
            stamp = self._write(path, record)
            self.unwritten.pop(record.job_id, None)
        except FileNotFoundError:
            self._forget(record.job_id)
            raise
        except OSError as error:
            _LOG.error("the record of %s can't be written: %s", record.job_id, error.strerror)
            self.unwritten[record.job_id] = record
        self.remember(record)
        return stamp

    def flush(self, record: JobRecord) -> int | None:
        """Write a record that could not be written, unless there is a newer one; return the result of `save`."""
        with contextlib.suppress(FileNotFoundError):
            return self.save(record) if self.unwritten.get(record.job_id) is record else None
        return None

    def touch(self, record: JobRecord) -> None:
        """Store live values of a job in memory for readers; the disk is not changed."""
        if record.job_id in self._active:
            self._active[record.job_id] = record

    def delete(self, job_id: str) -> None:
        """Remove a job with all its files; its batch keeps its state."""
        record = self.get(job_id)
        noted = record is None or self._note_status(record)
        doomed = self.jobs_dir / f"{_DELETED}{job_id}.{secrets.token_hex(4)}"
        with contextlib.suppress(FileNotFoundError):
            (self.jobs_dir / job_id).rename(doomed)
        self._forget(job_id)
        shutil.rmtree(doomed, ignore_errors=True)
        if record is not None and not noted:  # now there may be room
            self._note_status(record)

    def tidy(self, job_id: str) -> None:
        """Remove half-written files that a killed service has left in a job's folder."""
        for folder in (self.jobs_dir / job_id, self.jobs_dir / job_id / SERVICE_FOLDER):
            for path in folder.glob(".*.part"):
                path.unlink(missing_ok=True)

    def names(self) -> set[str]:
        """Return the names of all job folders."""
        return {entry.name for entry in os.scandir(self.jobs_dir) if JOB_ID.fullmatch(entry.name)}

    def remove_remains(self, job_id: str) -> None:
        """Remove the remains of a run whose job folder was deleted meanwhile."""
        self._forget(job_id)
        folder = self.jobs_dir / job_id
        if folder.is_dir() and not (folder / RECORD).exists():
            shutil.rmtree(folder, ignore_errors=True)

    # Batches

    def batch(self, batch_id: str) -> BatchRecord | None:
        """Return a batch; None when there is none."""
        if not BATCH_ID.fullmatch(batch_id):
            return None
        if batch_id not in self._batches:
            try:
                self._batches.keep(batch_id, BATCH_RECORDS.validate_python(read_json(self._batch_path(batch_id))))
            except ValueError:
                return None
        return self._batches.get(batch_id)

    def batch_jobs(self, batch: BatchRecord) -> list[tuple[BatchItem, JobRecord | None, State]]:
        """Return the jobs of a batch in order with their states; a job deleted by hand counts as canceled."""
        records = [self.get(item.job_id) for item in batch.items]
        return [
            (item, record, record.status if record else item.status or CANCELED)
            for item, record in zip(batch.items, records, strict=True)
        ]

    def forget_batches(self, before: str) -> list[str]:
        """Remove the records of old batches of which no job is left; return their ids."""
        batches = (self.batch(path.stem) for path in (self.jobs_dir / BATCHES).glob("batch_*.json"))
        old = [batch for batch in batches if batch is not None and batch.created_at < before]
        gone = [batch for batch in old if not any((self.jobs_dir / item.job_id).exists() for item in batch.items)]
        for batch in gone:
            self._batch_path(batch.batch_id).unlink(missing_ok=True)
            self._batches.pop(batch.batch_id, None)
        return [batch.batch_id for batch in gone]

    def _batch_path(self, batch_id: str) -> Path:
        return self.jobs_dir / BATCHES / f"{batch_id}.json"

    def _note_status(self, record: JobRecord) -> bool:
        """Note a job's state in its batch, at least in memory; return whether the disk has it."""
        with self._noting:
            batch = self.batch(record.batch_id or "")
            if batch is None:
                return True
            job_id, status = record.job_id, record.status
            items = tuple(replace(item, status=status) if item.job_id == job_id else item for item in batch.items)
            self._batches[batch.batch_id] = noted = replace(batch, items=items)
            try:
                write_json(self._batch_path(batch.batch_id), asdict(noted))
            except OSError as error:
                _LOG.error("the record of %s can't be written: %s", batch.batch_id, error.strerror)
                return False
            return True

    # Within

    def _new_folder(self, job_id: str) -> Path:
        return self.jobs_dir / f"{_NEW}{job_id}.{secrets.token_hex(4)}"

    def _settle(self, staged: Path) -> None:
        """Finish a job that was being made when the service was killed, if its batch exists; else drop it."""
        with contextlib.suppress(ValueError, OSError):
            record = JOB_RECORDS.validate_python(read_json(staged / RECORD))
            batch = self.batch(record.batch_id or "")
            if batch is not None and any(item.job_id == record.job_id for item in batch.items):
                staged.rename(self.jobs_dir / record.job_id)
                return
        shutil.rmtree(staged, ignore_errors=True)

    def _write(self, path: Path, record: JobRecord) -> int:
        try:
            return write_json(path, asdict(record))
        except OSError as error:
            if not is_full_disk(error):
                raise
            (self.jobs_dir / _RESERVE).unlink(missing_ok=True)
            return write_json(path, asdict(record))

    def _forget(self, job_id: str) -> None:
        for records in (self._active, self._final, self.unwritten):
            records.pop(job_id, None)

    def _example(self, job_id: str) -> tuple[Path, JobRecord] | None:
        example = self._examples.get(job_id)
        if example is not None and example[0].is_dir():
            return example
        folders = [root / job_id for root in self._examples_dirs] if JOB_ID.fullmatch(job_id) else []
        for folder in filter(Path.is_dir, folders):
            data = read_json(folder / RECORD)
            with contextlib.suppress(ValueError):
                record = JOB_RECORDS.validate_python(data) if data else record_of_folder(folder, job_id, "example")
                self._examples[job_id] = folder, replace(record, source="example", sequence=0)
                return self._examples[job_id]
        return None
