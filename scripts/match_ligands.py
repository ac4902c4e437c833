"""Turn the ligand instances of one shard into molecules."""

from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from tethermap.base.records import EntryParts, entry_parts
from tethermap.components.finder import JobComponents
from tethermap.run.logs import logged_to
from tethermap.steps.cache import StepCache, step_cache
from tethermap.steps.shard_step import ShardStep

if TYPE_CHECKING:
    from tethermap.steps.molecules import LigandMatcher


def main(
    instances: Path,
    molecules: Path,
    progress: Path,
    *,
    components: JobComponents,
    known: StepCache | None = None,
    errors: Path | None = None,
) -> None:
    """Write the molecules of a shard.

    Parameters
    ----------
    instances : Path
        Instances of the shard.
    molecules : Path
        Written: the molecules in the same order.
    progress : Path
        Progress file of this step.
    components : JobComponents
        Definitions of components.
    known : StepCache or None
        Results of earlier jobs.
    errors : Path or None
        Written: the ligands on which the step fails.
    """
    with ShardStep("match_ligands", {"molecules": molecules}, None, Path(), progress, known, errors) as step:
        stream = step.records("molecules")

        @cache
        def matcher() -> "LigandMatcher":
            from tethermap.steps.molecules import LigandMatcher  # RDKit, needed for new entries only

            return LigandMatcher(components.index, components.user, step, stream)

        def match(parts: EntryParts) -> None:
            matcher().match(parts)

        for parts in entry_parts(instances, {}):
            step.entry(parts.entry_id, parts.digest, partial(match, parts), stems=parts.stems)


if __name__ == "__main__":
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake
    components = JobComponents(**snakemake.params.components)
    with logged_to(snakemake.log[0]):
        main(
            instances=Path(snakemake.input.instances),
            molecules=Path(snakemake.output.molecules),
            errors=Path(snakemake.output.errors),
            progress=Path(snakemake.params.progress),
            components=components,
            known=step_cache(
                "match_ligands",
                None,
                snakemake.params.components["cache_dir"],
                snakemake.resources.result_cache_mb,
                components,
            ),
        )
