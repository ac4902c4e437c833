"""Measure the exposure of every ligand atom of one shard, in each context."""

from dataclasses import astuple
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.lib.components.finder import Find, JobComponents
from scripts.lib.exposure.method import Method
from scripts.lib.records import EntryParts, entry_parts
from scripts.lib.run.logs import logged_to
from scripts.lib.steps.cache import StepCache, step_cache
from scripts.lib.steps.shard_step import ShardStep
from scripts.lib.tables import CONTACTS, SASA_ATOMS, SASA_SUMMARY

if TYPE_CHECKING:
    from scripts.lib.steps.exposure import ExposureMeter


def main(
    instances: Path,
    neighbourhoods: Path,
    molecules: Path,
    summary: Path,
    atoms: Path,
    contacts: Path,
    files: Path,
    job: Path,
    progress: Path,
    *,
    target_name: str,
    method: Method,
    find: Find,
    known: StepCache | None = None,
) -> None:
    """Write the exposure tables of a shard and the ligand files that show it."""
    streams = {"summary": summary, "atoms": atoms, "contacts": contacts}
    with ShardStep("measure_sasa", streams, files, job, progress, known) as step:
        tables = {"summary": SASA_SUMMARY, "atoms": SASA_ATOMS, "contacts": CONTACTS}
        write = [step.table(name, table) for name, table in tables.items()]

        @cache
        def meter() -> "ExposureMeter":
            from scripts.lib.steps.exposure import ExposureMeter  # RDKit, needed for new entries only

            return ExposureMeter(target_name, method, find, step, *write)

        def measure(parts: EntryParts) -> None:
            meter().measure(parts)

        for parts in entry_parts(instances, {"neighbourhoods": neighbourhoods, "molecules": molecules}):
            step.entry(parts.entry_id, parts.digest, partial(measure, parts))


if __name__ == "__main__":
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake
    components = JobComponents(**snakemake.params.components)
    method = Method(**snakemake.params.sasa)
    with logged_to(snakemake.log[0]):
        main(
            instances=Path(snakemake.input.instances),
            neighbourhoods=Path(snakemake.input.neighbourhoods),
            molecules=Path(snakemake.input.molecules),
            summary=Path(snakemake.output.summary),
            atoms=Path(snakemake.output.atoms),
            contacts=Path(snakemake.output.contacts),
            files=Path(snakemake.output.files),
            job=Path(),
            progress=Path(snakemake.params.progress),
            target_name=snakemake.params.target_name,
            method=method,
            find=components,
            known=step_cache(
                "measure_sasa",
                [snakemake.params.target_name, *astuple(method)],
                snakemake.params.components["cache_dir"],
                snakemake.resources.result_cache_mb,
                components,
            ),
        )
