"""All steps of a job in this process, as the workflow runs them one by one; the result folder is the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scripts import (
    build_tables,
    find_series,
    finish_job,
    match_ligands,
    measure_sasa,
    rank_exits,
)
from tethermap.base import layout, recorded_search
from tethermap.components.finder import JobComponents
from tethermap.exposure.method import Method
from tethermap.run.progress import progress_file
from tethermap.run.settings import record_settings, refuse_changed_settings
from tethermap.steps import check_results, clean_complexes, download_entries, parameters, search_entries


def run_job(job: Path, settings: Mapping[str, Any]) -> None:
    """Run a job in a folder.

    Parameters
    ----------
    job : Path
        The folder; it is made when missing.
    settings : mapping
        Complete settings (`tethermap.base.config.resolve`). Inputs for programs that model degraders are left out.

    Raises
    ------
    UserError
        With a sentence for people: settings that don't fit the folder, a source that doesn't exist.
    """
    refuse_changed_settings(job, settings)
    record_settings(job, settings)
    entries = job / layout.SEARCH_ENTRIES
    asked = search_entries.SearchRequest(**parameters.search(settings))
    origin, cache = parameters.source(settings), settings["cache_dir"]
    earlier = settings[recorded_search.KEY]
    search_entries.main(entries, job / layout.SEARCH_QUERY, asked, source=origin, cache_dir=cache, earlier=earlier)
    per_shard = settings["shards"]["entries_per_shard"]
    search_entries.divide(entries, job / layout.SHARDS, entries_per_shard=per_shard, cores=1)
    shards = sorted(json.loads((job / layout.SHARD_PLAN).read_text(encoding="utf-8")), key=int)
    for shard in shards:
        _run_shard(job, shard, settings)
    find_series.main(
        [job / layout.shard_file(shard, "molecules") for shard in shards],
        job / layout.SERIES_TABLE,
        job / layout.SERIES_MEMBERS,
        job / layout.LIGANDS,
        job / layout.SERIES_FOLDER,
        seconds=float(settings["series"]["seconds"]),
        errors=job / layout.SERIES_ERRORS,
    )
    build_tables.main(job, shards, target_name=settings["target_name"])
    checks = [job / layout.shard_file(shard, "checks") for shard in shards]
    finish_job.main(job, checks, job / layout.MANIFEST, settings=parameters.shown(settings))


def _run_shard(job: Path, shard: str, settings: Mapping[str, Any]) -> None:
    def files(*names: str) -> dict[str, Any]:
        return {name: job / layout.shard_file(shard, name) for name in names}

    def errors(step: str) -> Path:
        return job / layout.shard_file(shard, f"{step}_errors")

    def progress(step: str) -> Path:
        return job / progress_file(step, shard)

    target, method = settings["target_name"], Method(**settings["sasa"])
    components = JobComponents(**parameters.components(settings))
    download_entries.main(
        **files("entries", "structures"),
        progress=progress("download_entries"),
        source=parameters.download(settings),
        cache_dir=settings["cache_dir"],
        planned=job / layout.SEARCH_ENTRIES,
    )
    clean_complexes.main(
        **files("structures", "instances", "neighbourhoods", "surroundings", "backbones"),
        **files("entry_status", "ligand_status", "name_map"),
        files=job / layout.shard_file(shard, "complex_files"),
        job=job,
        progress=progress("clean_complexes"),
        settings=clean_complexes.clean_settings(**parameters.cleaning(settings)),
        find=components,
        errors=errors("clean_complexes"),
    )
    match_ligands.main(
        **files("instances", "molecules"),
        errors=errors("match_ligands"),
        progress=progress("match_ligands"),
        components=components,
    )
    measure_sasa.main(
        **files("instances", "neighbourhoods", "molecules", "contacts"),
        summary=job / layout.shard_file(shard, "sasa_summary"),
        atoms=job / layout.shard_file(shard, "sasa_atoms"),
        files=job / layout.shard_file(shard, "exposure_files"),
        job=job,
        progress=progress("measure_sasa"),
        errors=errors("measure_sasa"),
        target_name=target,
        method=method,
        find=components,
    )
    rank_exits.main(
        **files("instances", "neighbourhoods", "surroundings", "backbones", "molecules", "sasa_atoms"),
        **files("exits", "geometry", "bridging", "observed"),
        files=job / layout.shard_file(shard, "exit_files"),
        job=job,
        progress=progress("rank_exits"),
        errors=errors("rank_exits"),
        target_name=target,
        method=method,
        find=components,
    )
    check_results.main(
        **files("structures", "instances", "sasa_summary", "sasa_atoms", "exits", "entry_status", "ligand_status"),
        **files("checks", "files"),
        file_lists=tuple(files(*layout.FILE_LISTS).values()),
        job=job,
        progress=progress("check_results"),
        errors=errors("check_results"),
        error_lists=tuple(map(errors, ("clean_complexes", "match_ligands", "measure_sasa", "rank_exits"))),
    )
