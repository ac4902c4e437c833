"""The results page from the server: readable without scripts, the same view as CSV, no job code runs."""

import csv
import html
import io
import itertools
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.datastructures import QueryParams

from service.pages.exits import exit_sites
from service.pages.instance import bridge, pocket_strip
from service.pages.instances import TableView
from service.pages.texts import TEXTS
from service.routes.results_page import _has_no_target
from tests.service.core import LiveService
from tests.tools.runs import ROOT
from tests.tools.wide_job import wide_job
from tethermap.base import tables
from tethermap.exits.prior import PRIOR
from tethermap.exits.words import CHEMISTRY

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}'


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """A service with a job of 40 ligands, an example with hostile names and one without tables."""
    folder = tmp_path_factory.mktemp("wide")
    wide_job(folder / "jobs" / "a0000040", 40)
    hostile = folder / "jobs" / "a0000bad"
    wide_job(hostile, 3)
    for path in [*hostile.rglob("*.csv"), *hostile.rglob("*_exposed.svg")]:
        text = path.read_text(encoding="utf-8")
        quoted = HOSTILE.replace('"', '""')
        text = text.replace("covalent;partial_occupancy", f'"{quoted}"').replace("SER A 195 OG", f'"{quoted}"')
        text = text.replace("4-carbamimidamidobenzoic acid", f'"{quoted}"').replace(",hydrophobic,", ",cation_pi,")
        path.write_text(text.replace("<desc>", "<desc/><script>alert(3)</script><desc>"), encoding="utf-8")
    directions_found = hostile / tables.EXIT_CONSENSUS.path  # as if three structures had each direction
    directions_found.write_text(re.sub(r"(G1-\d+),1,", r"\1,3,", directions_found.read_text()))
    record = json.loads((hostile / "job_record.json").read_text(encoding="utf-8"))
    record |= {"target_name": HOSTILE, "search_query": HOSTILE, "notes": [HOSTILE]}
    (hostile / "job_record.json").write_text(json.dumps(record), encoding="utf-8")
    with LiveService(folder, quick=True) as service:
        yield service.http


def stems_shown(page: str) -> list[str]:
    """Return the rows of a page's table that are not hidden, in order."""
    rows = re.findall(r"<tr data-n=[^>]*>.*?</tr>", page, re.DOTALL)
    return [html.unescape(re.search(r'value="([^"]*)"', row)[1]) for row in rows if " hidden" not in row.split(">")[0]]  # type: ignore[index]


QUERIES = (
    *("", "q=1gbt+covalent", "ligand=478&sort=-exposure", "min=20&max=60&sort=entry", "flag=covalent&sort=residue"),
    *("flag=none", "q=sulfonyl&columns=entry,smiles,free"),
)


@pytest.mark.parametrize("query", QUERIES)
def test_csv_has_the_rows_of_the_page_in_its_order(wide: httpx2.Client, query: str) -> None:
    shown = stems_shown(wide.get(f"/results/a0000040?{query}").text)
    answer = wide.get(f"/results/a0000040/table.csv?{query}&columns=entry,ligand,chain,residue,exposure,flags")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [f"{row['pdb_id']}_{row['Chain']}_{row['Warhead']}_{row['Residue_ID']}" for row in rows] == shown
    assert (len(shown) < 40) == (query != "")


def test_csv_cells_are_those_of_the_tables(wide: httpx2.Client) -> None:
    view = wide.get("/results/a0000040/table.csv?q=1hpv&columns=exposure,flags").text
    rows = wide.get("/api/jobs/a0000040/rows?table=results&pdb_id__contains=1hpv").json()["rows"]
    found = next(iter(csv.DictReader(io.StringIO(view))))
    assert found["SASA_in_complex_A2"] == f"{rows[0]['SASA_in_complex_A2']:.3f}"
    assert found["flags"] == rows[0]["flags"]


def test_senseless_filters_leave_all_rows(wide: httpx2.Client) -> None:
    page = wide.get("/results/a0000040?min=x&max=inf&sort=nothing&columns=,zz&context=target&series=S999&row=zz")
    assert page.status_code == 200
    assert len(stems_shown(page.text)) == 40


def test_page_without_scripts_has_atoms_contacts_exits_and_files(wide: httpx2.Client) -> None:
    page = wide.get("/results/exam1hpv").text
    words = ("Where a linker can leave", "make an amide, ester, carbamate or urea", "ASP 25", "YMARZQAQMVYCKC")
    assert [part for part in (*words, "750.2 Å²") if part not in page] == []
    assert page.count("<tr data-atom=") == 35
    assert "/api/jobs/exam1hpv/files/TARGET_RESULTS/MCS_Output/MCS_SDF/1hpv_A_478_200.sdf" in page


def test_every_section_is_on_a_page_that_has_something_for_it(wide: httpx2.Client) -> None:
    heads, folder = [], ROOT / "service/pages/templates"
    for path in (folder / "results.html.j2", *(folder / "results").iterdir()):
        source = path.read_text(encoding="utf-8")
        area = re.search(r"set t = texts\.(\w+)", source)[1]  # type: ignore[index]
        names = re.findall(r"<h[234][^>]*>\{\{ t\.(\w+) \}\}", source)
        heads += [str(getattr(getattr(TEXTS, area), name)) for name in names]
    pages = "".join(wide.get(f"/results/{job}").text for job in ("exam1hpv", "a0000bad"))
    assert len(heads) >= 9
    assert [head for head in heads if f">{head}" not in pages] == []


@pytest.mark.parametrize(
    ("part", "section"), [("series", "series"), ("instance", "instance"), ("series?series=", "series")]
)
def test_part_without_its_name_leads_to_its_section_of_the_page(wide: httpx2.Client, part: str, section: str) -> None:
    answer = wide.get(f"/results/a0000040/{part}")
    assert (answer.status_code, answer.headers["location"]) == (302, f"/results/a0000040#{section}")
    assert f'id="{section}"' in wide.get(answer.headers["location"]).text


def test_degrader_inputs_of_a_ligand_can_be_downloaded(wide: httpx2.Client) -> None:
    paths = re.findall(r'href="([^"]*/PROTAC_Inputs/[^"]*)"', wide.get("/results/exam1hpv").text)
    assert len(paths) >= 7
    assert [path for path in paths if wide.get(path).status_code != 200] == []


def test_contacts_have_the_words_of_their_drawing(wide: httpx2.Client) -> None:
    assert ">hydrogen bond</span>" in wide.get("/results/exam1hpv").text
    page = wide.get("/results/a0000bad").text
    assert ">cation and ring</span>" in page
    assert ">cation_pi<" not in page


def test_context_changes_colours_and_shares(wide: httpx2.Client) -> None:
    one, other = (wide.get(f"/results/exam1hpv?context={name}").text for name in ("target", "chain"))
    discs = [re.findall(r'class="exposure atom-\d+"[^>]*fill="([^"]*)"', page) for page in (one, other)]
    assert len(discs[0]) == len(discs[1]) == 35
    assert discs[0] != discs[1]


def test_names_of_a_job_are_text_everywhere(wide: httpx2.Client) -> None:
    for part in ("", "/table", "/instance?row=1gbt_A_GBS_704"):
        answer = wide.get(f"/results/a0000bad{part}")
        assert answer.status_code == 200, answer.text
        assert [code for code in ("<script>alert", "<img src=x", "alert(3)") if code in answer.text] == []
    assert wide.get("/results/a0000bad?row=1gbt_A_GBS_704").text.count("&lt;script&gt;alert(1)") >= 4


def test_picture_is_small_and_runs_nothing(wide: httpx2.Client) -> None:
    answer = wide.get("/results/a0000bad/picture/1gbt_A_GBS_704")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert "script" not in answer.text
    assert wide.get("/results/exam1hpv/picture/zz").status_code == 404


def test_zip_contains_the_files_of_the_chosen_ligands(wide: httpx2.Client) -> None:
    answer = wide.get("/api/jobs/exam1hpv/bundle?stem=1hpv_A_478_200")
    assert 'filename="exam1hpv_selected.zip"' in answer.headers["content-disposition"]
    assert b"1hpv_A_478_200.sdf" in answer.content
    assert b"report.html" not in answer.content
    assert wide.get("/api/jobs/exam1hpv/bundle?stem=zz").json()["error"]["code"] == "FILE_NOT_FOUND"


def test_every_chemistry_class_has_words() -> None:
    assert CHEMISTRY.keys() == PRIOR.keys()


@pytest.mark.parametrize(
    ("target", "assembly", "others", "found"),
    [
        (698.0, 226.3, ["A"], {"area": 471.7, "percent": 37, "chains": ["A"]}),  # MZ1 between VHL and BRD4, 5T35
        (698.0, 600.0, ["A"], None),
        (698.0, 226.3, [], None),  # a copy of the target's own ligand, not a protein
        (698.0, None, ["A"], None),
    ],
)
def test_ligand_between_two_proteins_is_reported(
    target: float, assembly: float | None, others: list[str], found: dict[str, Any] | None
) -> None:
    row = {"SASA_free_A2": 1262.2, "SASA_target_A2": target, "SASA_assembly_A2": assembly}
    contacts = [{"partner_chain": "D", "context": "chain"}]
    told = bridge(row, contacts + [{"partner_chain": chain, "context": "assembly"} for chain in others])
    assert told == (None if found is None else {**found, "area": pytest.approx(found["area"])})


def test_sites_are_in_the_order_of_their_best_anchor() -> None:
    path = ROOT / "data/examples/exam1hpv" / tables.EXIT_VECTORS.path
    rows = list(tables.read_table(path, tables.EXIT_VECTORS, strict=False))
    sites = exit_sites(rows)
    assert [site["site_rank"] for site in sites] == sorted({rank for row in rows if (rank := row["site_rank"])})
    assert sites[0]["atom"] == "C3"
    assert sites[0]["action"] == "in place of the 6 atoms from O1 on"


def test_address_of_a_view_is_read_back() -> None:
    asked = "q=a+b&ligand=478&min=1.5&flag=covalent&flag=none&sort=-exposure&columns=entry,free"
    view = TableView.of(QueryParams(asked))
    assert TableView.of(QueryParams(view.query())) == view


def test_folder_without_tables_is_shown_as_such(tmp_path: Path) -> None:
    folder = tmp_path / "jobs" / "a0000001"
    wide_job(folder, 1)
    shutil.rmtree(folder / "TARGET_RESULTS")
    with LiveService(tmp_path) as service:
        answer = service.http.get("/results/a0000001")
    assert answer.status_code == 200
    assert "No ligand was kept" in answer.text


def test_residues_of_the_pocket_are_in_the_order_of_the_chain_with_their_strongest_contact() -> None:
    rows = tables.read_table(ROOT / "data/examples/exam1hpv" / tables.CONTACTS.path, tables.CONTACTS, strict=False)
    contacts = [row for row in rows if row["stem"] == "1hpv_A_478_200"]
    strips = pocket_strip(contacts)
    shown = {(chain, one["residue"]) for chain, residues in strips.items() for one in residues}
    assert shown == {(row["partner_chain"], str(row["partner_residue"])) for row in contacts if not row["partner_copy"]}
    for residues in strips.values():
        numbers = [int(one["residue"]) for one in residues]
        assert numbers == sorted(numbers)
        gaps = [False, *(after - before > 1 for before, after in itertools.pairwise(numbers))]
        assert [one["after_gap"] for one in residues] == gaps
    kinds = {(one["name"], one["residue"]): one["type"] for one in strips["A"]}
    assert (kinds["Asp", "25"], kinds["Ile", "50"]) == ("hbond", "water")  # both have hydrophobic contacts too


def test_insertion_codes_and_negative_numbers_have_their_place() -> None:
    common: dict[str, tables.Value] = {"partner_component": "GLY", "type": "hbond", "ligand_atom": "C1"}
    common |= {"distance_A": 3.0, "partner_chain": "H", "partner_copy": ""}
    rows = [{**common, "partner_residue": one} for one in ("60A", "-2", "60", "7", "UNK")]
    assert [one["residue"] for one in pocket_strip(rows)["H"]] == ["-2", "UNK", "7", "60", "60A"]


def test_job_about_a_ligand_or_own_structures_has_no_target() -> None:
    names = {"IRE": "Gefitinib"}
    for target, expected in (("gefitinib", True), ("IRE", True), ("Own structures", True), ("EGFR", False)):
        assert _has_no_target(target, names) is expected
