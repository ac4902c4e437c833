"""One step over the entries of a shard: each is computed or read from the cache, and written."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import IO, Any, Self, TypeVar

from tethermap.base.atomic import write_bytes
from tethermap.base.errors import failed_at, isolate_errors
from tethermap.base.records import MAGIC, EntryParts, write_archive
from tethermap.base.tables import Row, rows_into
from tethermap.run.cache import Definitions, EntryResult, ResultCache
from tethermap.run.program_errors import InstanceId, error_row
from tethermap.run.progress import ShardProgress, progress_file
from tethermap.run.steps import RECORDS
from tethermap.run.task import Task

_T = TypeVar("_T")

SPOOLED = 1 << 20
"""Bytes of a part in memory; larger ones wait on disk."""


class EntryStream:
    """One part of the shard's archive, written entry by entry to a temporary file."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self._parts: list[bytes] = []

    def write(self, data: bytes | str) -> None:
        """Append to the output for the entry."""
        self._parts.append(data.encode("utf-8") if isinstance(data, str) else data)

    def __len__(self) -> int:
        return len(self._parts)

    def cut(self, length: int) -> None:
        """Truncate the output for the entry to its first parts."""
        del self._parts[length:]

    def flush(self) -> bytes:
        """Write the output for the entry, and return it."""
        data = b"".join(self._parts)
        self._parts.clear()
        self.file.write(data)
        return data


class ShardStep:
    """Runs a step over the entries of a shard; its archive appears when the block ends well.

    Parameters
    ----------
    task : Task
        The step, its shard, and the job folder; result files go to their places in it.
    cache : ResultCache or None
        Results of earlier jobs.
    of_entries : bool
        Whether the job's progress counts the items of the step: entries.
    """

    def __init__(self, task: Task, cache: ResultCache | None = None, *, of_entries: bool = True) -> None:
        self._name = task.step.name
        self._task = task
        self._job = task.job
        self._cache = cache
        self._failed: dict[InstanceId, Row] = {}
        self._progress = ShardProgress(task.job / progress_file(self._name, task.shard), self._name)
        self._of_entries = of_entries
        self.draws = task.draws
        self._files = ExitStack()
        self._streams: dict[str, EntryStream] = {}
        self._add: dict[str, Callable[[Any], object]] = {}
        self._result = EntryResult()
        self._lasting = True
        self._room = 0

    def __enter__(self) -> Self:
        (archive,) = self._task.outputs()
        archive.parent.mkdir(parents=True, exist_ok=True)
        for name, kind in self._task.step.kinds.items():
            file = SpooledTemporaryFile(SPOOLED, dir=str(archive.parent))
            stream = EntryStream(self._files.enter_context(file))
            self._streams[name] = stream
            self._add[name] = stream.write if isinstance(kind, str) else rows_into(stream, kind, name)
            if kind == RECORDS:
                stream.write(MAGIC)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._files:
            if kind is None:
                self.add_all("errors", self._failed.values())
                self._flush()
                write_archive(self._task.outputs()[0], {name: stream.file for name, stream in self._streams.items()})

    def add(self, part: str, item: Row | bytes) -> None:
        """Append a row, a line or a record to a part of the archive."""
        self._add[part](item)

    def add_all(self, part: str, items: Iterable[Row | bytes]) -> None:
        """Append several rows, lines or records."""
        for item in items:
            self._add[part](item)

    def write(self, path: str, content: str) -> None:
        """Write one result file of the entry, complete or not at all, and list it with its checksum.

        Parameters
        ----------
        path : str
            Relative to the job folder.
        """
        data = content.encode("utf-8")
        write_bytes(self._job / path, data)
        self.list_file(path, hashlib.sha256(data).hexdigest(), len(data))
        self._room -= len(data)
        if self._room >= 0:
            self._result.files[path] = data
        else:  # the entry is too large for the cache
            self._result.files.clear()
            self._lasting = False

    def list_file(self, path: str, sha256: str, size: int) -> None:
        """List a result file with its checksum and its size in bytes."""
        self.add("files", {"path": path, "sha256": sha256, "bytes": size})

    def forget(self) -> None:
        """Do not cache this entry: it had an error that may not occur again."""
        self._lasting = False

    @contextmanager
    def isolated(self, entry_id: str, stem: str) -> Iterator[None]:
        """Limit an error to one ligand: it is recorded, and nothing of the block is written."""
        lengths = {name: len(stream) for name, stream in self._streams.items()}
        with isolate_errors(f"{stem}: {self._name}") as errors:
            yield
        for error in errors:
            for name, length in lengths.items():
                self._streams[name].cut(length)
            self.record_error(InstanceId(entry_id, stem), error)

    def ligands(self, entry_id: str, ligands: Sequence[_T]) -> Iterator[_T]:
        """Yield the ligands of an entry and report progress if that takes long."""
        return self._progress.ligands(entry_id, ligands)

    def passed(self, entry_id: str, kept: bool | None = None) -> None:
        """Report that the step has finished an entry, and, if the step decides it, whether it is accepted."""
        if self._of_entries:
            self._progress.entry(entry_id, kept)

    def record_error(self, member: InstanceId, error: Exception, ligand: str = "") -> None:
        """Record that the step failed on a ligand or an entry, whose results are not kept for other jobs."""
        self.forget()
        if ligand or member not in self._failed:
            key = InstanceId(member.entry_id, member.stem or ligand)
            self._failed[key] = error_row(member, failed_at(self._name, error), ligand)

    def entry(
        self,
        entry_id: str,
        digest: Callable[[], str] | None,
        compute: Callable[[], bool | None],
        *,
        stems: Sequence[str] = (),
        instead: Callable[[Exception], None] = lambda _: None,
    ) -> None:
        """Run the step for one entry; an error affects only its ligands.

        Parameters
        ----------
        entry_id : str
            The entry.
        digest : callable or None
            Digest of all inputs of the entry's results besides the step's settings; None if they are not cached.
        compute : callable
            Writes the results of the entry; returns whether it is kept, None if this step doesn't decide it.
        stems : sequence of str
            Ligands of the entry; empty if the step finds them.
        instead : callable
            Writes the results of the entry if `compute` fails.
        """
        self._flush()
        with isolate_errors(f"{entry_id}: {self._name}") as errors:
            self._compute_or_repeat(entry_id, digest, compute)
        for error in errors:
            for stream in self._streams.values():
                stream.cut(0)
            for stem in stems or ("",):
                self.record_error(InstanceId(entry_id, stem), error)
            instead(error)
            self._flush()
            self.passed(entry_id, None if stems else False)

    def _compute_or_repeat(
        self, entry_id: str, digest: Callable[[], str] | None, compute: Callable[[], bool | None]
    ) -> None:
        key = self._cache.key(digest()) if self._cache and digest else ""
        known = self._cache.get(key) if self._cache and key else None
        if known is not None:
            for path, data in known.files.items():
                write_bytes(self._job / path, data)
            for name, data in known.streams.items():
                self._streams[name].write(data)
            self._flush()
            self.passed(entry_id, known.kept)
            return
        self._result, self._lasting = EntryResult(), True
        self._room = self._cache.largest if self._cache and key else 0
        self._result.kept = compute()
        self._result.streams = self._flush()
        if self._cache and key and self._lasting and self._cache.lasting:
            self._cache.put(key, self._result)
        self.passed(entry_id, self._result.kept)

    def _flush(self) -> dict[str, bytes]:
        return {name: stream.flush() for name, stream in self._streams.items()}


def over_entries(
    task: Task, about: Any, components: Definitions, worker: Callable[[ShardStep], Callable[[EntryParts], None]]
) -> None:
    """Run a step for each entry of a shard with the parts that it reads.

    Parameters
    ----------
    about : plain values
        Settings that the results of all entries depend on.
    components : Definitions
        Definitions of components that the step uses.
    worker : callable
        Returns the function that computes an entry; called only if there is something to compute.
    """
    with ShardStep(task, task.cache(about, components)) as step:
        compute = cache(partial(worker, step))

        def work(parts: EntryParts) -> None:
            compute()(parts)

        for parts in task.entries():
            step.entry(parts.entry_id, parts.digest, partial(work, parts), stems=parts.stems)
