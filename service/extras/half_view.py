"""A half of a degrader as the page of two jobs shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from service.addresses import address
from service.pages.places import answer_view, links_of
from service.results.answers import names_of_exit
from service.results.job import Job
from service.results.tables import TableCache, number
from tethermap.base import layout, tables
from tethermap.base.tables import Value
from tethermap.exits.words import ROOM, WAY, in_words

Row = Mapping[str, Value]


def half_view(job: Job, row: Row) -> dict[str, Any]:
    """Return an answer in words, with its picture and where its inputs for degrader modelling can be had.

    Parameters
    ----------
    job : Job
        The job that it is of.
    row : mapping
        The answer.
    """
    room, way = number(row, "E_median"), number(row, "F_median")
    stem, anchor = str(row["best_stem"]), str(row["anchor_atom"])
    inputs = f"{job.base}/protac-inputs?stem={quote(stem)}&anchor={quote(anchor)}"
    return {
        **answer_view(row),
        **links_of(stem, names_of_exit(row), address(f"/results/{job.record.job_id}")),
        "room": in_words(room, ROOM) if room is not None else "",
        "way": in_words(way, WAY) if way is not None else "",
        "inputs": inputs if (job.folder / layout.SHARDS).is_dir() else "",
    }


def ligands_of(cache: TableCache, job: Job) -> list[tuple[str, int]]:
    """Return the ligands of a job with their copies."""
    counts = Counter(str(row["Warhead"]) for row in cache.rows(job.folder, tables.RESULTS_TABLE))
    return sorted(counts.items())
