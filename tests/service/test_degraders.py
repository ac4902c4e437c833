"""Degraders made of two halves, requested as JSON, CSV, SDF and as a page."""

import csv
import io
import json
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from hypothesis import given, strategies as st
from rdkit import Chem
from starlette.testclient import TestClient

from service.errors import QueueFull
from service.runs.on_demand import MOST_REQUESTS, Scripts
from tests.service.core import local
from tests.tools.patience import patience, wait_until
from tests.tools.runs import rows_of
from tethermap.base import layout, tables
from tethermap.base.reference import REFERENCE
from tethermap.extras.protac.programs import LINKER_CLASSES, MOST_MADE, smiles_size

ACID, PHENOL = "CC(=O)[*]", "c1ccccc1O[*]"
HALVES = {"a_smiles": ACID, "b_smiles": PHENOL, "linker_class": "peg"}


@pytest.fixture(scope="module")
def told(http: httpx2.Client) -> dict[str, Any]:
    """The degraders of two halves and the linkers of a class."""
    answer = http.get("/api/degraders", params=HALVES)
    assert answer.status_code == 200
    return dict(answer.json())


def test_two_halves_and_the_linkers_of_a_class_are_joined(told: dict[str, Any]) -> None:
    assert told["ok"] is True
    assert (told["a"]["handle"], told["b"]["handle"]) == ("acid", "phenol")
    assert told["a"]["to_make"] == [{"smiles": "CC(=O)O", "name": "carboxylic acid"}]
    assert told["count"] == len(told["degraders"]) == 30
    assert Chem.MolToSmiles(Chem.MolFromSmiles("CC(=O)NCCOCCOc1ccccc1")) in {one["smiles"] for one in told["degraders"]}
    assert {one["linker_class"] for one in told["degraders"]} == {"PEG"}


def test_molecules_come_in_pages_and_with_linkers_of_limited_length(http: httpx2.Client, told: dict[str, Any]) -> None:
    everything = told["degraders"]
    assert (told["total"], told["next"], told["prev"]) == (30, None, None)
    first = http.get("/api/degraders", params={**HALVES, "limit": 20})
    second = http.get(first.json()["next"])
    assert first.links["next"]["url"] == first.json()["next"]
    parts = [[page.json()[key] for key in ("count", "total", "limit", "offset")] for page in (first, second)]
    assert parts == [[20, 30, 20, 0], [10, 30, 20, 20]]
    assert second.json()["next"] is None
    assert http.get(second.json()["prev"]).json() == first.json()
    assert [*first.json()["degraders"], *second.json()["degraders"]] == everything
    beyond = http.get("/api/degraders", params={**HALVES, "offset": 99}).json()
    assert (beyond["count"], beyond["total"], beyond["next"]) == (0, 30, None)
    short = http.get("/api/degraders", params={**HALVES, "max_linker_atoms": 8}).json()["degraders"]
    assert short == [one for one in everything if one["linker_atoms"] <= 8]
    assert 0 < len(short) < len(everything)
    assert {(one["needs_a"], one["needs_b"]) for one in short} >= {("primary amine", "alkyl halide or alcohol")}


def test_work_for_one_request_is_limited_and_the_answer_reports_it(http: httpx2.Client, told: dict[str, Any]) -> None:
    assert told["truncated"] is False
    asked = {"a_smiles": "C[*]", "b_smiles": "[*]C", "limit": "2"}
    made = http.get("/api/degraders", params={**asked, "format": "csv"})
    assert (len(made.text.splitlines()), made.headers["X-Tethermap-Truncated"]) == (3, "true")
    assert made.links["next"]["url"].endswith("&format=csv&limit=2&offset=2")
    short = http.get("/api/degraders", params={**asked, "max_linker_atoms": "4"}).json()
    assert (0 < short["total"] < MOST_MADE, short["truncated"]) == (True, False)
    pages = [http.get("/degraders", params=one).text for one in (asked, HALVES)]
    for text in (f"{MOST_MADE} molecules", "These are not all molecules", "CSV and SDF contain the first 1000."):
        assert [text in page for page in pages] == [True, False]


def test_csv_and_sdf_contain_the_same_molecules(http: httpx2.Client, told: dict[str, Any]) -> None:
    wanted = {one["smiles"] for one in told["degraders"]}
    text = http.get("/api/degraders", params={**HALVES, "format": "csv"})
    rows = list(csv.DictReader(io.StringIO(text.text)))
    assert {row["smiles"] for row in rows} == wanted
    assert list(rows[0]) == list(tables.DEGRADERS.names)
    molecules, sdf = http.get("/api/degraders", params={**HALVES, "format": "sdf"}), Chem.SDMolSupplier()
    sdf.SetData(molecules.text)
    assert {mol.GetProp("smiles") for mol in sdf} == wanted
    assert [(file.headers["X-Tethermap-Truncated"], file.links) for file in (text, molecules)] == [("false", {})] * 2


def test_later_pages_make_only_their_molecules(here: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[Sequence[str]] = []

    async def run(_: Scripts, *asked: Sequence[str]) -> str:
        runs.append(asked[2])
        return json.dumps({"total": 3, "truncated": True, "numbers": [3, 5, 9], "file": ""})

    monkeypatch.setattr(Scripts, "run", run)
    asked = {"a_smiles": "N[*]", "b_smiles": "C[*]", "format": "csv", "limit": "1"}
    answers = [here.get("/api/degraders", params=asked | {"offset": offset}) for offset in ("0", "1", "7")]
    assert [[one for one in arguments if "numbers" in one] for arguments in runs] == [[], ["--numbers=[5]"], []]
    assert [answer.headers["X-Tethermap-Truncated"] for answer in answers] == 3 * ["true"]
    assert answers[1].links["next"]["url"].endswith("offset=2")


@pytest.mark.parametrize(
    ("asked", "status", "code"),
    [
        ({"a_smiles": ACID}, 400, "MISSING_FIELD"),
        ({"a_smiles": "nothing", "b_smiles": PHENOL}, 400, "INVALID_PARAMETER"),
        ({"a_smiles": "[*]CC[*]", "b_smiles": PHENOL}, 400, "INVALID_PARAMETER"),
        ({"a_smiles": "[*][Fe]", "b_smiles": PHENOL}, 404, "NOT_FOUND"),
        ({**HALVES, "format": "xlsx"}, 400, "INVALID_PARAMETER"),
        ({"a": "00000000", "a_stem": "x", "a_anchor": "C1", "b_smiles": PHENOL}, 404, "JOB_NOT_FOUND"),
    ],
)
def test_wrong_question_is_refused(http: httpx2.Client, asked: dict[str, str], status: int, code: str) -> None:
    answer = http.get("/api/degraders", params=asked)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


@pytest.mark.parametrize(
    ("path", "asked", "parameter", "beginning"),
    [
        ("degraders", {"a_smiles": "C(", "b_smiles": PHENOL}, "a_smiles", "The target's half is no SMILES"),
        ("degraders", {"a_smiles": ACID, "b_smiles": "C("}, "b_smiles", "The recruiter's half is no SMILES"),
        ("degraders/halves", {"smiles": "C(", "a": "{job}"}, "smiles", "The degrader is not a valid SMILES"),
        ("search", {"text": "CC(=O"}, "text", "This is not a valid SMILES"),
        ("jobs/{job}/protac-inputs", {"stem": "{stem}", "anchor": "{anchor}", "degrader": "C("}, "degrader", ""),
    ],
)
def test_the_error_of_a_wrong_smiles_names_its_parameter(
    http: httpx2.Client, mixed: Path, path: str, asked: dict[str, str], parameter: str, beginning: str
) -> None:
    row = next(row for row in rows_of(mixed, layout.EXIT_VECTORS) if row["rank"])
    names = {"job": mixed.name, "stem": row["stem"], "anchor": row["anchor_atom"]}
    params = {name: value.format(**names) for name, value in asked.items()}
    answer = http.get(f"/api/{path.format(**names)}", params=params)
    error = answer.json()["error"]
    assert (answer.status_code, error["details"]["parameter"]) == (400, parameter)
    assert error["message"].startswith(beginning)


def test_each_exit_of_a_ligand_lists_what_to_buy_or_make(http: httpx2.Client, mixed: Path, done_job: str) -> None:
    exits = [row for row in rows_of(mixed, layout.EXIT_VECTORS) if row["rank"]]
    stem = exits[0]["stem"]
    own = [row for row in exits if row["stem"] == stem]
    handles = f"/api/jobs/{done_job}/handles"
    told = http.get(handles, params={"stem": stem}).json()
    assert told["count"] == len(own)
    ranked = [(int(row["rank"]), row["anchor_atom"]) for row in own]
    assert [(one["rank"], one["anchor"]) for one in told["handles"]] == ranked
    for one, row in zip(told["handles"], own, strict=True):
        assert one["smiles"].count("[*]") == 1
        assert bool(one["to_make"]) == bool(one["handle"])
        assert all(Chem.MolFromSmiles(block["smiles"]) for block in one["to_make"])
        if row["kind"] == "H":
            assert (one["removes"], one["contacts_lost"]) == ([], [])
    best = http.get(handles, params={"stem": stem, "anchor": own[0]["anchor_atom"]}).json()
    assert best["handles"] == told["handles"][:1]
    assert http.get(handles).status_code == 400
    assert http.get(handles, params={"stem": stem, "anchor": "ZZ"}).status_code == 404
    assert f"{handles}?stem=" in http.get(f"/results/{done_job}").text
    joined = next(one for one in told["handles"] if one["handle"])
    half = {"a": done_job, "a_stem": stem, "a_anchor": joined["anchor"], "b_smiles": PHENOL}
    assert f"<p>{joined['what_to_do']}</p>" in http.get("/degraders", params=half).text


def test_halves_of_a_degrader_are_looked_for_in_jobs(http: httpx2.Client, done_job: str, failed_job: str) -> None:
    asked = {"smiles": "CC(=O)NCCOCCOc1ccccc1", "a_job": done_job, "b_job": failed_job}
    assert http.get("/api/degraders/halves", params=asked).json()["halves"] == [[], []]
    assert http.get("/api/degraders/halves", params={"smiles": "C"}).status_code == 400
    assert http.get("/api/degraders/halves", params={"smiles": "C(", "a": done_job}).status_code == 400


def test_classes_of_linkers_are_those_of_the_list() -> None:
    assert set(LINKER_CLASSES) == {row["class"] for row in rows_of(REFERENCE, "linkers.csv")}


def test_page_names_the_missing_job_and_draws_the_molecules(http: httpx2.Client, done_job: str) -> None:
    assert "Choose two jobs" in http.get("/degraders").text
    assert "Recruiter missing" in http.get("/degraders", params={"a": done_job}).text
    shown = http.get("/degraders", params=HALVES).text
    assert [text for text in ("30 molecules", "format=csv", "carboxylic acid") if text not in shown] == []
    assert shown.count('<svg class="molecule"') == 30 + 2


@pytest.fixture
def here(tmp_path: Path, mixed: Path) -> Iterator[TestClient]:
    """The service in this process, with a finished job."""
    shutil.copytree(mixed, tmp_path / "jobs" / mixed.name)
    with local(tmp_path) as client:
        yield client


HEAVY = "[*]N" + "C(C)(C)" * 141
"""About 1,000 characters, 424 atoms."""


@pytest.mark.parametrize(
    ("path", "asked", "parameter", "maximum"),
    [
        ("/api/degraders", {"a_smiles": HEAVY, "b_smiles": HEAVY}, "a_smiles", 150),
        ("/api/degraders", {"a_smiles": ACID, "b_smiles": HEAVY}, "b_smiles", 150),
        ("/api/degraders", {"a_smiles": "[*]N" + "C1CC1" * 31, "b_smiles": ACID}, "a_smiles", 30),
        ("/degraders", {"a_smiles": HEAVY, "b_smiles": HEAVY}, "a_smiles", 150),
        ("/api/degraders/halves", {"smiles": HEAVY, "a": "{job}"}, "smiles", 300),
        ("/api/jobs/{job}/protac-inputs", {"stem": "x", "anchor": "y", "degrader": HEAVY}, "degrader", 300),
    ],
)
def test_too_large_requests_are_refused_before_they_start(
    here: TestClient, done_job: str, monkeypatch: pytest.MonkeyPatch, path: str, asked: dict[str, str],
    parameter: str, maximum: int,
) -> None:  # fmt: skip
    monkeypatch.setattr(here.app.state.shared.scripts, "places", {})  # type: ignore[attr-defined] # no process can start
    params = {name: value.format(job=done_job) for name, value in asked.items()}
    answer = here.get(path.format(job=done_job), params=params)
    assert answer.status_code == 400
    if path.startswith("/api"):
        error = answer.json()["error"]
        told = (error["code"], error["details"]["parameter"], error["details"]["maximum"])
        assert told == ("INVALID_PARAMETER", parameter, maximum)


_PARTS = ["C", "c1ccccc1", "Cl", "[13C@H](O)", "Br", "N", "C%11CC%11", "[nH+]", "*", "O=S(=O)(C)C"]


@given(st.lists(st.sampled_from(_PARTS), min_size=1, max_size=30))
def test_size_of_a_smiles_is_that_of_its_molecule(parts: list[str]) -> None:
    smiles = "".join(parts)
    mol = Chem.MolFromSmiles(smiles, sanitize=False)
    if mol is not None:
        rings = mol.GetNumBonds() - mol.GetNumAtoms() + len(Chem.GetMolFrags(mol))
        assert smiles_size(smiles) == (mol.GetNumAtoms(), rings)


def test_largest_halves_are_joined_within_the_time_of_a_request(http: httpx2.Client) -> None:
    half = "[*]N" + "[C@@H](C)C(=O)N" * 29
    begun = time.monotonic()
    answer = http.get("/api/degraders", params={"a_smiles": half, "b_smiles": half})
    assert (answer.status_code, answer.json()["count"]) == (200, 333)
    assert time.monotonic() - begun < patience(60)


def test_work_that_takes_too_long_is_503_and_gives_its_place_back(
    here: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("service.runs.on_demand._SECONDS", 0.01)
        for _ in range(10):
            answer = here.get("/api/degraders", params=HALVES)
            assert (answer.status_code, answer.json()["error"]["code"]) == (503, "QUEUE_FULL")
            assert answer.headers["retry-after"] == "60"
    assert here.get("/api/degraders", params=HALVES).status_code == 200


def test_one_kind_of_work_takes_no_place_of_another(
    here: TestClient, done_job: str, mixed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixty requests for degraders, none of which ends; pages, tool inputs and handles are answered."""
    places = here.app.state.shared.scripts.places["degraders"]  # type: ignore[attr-defined]
    monkeypatch.setattr(places, "seconds", 3600.0)
    row = next(row for row in rows_of(mixed, layout.EXIT_VECTORS) if row["rank"])
    assert here.portal is not None

    async def taken() -> None:
        with suppress(QueueFull):
            async with places.taken():
                await anyio.sleep_forever()

    waiting = [here.portal.start_task_soon(taken) for _ in range(60)]
    try:
        wait_until(lambda: sum(not one.done() for one in waiting) == MOST_REQUESTS, 30, "the others to be refused")
        refused = here.get("/api/degraders", params=HALVES)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
        asked = {"stem": row["stem"], "anchor": row["anchor_atom"]}
        assert here.get(f"/api/jobs/{done_job}/handles", params=asked).status_code == 200
        assert here.get(f"/api/jobs/{done_job}/protac-inputs", params={**asked, "tool": "json"}).status_code == 200
        assert here.get("/api/degraders/halves", params={"a": done_job, "smiles": "CCO"}).status_code == 200
        assert here.get("/browse").status_code == 200
    finally:
        for one in waiting:
            one.cancel()
