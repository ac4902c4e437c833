"""Ligands of all finished jobs are found by their properties."""

import re
from typing import Any

import httpx2
import pytest

from service.errors import QueueFull
from service.http.parameters import Page
from service.jobs.outcome import record_of_folder
from service.pages.columns import BY_KEY
from service.pages.render import page
from service.results.job import Job
from service.results.tables import Database
from service.routes.index import _ligands, meant_by
from tests.tools.runs import ROOT
from tethermap.base.tables import EXIT_ANSWERS, RESULTS_TABLE, read_table

EXAMPLE = ROOT / "data" / "examples" / "exam1hpv"
ROW = next(read_table(EXAMPLE / RESULTS_TABLE.path, RESULTS_TABLE, strict=False))


OF_ROW = ({"inchikey": str(ROW["InChIKey"]).lower()}, {"smiles": str(ROW["SMILES"])})


@pytest.mark.parametrize("asked", [{"ligand": "478", "pdb_id": "1HPV"}, {"pdb_id": "pdb_00001hpv"}, *OF_ROW], ids=str)
def test_a_ligand_is_found_with_the_best_answer_of_all_its_copies(http: httpx2.Client, asked: dict[str, str]) -> None:
    body = http.get("/api/search", params={**asked, "limit": 500}).json()
    assert body["ok"] is True
    assert body["count"] == body["total"] == len(body["ligands"])
    (ligand,) = [one for one in body["ligands"] if one["job_id"] == "exam1hpv"]
    assert (ligand["pdb_id"], ligand["chain"], ligand["ligand"], ligand["residue_id"]) == ("1hpv", "A", "478", "200")
    assert (ligand["stem"], ligand["smiles"], ligand["exposed"]) == (ROW["stem"], ROW["SMILES"], ROW["%Exposed"])
    answers = read_table(EXAMPLE / EXIT_ANSWERS.path, EXIT_ANSWERS, strict=False)
    best = next(row for row in answers if row["answer_rank"] == 1)
    assert ligand["answer"] == {name: best[name] for name in ligand["answer"]}
    assert http.get(ligand["results_url"]).status_code == 200


def test_a_ligand_is_found_by_a_protein_that_it_touches(http: httpx2.Client) -> None:
    rows = read_table(ROOT / "data/examples/exam4cup" / RESULTS_TABLE.path, RESULTS_TABLE, strict=False)
    pocket = next(str(row["pocket_uniprot"]) for row in rows)
    accession = pocket.partition(":")[0]
    body = http.get("/api/search", params={"accession": accession.lower()}).json()
    assert "exam4cup" in {one["job_id"] for one in body["ligands"]}
    assert http.get("/api/search", params={"accession": "P99999"}).json()["total"] == 0


def test_pages_of_a_search_contain_each_ligand_once(http: httpx2.Client) -> None:
    whole = http.get("/api/search", params={"ligand": "478"}).json()
    pages, url = [], "/api/search?ligand=478&limit=1"
    while url:
        body = http.get(url).json()
        assert (body["count"], body["total"]) == (1, whole["total"])
        pages += body["ligands"]
        url = body["next"]
    assert pages == whole["ligands"]


def test_a_search_needs_something_to_look_for(http: httpx2.Client) -> None:
    answer = http.get("/api/search")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "MISSING_FIELD")
    assert http.get("/api/search?ligandd=478").json()["error"]["code"] == "INVALID_PARAMETER"
    assert http.get("/api/search", params={"smiles": "' OR true --"}).json()["total"] == 0


def test_the_box_of_the_page_accepts_all_names() -> None:
    texts = ("YMARZQAQMVYCKC-OEMFJLHTSA-N", "P03367", "A0A024B7W1", "1hpv", "pdb_00001hpv", "478", "ZYB", "c1ccccc1")
    names = ("inchikey", "accession", "accession", "pdb_id", "pdb_id", "ligand", "ligand", "smiles")
    assert [next(iter(meant_by(text))) for text in texts] == list(names)


def test_the_page_of_jobs_shows_the_hits(http: httpx2.Client) -> None:
    text = http.get("/browse", params={"find": "1hpv"}).text
    assert "/results/exam1hpv?row=1hpv_A_478_200" in text
    assert "No ligand of a finished job matches “9zzz”." in http.get("/browse", params={"find": "9zzz"}).text


def test_unknown_parameters_are_not_part_of_the_links_of_the_list(http: httpx2.Client) -> None:
    """As of links in mails, which the export of the same view would refuse."""
    page = http.get("/browse", params={"utm_source": "mail", "target": "trypsin"}).text
    (address,) = re.findall(r'href="(/api/jobs/export[^"]*)"', page)
    assert address == "/api/jobs/export?target=trypsin"
    assert "Filter jobs · Target: trypsin<" in page


@pytest.mark.parametrize(
    ("asked", "shown", "field"),
    [
        ("availability=available", "Results: with", '<option value="true" selected>with</option>'),
        ("available=0", "Results: without", '<option value="false" selected>without</option>'),
        ("status=FAILED", "State: failed", "<option selected>failed</option>"),
        ("created_after=2026-05-30", "From: 2026-05-30", 'name="created_after" type="date" value="2026-05-30"'),
        (
            "created_before=2026-05-30T12:30%2B02:00",
            "Before: 2026-05-30T10:30:00Z",
            'name="created_before" type="datetime-local" value="2026-05-30T10:30:00"',
        ),
    ],
)
def test_filters_of_the_list_are_shown_in_words(http: httpx2.Client, asked: str, shown: str, field: str) -> None:
    page = http.get(f"/browse?{asked}").text
    assert f"Filter jobs · {shown}<" in page
    assert field in page


def test_the_page_shows_components_of_the_source_like_a_molecule(http: httpx2.Client) -> None:
    http.post("/api/jobs?dry_run=true", json={"target_name": "BAZ2B", "search_query": "4CUP"}).raise_for_status()
    text = http.get("/browse", params={"find": "CON=C(N)c1ccc(F)cc1"}).text
    assert "<b>ZYB</b>" in text
    assert "part of yours" in text
    assert text.count("primary") == 1  # the main action of the page
    assert '<input type="hidden" name="search_query" value="4cup">' in text
    assert "Ligands like this" not in http.get("/browse", params={"find": "c1cc("}).text


def test_pages_show_names_without_marks_of_the_dictionary() -> None:
    assert BY_KEY["name"].text({"ligand_name": "N~2~-ethyl-1~{H}-indole"}) == "N(2)-ethyl-1H-indole"
    found = {"ligand": "XYZ", "name": "1~{H}-indole", "svg": "", "smiles": "", "relation": "same", "similarity": 1.0}
    links = {"next": None, "prev": None, "offset": 0, "total": 0, "csv_url": "", "sort": "created_desc"}
    sorts = dict.fromkeys(("created", "protein", "job_id"), "")
    values: dict[str, Any] = {
        **links,
        "sort_urls": sorts,
        "asked": {},
        "filters": {},
        "jobs": [],
        "states": (),
        "find": "indole",
    }
    components = [{**found, "differs": 0, "entries": []}]
    text = bytes(page("browse", **values, found=(0, [], 0, 0), components=components).body).decode()
    assert "<b>XYZ</b> 1H-indole<br>" in text
    assert 'name="target_name" value="1H-indole"' in text


def test_a_search_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job(
        record_of_folder(EXAMPLE, "exam1hpv", "cli", sequence=1), EXAMPLE, "/api/jobs/exam1hpv", Database().of(EXAMPLE)
    )
    assert _ligands([job], {"ligand": "478"}, Page(5, 0))[0] == 1
    monkeypatch.setattr("service.routes.index.SEARCH_SECONDS", -1.0)
    with pytest.raises(QueueFull, match="too long"):
        _ligands([job], {"ligand": "478"}, Page(5, 0))
