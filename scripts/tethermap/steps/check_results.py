"""Read back what one shard wrote and check it against the deposited entries."""

import hashlib
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from tethermap.base import layout, tables
from tethermap.base.records import EntryParts, entry_parts
from tethermap.base.tables import CHECKS, FILES, Row
from tethermap.run.logs import logged_to
from tethermap.run.program_errors import read_errors
from tethermap.selfcheck.outcome import CheckOutcome
from tethermap.selfcheck.status import processed, status_rows
from tethermap.steps.cache import StepCache, digest_of, step_cache, unchanged
from tethermap.steps.shard_step import ShardStep

if TYPE_CHECKING:
    from tethermap.steps.checks import EntryChecker


def main(
    structures: Path,
    instances: Path,
    sasa_summary: Path,
    sasa_atoms: Path,
    exits: Path,
    entry_status: Path,
    ligand_status: Path,
    file_lists: tuple[Path, ...],
    checks: Path,
    files: Path,
    job: Path,
    progress: Path,
    *,
    known: StepCache | None = None,
    errors: Path | None = None,
    error_lists: tuple[Path, ...] = (),
) -> None:
    """Write the outcome of every check of a shard, and the list of its files as they are on disk.

    A check that fails is a row, never an error: it marks its ligand. What `known` tells of an entry was
    found out by the same checks on files of the same bytes.
    """
    written = {str(row["path"]): str(row["sha256"]) for path in file_lists for row in tables.read_table(path, FILES)}
    downloaded = {str(row["pdb_id"]): row for row in tables.read_table(structures, tables.STRUCTURES)}
    since = structures.stat().st_mtime_ns
    stems: dict[str, list[str]] = {}
    lost = {str(row["stem"]) for row in read_errors(error_lists)}
    with ShardStep("check_results", {"checks": checks}, files, job, progress, known, errors) as step:
        write = step.table("checks", CHECKS)
        on_disk = _hash_files(job, written, step)

        @cache
        def checker() -> "EntryChecker":
            from tethermap.steps.checks import EntryChecker  # gemmi, needed for new entries only

            return EntryChecker(job, written, on_disk, step, write)

        def check(parts: EntryParts, path: Path) -> None:
            checker().check(parts, path)

        rows = {"summary": sasa_summary, "atoms": sasa_atoms, "exits": exits}
        for parts in entry_parts(instances, {}, rows):
            structure = downloaded[parts.entry_id]
            stems[parts.entry_id] = parts.stems
            digest = partial(_digest, parts, structure, written, on_disk) if unchanged(structure, since) else None
            step.entry(parts.entry_id, digest, partial(check, parts, Path(str(structure["path"]))), stems=parts.stems)
        for entry_id, outcome in _status_outcomes(entry_status, ligand_status, stems, lost):
            write(outcome.logged_row(entry_id))


def _digest(parts: EntryParts, structure: Row, written: Mapping[str, str], on_disk: Mapping[str, str]) -> str:
    """Return a digest of all that the checks of an entry look at."""
    own = {path for stem in parts.stems for path in layout.ligand_files(stem)}
    own |= {path for path in written if layout.protac_stem(path) in parts.stems}
    told = [(path, written.get(path), on_disk.get(path)) for path in sorted(own)]
    return digest_of(parts.digest(), structure["sha256"], told)


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
    entry_status: Path, ligand_status: Path, stems: dict[str, list[str]], lost: AbstractSet[str]
) -> Iterator[tuple[str, CheckOutcome]]:
    """Yield the check of each entry's status rows."""
    ligands: dict[str, list[Row]] = {}
    for row in tables.read_table(ligand_status, tables.LIGAND_STATUS):
        ligands.setdefault(str(row["pdb_id"]), []).append(row)
    for row in tables.read_table(entry_status, tables.ENTRY_STATUS):
        entry_id = str(row["pdb_id"])
        yield entry_id, status_rows(row, ligands.get(entry_id, []), stems.get(entry_id, []), lost)
        yield entry_id, processed(row)


if __name__ == "__main__":
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake
    with logged_to(snakemake.log[0]):
        main(
            structures=Path(snakemake.input.structures),
            instances=Path(snakemake.input.instances),
            sasa_summary=Path(snakemake.input.sasa_summary),
            sasa_atoms=Path(snakemake.input.sasa_atoms),
            exits=Path(snakemake.input.exits),
            entry_status=Path(snakemake.input.entry_status),
            ligand_status=Path(snakemake.input.ligand_status),
            file_lists=tuple(map(Path, snakemake.input.file_lists)),
            checks=Path(snakemake.output.checks),
            files=Path(snakemake.output.files),
            job=Path(),
            progress=Path(snakemake.params.progress),
            errors=Path(snakemake.output.errors),
            error_lists=tuple(map(Path, snakemake.input.error_lists)),
            known=step_cache("check_results", None, snakemake.params.cache_dir, snakemake.resources.result_cache_mb),
        )
