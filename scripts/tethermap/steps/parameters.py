"""Settings of each step, picked from those of the job: a step runs again if they change."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from tethermap.base import config
from tethermap.base.fasta import sequence_notes
from tethermap.run.steps import Settings
from tethermap.sources.own.definitions import definitions_among


def source(given: Settings) -> dict[str, Any]:
    """Return the source of entries, without settings of component definitions and reports."""
    other = ("components", "validation", "predicted", "affinity", "degraders")
    return {key: value for key, value in given["source"].items() if key not in other}


def search_entries(given: Settings) -> dict[str, Any]:
    """Return the settings of the search; a recorded search is used unchanged."""
    names = ("recorded_search", "cache_dir")
    return {"asked": search(given), "source": source(given), **{name: given[name] for name in names}}


def download_entries(given: Settings) -> dict[str, Any]:
    """Return the sources of entries and of their validation reports."""
    origin = {**source(given), "validation": given["source"]["validation"]}
    return {"source": origin, "cache_dir": given["cache_dir"]}


def search(given: Settings) -> dict[str, Any]:
    """Return the settings that select entries."""
    filters = ["entries", "max_entries", "max_resolution", "methods", "organism", "only_ligands", "kinds"]
    filters += ["released_after", "released_before"]
    by_sequence = given["sequence_search"]
    if by_sequence:
        filters += ["min_identity"]
    return {
        "search_query": given["search_query"],
        "target_name": given["target_name"],
        "filters": {name: given["filters"][name] for name in filters},
        "fasta_seq": given["fasta_seq"] if by_sequence else None,
        "notes": sequence_notes(given["fasta_seq"] or ""),
    }


def cleaning(given: Settings) -> dict[str, Any]:
    """Return the settings that select chains and het groups, and those of the written files."""
    filters = ["kinds", "only_ligands", "always_keep", "min_identity", "min_coverage"]
    filters += ["strict_target", "min_rscc", "max_rfree"]
    return {
        **{key: given[key] for key in ("target_name", "search_query", "fasta_seq", "structure")},
        "filters": {name: given["filters"][name] for name in filters},
        "probe_radius": given["sasa"]["probe_radius"],
        "engine": given["sasa"]["engine"],
        "predicted": given["source"]["predicted"],
    }


def components(given: Settings) -> dict[str, Any]:
    """Return the sources of component definitions: the dictionary, the user's, those among the user's files."""
    where = given["source"]
    own = [where["components"]] if where["components"] else []
    if where["kind"] == "files":
        files = where["files"]
        own += _among((files,) if isinstance(files, str) else tuple(files))
    return {
        "kind": where["kind"],
        "own_components": list(dict.fromkeys(own)),
    }


@lru_cache(maxsize=4)
def _among(files: tuple[str, ...]) -> list[str]:
    return [str(path) for path in definitions_among(files)]


def clean_complexes(given: Settings) -> dict[str, Any]:
    """Return the settings of the cleaning, and the sources of component definitions."""
    return {"cleaning": cleaning(given), **match_ligands(given)}


def match_ligands(given: Settings) -> dict[str, Any]:
    """Return the sources of component definitions."""
    return {"components": components(given), "cache_dir": given["cache_dir"]}


def measure_sasa(given: Settings) -> dict[str, Any]:
    """Return the method of the areas, and the sources of component definitions."""
    return {"target_name": given["target_name"], "sasa": given["sasa"], **match_ligands(given)}


def check_results(given: Settings) -> dict[str, Any]:
    """Return the cache folder."""
    return {"cache_dir": given["cache_dir"]}


def find_series(given: Settings) -> dict[str, Any]:
    """Return the cache folder."""
    return {"cache_dir": given["cache_dir"]}


def find_cores(given: Settings) -> dict[str, Any]:
    """Return the limit of the search for one core, in seconds."""
    return {"seconds": given["series"]["seconds"], "cache_dir": given["cache_dir"]}


def build_tables(given: Settings) -> dict[str, Any]:
    """Return the name of the target and the user's tables of affinities and of published degraders."""
    named = {name: given["source"][name] or [] for name in ("affinity", "degraders")}
    files = {name: [value] if isinstance(value, str) else value for name, value in named.items()}
    return {"target_name": given["target_name"], "cache_dir": given["cache_dir"], **files}


def finish_job(given: Settings) -> dict[str, Any]:
    """Return the settings that results show, without those for the division of the work."""
    return config.shown(given)
