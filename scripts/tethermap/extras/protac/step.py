"""Write inputs for programs that model degraders at the best exit sites of the ligands of one shard."""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

from tethermap.base import layout
from tethermap.run.steps import Settings
from tethermap.run.task import Task


def make(task: Task) -> None:
    """Write the inputs of all ligands of a shard and their rows of the index."""
    # Snakemake's own process loads this module for `settings`; importing RDKit needs a quarter of a second.
    from tethermap.extras.protac.inputs import InputMaker
    from tethermap.extras.protac.ligand import ReadLigand, complex_text, unread_of
    from tethermap.extras.protac.side import job_side
    from tethermap.run.shard_step import ShardStep

    settings = task.settings
    side = job_side(settings["side"], settings["target_name"], settings["search_query"])
    maker = InputMaker(settings["target_name"], side)
    with ShardStep(task) as step:

        def write(entry_id: str, ligands: Mapping[str, Callable[[], ReadLigand]]) -> None:
            for stem, read in ligands.items():
                with step.isolated(entry_id, stem):
                    ligand, _ = read()
                    pdb = complex_text(task.job, ligand.instance) if ligand.exits else None
                    best = ligand.best_of_sites(settings["exits"])
                    texts, rows, _ = maker.make(ligand, pdb, best)
                    for path, text in texts.items():
                        step.write(f"{layout.protac_inputs(stem)}/{path}", text)
                    step.add_all("protac_inputs", rows)

        for entry_id, unread in groupby(unread_of(task.job, task.shard), itemgetter(0)):
            ligands = {stem: read for _, stem, read in unread}
            step.entry(entry_id, None, partial(write, entry_id, ligands), stems=list(ligands))


def settings(given: Settings) -> dict[str, Any]:
    """Return the settings of the inputs for programs that model degraders."""
    return {**{name: given[name] for name in ("target_name", "search_query")}, **given["protac_inputs"]}
