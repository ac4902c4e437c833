"""Settings of each step, picked from those of the job: a step runs again if they change."""

from functools import lru_cache
from typing import Any

from tethermap.base import config
from tethermap.base.fasta import sequence_notes
from tethermap.run.steps import STEP, Settings
from tethermap.sources.own.definitions import definitions_among


def source(settings: Settings) -> dict[str, Any]:
    """Return the source of entries, without settings of component definitions and reports."""
    other = ("components", "validation", "predicted", "affinity", "degraders")
    return {key: value for key, value in settings["source"].items() if key not in other}


def search_entries(settings: Settings) -> dict[str, Any]:
    """Return the settings of the search; a recorded search is used unchanged."""
    names = ("recorded_search", "cache_dir")
    return {"asked": search(settings), "source": source(settings), **{name: settings[name] for name in names}}


def download_entries(settings: Settings) -> dict[str, Any]:
    """Return the sources of entries and of their validation reports."""
    origin = {**source(settings), "validation": settings["source"]["validation"]}
    return {"source": origin, "cache_dir": settings["cache_dir"]}


def search(settings: Settings) -> dict[str, Any]:
    """Return the settings that select entries."""
    filters = ["entries", "max_entries", "max_resolution", "methods", "organism", "only_ligands", "kinds"]
    filters += ["released_after", "released_before"]
    by_sequence = settings["sequence_search"]
    if by_sequence:
        filters += ["min_identity"]
    return {
        **{name: settings[name] for name in ("search_query", "target_name")},
        "filters": {name: settings["filters"][name] for name in filters},
        "fasta_seq": settings["fasta_seq"] if by_sequence else None,
        "notes": sequence_notes(settings["fasta_seq"] or ""),
    }


def cleaning(settings: Settings) -> dict[str, Any]:
    """Return the settings that select chains and het groups, and those of the written files."""
    filters = ["kinds", "only_ligands", "always_keep", "min_identity", "min_coverage"]
    filters += ["strict_target", "min_rscc", "max_rfree"]
    return {
        **{key: settings[key] for key in ("target_name", "search_query", "fasta_seq", "structure")},
        "filters": {name: settings["filters"][name] for name in filters},
        **{name: settings["sasa"][name] for name in ("probe_radius", "engine")},
        "predicted": settings["source"]["predicted"],
    }


def components(settings: Settings) -> dict[str, Any]:
    """Return the sources of component definitions: the dictionary, the user's, those among the user's files."""
    where = settings["source"]
    own = [where["components"]] if where["components"] else []
    if where["kind"] == "files":
        files = where["files"]
        own += _among((files,) if isinstance(files, str) else tuple(files))
    return {"kind": where["kind"], "own_components": list(dict.fromkeys(own))}


@lru_cache(maxsize=4)
def _among(files: tuple[str, ...]) -> list[str]:
    return [str(path) for path in definitions_among(files)]


def clean_complexes(settings: Settings) -> dict[str, Any]:
    """Return the settings of the cleaning, and the sources of component definitions."""
    return {"cleaning": cleaning(settings), **match_ligands(settings)}


def match_ligands(settings: Settings) -> dict[str, Any]:
    """Return the sources of component definitions."""
    return {"components": components(settings), "cache_dir": settings["cache_dir"]}


def measure_sasa(settings: Settings) -> dict[str, Any]:
    """Return the method of the areas, the sources of component definitions, and the parts that the step writes.

    So it runs again in jobs of an earlier version, which lack some of them.
    """
    parts = list(STEP["measure_sasa"].parts)
    return {"target_name": settings["target_name"], "sasa": settings["sasa"], "parts": parts, **match_ligands(settings)}


def check_results(settings: Settings) -> dict[str, Any]:
    """Return the cache folder."""
    return {"cache_dir": settings["cache_dir"]}


def find_series(settings: Settings) -> dict[str, Any]:
    """Return the cache folder."""
    return {"cache_dir": settings["cache_dir"]}


def find_cores(settings: Settings) -> dict[str, Any]:
    """Return the limit of the search for one core, in seconds."""
    return {"seconds": settings["series"]["seconds"], "cache_dir": settings["cache_dir"]}


def build_tables(settings: Settings) -> dict[str, Any]:
    """Return the name of the target and the user's tables of affinities and of published degraders."""
    named = {name: settings["source"][name] or [] for name in ("affinity", "degraders")}
    files = {name: [value] if isinstance(value, str) else value for name, value in named.items()}
    return {"target_name": settings["target_name"], "cache_dir": settings["cache_dir"], **files}


def finish_job(settings: Settings) -> dict[str, Any]:
    """Return the settings that results show, without those for the division of the work."""
    return config.shown(settings)
