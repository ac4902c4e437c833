"""Turn the ligand instances of one shard into molecules, and draw them."""

import logging
from collections.abc import Iterator
from pathlib import Path

from rdkit import rdBase

from scripts.lib import layout
from scripts.lib.errors import PROGRAM_ERRORS
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
from scripts.lib.reasons import FLAGS
from scripts.lib.result_files import ResultFiles, listed_files

log = logging.getLogger(__name__)


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
    with rdBase.BlockLogs(), listed_files(job, files) as results:
        records = _records(instances, index, user, ShardProgress(progress, "match_ligands"), results)
        write_molecules(molecules, records)


def _records(
    instances: Path,
    index: ComponentIndex,
    user: UserComponents | None,
    done: ShardProgress,
    results: ResultFiles,
) -> Iterator[LigandMolecule]:
    entry = ""
    for instance in read_instances_alone(instances):
        if entry and instance.entry_id != entry:
            done.entry(entry)
        entry = instance.entry_id
        record = _molecule(instance, index, user)
        results.write(layout.ligand_svg(record.stem, "plain"), plain_svg(record, instance))
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
    for flag in ("perceived_bonds", "strained_bonds"):
        if flag in record.flags:
            log.warning("%s: %s", record.stem, FLAGS[flag])
    return record


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
