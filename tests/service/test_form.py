"""The form of a job: the meaning of its fields, and that every option has one."""

import html
import json
import re
import shlex
from typing import Any

import httpx2
import pytest
import yaml

from service.errors import ServiceError
from service.jobs.submission import public_settings
from service.pages.form import TEXT_FIELDS, body_of_form, meaning_of, option_groups, values_of_request
from tests.service.answers import DEFAULTS

JOB = {"target_name": "HIV-1 protease", "search_query": "1HPV"}
VALUES = {name: [value] for name, value in JOB.items()}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def test_every_option_that_a_client_may_set_has_one_field() -> None:
    names = [field.name for _, fields in option_groups() for field in fields]
    assert sorted(names) == sorted(public_settings())
    assert not set(names) & set(TEXT_FIELDS)


def test_values_become_what_the_api_takes() -> None:
    given = {"max_entries": ["10"], "max_resolution": ["2.5"], "only_ligands": ["478, abc;XYZ"]}
    given |= {"kinds": ["ion", "ligand"], "strict_target": ["true"], "released_after": ["2020-01-31"]}
    expected = {"max_entries": 10, "max_resolution": 2.5, "only_ligands": ["478", "abc", "XYZ"]}
    expected |= {"kinds": ["ligand", "ion"], "strict_target": True, "released_after": "2020-01-31"}
    assert body_of_form(VALUES | given)["options"] == expected


def test_defaults_and_empty_fields_are_left_out() -> None:
    given = {"max_entries": ["1000"], "kinds": ["ligand"], "context": ["target"], "organism": [" "]}
    assert body_of_form(VALUES | given) == JOB


@pytest.mark.parametrize(
    ("name", "value", "field"),
    [
        ("max_entries", "many", "options.max_entries"),
        ("max_entries", "2.5", "options.max_entries"),
        ("max_resolution", "nan", "options.max_resolution"),
        ("max_resolution", "1_0", "options.max_resolution"),
        ("max_resolution", "1e400", "options.max_resolution"),
        ("kinds", "<b>", "options.kinds"),
        ("context", "moon", "options.context"),
        ("pdb_id", "1h", "pdb_id"),
        ("fasta_seq", "MKV?LT", "fasta_seq"),
    ],
)
def test_invalid_field_is_refused_by_name(name: str, value: str, field: str) -> None:
    with pytest.raises(ServiceError) as caught:
        meaning_of(VALUES | {name: [value]}, DEFAULTS)
    assert caught.value.details["field"] == field


def test_form_of_an_accepted_request_means_the_same_request() -> None:
    given = {"max_entries": ["10"], "kinds": ["ion", "glycan"], "strict_target": ["true"], "pdb_id": ["1hpv"]}
    request = meaning_of(VALUES | given | {"ligand": ["478"]}, DEFAULTS).submission.request()
    assert meaning_of(values_of_request(request), DEFAULTS).submission.request() == request


def test_form_of_a_request_with_empty_options_leaves_them_empty() -> None:
    request = {"target_name": "x", "search_query": "y", "options": {"organism": None, "max_resolution": None}}
    assert values_of_request(request) == {"target_name": ["x"], "search_query": ["y"]}


def test_command_and_file_are_equivalent_to_the_form() -> None:
    meaning = meaning_of({"target_name": ["it's"], "search_query": ["1HPV"], "max_entries": ["5"]}, DEFAULTS)
    assert json.loads(shlex.split(meaning.curl)[-1]) == meaning.body
    assert yaml.safe_load(meaning.job_yaml) == meaning.submission.settings()


def test_names_are_suggested_without_a_search(http: httpx2.Client) -> None:
    http.post("/api/jobs?dry_run=true", json={"target_name": "BAZ2B", "search_query": "4CUP"}).raise_for_status()
    (name,) = http.get("/api/suggestions", params={"text": "fluorobenz"}).json()["suggestions"]
    drug = "4-FLUOROBENZAMIDOXIME"
    assert name == {"text": drug, "says": drug, "kind": "ligand", "key": "ZYB", "entries": 1}
    assert http.get("/api/suggestions").json() == {"ok": True, "suggestions": []}


def test_form_is_explained_without_submitting(http: httpx2.Client) -> None:
    before = http.get("/api/indexed-jobs").json()["count"]

    def checked(**values: str) -> tuple[Any, str]:
        answer = http.post("/", data={**values, "task": "check"})
        assert answer.status_code == 200
        body = html.unescape(re.findall(r"-d (&#39;.*&#39;)</pre>", answer.text)[0])
        return json.loads(shlex.split(body)[0]), re.findall(r'data-find="(.*?)"', answer.text)[0]

    assert checked(**JOB) == (JOB, "")
    assert checked(target_name="x") == ({"target_name": "x", "search_query": "x"}, "x")
    entries = {"target_name": "1HPV and 1 more", "search_query": "1HPV 4cup"}
    assert checked(target_name="1HPV, 4cup") == (entries, "")
    assert checked(target_name="CC(=O)Nc1ccccc1")[1] == "CC(=O)Nc1ccccc1"
    bad = http.post("/", data={"search_query": "x", "task": "check"})
    faults = re.findall(r'id="(\w+)-error" role="alert">[^<]', bad.text)
    assert (bad.status_code, faults, "form-error" in bad.text) == (200, ["target_name"], True)
    assert http.get("/api/indexed-jobs").json()["count"] == before


def test_protein_of_the_preview_becomes_the_target_by_one_button(http: httpx2.Client) -> None:
    shown = http.post("/", data={"target_name": "1HPV 4cup", "task": "preview"}).text
    words = ("2 entries, about", "Which protein is the target?", "Q9UIF8")
    assert [text for text in words if text not in shown] == []
    assert shown.count('name="sequence" value="') == 2
    one = http.post("/", data={**JOB, "task": "preview"}).text
    assert ("1 entry, about" in one, "Which protein" in one) == (True, False)
    filled = http.post("/", data={**JOB, "sequence": "PQITLWQRPLVTIKIGGQLKEALLDTGADDTVLEEM"})
    assert filled.status_code == 200
    assert "PQITLWQRPLVTIKIGGQLKEALLDTGADDTVLEEM</textarea>" in filled.text


def test_smiles_in_the_one_box_leads_to_the_closest_ligands(http: httpx2.Client) -> None:
    amprenavir = next(row["SMILES"] for row in http.get("/api/jobs/exam1hpv/rows?table=results").json()["rows"])
    before = http.get("/api/indexed-jobs").json()["count"]
    shown = http.post("/", data={"target_name": amprenavir}, follow_redirects=True)
    assert "478</a> Amprenavir" in shown.text
    assert "the same, 1.00" in shown.text
    found = http.get("/api/search", params={"text": "CC(C)CN(CC)S(=O)(=O)c1ccc(N)cc1"}).json()["ligands"]
    assert {(one["ligand"], one["relation"]) for one in found} == {("478", "contains")}
    assert http.get("/api/search", params={"text": "C1CC(=O"}).status_code == 400
    assert "No ligand of a finished job matches" in http.get("/browse", params={"find": "C1CC(=O"}).text
    assert http.get("/api/indexed-jobs").json()["count"] == before


def test_ligands_are_found_by_a_part_of_their_name(http: httpx2.Client) -> None:
    for text in ("amprenavir", "AMPRE"):
        found = http.get("/api/search", params={"text": text}).json()
        assert {one["ligand"] for one in found["ligands"]} == {"478"}
        assert found["ligands"][0]["relation"] is None


def test_form_that_is_sent_twice_is_one_job(http: httpx2.Client) -> None:
    form = {"target_name": "zebra", "search_query": "zebra crossing", "key": "0" * 32}
    first, second = (http.post("/", data=form, follow_redirects=False) for _ in range(2))
    assert first.status_code == 303
    assert first.headers["location"] == second.headers["location"]
    assert http.get(f"/api/jobs/{first.headers['location'][-8:]}").json()["source"] == "web"
    other = http.post("/", data={**form, "target_name": "gnu"}, follow_redirects=False)
    assert other.headers["location"] != first.headers["location"]


def test_refused_form_is_shown_again_with_its_values(http: httpx2.Client) -> None:
    answer = http.post("/", data={**JOB, "max_entries": "<script>", "organism": "Homo & co"})
    assert answer.status_code == 422
    shown = ("Homo &amp; co", "&lt;script&gt;", 'id="max_entries-error" role="alert">')
    assert [text for text in shown if text not in answer.text] == []


def test_too_many_fields_are_refused(http: httpx2.Client) -> None:
    assert http.post("/", content="&".join(["a=1"] * 300), headers=FORM).status_code == 422
    assert http.post("/", content="x" * 2_000_000, headers=FORM).status_code == 413


def test_form_is_filled_in_from_a_job_or_an_example(http: httpx2.Client, failed_job: str) -> None:
    assert 'value="BAZ2B"' in http.get(f"/?from={failed_job}").text
    assert 'value="BRD4 bromodomain"' in http.get("/?from=exambrd4").text
    assert http.get("/?from=../../x").status_code == 200


def test_page_names_a_wrong_field_by_its_label(http: httpx2.Client) -> None:
    label = next(one.label for _, fields in option_groups() for one in fields if one.name == "max_entries")
    shown = http.post("/", data={"target_name": "x", "search_query": "1HPV", "max_entries": "many"}).text
    notice = shown.partition('id="form-error">')[2].partition("</div>")[0]
    assert f"{label} is not a whole number" in notice
