"""Both halves of a degrader: exit sites of a target's ligands beside those of a recruiter's, best pairs first."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from scripts.lib import layout, tables
from scripts.lib.tables import Value
from service.context import Job
from service.job_tables import TableCache, matching, number

Row = Mapping[str, Value]

SCORE = "a.score + b.score"
"""Score of a pair."""

TOP = 3
"""Sites of each ligand instance that are compared, the best ones, unless asked otherwise."""

MOST_SITES = 500
"""Sites of one job that are compared at most, those with the best scores."""

_UNIT = 10_000
"""Scores have four decimals; they are added as whole numbers."""

_SEVERAL = ("anchor_equivalents", "leaving_atoms")
_COPIED = (
    "pdb_id", "stem", "site_id", "site_rank", "rank", "anchor_atom", "kind", "chem_class", "score", "E", "F", "closed"
)  # fmt: skip
_EVIDENCE = ("grade", "evidence")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which exit sites of a job are compared.

    Parameters
    ----------
    pdb_id, ligand : str or None
        Only those of an entry, of a component.
    top : int
        Only the best of each ligand instance.
    """

    pdb_id: str | None = None
    ligand: str | None = None
    top: int = TOP


@dataclass(frozen=True, slots=True)
class Half:
    """One job with its exit sites, the best first.

    Parameters
    ----------
    job : Job
        The job.
    sites : sequence of dict
        What is told of each.
    found : int
        How many there are, more than `sites` where these were cut.
    side : str
        ``target``, ``e3`` or empty where the job has no inputs for programs that model degraders.
    """

    job: Job
    sites: Sequence[dict[str, Any]]
    found: int
    side: str

    def to_json(self) -> dict[str, Any]:
        """Return what is told of the job."""
        record, files = self.job.record, f"{self.job.base}/files"
        return {
            "job_id": record.job_id,
            "target_name": record.target_name,
            "status": record.status,
            "has_results": record.has_results,
            "side": self.side or None,
            "sites": self.found,
            "sites_compared": len(self.sites),
            "results_url": f"/results/{record.job_id}",
            "exit_vectors_url": f"/api/jobs/{record.job_id}/exit-vectors",
            "inputs_url": f"{files}/{layout.PROTAC_INPUTS}" if self.side else None,
        }


def half_of(cache: TableCache, job: Job, wanted: Wanted) -> Half:
    """Return the exit sites of a job: one for each anchor of each component, told by its best instance.

    Parameters
    ----------
    cache : TableCache
        Rows of tables.
    job : Job
        A job that has ended.
    wanted : Wanted
        Which of them.
    """
    inputs = cache.rows(job.folder, tables.PROTAC_INPUTS)
    files = {(row["stem"], row["rank"]): row for row in inputs if row.get("head_file")}
    groups: dict[tuple[Value, ...], list[Row]] = {}
    for row in _best_of_sites(cache.rows(job.folder, tables.EXIT_VECTORS), wanted):
        groups.setdefault((row["Warhead"], row["anchor_atom"], row["leaving_atoms"]), []).append(row)
    sites = []
    for rows in groups.values():
        best = max(rows, key=lambda row: number(row, "score") or 0.0)
        sites.append(_site(job, best, rows, files.get((best["stem"], best["rank"]))))
    sites.sort(key=lambda site: -float(site["score"]))
    return Half(job, sites[:MOST_SITES], len(sites), str(inputs[0]["side"]) if inputs else "")


def _best_of_sites(rows: Sequence[Row], wanted: Wanted) -> Iterator[Row]:
    """Yield the best exit of each wanted site of each instance."""
    if wanted.pdb_id or wanted.ligand:
        rows = matching(rows, wanted.pdb_id or None, None, wanted.ligand)
    seen: set[tuple[Value, Value]] = set()
    for row in rows:  # ranked exits come by rank, so the first of a site is its best
        rank = number(row, "site_rank")
        if rank is None or rank > wanted.top or (row["stem"], row["site_id"]) in seen:
            continue
        seen.add((row["stem"], row["site_id"]))
        yield row


def _site(job: Job, best: Row, rows: Sequence[Row], files: Row | None) -> dict[str, Any]:
    evidence = {name: best[name] for name in best if name.startswith(_EVIDENCE)}
    return {
        "job_id": job.record.job_id,
        "chain": best["Chain"],
        "ligand": best["Warhead"],
        "residue_id": best["Residue_ID"],
        **{name: best[name] for name in _COPIED},
        **{name: [part for part in str(best[name] or "").split(";") if part] for name in _SEVERAL},
        "direction": [best[f"vector_{axis}"] for axis in "xyz"],
        "evidence": evidence,
        "instances": len(rows),
        "open_instances": sum(row["closed"] is not True for row in rows),
        "results_url": f"/results/{job.record.job_id}",
        "inputs": _inputs(job, files) if files is not None else None,
    }


def _inputs(job: Job, files: Row) -> dict[str, Any]:
    """Return where the inputs for PRosettaC of a site are, and the anchor in them."""
    folder = f"{job.base}/files/{quote(layout.PROTAC_FOLDER)}"
    urls = {
        f"{name}_url": f"{folder}/{quote(str(files[f'{name}_file']))}" if files[f"{name}_file"] else None
        for name in ("protein", "head", "params")
    }
    return {
        **urls,
        "exits_url": f"{folder}/{quote(str(files['stem']))}/exits.json",
        "chains": files["protein_chains"],
        "anchor": files["head_anchor"],
        "anchor_unique": files["anchor_unique"],
        "smiles": files["smiles"],
    }


def pairs_of(first: Half, second: Half, offset: int, limit: int) -> tuple[int, list[dict[str, Any]]]:
    """Return how many pairs there are, and some of them by falling score.

    Parameters
    ----------
    first, second : Half
        The two jobs.
    offset, limit : int
        Which part of the list.
    """
    total = len(first.sites) * len(second.sites)
    found = []
    for place, (i, j) in enumerate(_falling(_scores(first), _scores(second))):
        if place >= offset + limit:
            break
        if place >= offset:
            found.append(_pair(place + 1, first.sites[i], second.sites[j]))
    return total, found


def _scores(half: Half) -> list[int]:
    return [round(float(site["score"]) * _UNIT) for site in half.sites]


def _falling(first: Sequence[int], second: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield pairs of places in two falling lists by the falling sum of their values."""
    if not first or not second:
        return
    heap = [(-first[0] - second[0], 0, 0)]
    while heap:
        _, i, j = heapq.heappop(heap)
        yield i, j
        if j + 1 < len(second):
            heapq.heappush(heap, (-first[i] - second[j + 1], i, j + 1))
        if j == 0 and i + 1 < len(first):
            heapq.heappush(heap, (-first[i + 1] - second[0], i + 1, 0))


def _pair(rank: int, first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    chains = [set(str(site["inputs"]["chains"])) if site["inputs"] else set() for site in (first, second)]
    return {
        "rank": rank,
        "score": (round(float(first["score"]) * _UNIT) + round(float(second["score"]) * _UNIT)) / _UNIT,
        "closed": first["closed"] is True or second["closed"] is True,
        "chains_collide": bool(chains[0] & chains[1]),
        "a": first,
        "b": second,
    }
