"""The answer at the top of the results page, the contribution of one copy, and the notice of a lost target."""

import re
from collections.abc import Mapping
from typing import Any

import httpx2
import pytest

from service.build_examples import SHIPPED
from service.pages.exits import exit_sites
from service.pages.places import answer_view, copy_view, links_of, unmatched_notice
from service.pages.render import environment
from service.results.answers import CopyAnswers
from tests.tools.answers_told import problems_of_answers
from tethermap.base.contexts import CONTEXTS
from tethermap.base.tables import Value

ANSWER: Mapping[str, Value] = {
    "Warhead": "JBJ", "kind": "H", "anchor_atom": "N22", "anchor_equivalents": "", "n_copies": 6, "n_open": 4,
    "site": "main", "chem_class": "amine N-H", "evidence": "B", "evidence_reasons": "chain_gap", "observed_entries": "",
    "action": "Attach at N22.",
}  # fmt: skip
COUNTS: Mapping[str, Value] = {
    "n_open": 6, "n_entries": 1, "n_entries_open": 1, "observed": 0, "score_median": 1.0, "site_residue": "",
    "best_stem": "a",
}  # fmt: skip
PLACE = {**links_of("a", ["N22"], "/results/x"), "name": "", "where": ""}
PARTS: Any = environment().get_template("results/parts.html.j2").module


def exit_row(atom: str, rank: int, room: float, way: float) -> dict[str, Value]:
    return {"anchor_atom": atom, "anchor_equivalents": "", "rank": rank, "E": room, "F": way}


@pytest.mark.parametrize(
    ("exits", "said"),
    [
        ([("N22", 1, 0.4, 0.5)], "This copy agrees: the exit is open here."),
        ([("C18", 1, 0.4, 0.5), ("N22", 2, 0.05, 0.5)], "In this copy it is blocked; its own best exit is C18."),
        (
            [("C18", 1, 0.4, 0.05), ("N22", 2, 0.4, 0.5)],
            "In this copy it is open; C18 ranks first here, though it is blocked.",
        ),
        ([("C18", 1, 0.4, 0.5)], "This copy has no exit there."),
    ],
)
def test_copy_reports_whether_it_agrees_with_the_others(exits: list[tuple[Any, ...]], said: str) -> None:
    rows = [exit_row(*exit_) for exit_ in exits]
    view = copy_view(CopyAnswers([ANSWER], counted=True, observed=()), {"site": "main"}, rows)
    assert view["here"] == said
    assert view["lead"]["advised"] is True


def test_copy_with_contacts_to_symmetry_mates_is_marked_as_not_counted() -> None:
    row = {"site": "main", "flags": "crystal_packing"}
    view = copy_view(CopyAnswers([ANSWER], counted=False, observed=()), row, [exit_row("C18", 1, 0.4, 0.5)])
    assert view["why_not"].startswith("Symmetry mates")
    assert view["here"] == ""


@pytest.mark.parametrize(
    ("matches", "words"),
    [
        (["name", "name", "unmatched"], ""),
        (["name", "unmatched", "unmatched"], "2 of 3 entries could not be matched"),
        (["unmatched", "none"], "none of the entries could be matched"),
        ([], ""),
        (["", ""], ""),
    ],
)
def test_lost_target_is_reported_once_with_the_remedy(matches: list[str], words: str) -> None:
    notice = unmatched_notice([{"target_match": match} for match in matches])
    assert bool(notice) == bool(words)
    assert words in notice
    assert not notice or "UniProt accession" in notice


def test_page_without_scripts_opens_with_the_answer_and_its_picture(http: httpx2.Client) -> None:
    rows: list[dict[str, Any]] = http.get("/api/jobs/exam4cup/answers?top=1").json()["answers"]
    page = http.get("/results/exam4cup").text
    assert page.index('id="best"') < page.index("Ligand instances")
    for row in rows:
        assert row["action"] in page
        assert f"<b>{row['n_open']} of {row['n_copies']}</b>" in page
    address = re.search(r'src="([^"]*style=exits[^"]*)"', page)
    assert address is not None
    picture = http.get(address[1].replace("&amp;", "&"))
    assert picture.headers["content-type"] == "image/svg+xml"
    assert picture.text.count("<polygon") == picture.text.count("<text") > 1
    assert 'opacity="0.3"' in picture.text


@pytest.mark.parametrize("job", ["exam1hpv", "exam1gbt", "exam4cup"])
def test_all_presentations_of_the_answers_agree(http: httpx2.Client, job: str) -> None:
    assert list(problems_of_answers(SHIPPED / job, job, lambda address: http.get(address).text)) == []


@pytest.mark.parametrize(
    ("n_open", "chem_class", "style"),
    [
        (2, "amine N-H", 'class="answer notice warn"'),
        (3, "amine N-H", 'class="answer"'),
        (3, "other", 'class="answer notice warn"'),
    ],
)
def test_answer_that_recommends_nothing_is_amber(n_open: int, chem_class: str, style: str) -> None:
    row = {**ANSWER, **COUNTS, "n_open": n_open, "chem_class": chem_class}
    view = copy_view(CopyAnswers([row], counted=True, observed=()), {"site": "main"}, [])
    assert style in str(PARTS.copy_answer(view, [], "a", "/results/x"))


def test_card_and_ligand_page_count_published_degraders_of_an_exit() -> None:
    row: dict[str, Value] = {**ANSWER, **COUNTS, "published": 43, "published_best": "DC50 = 6 nM, EGFR, CRBN"}
    row["published_reference"] = "Example 2020"
    place = {**answer_view(row), **PLACE}
    view = copy_view(CopyAnswers([row, row], counted=True, observed=()), {"site": "main"}, [])
    said = "43 published degraders leave here; best: DC50 = 6 nM, EGFR, CRBN (Example 2020)"
    ligand = str(PARTS.copy_answer(view, [], "a", "/results/x"))
    assert said in str(PARTS.best([place], 6, "/api/jobs/x"))
    assert said in ligand
    assert "N22 (6 of 6 open, 43 published)" in ligand


@pytest.mark.parametrize(
    ("room", "way", "chem_class", "words"),
    [
        (0.3, 0.3, "amine N-H", "Attach at <b>N1</b>"),
        (0.3, 0.05, "amine N-H", "No good way out; the least bad is</strong> <b>N1</b>"),
        (0.3, 0.3, "other", "Open, but</strong> <b>N1</b>"),
    ],
)
def test_copy_without_others_recommends_only_open_exits(room: float, way: float, chem_class: str, words: str) -> None:
    row = {**exit_row("N1", 1, room, way), "site_id": "S1", "site_rank": 1, "sdf_index": 0, "chem_class": chem_class}
    nothing = copy_view(CopyAnswers([], counted=False, observed=()), {"site": "main"}, [])
    assert words in str(PARTS.copy_answer(nothing, exit_sites([row]), "a", "/results/x"))


def test_page_lists_apart_what_is_not_recommended() -> None:
    row = {**ANSWER, **COUNTS, "site_residue": "Gly 719"}
    place = {**answer_view(row), **PLACE}
    poor = {**place, **answer_view({**row, "Warhead": "ANP", "chem_class": "other"})}
    both, alone = (str(PARTS.best(places, 6, "/api/jobs/x")) for places in ([poor, place], [poor]))
    assert "Best places" in both
    assert both.index("JBJ") < both.index("1 ligand not recommended") < both.index('class="place unadvised"')
    assert "Best places" not in alone
    assert "ANP" in alone


def test_exit_without_a_way_out_is_shown_as_blocked_for_any_room() -> None:
    row: dict[str, Value] = {"site_id": "S1", "site_rank": 1, "sdf_index": 0, "chem_class": "amine N-H"}
    narrow, shut, free = exit_row("N1", 1, 0.3, 0.05), exit_row("N1", 1, 0.02, 0.02), exit_row("N1", 1, 0.3, 0.3)
    told = [exit_sites([{**row, **exit_, "F_crystal": 0.0, "E_crystal": 0.0}])[0] for exit_ in (narrow, shut, free)]
    assert [site["closed_in"] for site in told] == [list(CONTEXTS), list(CONTEXTS), ["crystal"]]
    assert "blocked here" in str(PARTS.site(told[0], "target"))
