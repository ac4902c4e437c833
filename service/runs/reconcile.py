"""Updates the index from the job folders: reads new or changed jobs, drops deleted ones."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from service.index.database import Index, IndexedJob
from service.jobs.outcome import result_rows
from service.jobs.record import FINAL, RECORD, JobRecord
from service.jobs.store import Store


@dataclass(slots=True)
class Found:
    """Jobs on disk.

    Parameters
    ----------
    active : list of JobRecord
        Jobs that are not final.
    last_sequence : int
        Highest number of a job.
    jobs, read : int
        Number of jobs, and number of jobs read.
    """

    active: list[JobRecord] = field(default_factory=list)
    last_sequence: int = 0
    jobs: int = 0
    read: int = 0


def reconcile(
    store: Store, index: Index, *, everything: bool = False, stopped: Callable[[], bool] = lambda: False
) -> Found:
    """Bring the index in line with the job folders; blocks.

    Parameters
    ----------
    store, index : Store, Index
        The truth and its copy.
    everything : bool
        Whether to read again what the index seems to know.
    stopped : callable
        Called before each job; true stops the reading, and the index keeps its state of the others.
    """
    indexed = index.known()
    outcome = Found(last_sequence=max((one.sequence for one in indexed.values()), default=0))
    seen: set[str] = set()

    def changed() -> Iterator[IndexedJob]:
        for job_id, stamp in store.scan():
            if stopped():
                return
            seen.add(job_id)
            outcome.jobs += 1
            before = indexed.get(job_id)
            if not everything and before is not None and before.stamp == stamp and before.status in FINAL:
                continue
            record = store.read(job_id)
            if record is None:
                seen.discard(job_id)
                continue
            outcome.read += 1
            outcome.last_sequence = max(outcome.last_sequence, record.sequence)
            if not record.final:
                outcome.active.append(record)
            yield IndexedJob(record, stamp, result_rows(store.jobs_dir / job_id)[1] if record.final else ())
        yield from _examples(store, seen)

    index.load(changed())
    if stopped():
        return outcome
    index.load((), gone=sorted(indexed.keys() - seen))
    index.failed = False
    return outcome


def _examples(store: Store, seen: set[str]) -> Iterator[IndexedJob]:
    for number, record in enumerate(store.examples(), 1):
        if record.job_id not in seen:
            seen.add(record.job_id)
            folder = store.folder(record.job_id)
            numbered = replace(record, sequence=-number)  # as for each job, it has its own number
            path = folder / RECORD if (folder / RECORD).exists() else folder
            yield IndexedJob(numbered, path.stat().st_mtime_ns, result_rows(folder)[1])
