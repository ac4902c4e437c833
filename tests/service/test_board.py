"""The design board: exits of two jobs as a matrix, pins and notes in the address, the sheet of the pins."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree

import httpx2
import pytest
from hypothesis import given, settings, strategies as st

from service.extras.board import MOST_NOTE, MOST_PINS
from service.pages.sheet import SheetPair, sheet_svg
from tests.tools.boxes import faults_of
from tethermap.drawing.reader import read_depiction

JOBS = {"a_job": "exam1hpv", "b_job": "exam4cup"}


@pytest.fixture(scope="module")
def best(http: httpx2.Client) -> str:
    """The pin of the best pair of both examples."""
    pair = http.get("/api/compare", params={"a": JOBS["a_job"], "b": JOBS["b_job"]}).json()["pairs"][0]
    return " ".join(f"{pair[side]['best_stem']} {pair[side]['anchor_atom']}" for side in "ab")


def test_matrix_has_a_cell_for_each_pair_that_selects_it(http: httpx2.Client, best: str) -> None:
    shown = http.get("/degraders", params=JOBS).text
    assert shown.count('class="cell"') == shown.count('scope="row"') * shown.count('scope="col"') > 1
    names = ("a_stem", "a_anchor", "b_stem", "b_anchor")
    asked = "&amp;".join(f"{name}={word}" for name, word in zip(names, best.split(), strict=True))
    assert f'class="cell" href="/degraders?a_job=exam1hpv&amp;b_job=exam4cup&amp;{asked}"' in shown
    assert "not seen in one entry" in shown


def test_sheet_shows_pins_with_their_notes_escaped_and_cut(http: httpx2.Client, best: str) -> None:
    note = "<script>alert(1)</script> & " + "x" * 500
    answer = http.get("/degraders/sheet.svg", params={**JOBS, "pin": best, "note": note})
    assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (200, "image/svg+xml")
    text = "".join(ElementTree.fromstring(answer.text).itertext())
    assert "<script>alert(1)" in text
    assert 0 < text.count("x") <= MOST_NOTE
    page = http.get("/degraders", params={**JOBS, "pin": best, "note": note}).text
    assert "<script>alert" not in page
    assert f'value="{best}"' in page
    assert faults_of(answer.text) == []


def test_pin_of_an_unknown_exit_is_shown_by_its_names(http: httpx2.Client) -> None:
    text = http.get("/degraders/sheet.svg", params={**JOBS, "pin": "9xyz_A_<b>_1 C1 nothing C2"}).text
    assert "&lt;b&gt; C1 with nothing C2" in text


@pytest.mark.parametrize("pins", [["one two three"], ["a b c d"] * (MOST_PINS + 1)], ids=["three words", "too many"])
def test_wrong_pins_are_refused(http: httpx2.Client, pins: list[str]) -> None:
    answer = http.get("/degraders", params={**JOBS, "pin": pins})
    assert (answer.status_code, "pin" in answer.text) == (400, True)


def test_pin_links_add_and_remove_one_pair_and_keep_the_others(http: httpx2.Client, best: str) -> None:
    shown = http.get("/degraders", params={**JOBS, "pin": best, "note": "kept"}).text
    links = [part.partition('"')[0].replace("&amp;", "&") for part in shown.split('class="pin" href="')[1:]]
    pins = [[value for name, value in parse_qsl(urlsplit(link).query) if name == "pin"] for link in links]
    assert min(map(len, pins)) == 0
    assert all(found[0] == best for found in pins if found)
    assert all("note=kept" in link for link, found in zip(links, pins, strict=True) if found)


_WORDS = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF, exclude_characters="\x7f"), max_size=MOST_NOTE)
_DRAWING = read_depiction('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 200"/>')


@given(st.lists(st.tuples(_WORDS, _WORDS, _WORDS), max_size=MOST_PINS), _WORDS)
@settings(max_examples=30, deadline=None)
def test_texts_of_the_sheet_never_overlap_or_leave_it(rows: list[tuple[str, str, str]], title: str) -> None:
    pairs = [SheetPair(name, "Not seen in one entry", [act, name], note, [_DRAWING] * 2) for name, act, note in rows]
    sheet: Any = sheet_svg(title, pairs)
    assert faults_of(str(sheet)) == []
