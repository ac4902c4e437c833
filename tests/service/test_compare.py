"""Comparison of two jobs: pairs of answers, as JSON and as a page."""

import csv
import random
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import gemmi
import httpx2
import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path

from service.build_examples import SHIPPED
from service.extras.pairs import Half, _falling, half_of, pairs_of
from service.pages.places import NOT_SEEN_TOGETHER
from service.results.job import Job
from service.results.tables import INSTANCE_COLUMNS, Database
from tests.service.test_jobs import RECORD
from tethermap.base import tables
from tethermap.base.tables import Value

TARGET, RECRUITER = "exam1hpv", "exam4cup"
LONGEST_BOND_A = 1.95


@pytest.fixture(scope="module")
def body(http: httpx2.Client) -> dict[str, Any]:
    answer = http.get("/api/compare", params={"a": TARGET, "b": RECRUITER})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_pairs_come_by_falling_sum_without_all_being_made() -> None:
    draw = random.Random(7)
    first, second = (sorted((draw.randrange(40) for _ in range(n)), reverse=True) for n in (23, 31))
    pairs = list(_falling(first, second))
    assert sorted(pairs) == list(product(range(23), range(31)))
    sums = [first[i] + second[j] for i, j in pairs]
    assert sums == sorted(sums, reverse=True)
    assert list(_falling([], second)) == list(_falling(first, [])) == []


def test_each_pair_has_both_answers_as_their_table_has_them(body: dict[str, Any]) -> None:
    assert set(body) == {"ok", "a", "b", "count", "total", "limit", "offset", "next", "prev", "pairs"}
    assert body["total"] == body["a"]["answers"] * body["b"]["answers"] > 3
    answers = tables.EXIT_ANSWERS
    jobs = {"a": TARGET, "b": RECRUITER}
    read = {side: tables.read_table(SHIPPED / job / answers.path, answers) for side, job in jobs.items()}
    rows = {side: {row["anchor_atom"]: row for row in found} for side, found in read.items()}
    for rank, pair in enumerate(body["pairs"], 1):
        assert pair["rank"] == rank
        assert pair["score"] == pytest.approx(pair["a"]["score_median"] + pair["b"]["score_median"], abs=1e-4)
        assert (pair["distance_A"], pair["shortest_linker_atoms"], pair["basis"]) == (None, 2, "range")
        assert all(pair[side] == rows[side][pair[side]["anchor_atom"]] for side in "ab")


def test_blocked_pair_follows_all_open_ones(body: dict[str, Any]) -> None:
    blocked = [sum(2 * pair[side]["n_open"] < pair[side]["n_copies"] for side in "ab") for pair in body["pairs"]]
    assert blocked == sorted(blocked)
    assert blocked[0] < blocked[-1]


def job_of_degrader(folder: Path, target: str, anchor: str, answers: list[dict[str, Value]]) -> Half:
    """Return a half of a job with one degrader, MZ1 in 5T35, one end of which belongs to the target."""
    stem = "5t35_D_759_301"
    names: dict[str, Value] = dict(zip(INSTANCE_COLUMNS, ("5t35", "D", "759", "301", stem), strict=True))
    own: dict[str, Value] = {"site": "main", "Warhead": "759", "anchor_atom": anchor, "n_copies": 1, "n_open": 1}
    own |= {"observed": 1, "observed_entries": "5t35", "best_stem": stem, "stems": stem}
    seen = {**names, "side": "target", "anchor_atom": anchor}
    ends = [{**names, "exact_atom": "NBL", "sdf_index": 0, "x": 0.0, "y": 0.0, "z": 0.0}]
    ends += [{**names, "exact_atom": "CBT", "sdf_index": 1, "x": 3.0, "y": 4.0, "z": 12.0}]
    (folder / "TARGET_RESULTS").mkdir(parents=True)
    tables.write_table(folder / tables.OBSERVED_EXITS.path, tables.OBSERVED_EXITS, [seen])
    tables.write_table(folder / tables.SASA_ATOMS.path, tables.SASA_ATOMS, ends)
    tables.write_table(folder / tables.EXIT_ANSWERS.path, tables.EXIT_ANSWERS, [*answers, own])
    record = replace(RECORD, job_id="0000000a", status="completed", target_name=target)
    return half_of(Job(record, folder, "/api/jobs/0000000a", Database().of(folder)))


def test_ends_that_one_ternary_entry_shows_have_its_distance_and_shortest_linker(tmp_path: Path) -> None:
    answer: dict[str, Value] = {"site": "main", "Warhead": "0S6", "n_copies": 2, "n_open": 2, "score_median": 2.6}
    carried = {**answer, "anchor_atom": "C23", "observed": 1, "observed_entries": "5t35", "best_stem": "6duv_A_0S6_501"}
    other = {**answer, "anchor_atom": "C6", "score_median": 9.0, "observed": 0, "observed_entries": ""}
    target = job_of_degrader(tmp_path / "a", "BRD4", "NBL", [carried, other])
    recruiter = job_of_degrader(tmp_path / "b", "VHL", "CBT", [])
    total, pairs = pairs_of(target, recruiter, 0, 10)
    told = [(pair.a["anchor_atom"], pair.b["anchor_atom"], pair.basis, pair.distance_A) for pair in pairs]
    assert total == 3
    assert told == [("C23", "CBT", "ternary", 13.0), ("NBL", "CBT", "ternary", 13.0), ("C6", "CBT", "range", None)]
    assert pairs[0].shortest_linker_atoms == 10  # eleven bonds of 1.25 Å are the fewest that reach 13 Å
    assert pairs_of(target, target, 0, 10)[1][0].basis == "range"  # the same end twice is no degrader


def test_pages_together_are_the_whole_list(http: httpx2.Client, body: dict[str, Any]) -> None:
    url, found = f"/api/compare?a={TARGET}&b={RECRUITER}&limit=4", []
    while url:
        part = http.get(url).json()
        assert part["count"] == len(part["pairs"]) <= 4
        found += part["pairs"]
        url = part["next"]
    assert found == body["pairs"]


def test_filters_narrow_each_side_for_itself(http: httpx2.Client, done_job: str) -> None:
    def of(**filters: str | int) -> dict[str, Any]:
        answer: dict[str, Any] = http.get("/api/compare", params={"a": done_job, "b": done_job, **filters}).json()
        return answer

    both, narrowed = of(), of(a_ligand="478")
    assert narrowed["b"]["answers"] == both["b"]["answers"] > narrowed["a"]["answers"] > 0
    assert {pair["a"]["Warhead"] for pair in narrowed["pairs"]} == {"478"}
    assert of(b_ligand="XYZ")["total"] == 0


def test_jobs_that_are_absent_unknown_or_waiting_are_reported(
    http: httpx2.Client, queued_job: str, failed_job: str
) -> None:
    def of(**parameters: str) -> tuple[int, str]:
        answer = http.get("/api/compare", params=parameters)
        return answer.status_code, answer.json().get("error", {}).get("code", "")

    assert of(a=TARGET) == (400, "MISSING_FIELD")
    assert of(a=TARGET, b="") == (400, "MISSING_FIELD")
    assert of(a=TARGET, b="00000000") == (404, "JOB_NOT_FOUND")
    assert of(a=TARGET, b="../../etc") == (404, "JOB_NOT_FOUND")
    assert of(a=queued_job, b=TARGET) == (202, "RESULTS_NOT_READY")
    assert of(a=TARGET, b=RECRUITER, limit="0") == (400, "INVALID_PARAMETER")
    assert of(a=TARGET, b=RECRUITER, top="1") == (400, "INVALID_PARAMETER")
    assert of(a=failed_job, b=TARGET) == (200, "")
    assert http.get("/compare", params={"a": queued_job, "b": TARGET}).status_code == 202
    assert http.get("/compare", params={"a": "00000000", "b": TARGET}).status_code == 404


def test_page_offers_jobs_by_name_and_shows_their_pairs_without_a_script(
    http: httpx2.Client, body: dict[str, Any]
) -> None:
    form = http.get("/compare")
    assert form.status_code == 200
    assert f'<option value="{TARGET}">HIV-1 protease' in form.text
    shown = http.get("/compare", params={"a": TARGET, "b": RECRUITER})
    assert f"{body['total']} pairs" in shown.text
    best = body["pairs"][0]
    expected = [best["a"]["action"], best["b"]["action"], "not seen in one entry", NOT_SEEN_TOGETHER]
    expected += [f"evidence {best['b']['evidence']}", f'title="{best["b"]["protein"]}"']  # its name may be cut
    assert [text for text in expected if text not in shown.text] == []
    empty = http.get("/compare", params={"a": TARGET, "b": RECRUITER, "a_ligand": "<b>"}).text
    assert ("No pairs" in empty, "<b>&" in empty, '"<b>"' in empty) == (True, False, False)


def test_observed_linkers_are_reported_with_the_measured_values(ternary: Path) -> None:
    with (ternary / "truth.csv").open(encoding="utf-8", newline="") as stream:
        known = [_cut(ternary, row) for row in csv.DictReader(stream)]
    distances, atoms = zip(*known, strict=True)
    told = f"{len(known)} ternary crystal structures of published degraders the two exit atoms are"
    told += f" {min(distances):.1f} to {max(distances):.1f} Å apart, with {min(atoms)} to {max(atoms)} linker atoms"
    assert told in NOT_SEEN_TOGETHER


def _cut(ternary: Path, row: dict[str, str]) -> tuple[float, int]:
    """Return the distance of a degrader's exits in angstroms, and the number of atoms between them."""
    structure = gemmi.read_structure(str(ternary / "structures" / f"{row['pdb_id'].lower()}.pdb.gz"))
    places = {atom.name: np.array(atom.pos.tolist()) for residue in structure[0]["L"] for atom in residue}
    names, ends = list(places), (row["target_anchor"], row["e3_anchor"])
    xyz = np.array(list(places.values()))
    bonded = np.linalg.norm(xyz[:, None] - xyz[None], axis=2) < LONGEST_BOND_A
    bonds = shortest_path(bonded, unweighted=True)[names.index(ends[0]), names.index(ends[1])]
    return float(np.linalg.norm(places[ends[0]] - places[ends[1]])), int(bonds) - 1
