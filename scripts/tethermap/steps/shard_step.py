"""One step over the entries of a shard: each is computed, or taken from the cache, and written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from tethermap.base.atomic import replacing, write_bytes
from tethermap.base.errors import failed_at, isolate_errors
from tethermap.base.records import MAGIC
from tethermap.base.tables import ERRORS, FILES, Row, Table, rows_into, write_table
from tethermap.run.program_errors import InstanceId, error_row
from tethermap.run.progress import ShardProgress
from tethermap.steps.cache import EntryResult, StepCache
from tethermap.steps.result_files import write_result

LISTING = "files"


class EntryStream:
    """One of the shard's files, written entry by entry."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._parts: list[bytes] = []

    def write(self, data: bytes | str) -> None:
        """Append to what the entry adds."""
        self._parts.append(data.encode("utf-8") if isinstance(data, str) else data)

    def __len__(self) -> int:
        return len(self._parts)

    def cut(self, length: int) -> None:
        """Take back all but the first parts of what the entry adds."""
        del self._parts[length:]

    def flush(self) -> bytes:
        """Write what the entry adds, and return it."""
        data = b"".join(self._parts)
        self._parts.clear()
        self._file.write(data)
        return data


class ShardStep:
    """Runs a step over the entries of a shard; its files appear when the block ends well.

    Parameters
    ----------
    name : str
        Of the rule.
    streams : dict of str to Path
        The files to write, by what they hold.
    files : Path or None
        The list to write of the result files, `tethermap.base.tables.FILES`; None for a step that makes none.
    job : Path
        The job folder; result files go to their places in it.
    progress : Path
        Progress file of this step.
    cache : StepCache or None
        Results of earlier jobs.
    errors : Path or None
        The table to write of the ligands and entries on which the step fails, `tethermap.base.tables.ERRORS`.
    """

    def __init__(
        self,
        name: str,
        streams: Mapping[str, Path],
        files: Path | None,
        job: Path,
        progress: Path,
        cache: StepCache | None,
        errors: Path | None = None,
    ) -> None:
        self._name = name
        self._errors = errors
        self._failed: dict[InstanceId, Row] = {}
        self._paths = {**streams, LISTING: files} if files else {**streams}
        self._job = job
        self._cache = cache
        self._done = ShardProgress(progress, name)
        self._open = ExitStack()
        self._streams: dict[str, EntryStream] = {}
        self._result = EntryResult()
        self._lasting = True
        self._room = 0

    def __enter__(self) -> Self:
        with ExitStack() as opened:
            for name, path in self._paths.items():
                temporary = opened.enter_context(replacing(path))
                self._streams[name] = EntryStream(opened.enter_context(temporary.open("wb")))
            self._open = opened.pop_all()
        if LISTING in self._paths:
            self._list = self.table(LISTING, FILES)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._flush()
            if self._errors is not None:
                write_table(self._errors, ERRORS, self._failed.values())
        self._open.__exit__(kind, error, trace)

    def table(self, name: str, table: Table) -> Callable[[Row], None]:
        """Begin a table; return a function that appends one row."""
        return rows_into(self._streams[name], table, self._paths[name].name)

    def records(self, name: str) -> EntryStream:
        """Begin a file of records (`tethermap.base.records`)."""
        self._streams[name].write(MAGIC)
        return self._streams[name]

    def lines(self, name: str) -> EntryStream:
        """Begin a file of lines."""
        return self._streams[name]

    def write(self, path: str, content: str) -> None:
        """Write one result file of the entry, complete or not at all, and list it with its checksum.

        Parameters
        ----------
        path : str
            Relative to the job folder.
        """
        data = content.encode("utf-8")
        self._list(write_result(self._job, path, data))
        self._collect(path, data)

    def list_file(self, path: str, sha256: str, size: int) -> None:
        """List a result file with its checksum and its size in bytes."""
        self._list({"path": path, "sha256": sha256, "bytes": size})

    def _collect(self, path: str, data: bytes) -> None:
        """Hold a result file for the cache, as long as all of the entry may go there."""
        self._room -= len(data)
        if self._room >= 0:
            self._result.files[path] = data
        else:
            self._result.files.clear()
            self._lasting = False

    def forget(self) -> None:
        """Keep nothing of this entry for other jobs: it went wrong in a way that may not come again."""
        self._lasting = False

    @contextmanager
    def isolated(self, entry_id: str, stem: str) -> Iterator[None]:
        """Keep an error in one ligand from ending the step: it is recorded, and nothing of the block is written."""
        lengths = {name: len(stream) for name, stream in self._streams.items()}

        def failed(error: Exception) -> None:
            for name, length in lengths.items():
                self._streams[name].cut(length)
            self.record_error(InstanceId(entry_id, stem), error)

        with isolate_errors(f"{stem}: {self._name}", failed):
            yield

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
        """Do the step for one entry; an error in it costs its ligands alone.

        Parameters
        ----------
        entry_id : str
            The entry.
        digest : callable or None
            Of all that the entry's results depend on besides the step's settings; None where they are not kept.
        compute : callable
            Writes what the entry adds; returns whether it is kept, None when this step doesn't decide it.
        stems : sequence of str
            Its ligands; none where the step finds them.
        instead : callable
            Writes what the entry adds where `compute` fails.
        """
        self._flush()
        errors: list[Exception] = []
        with isolate_errors(f"{entry_id}: {self._name}", errors.append):
            self._compute_or_repeat(entry_id, digest, compute)
        for error in errors:
            for stream in self._streams.values():
                stream.cut(0)
            for stem in stems or ("",):
                self.record_error(InstanceId(entry_id, stem), error)
            instead(error)
            self._flush()
            self._done.entry(entry_id, None if stems else False)

    def _compute_or_repeat(
        self, entry_id: str, digest: Callable[[], str] | None, compute: Callable[[], bool | None]
    ) -> None:
        key = self._cache.key(digest()) if self._cache and digest else ""
        known = self._cache.cache.get(key) if self._cache and key else None
        if known is not None:
            self._repeat(known)
            self._done.entry(entry_id, known.kept)
            return
        self._result, self._lasting = EntryResult(), True
        self._room = self._cache.cache.largest if self._cache and key else 0
        self._result.kept = compute()
        self._result.streams = self._flush()
        if self._cache and key and self._lasting and self._cache.lasting():
            self._cache.cache.put(key, self._result)
        self._done.entry(entry_id, self._result.kept)

    def _repeat(self, known: EntryResult) -> None:
        for path, data in known.files.items():
            write_bytes(self._job / path, data)
        for name, data in known.streams.items():
            self._streams[name].write(data)
        self._flush()

    def _flush(self) -> dict[str, bytes]:
        return {name: stream.flush() for name, stream in self._streams.items()}
