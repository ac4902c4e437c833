"""Measure the exposure of every ligand atom of one shard, in each context; as a rule rank its exits in one go."""

from dataclasses import astuple
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tethermap.base.records import EntryParts, entry_parts
from tethermap.base.tables import CONTACTS, SASA_ATOMS, SASA_SUMMARY
from tethermap.components.finder import Find, JobComponents
from tethermap.exposure.method import Method
from tethermap.run.logs import logged_to
from tethermap.steps.cache import StepCache, step_cache
from tethermap.steps.shard_step import ShardStep

if TYPE_CHECKING:
    from tethermap.steps.exposure import ExposureMeter


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
    errors: Path | None = None,
) -> None:
    """Write the exposure tables of a shard and the ligand files that show it."""
    streams = {"summary": summary, "atoms": atoms, "contacts": contacts}
    with ShardStep("measure_sasa", streams, files, job, progress, known, errors) as step:
        tables = {"summary": SASA_SUMMARY, "atoms": SASA_ATOMS, "contacts": CONTACTS}
        write = [step.table(name, table) for name, table in tables.items()]

        @cache
        def meter() -> "ExposureMeter":
            from tethermap.steps.exposure import ExposureMeter  # RDKit, needed for new entries only

            return ExposureMeter(target_name, method, find, step, *write)

        def measure(parts: EntryParts) -> None:
            meter().measure(parts)

        for parts in entry_parts(instances, {"neighbourhoods": neighbourhoods, "molecules": molecules}):
            step.entry(parts.entry_id, parts.digest, partial(measure, parts), stems=parts.stems)


if __name__ == "__main__":
    from snakemake.iocontainers import Snakemake

    from scripts import rank_exits

    snakemake: Snakemake
    components = JobComponents(**snakemake.params.components)
    method = Method(**snakemake.params.sasa)
    target_name = snakemake.params.target_name
    given, made = ({key: Path(path) for key, path in files.items()} for files in (snakemake.input, snakemake.output))
    cache_dir, most_mb = snakemake.params.components["cache_dir"], snakemake.resources.result_cache_mb
    depends_on = [target_name, *astuple(method)], cache_dir, most_mb, components
    alike: dict[str, Any] = {"job": Path(), "target_name": target_name, "method": method, "find": components}
    with logged_to(snakemake.log[0]):
        main(
            instances=given["instances"],
            neighbourhoods=given["neighbourhoods"],
            molecules=given["molecules"],
            summary=made["summary"],
            atoms=made["atoms"],
            contacts=made["contacts"],
            files=made["exposure_files"],
            errors=made["measure_sasa_errors"],
            progress=Path(snakemake.params.progress),
            known=step_cache("measure_sasa", *depends_on),
            **alike,
        )
        rank_exits.main(
            instances=given["instances"],
            neighbourhoods=given["neighbourhoods"],
            surroundings=given["surroundings"],
            backbones=given["backbones"],
            molecules=given["molecules"],
            sasa_atoms=made["atoms"],
            exits=made["exits"],
            geometry=made["geometry"],
            bridging=made["bridging"],
            observed=made["observed"],
            files=made["exit_files"],
            errors=made["rank_exits_errors"],
            progress=Path(snakemake.params.exit_progress),
            known=step_cache("rank_exits", *depends_on),
            **alike,
        )
