"""Write inputs for programs that model degraders at the best exit sites of the ligands of one shard."""

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

from tethermap.base import layout
from tethermap.base.tables import PROTAC_INPUTS
from tethermap.extras.protac.inputs import InputMaker
from tethermap.extras.protac.read import UnreadLigand, complex_text, unread_of
from tethermap.extras.protac.side import Side, job_side
from tethermap.run.logs import logged_to
from tethermap.steps.shard_step import ShardStep


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
    errors: Path | None = None,
) -> None:
    """Write the inputs of all ligands of a shard and their rows of the index.

    Parameters
    ----------
    instances, molecules, exits : Path
        What is known of them, each in the same order.
    observed : Path
        Observed exits of those that two proteins hold: used in place of the predicted ones.
    protac_inputs : Path
        Written: rows of `tethermap.base.tables.PROTAC_INPUTS`.
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
    errors : Path or None
        Written: the ligands on which the step fails.
    """
    maker = InputMaker(side)
    with ShardStep("write_protac_inputs", {"index": protac_inputs}, files, job, progress, None, errors) as step:
        write = step.table("index", PROTAC_INPUTS)

        def make(entry_id: str, ligands: Sequence[UnreadLigand]) -> None:
            for unread in ligands:
                with step.isolated(entry_id, unread.stem):
                    ligand, _ = unread.read()
                    pdb = complex_text(job, ligand.instance) if ligand.exits else None
                    texts, rows = maker.make(target_name, ligand, pdb, ligand.best_of_sites(sites))
                    for path, text in texts.items():
                        step.write(f"{layout.protac_inputs(unread.stem)}/{path}", text)
                    for row in rows:
                        write(row)

        unread_ligands = unread_of(instances, molecules, exits, observed)
        for entry_id, ligands in groupby(unread_ligands, lambda unread: unread.entry_id):
            of_entry = list(ligands)
            step.entry(entry_id, None, partial(make, entry_id, of_entry), stems=[one.stem for one in of_entry])


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
            errors=Path(snakemake.output.errors),
            progress=Path(snakemake.params.progress),
            target_name=settings["target_name"],
            side=job_side(settings["side"], settings["target_name"], settings["search_query"]),
            sites=settings["exits"],
        )
