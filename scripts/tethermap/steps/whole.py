"""Steps over all entries of a job: the same files in give the same files out, which are kept for other jobs too."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from tethermap.base.atomic import write_bytes
from tethermap.base.tables import Row
from tethermap.steps.cache import EntryResult, StepCache


def repeat_or_compute(
    known: StepCache | None,
    inputs: Sequence[Path],
    outputs: Sequence[Path],
    compute: Callable[[], Collection[Row]],
    folder: Path | None = None,
) -> None:
    """Do a step, or write what it has written before for inputs of the same bytes.

    Parameters
    ----------
    known : StepCache or None
        Results of earlier jobs.
    inputs, outputs : sequence of Path
        All that the step reads and the files that it writes, in an order that is the same in each job.
    compute : callable
        Does the step; returns the errors in single ligands, with which nothing is kept for other jobs.
    folder : Path, optional
        Holds further files that it writes, and nothing else.
    """
    if known is None:
        compute()
        return
    key = known.key(_digest(inputs))
    result = known.cache.get(key)
    if result is None:
        if compute():
            return
        further = sorted(folder.iterdir()) if folder is not None and folder.is_dir() else []
        if sum(path.stat().st_size for path in (*outputs, *further)) <= known.cache.largest:
            streams = {str(place): path.read_bytes() for place, path in enumerate(outputs)}
            known.cache.put(key, EntryResult(None, streams, {path.name: path.read_bytes() for path in further}))
        return
    for place, path in enumerate(outputs):
        write_bytes(path, result.streams[str(place)])
    if folder is not None:
        for left in folder.glob("*"):
            if left.name not in result.files:
                left.unlink()
        for name, data in result.files.items():
            write_bytes(folder / name, data)


def _digest(paths: Sequence[Path]) -> str:
    total = hashlib.sha256()
    for path in paths:
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
