"""What each step of a run is given of the job's settings, and nothing more.

A step runs again when what it is given changes; the workflow and runs without it take it from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tethermap.base import config
from tethermap.base.fasta import NUCLEOTIDES, is_nucleotide, read_fasta
from tethermap.sources.own.definitions import definitions_among

Settings = Mapping[str, Any]
"""A job's settings as `tethermap.base.config.resolve` returns them."""


def source(given: Settings) -> dict[str, Any]:
    """Return where entries come from; definitions of components and reports are other steps' business."""
    other = ("components", "validation", "predicted")
    return {key: value for key, value in given["source"].items() if key not in other}


def download(given: Settings) -> dict[str, Any]:
    """Return where entries and their validation reports come from."""
    return {**source(given), "validation": given["source"]["validation"]}


def search(given: Settings) -> dict[str, Any]:
    """Return what decides on the entries that are taken."""
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
        "notes": [NUCLEOTIDES] if any(map(is_nucleotide, read_fasta(given["fasta_seq"] or ""))) else [],
    }


def cleaning(given: Settings) -> dict[str, Any]:
    """Return what decides on chains and het groups, and what of them is written."""
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
    """Return where definitions of components come from: the dictionary, the user's, those among the user's files."""
    where = given["source"]
    own = [where["components"]] if where["components"] else []
    if where["kind"] == "files":
        files = where["files"]
        own += _among((files,) if isinstance(files, str) else tuple(files))
    return {
        "kind": where["kind"],
        "cache_dir": given["cache_dir"],
        "own_components": list(dict.fromkeys(own)),
    }


@lru_cache(maxsize=4)
def _among(files: tuple[str, ...]) -> list[str]:
    return [str(path) for path in definitions_among(files)]


def protac(given: Settings) -> dict[str, Any]:
    """Return what decides on the inputs for programs that model degraders."""
    return {**{name: given[name] for name in ("target_name", "search_query")}, **given["protac_inputs"]}


def shown(given: Settings) -> dict[str, Any]:
    """Return the settings that results show, but how the work is divided, on which they don't depend."""
    return config.shown(given)
