"""Turn the ligand instances of one shard into molecules, and draw them."""

import hashlib
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

from rdkit import rdBase

from scripts.lib import layout
from scripts.lib.atomic import write_text
from scripts.lib.instance.model import Instance
from scripts.lib.instance.store import read_instances_alone
from scripts.lib.logs import logged_to
from scripts.lib.molecule.build import build_ligand
from scripts.lib.molecule.components import ComponentIndex
from scripts.lib.molecule.depict import plain_svg
from scripts.lib.molecule.fallback import bare_ligand
from scripts.lib.molecule.finder import ensured_index, job_components
from scripts.lib.molecule.record import LigandMolecule
from scripts.lib.molecule.store import write_molecules
from scripts.lib.molecule.user import UserComponents, read_user_components
from scripts.lib.progress import ShardProgress
from scripts.lib.tables import FILES, Row, table_writer

log = logging.getLogger(__name__)

PROGRAM_ERRORS = (ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError, RuntimeError)
"""Errors of one ligand that must not sink its shard; the ligand is then kept as bare atoms."""


def main(
    instances: Path,
    molecules: Path,
    files: Path,
    job: Path,
    progress: Path,
    *,
    components: ComponentIndex | Path | None = None,
    user_components: Path | None = None,
) -> None:
    """Write the molecules of a shard, their plain depictions and the list of these files.

    Parameters
    ----------
    instances : Path
        Instances of the shard.
    molecules, files : Path
        Written: the molecules in the same order, and the depictions with their hashes.
    job : Path
        The job folder; depictions go to their place in it.
    progress : Path
        Progress file of this step.
    components : ComponentIndex, Path or None
        The dictionary, or its file; the default one when not given.
    user_components : Path, optional
        A component CIF or SMILES table of the user, or a folder of them.
    """
    index = components if isinstance(components, ComponentIndex) else ComponentIndex(ensured_index(components))
    user = read_user_components(user_components) if user_components is not None else None
    with rdBase.BlockLogs(), table_writer(files, FILES) as write_file:
        records = _records(instances, index, user, ShardProgress(progress, "match_ligands"), job, write_file)
        write_molecules(molecules, records)


def _records(
    instances: Path,
    index: ComponentIndex,
    user: UserComponents | None,
    done: ShardProgress,
    job: Path,
    write_file: Callable[[Row], None],
) -> Iterator[LigandMolecule]:
    entry = ""
    for instance in read_instances_alone(instances):
        if entry and instance.entry_id != entry:
            done.entry(entry)
        entry = instance.entry_id
        record = _molecule(instance, index, user)
        _write_depiction(record, instance, job, write_file)
        yield record
    if entry:
        done.entry(entry)


def _molecule(instance: Instance, index: ComponentIndex, user: UserComponents | None) -> LigandMolecule:
    """Return the molecule of an instance; where that fails, its bare atoms, and the reason in the log."""
    try:
        record = build_ligand(instance, index, user)
    except PROGRAM_ERRORS:
        log.exception("%s could not be made a molecule: its atoms are kept without bonds", instance.stem)
        return bare_ligand(instance)
    if not record.sanitised:
        log.warning("%s: the molecule does not pass RDKit's checks", record.stem)
    if record.bond_source == "perceived":
        log.warning("%s: bonds perceived from distances", record.stem)
    return record


def _write_depiction(record: LigandMolecule, instance: Instance, job: Path, write_file: Callable[[Row], None]) -> None:
    path = layout.ligand_svg(record.stem, "plain")
    content = plain_svg(record, instance)
    write_text(job / path, content)
    data = content.encode("utf-8")
    write_file({"path": path, "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)})


if __name__ == "__main__":
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake
    with logged_to(snakemake.log[0]):
        main(
            instances=Path(snakemake.input.instances),
            molecules=Path(snakemake.output.molecules),
            files=Path(snakemake.output.molecule_files),
            job=Path(),
            progress=Path(snakemake.params.progress),
            components=job_components(snakemake.config),
            user_components=Path(snakemake.params.components) if snakemake.params.components else None,
        )
