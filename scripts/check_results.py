"""Read back what one shard wrote and check it against the deposited entries."""

import hashlib
import logging
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from scripts.lib import tables
from scripts.lib.check.deposited import DepositedAtom, ResidueKey, read_deposited
from scripts.lib.check.instance import Found, check_instance
from scripts.lib.check.outcome import Outcome
from scripts.lib.check.status import processed, status_rows
from scripts.lib.instance.model import Instance
from scripts.lib.instance.store import read_instances_alone
from scripts.lib.logs import logged_to
from scripts.lib.progress import ShardProgress
from scripts.lib.tables import CHECKS, FILES, Row, table_writer

log = logging.getLogger(__name__)


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
) -> None:
    """Write the outcome of every check of a shard, and the list of its files as they are on disk.

    A check that fails is a row, never an error: `write_manifest` decides what it means.
    """
    written = {str(row["path"]): str(row["sha256"]) for path in file_lists for row in tables.read_table(path, FILES)}
    on_disk = _hash_files(job, written, files)
    paths = {str(row["pdb_id"]): str(row["path"]) for row in tables.read_table(structures, tables.STRUCTURES)}
    done = ShardProgress(progress, "check_results")
    stems: dict[str, list[str]] = {}
    with table_writer(checks, CHECKS) as write:
        for entry_id, rows in groupby(_rows(instances, sasa_summary, sasa_atoms, exits), lambda row: row[0].entry_id):
            members = list(rows)
            deposited = _deposited(Path(paths[entry_id]), [instance for instance, *_ in members])
            for instance, summary, atoms, ways_out in members:
                stems.setdefault(entry_id, []).append(instance.stem)
                found = Found(instance, summary, atoms, ways_out, deposited, written, on_disk)
                for outcome in check_instance(job, found):
                    write(_row(instance.stem, outcome))
            done.entry(entry_id)
        for entry_id, outcome in _status_outcomes(entry_status, ligand_status, stems):
            write(_row(entry_id, outcome))


def _row(stem: str, outcome: Outcome) -> Row:
    if not outcome.passed:
        log.warning("%s: %s failed: %s %s", stem, outcome.check, outcome.value, outcome.detail)
    return outcome.row(stem)


def _hash_files(job: Path, written: dict[str, str], files: Path) -> dict[str, str]:
    """Write the list of the shard's files with hash and size from disk; return the hashes."""
    on_disk = {}
    with table_writer(files, FILES) as write:
        for path in sorted(written):
            try:
                data = (job / path).read_bytes()
            except OSError:
                continue
            on_disk[path] = hashlib.sha256(data).hexdigest()
            write({"path": path, "sha256": on_disk[path], "bytes": len(data)})
    return on_disk


def _rows(
    instances: Path, sasa_summary: Path, sasa_atoms: Path, exits: Path
) -> Iterator[tuple[Instance, Row, list[Row], list[Row]]]:
    """Yield each instance with its row of the summary, its rows of the atoms and of its exits."""
    atoms = groupby(tables.read_table(sasa_atoms, tables.SASA_ATOMS), lambda row: row["stem"])
    summaries = tables.read_table(sasa_summary, tables.SASA_SUMMARY)
    ways_out = groupby(tables.read_table(exits, tables.EXIT_VECTORS), lambda row: row["stem"])
    members = zip(read_instances_alone(instances), summaries, atoms, ways_out, strict=True)
    for instance, summary, (stem, rows), (other, exit_rows) in members:
        if not instance.stem == summary["stem"] == stem == other:
            raise ValueError(f"{instance.stem}, {summary['stem']}, {stem} and {other} should be one instance")
        yield instance, summary, list(rows), list(exit_rows)


def _deposited(path: Path, instances: list[Instance]) -> dict[ResidueKey, list[DepositedAtom]]:
    """Read the deposited atoms of all components of an entry's instances; none when that fails."""
    comp_ids = frozenset(residue.comp_id for instance in instances for residue in instance.components)
    try:
        return read_deposited(path, comp_ids)
    except (OSError, RuntimeError, ValueError) as error:
        log.warning("%s could not be read again: %s", instances[0].entry_id, error)
        return {}


def _status_outcomes(
    entry_status: Path, ligand_status: Path, stems: dict[str, list[str]]
) -> Iterator[tuple[str, Outcome]]:
    """Yield the check of each entry's status rows."""
    ligands: dict[str, list[Row]] = {}
    for row in tables.read_table(ligand_status, tables.LIGAND_STATUS):
        ligands.setdefault(str(row["pdb_id"]), []).append(row)
    for row in tables.read_table(entry_status, tables.ENTRY_STATUS):
        entry_id = str(row["pdb_id"])
        yield entry_id, status_rows(row, ligands.get(entry_id, []), stems.get(entry_id, []))
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
            file_lists=(
                Path(snakemake.input.complex_files),
                Path(snakemake.input.molecule_files),
                Path(snakemake.input.exposure_files),
                Path(snakemake.input.exit_files),
            ),
            checks=Path(snakemake.output.checks),
            files=Path(snakemake.output.files),
            job=Path(),
            progress=Path(snakemake.params.progress),
        )
