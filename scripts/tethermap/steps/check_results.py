"""Read back what one shard wrote, and check it."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set as AbstractSet
from functools import partial
from pathlib import Path

from tethermap.base import layout, tables
from tethermap.base.records import EntryParts, Source
from tethermap.base.tables import FILES, read_table
from tethermap.run.cache import digest_of
from tethermap.run.program_errors import read_errors
from tethermap.run.shard_step import ShardStep
from tethermap.run.task import Task
from tethermap.selfcheck.outcome import CheckOutcome, processed, status_rows


def make(task: Task) -> None:
    """Write the outcome of every check of a shard, and the list of its files on disk.

    A check that fails is a row, never an error: it marks its ligand. Outcomes of an entry in the cache were found by
    the same checks on files of the same bytes.
    """
    written = {
        str(row["path"]): str(row["sha256"]) for part in task.parts("*/files") for row in read_table(part, FILES)
    }
    written_of: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for path, digest in written.items():
        written_of[layout.stem_of_file(path)][path] = digest
    stems: dict[str, list[str]] = {}
    lost = {str(row["stem"]) for row in read_errors(task.parts("*/errors"))}
    with ShardStep(task, task.cache()) as step:
        on_disk = _hash_files(task.job, written, step)

        def check(parts: EntryParts) -> None:
            from tethermap.steps.checks import check_entry  # gemmi, needed for new entries only

            check_entry(step, task.job, written_of, on_disk, parts)

        for parts in task.entries():
            stems[parts.entry_id] = parts.stems
            inputs = partial(_digest, parts, written, on_disk)
            step.entry(parts.entry_id, inputs, partial(check, parts), stems=parts.stems)
        entries, ligands = (task.part(f"clean_complexes/{name}") for name in ("entry_status", "ligand_status"))
        for entry_id, outcome in _status_outcomes(entries, ligands, stems, lost):
            step.add("checks", outcome.logged_row(entry_id))


def _digest(parts: EntryParts, written: Mapping[str, str], on_disk: Mapping[str, str]) -> str:
    """Return a digest of all inputs of an entry's checks."""
    paths = {path for stem in parts.stems for path in layout.ligand_files(stem)}
    paths |= {path for path in written if layout.protac_stem(path) in parts.stems}
    files = [(path, written.get(path), on_disk.get(path)) for path in sorted(paths)]
    return digest_of(parts.digest(), files)


def _hash_files(job: Path, written: dict[str, str], step: ShardStep) -> dict[str, str]:
    """List the shard's files with hash and size from disk; return the hashes."""
    on_disk = {}
    for path in sorted(written):
        try:
            data = (job / path).read_bytes()
        except OSError:
            continue
        on_disk[path] = hashlib.sha256(data).hexdigest()
        step.list_file(path, on_disk[path], len(data))
    return on_disk


def _status_outcomes(
    entry_status: Source, ligand_status: Source, stems: dict[str, list[str]], lost: AbstractSet[str]
) -> Iterator[tuple[str, CheckOutcome]]:
    """Yield the check of each entry's status rows."""
    ligands = tables.by_key((str(row["pdb_id"]), row) for row in read_table(ligand_status, tables.LIGAND_STATUS))
    for row in read_table(entry_status, tables.ENTRY_STATUS):
        entry_id = str(row["pdb_id"])
        yield entry_id, status_rows(row, ligands.get(entry_id, []), stems.get(entry_id, []), lost)
        yield entry_id, processed(row)
