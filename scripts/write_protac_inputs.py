"""Write inputs for programs that model degraders at the best exit sites of the ligands of one shard."""

from pathlib import Path

from scripts.lib import layout
from scripts.lib.protac.inputs import InputMaker
from scripts.lib.protac.read import complex_text, read_ligands
from scripts.lib.protac.side import Side, job_side
from scripts.lib.run.logs import logged_to
from scripts.lib.run.progress import ShardProgress
from scripts.lib.steps.result_files import listed_files
from scripts.lib.tables import PROTAC_INPUTS, table_writer


def main(
    instances: Path,
    molecules: Path,
    exits: Path,
    observed: Path,
    protac_inputs: Path,
    files: Path,
    job: Path,
    progress: Path,
    *,
    target_name: str,
    side: Side,
    sites: int,
) -> None:
    """Write the inputs of all ligands of a shard and their rows of the index.

    Parameters
    ----------
    instances, molecules, exits : Path
        What is known of them, each in the same order.
    observed : Path
        Observed exits of those that two proteins hold: used in place of the predicted ones.
    protac_inputs : Path
        Written: rows of `scripts.lib.tables.PROTAC_INPUTS`.
    files : Path
        Written: the list of the files.
    job : Path
        The job folder, with the cleaned complexes; the files go to their place in it.
    progress : Path
        Progress file of this step.
    target_name : str
        As given.
    side : Side
        Half of the degrader that the job is about.
    sites : int
        How many exit sites of a ligand get files, the best first.
    """
    maker = InputMaker(side)
    done = ShardProgress(progress, "write_protac_inputs")
    with table_writer(protac_inputs, PROTAC_INPUTS) as write, listed_files(job, files) as results:
        entry = ""
        for ligand, _ in read_ligands(instances, molecules, exits, observed):
            instance = ligand.instance
            if entry and instance.entry_id != entry:
                done.entry(entry)
            entry = instance.entry_id
            pdb = complex_text(job, instance) if ligand.exits else None
            texts, rows = maker.make(target_name, ligand, pdb, ligand.best_of_sites(sites))
            for path, text in texts.items():
                results.write(f"{layout.protac_inputs(instance.stem)}/{path}", text)
            for row in rows:
                write(row)
        if entry:
            done.entry(entry)


if __name__ == "__main__":
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake
    settings = snakemake.params.settings
    with logged_to(snakemake.log[0]):
        main(
            instances=Path(snakemake.input.instances),
            molecules=Path(snakemake.input.molecules),
            exits=Path(snakemake.input.exits),
            observed=Path(snakemake.input.observed),
            protac_inputs=Path(snakemake.output.protac_inputs),
            files=Path(snakemake.output.files),
            job=Path(),
            progress=Path(snakemake.params.progress),
            target_name=settings["target_name"],
            side=job_side(settings["side"], settings["target_name"], settings["search_query"]),
            sites=settings["exits"],
        )
