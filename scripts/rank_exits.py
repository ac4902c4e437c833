"""Rank the places where a linker can leave the ligands of one shard, and write the files that show them."""

from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from tethermap.base.records import EntryParts, entry_parts
from tethermap.components.finder import Find
from tethermap.exposure.method import Method
from tethermap.steps.cache import StepCache
from tethermap.steps.shard_step import ShardStep
from tethermap.steps.writers import ExitWriters

if TYPE_CHECKING:
    from tethermap.steps.measuring import ExitRanker


def main(
    instances: Path,
    neighbourhoods: Path,
    surroundings: Path,
    backbones: Path,
    molecules: Path,
    sasa_atoms: Path,
    exits: Path,
    geometry: Path,
    bridging: Path,
    observed: Path,
    files: Path,
    job: Path,
    progress: Path,
    *,
    target_name: str,
    method: Method,
    find: Find,
    known: StepCache | None = None,
    errors: Path | None = None,
) -> None:
    """Write the exits of all instances of a shard, and their SDF and depiction.

    Parameters
    ----------
    instances, neighbourhoods, surroundings, backbones, molecules, sasa_atoms : Path
        What is known of them, each in the same order.
    exits : Path
        Written: rows of `tethermap.base.tables.EXIT_VECTORS`.
    geometry : Path
        Written: rows of `tethermap.base.tables.GEOMETRIES`.
    bridging : Path
        Written: the ligands that two proteins hold, `tethermap.answers.observed.store`.
    observed : Path
        Written: their observed exits as rows of `tethermap.base.tables.EXIT_VECTORS`.
    files : Path
        Written: the list of the SDFs and the depictions.
    job : Path
        The job folder; the files go to their place in it.
    progress : Path
        Progress file of this step.
    target_name : str
        As given.
    method : Method
        How the areas were measured.
    find : callable
        Look-up of a component by its code.
    known : StepCache or None
        Results of earlier jobs.
    errors : Path or None
        Written: the ligands on which the step fails.
    """
    streams = {"exits": exits, "geometry": geometry, "bridging": bridging, "observed": observed}
    with ShardStep("rank_exits", streams, files, job, progress, known, errors) as step:
        write = ExitWriters.of(step)

        @cache
        def ranker() -> "ExitRanker":
            from tethermap.steps.measuring import ExitRanker  # RDKit, needed for new entries only

            return ExitRanker(target_name, method, find, step, write)

        def rank(parts: EntryParts) -> None:
            ranker().rank(parts)

        records = {
            "neighbourhoods": neighbourhoods,
            "surroundings": surroundings,
            "backbones": backbones,
            "molecules": molecules,
        }
        for parts in entry_parts(instances, records, {"areas": sasa_atoms}):
            step.entry(parts.entry_id, parts.digest, partial(rank, parts), stems=parts.stems)
