"""Reading changes nothing; responses have the content of the tables."""

import csv
import hashlib
import io
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from service.app import endpoints
from service.results.exposure import recoloured
from service.results.tables import matching
from tests.service.core import LiveService, local
from tests.service.test_contract import assert_error
from tests.tools.runs import ROOT
from tests.tools.service_readme import QUERIES, VALUES
from tethermap.base import layout, tables
from tethermap.base.contexts import HEADLINE_FIRST
from tethermap.drawing.reader import read_depiction


def bytes_of(folder: Path) -> dict[str, str]:
    """Return the hash of every file with its time of change."""
    return {
        str(path): f"{hashlib.sha256(path.read_bytes()).hexdigest()} {path.stat().st_mtime_ns}"
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_storm_of_reads_changes_no_byte(http: httpx2.Client, live: LiveService, done_job: str, failed_job: str) -> None:
    nobody, no_exit = "?a=00000000&b=00000000", "?stem=1hpv_A_478_200&anchor=XX"  # of costly answers
    asked = {**QUERIES, **{f"/api/jobs/{{job_id}}/{name}": no_exit for name in ("handles", "protac-inputs")}}
    asked |= {"/api/degraders": nobody, "/api/degraders/halves": f"{nobody}&smiles=CCO", "/degraders/sheet.svg": nobody}
    values = {**VALUES, "batch_id": "batch_00000000", "upload_id": "upload_00000000", "version": "0"}
    urls = []
    for endpoint in endpoints():
        for job in (done_job, failed_job, "exam4cup", "exambrd4") if endpoint.method == "GET" else ():
            path = endpoint.path
            for name, value in {**values, "job_id": job}.items():
                path = path.replace(f"{{{name}}}", value)
            urls.append(path + asked.get(endpoint.path, ""))
    before = bytes_of(live.jobs)
    assert before
    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda url: http.get(url).status_code, urls * 3))
        statuses += list(pool.map(lambda url: http.head(url).status_code, urls))
    assert {url for url, status in zip(urls, statuses, strict=False) if status not in (200, 302, 404)} == set()
    assert set(statuses) <= {200, 302, 404}
    assert bytes_of(live.jobs) == before


def test_rows_are_those_of_the_table(http: httpx2.Client, live: LiveService, done_job: str) -> None:
    whole = http.get(f"/api/jobs/{done_job}/rows").json()["rows"]
    assert whole == list(tables.read_table(live.jobs / done_job / layout.RESULTS_DISPLAY, tables.RESULTS_TABLE.usual))
    text = http.get(f"/api/jobs/{done_job}/rows?format=csv").content
    assert text == (live.jobs / done_job / layout.RESULTS_DISPLAY).read_bytes()


FILTERS = [
    ({"pdb_id": "1HPV"}, lambda row: row["pdb_id"] == "1hpv"),
    ({"Residue_ID": "200.0"}, lambda row: row["Residue_ID"] == "200"),
    ({"pdb_id": "PDB_00001HPV"}, lambda row: row["pdb_id"] == "1hpv"),
    ({"Warhead": "478"}, lambda row: row["Warhead"] == "478"),
    ({"resolution__lte": "1.9"}, lambda row: row["resolution"] <= 1.9),
    ({"resolution__gte": "1.9", "method__contains": "x-ray"}, lambda row: row["resolution"] >= 1.9),
    ({"%Exposed__gte": "0.4"}, lambda row: row["%Exposed"] >= 0.4),
    ({"covalent": "true"}, lambda row: row["covalent"] is True),
    ({"release_date__gte": "1995-01-01"}, lambda row: row["release_date"] >= "1995-01-01"),
    ({"pdb_id": "9xyz"}, lambda _: False),
]


@pytest.mark.parametrize(("parameters", "kept"), FILTERS)
def test_rows_are_filtered(http: httpx2.Client, done_job: str, parameters: dict[str, str], kept: Any) -> None:
    url = f"/api/jobs/{done_job}/rows"
    whole = http.get(url).json()["rows"]
    found = http.get(url, params={**parameters, "sort": "-resolution"}).json()
    assert found["rows"] == sorted(filter(kept, whole), key=lambda row: -row["resolution"])
    assert found["total"] == len(found["rows"])
    lines = list(csv.DictReader(io.StringIO(http.get(url, params={**parameters, "format": "csv"}).text)))
    assert len(lines) == found["total"]


@pytest.mark.parametrize("table", ["results", "atoms", "metadata", "entries", "ligands", "exits", "contacts"])
def test_every_table_has_rows_as_json_and_csv(http: httpx2.Client, done_job: str, table: str) -> None:
    answer = http.get(f"/api/jobs/{done_job}/rows?table={table}&limit=2&offset=1")
    assert answer.status_code == 200
    body = answer.json()
    assert (body["table"], body["limit"], body["offset"]) == (table, 2, 1)
    assert http.get(f"/api/jobs/{done_job}/rows?table={table}&format=csv").status_code == 200


def test_columns_of_rows_are_chosen_as_json_and_csv(http: httpx2.Client, done_job: str) -> None:
    query = {"columns": "Warhead,pdb_id", "sort": "-resolution", "resolution__gte": "1.7"}
    body = http.get(f"/api/jobs/{done_job}/rows", params=query).json()
    assert body["columns"] == list(body["rows"][0]) == ["Warhead", "pdb_id"]
    table = http.get(f"/api/jobs/{done_job}/rows", params={**query, "format": "csv"}).text
    assert list(csv.DictReader(io.StringIO(table))) == body["rows"]
    assert_error(http.get(f"/api/jobs/{done_job}/rows?columns=pdb_id,x"), 400, "INVALID_PARAMETER")


@pytest.mark.parametrize("context", HEADLINE_FIRST)
def test_exposure_by_atom_adds_up_to_the_summary(
    http: httpx2.Client, live: LiveService, done_job: str, context: str
) -> None:
    summary = {
        row["pdb_id"]: row for row in tables.read_table(live.jobs / done_job / layout.SASA_SUMMARY, tables.SASA_SUMMARY)
    }["1hpv"]
    query = f"pdb_id=1HPV&chain=a&residue_id=200.0&context={context}"
    body = http.get(f"/api/jobs/{done_job}/sasa/atoms?{query}").json()
    assert (body["key"], body["ligand"], body["method"]["context"]) == ("1hpv|A|200", "478", context)
    areas = [atom["exposure"] for atom in body["atoms"]]
    assert len(areas) == summary["Total_atoms"]
    assert sum(areas) == pytest.approx(summary[f"SASA_{context}_A2"], abs=0.05)
    assert body["totals"]["sasa_bound"] == summary[f"SASA_{context}_A2"]
    assert body["stats"]["p95"] == sorted(areas)[-2]  # nearest rank of 35: the 34th
    fewer = http.get(f"/api/jobs/{done_job}/sasa/atoms?{query}&include_buried=false").json()
    assert [atom["exposure"] for atom in fewer["atoms"]] == [area for area in areas if area > 0.1]
    shown = http.get(f"/api/sasa_overlay/{done_job}/1hpv/A/478?context={context}").json()
    assert [atom["exposure"] for atom in shown] == areas
    assert {atom["bucket"] for atom in shown} <= {"low", "medium", "high"}
    assert all(0 <= share <= 1 for atom in shown for share in atom["color"])
    assert max(max(atom["color"]) for atom in shown) > 0.5
    mapped = http.get(f"/api/sasa_atommap/{done_job}/1hpv/A/478?resid=200&context={context}").json()
    assert mapped == [{"atomIndex": k, "exposure": area} for k, area in enumerate(areas)]
    svg = http.get(f"/api/svg/{done_job}/1hpv/A/478?context={context}").text
    assert [float(text) for text in re.findall(r'data-sasa="([0-9.]+)"', svg)] == areas


@pytest.mark.parametrize("context", ["chain", "target"])
def test_picture_of_contacts_shows_their_residues(
    http: httpx2.Client, live: LiveService, done_job: str, context: str
) -> None:
    wanted = ("chain", "target")[: ("chain", "target").index(context) + 1]
    contacts = tables.read_table(live.jobs / done_job / layout.CONTACTS, tables.CONTACTS)
    own = [row for row in contacts if row["stem"] == "1hpv_A_478_200" and row["context"] in wanted]
    answer = http.get(f"/api/svg-interactions/{done_job}/1hpv/A/478?context={context}")
    assert "1hpv_A_478_200_interactions.svg" in answer.headers["content-disposition"]
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.text.count('<g class="residue">') == len(
        {(row["partner_chain"], row["partner_residue"]) for row in own}
    )
    kinds = set(re.findall('class="contact ([a-z_]+)"', answer.text))
    assert kinds == {row["type"] for row in own}


def test_recolouring_with_the_headline_changes_nothing_that_can_be_seen(live: LiveService, done_job: str) -> None:
    job = live.jobs / done_job
    svg = (job / layout.ligand_svg("1gbt_A_GBS_704", "exposed")).read_text(encoding="utf-8")
    atoms = [row for row in tables.read_table(job / layout.SASA_ATOMS, tables.SASA_ATOMS) if row["pdb_id"] == "1gbt"]
    written = recoloured(read_depiction(svg), atoms, "target")
    assert re.findall(r"<title>.*|<desc>.*|<text .*", written) == re.findall(r"<title>.*|<desc>.*|<text .*", svg)
    again, drawn = (read_depiction(text).body(without=()) for text in (written, svg))
    number = re.compile(r"\d+(?:\.\d+)?")
    assert number.sub("#", again) == number.sub("#", drawn)
    pairs = zip(number.findall(again), number.findall(drawn), strict=True)
    assert all(abs(float(one) - float(other)) <= 0.11 for one, other in pairs)


def test_polymer_of_a_chain_is_all_its_atoms_and_nothing_else(http: httpx2.Client, done_job: str) -> None:
    whole = http.get(f"/api/pdb/{done_job}/1hpv_A_478.pdb").text.splitlines()
    for chain in "AB":
        answer = http.get(f"/api/protein/{done_job}/1HPV/{chain.lower()}?ligand=478")
        assert f'inline; filename="1hpv_{chain}_protein.pdb"' in answer.headers["content-disposition"]
        atoms = [line for line in answer.text.splitlines() if line.startswith(("ATOM", "HETATM"))]
        assert atoms == [line for line in whole if line.startswith("ATOM") and line[21] == chain]


LOOKUPS = [
    ("/api/svg/{job}/1hpv/A/478", "/api/svg/{job}/1HPV/a/478?resid=200"),
    ("/api/svg/{job}/1hpv/A/478", "/api/svg/{job}/1hpv/478"),
    ("/api/svg/{job}/1hpv/A/478", "/api/svg/{job}/pdb_00001hpv/A/478"),
    ("/api/sdf/{job}/1gbt/A/GBS", "/api/sdf/{job}/1gbt/gbs?resid=704.0"),
    ("/api/pdb/{job}/4cup_A_ZYB.pdb", "/api/pdb/{job}/4CUP_a_zyb_2971.pdb"),
    ("/api/pdb/{job}/4cup_A_ZYB.pdb", "/api/pdb/{job}/4cup_A_ZYB.pdb?resid=2971"),
    ("/api/jobs/{job}/files/TARGET_RESULTS/WAR_PDB/4cup_A_ZYB_2971.pdb", "/api/pdb/{job}/4cup_A_ZYB.pdb"),
]


@pytest.mark.parametrize(("one", "other"), LOOKUPS)
def test_same_ligand_is_found_by_all_its_names(http: httpx2.Client, done_job: str, one: str, other: str) -> None:
    first, second = (http.get(url.format(job=done_job)) for url in (one, other))
    assert first.status_code == second.status_code == 200
    assert first.content == second.content


def test_unknown_ligands_answer_as_earlier_clients_expect(http: httpx2.Client, done_job: str) -> None:
    props = http.get(f"/api/ligand_props/{done_job}/XXX")
    assert (props.status_code, props.json()["ok"]) == (200, False)
    for query, known in (("pdb_id=4cup", False), ("resid=999", False), ("chain=Z", False), ("chain=A&resid=200", True)):
        assert http.get(f"/api/ligand_props/{done_job}/478?{query}").json()["ok"] is known
    row = http.get(f"/api/ligand_props/{done_job}/478?pdb_id=1hpv").json()
    assert (row["Ligand"], row["HBA"], row["Lipinski_Pass"]) == ("478", 7, True)
    by_smiles = http.get(f"/api/ligand_props/{done_job}/unknown", params={"smiles": row["SMILES"]}).json()
    assert by_smiles["Ligand"] == "478"
    assert http.get(f"/api/ligand_chain/{done_job}/1hpv/478").json() == {"chain": "A"}
    assert http.get(f"/api/ligand_chain/{done_job}/4cup/478").json() == {"chain": None}
    assert http.get(f"/api/sasa_overlay/{done_job}/1hpv/A/478?resid=7").json() == []
    assert http.get(f"/api/sasa_atommap/{done_job}/1hpv/Z/478").json() == []
    assert http.get(f"/api/jobs/{done_job}/sasa/available?pdb_id=9xyz").json() == {
        "ok": True, "pdb_id": "9xyz", "available": [],
    }  # fmt: skip


def test_jobs_are_found_by_their_content_and_exported(http: httpx2.Client, done_job: str) -> None:
    def found(**filters: str) -> list[str]:
        return [job["job_id"] for job in http.get("/api/indexed-jobs", params=filters).json()["jobs"]]

    assert done_job in found(protein="MIX", ligand="478", pdb_id="4CUP", availability="true", status="completed")
    assert done_job in found(pdb_id="pdb_00004CUP")
    assert done_job not in found(ligand="ATP")
    assert found(availability="available") == found(availability="true")
    assert set(found(available="unavailable")).isdisjoint(found(available="1"))
    assert "exam1hpv" in found(target="hiv-1")
    assert found(created_after="2099-01-01") == []
    body = http.get("/api/indexed-jobs?limit=1&sort=job_id").json()
    assert (body["returned"], body["count"]) == (1, body["total"])
    assert body["next"] == "/api/indexed-jobs?sort=job_id&limit=1&offset=1"
    export = http.get("/api/jobs/export?protein=mixed")
    rows = list(csv.DictReader(io.StringIO(export.text, newline="")))
    assert list(rows[0])[:4] == ["job_id", "protein", "search_query", "has_results"]
    assert [row["has_results"] for row in rows if row["job_id"] == done_job] == ["yes"]


def test_exits_are_rows_of_their_table_the_best_by_rank(http: httpx2.Client, live: LiveService, done_job: str) -> None:
    table = list(tables.read_table(live.jobs / done_job / layout.EXIT_VECTORS, tables.EXIT_VECTORS))
    url = f"/api/jobs/{done_job}/exit-vectors"
    assert http.get(url).json()["exits"] == table
    best = http.get(
        url, params={"pdb_id": "1HPV", "chain": "a", "ligand": "478", "residue_id": "200", "top": "3"}
    ).json()
    assert [row["rank"] for row in best["exits"]] == [1, 2, 3]
    assert {row["pdb_id"] for row in best["exits"]} == {"1hpv"}
    assert http.get(url, params={"ligand": "XXX"}).json()["count"] == 0
    page = http.get(url, params={"limit": "2", "offset": "1", "columns": "stem,rank"}).json()
    assert (page["count"], page["total"]) == (2, len(table))
    assert page["exits"] == [{"stem": row["stem"], "rank": row["rank"]} for row in table[1:3]]
    ranked = http.get(url, params={"score__gte": "0.5", "closed": "false", "ligand": "478"}).json()["exits"]
    assert ranked == [row for row in table if row["Warhead"] == "478" and not row["closed"]
                      and float(str(row["score"] or 0)) >= 0.5]  # fmt: skip


def test_answers_are_rows_of_their_table_by_ligand_protein_and_rank(
    http: httpx2.Client, live: LiveService, done_job: str
) -> None:
    own = tables.EXIT_ANSWERS.usual  # a job without measured affinities
    table = list(tables.read_table(live.jobs / done_job / layout.EXIT_ANSWERS, own))
    url = f"/api/jobs/{done_job}/answers"
    assert table
    assert http.get(url).json()["answers"] == table
    page = http.get(url, params={"limit": "2", "offset": "1", "columns": "anchor_atom, Warhead"}).json()
    assert (page["count"], page["total"]) == (2, len(table))
    assert page["answers"] == [{"anchor_atom": row["anchor_atom"], "Warhead": row["Warhead"]} for row in table[1:3]]
    sure = http.get(url, params={"evidence": "A", "action__contains": "attach"}).json()["answers"]
    assert sure == [row for row in table if row["evidence"] == "A" and "attach" in str(row["action"]).lower()]
    for query in ("columns=Warhed", "Warhed=478", "score_median__gte=x"):
        assert_error(http.get(f"{url}?{query}"), 400, "INVALID_PARAMETER")
    protein = next(str(row["protein"]) for row in table if row["Warhead"] == "478")
    (best,) = http.get(url, params={"ligand": "478", "target": protein.lower(), "top": "1"}).json()["answers"]
    assert (best["Warhead"], best["answer_rank"], best["n_copies"]) == ("478", 1, 1)
    other = http.get(url, params={"target": "another protein"})
    assert protein in assert_error(other, 400, "INVALID_PARAMETER")["known"]
    for name in ("answers", "observed", "consensus"):
        assert http.get(f"/api/jobs/{done_job}/rows", params={"table": name}).status_code == 200


def test_answers_are_found_by_gene_and_accession(tmp_path: Path) -> None:
    example = tmp_path / "examples" / "exam4cup"
    shutil.copytree(ROOT / "data/examples/exam4cup", example)
    entries = example / layout.SEARCH_ENTRIES
    rows = [{**row, "genes": "BAZ2B; WALP4", "uniprot": "Q9UIF8"} for row in tables.read_table(entries, tables.ENTRIES)]
    tables.write_table(entries, tables.ENTRIES, rows)
    path = example / layout.EXIT_ANSWERS
    own = tables.EXIT_ANSWERS.usual
    answers = [{**row, "site_uniprot": "Q9UIF8:1948"} for row in tables.read_table(path, own)]
    tables.write_table(path, own, answers)
    with local(tmp_path, examples_dirs=(tmp_path / "examples",)) as client:
        url = "/api/jobs/exam4cup/answers"
        for name in ("walp4", "q9uif8", "BAZ2B"):
            assert client.get(url, params={"target": name}).json()["total"] == len(answers) > 0
        assert "Q9UIF8" in assert_error(client.get(f"{url}?target=WALP"), 400, "INVALID_PARAMETER")["known"]


def test_batch_runs_in_order_and_reports_its_results(http: httpx2.Client, live: LiveService) -> None:
    jobs = [
        {"target_name": "BAZ2B", "search_query": "4CUP"},
        {"target_name": "zebra", "search_query": "zebra crossing"},
    ]
    status, batch = live.call("POST", "/api/batches", {"jobs": jobs})
    assert (status, batch["count"]) == (202, 2)
    first, second = (live.ended(job["job_id"]) for job in batch["jobs"])
    assert first["finished_at"] <= second["started_at"]
    assert second["has_results"] is False
    assert second["status"] == "completed"
    body = http.get(batch["batch_status_url"]).json()
    assert (body["status"], body["counts"]) == ("completed", {"completed": 2})
    results = http.get(batch["batch_results_url"]).json()["jobs"]
    assert [job["results"]["has_results"] for job in results] == [True, False]
    assert http.post(f"/api/batches/{batch['batch_id']}/cancel").status_code == 409


def test_chain_ids_keep_their_case_if_both_cases_exist() -> None:
    rows = [
        {"pdb_id": "1abc", "Chain": chain, "Warhead": code, "Residue_ID": residue}
        for chain, code, residue in (("A", "LIG", "200"), ("a", "XYZ", "60A"), ("a", "XYZ", "-5"), ("a", "XYZ", "9"))
    ]
    assert [row["Residue_ID"] for row in matching(rows, "1ABC", "a")] == ["-5", "9", "60A"]
    assert matching(rows, "1abc", "a", "LIG") == []
    assert [row["Warhead"] for row in matching(rows, "pdb_00001abc", "A", "lig", "200.0")] == ["LIG"]
    assert matching(rows, "1abc", "B") == []
