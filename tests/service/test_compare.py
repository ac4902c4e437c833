"""Two jobs beside each other: pairs of exits, as JSON and as a page."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import cycle, product
from typing import Any

import httpx2
import pytest

from scripts.lib import tables
from scripts.lib.exits.words import CHEMISTRY
from service.build_examples import SHIPPED
from service.compare import Wanted, _best_of_sites, _falling
from service.job_tables import matching

TARGET, RECRUITER = "exam1hpv", "exam4cup"


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


class Counted(list[dict[str, Any]]):
    """Rows that count how often all of them are gone through."""

    times = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        self.times += 1
        return super().__iter__()


def test_rows_of_many_entries_are_gone_through_once() -> None:
    rows = Counted(
        {"pdb_id": f"{number % 50:04d}", "Chain": chain, "Warhead": "LIG", "Residue_ID": "1", "stem": str(number),
         "site_id": "1", "site_rank": 1}
        for number, chain in zip(range(200), cycle("Aab"), strict=False)
    )  # fmt: skip
    assert len(list(_best_of_sites(rows, Wanted(ligand="LIG")))) == 200
    assert rows.times == 1
    found = matching(rows, None, "a", "LIG")
    assert rows.times == 2
    assert found == [row for number in range(50) for row in matching(rows, f"{number:04d}", "a", "LIG")]


def test_each_pair_is_told_by_both_sites_and_the_sum_of_their_scores(body: dict[str, Any]) -> None:
    assert body["score"] == "a.score + b.score"
    assert body["total"] == body["a"]["sites"] * body["b"]["sites"] == body["count"] > 3
    assert [pair["rank"] for pair in body["pairs"]] == list(range(1, body["total"] + 1))
    for pair in body["pairs"]:
        assert pair["score"] == pytest.approx(pair["a"]["score"] + pair["b"]["score"], abs=1e-4)
        assert pair["closed"] is (pair["a"]["closed"] or pair["b"]["closed"])
    assert {pair["a"]["ligand"] for pair in body["pairs"]} == {"478"}


def test_sites_are_the_best_exits_of_the_table(body: dict[str, Any]) -> None:
    rows = list(tables.read_table(SHIPPED / TARGET / tables.EXIT_VECTORS.path, tables.EXIT_VECTORS))
    best = {row["site_rank"]: row for row in reversed(rows) if row["site_rank"] in (1, 2, 3)}
    sites = {pair["a"]["site_rank"]: pair["a"] for pair in body["pairs"]}
    assert sites.keys() == best.keys()
    for rank, site in sites.items():
        row = best[rank]
        assert (site["anchor_atom"], site["score"], site["rank"]) == (row["anchor_atom"], row["score"], row["rank"])
        assert site["direction"] == [row["vector_x"], row["vector_y"], row["vector_z"]]


def test_links_lead_to_the_files(http: httpx2.Client, body: dict[str, Any]) -> None:
    for side in (body["pairs"][0]["a"], body["pairs"][-1]["b"], body["a"], body["b"]):
        inputs = side.get("inputs", {})
        urls = [url for name, url in {**side, **inputs}.items() if name.endswith("_url") and url]
        assert {http.get(url).status_code for url in urls} == {200}
    inputs = body["pairs"][0]["a"]["inputs"]
    params = http.get(inputs["params_url"]).text.splitlines()
    assert params[3] == f"Anchor atoms: E3_ANCHOR {inputs['anchor']}"
    assert inputs["smiles"].count("[*]") == 1


def test_two_jobs_of_one_side_are_told_to_share_chain_letters(body: dict[str, Any]) -> None:
    assert body["a"]["side"] == body["b"]["side"] == "target"
    assert all(pair["chains_collide"] for pair in body["pairs"])


def test_pages_together_are_the_whole_list(http: httpx2.Client, body: dict[str, Any]) -> None:
    url: str | None = f"/api/compare?a={TARGET}&b={RECRUITER}&limit=4"
    found: list[dict[str, Any]] = []
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

    both = of(top=1)
    assert both["a"]["sites"] == both["b"]["sites"] >= 2
    narrowed = of(top=1, ligand="478", b_pdb_id="4CUP")
    assert (narrowed["a"]["sites"], narrowed["b"]["sites"], narrowed["total"]) == (1, 1, 1)
    assert (narrowed["pairs"][0]["a"]["ligand"], narrowed["pairs"][0]["b"]["pdb_id"]) == ("478", "4cup")
    assert of(ligand="XYZ")["total"] == 0
    assert of(top=2)["total"] > both["total"]


def test_jobs_absent_unknown_or_waiting_are_told(http: httpx2.Client, queued_job: str, failed_job: str) -> None:
    def of(**parameters: str) -> tuple[int, str]:
        answer = http.get("/api/compare", params=parameters)
        return answer.status_code, answer.json().get("error", {}).get("code", "")

    assert of(a=TARGET) == (400, "MISSING_FIELD")
    assert of(a=TARGET, b="") == (400, "MISSING_FIELD")
    assert of(a=TARGET, b="00000000") == (404, "JOB_NOT_FOUND")
    assert of(a=TARGET, b="../../etc") == (404, "JOB_NOT_FOUND")
    assert of(a=queued_job, b=TARGET) == (202, "RESULTS_NOT_READY")
    assert of(a=TARGET, b=RECRUITER, limit="0") == (400, "INVALID_PARAMETER")
    assert of(a=TARGET, b=RECRUITER, top="x") == (400, "INVALID_PARAMETER")
    assert of(a=failed_job, b=TARGET) == (200, "")
    assert http.get("/compare", params={"a": queued_job, "b": TARGET}).status_code == 202
    assert http.get("/compare", params={"a": "00000000", "b": TARGET}).status_code == 404


def test_page_asks_for_jobs_and_shows_their_pairs_without_a_script(http: httpx2.Client, body: dict[str, Any]) -> None:
    form = http.get("/compare")
    assert form.status_code == 200
    assert f'<option value="{TARGET}">' in form.text
    shown = http.get("/compare", params={"a": TARGET, "b": RECRUITER})
    assert f"{body['total']} pairs" in shown.text
    best = body["pairs"][0]
    expected = [best["a"]["anchor_atom"], best["b"]["anchor_atom"], best["a"]["inputs"]["params_url"]]
    expected += [CHEMISTRY[best["a"]["chem_class"]], f"evidence {best['b']['evidence']['evidence']}"]
    assert [text for text in [*expected, "share chain letters"] if text not in shown.text] == []
    empty = http.get("/compare", params={"a": TARGET, "b": RECRUITER, "ligand": "<b>"})
    assert "No pairs" in empty.text
    assert "<b>" not in empty.text
