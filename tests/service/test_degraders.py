"""Degraders made of two halves, asked of the service as JSON, CSV, SDF and as a page."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import httpx2
import pytest
from rdkit import Chem

from scripts.lib import layout, tables
from tests.tools.runs import rows_of

ACID, PHENOL = "CC(=O)[*]", "c1ccccc1O[*]"
HALVES = {"a_smiles": ACID, "b_smiles": PHENOL, "linkers": "PEG"}


def test_two_halves_and_the_linkers_of_a_class_are_joined(http: httpx2.Client) -> None:
    answer = http.get("/api/degraders", params=HALVES)
    assert answer.status_code == 200
    told = answer.json()
    assert told["ok"] is True
    assert (told["a"]["handle"], told["b"]["handle"]) == ("acid", "hydroxyl")
    assert told["a"]["to_make"] == [{"smiles": "CC(=O)O", "name": "carboxylic acid"}]
    assert told["count"] == len(told["degraders"]) == 6
    assert Chem.MolToSmiles(Chem.MolFromSmiles("CC(=O)NCCOCCOc1ccccc1")) in {one["smiles"] for one in told["degraders"]}
    assert {one["linker_class"] for one in told["degraders"]} == {"PEG"}


def test_the_same_molecules_come_as_csv_and_as_sdf(http: httpx2.Client) -> None:
    wanted = {one["smiles"] for one in http.get("/api/degraders", params=HALVES).json()["degraders"]}
    text = http.get("/api/degraders", params={**HALVES, "format": "csv"})
    rows = list(csv.DictReader(io.StringIO(text.text)))
    assert {row["smiles"] for row in rows} == wanted
    assert list(rows[0]) == list(tables.DEGRADERS.names)
    sdf = Chem.SDMolSupplier()
    sdf.SetData(http.get("/api/degraders", params={**HALVES, "format": "sdf"}).text)
    assert {mol.GetProp("smiles") for mol in sdf} == wanted


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


def test_each_exit_of_a_ligand_says_what_to_buy_or_make(http: httpx2.Client, mixed: Path, done_job: str) -> None:
    exits = [row for row in rows_of(mixed, layout.EXIT_VECTORS) if row["rank"]]
    stem = exits[0]["stem"]
    own = [row for row in exits if row["stem"] == stem]
    told = http.get(f"/api/jobs/{done_job}/handles", params={"stem": stem}).json()
    assert told["count"] == len(own)
    assert [(one["rank"], one["anchor"]) for one in told["handles"]] == [
        (int(row["rank"]), row["anchor_atom"]) for row in own
    ]
    for one, row in zip(told["handles"], own, strict=True):
        assert one["smiles"].count("[*]") == 1
        assert bool(one["to_make"]) == bool(one["handle"])
        for block in one["to_make"]:
            assert Chem.MolFromSmiles(block["smiles"]) is not None
        if row["kind"] == "H":
            assert (one["removes"], one["contacts_lost"]) == ([], [])
    best = http.get(f"/api/jobs/{done_job}/handles", params={"stem": stem, "anchor": own[0]["anchor_atom"]}).json()
    assert best["handles"] == told["handles"][:1]
    assert http.get(f"/api/jobs/{done_job}/handles").status_code == 400
    assert http.get(f"/api/jobs/{done_job}/handles", params={"stem": stem, "anchor": "ZZ"}).status_code == 404
    assert f"/api/jobs/{done_job}/handles?stem=" in http.get(f"/results/{done_job}").text


def test_halves_of_a_degrader_are_looked_for_in_a_job(http: httpx2.Client, done_job: str) -> None:
    asked = {"smiles": "CC(=O)NCCOCCOc1ccccc1", "a": done_job}
    assert http.get("/api/degraders/halves", params=asked).json()["halves"] == [[]]
    assert http.get("/api/degraders/halves", params={"smiles": "C"}).status_code == 400
    assert http.get("/api/degraders/halves", params={"smiles": "C(", "a": done_job}).status_code == 400


def test_page_shows_the_exits_of_a_job_and_the_molecules(http: httpx2.Client, done_job: str) -> None:
    form = http.get("/degraders", params={"a": done_job})
    assert form.status_code == 200
    assert 'select data-exit="a"' in form.text
    shown = http.get("/degraders", params=HALVES).text
    assert "6 molecules" in shown
    assert "format=csv" in shown
    assert "carboxylic acid" in shown
