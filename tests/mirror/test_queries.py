"""Questions with the entries that they must find, over the mirror's index and over RCSB's interface to the same."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.standin import StandIn
from tethermap.sources.base import Source
from tethermap.sources.mirror import MirrorSource
from tethermap.sources.rcsb import RcsbSource
from tethermap.sources.search import find_entries

EGFR = {
    *("2itt", "2ity", "2itz", "2j6m", "3poz", "3w2r", "3w2s", "4zau"),
    *("5cas", "5cav", "5em7", "5em8", "5hg8", "5ug8", "5ug9", "6duk"),
}
ABL = {"2hyy", "2hzi", "2qoh", "2z60", "3qri", "3qrj", "4twp", "5mo4"}
VHL = {"5t35", "7jtp", "7khh"}
BRD4 = {"5t35", "6duv", "6u6k", "7khh"}

QUESTIONS: list[tuple[str, set[str], set[str]]] = [
    ("EGFR", EGFR, {"4tz4"}),
    ("P00533", EGFR, {"4tz4"}),
    ("kinase AND EGFR", EGFR, ABL),
    ("kinase EGFR", EGFR, ABL),
    ("kinase -EGFR", ABL, EGFR),
    ("kinase NOT EGFR", ABL, EGFR),
    ("kinase -P00533", ABL, EGFR),
    ("kinase -EGFR -ABL1", {"2src"}, EGFR | ABL),
    ("cereblon", {"4ci1", "4tz4", "7bqu"}, EGFR),
    ("cereblon -DDB1", {"7bqu"}, {"4ci1", "4tz4"}),
    ("EGFR OR cereblon", EGFR | {"4ci1", "4tz4", "7bqu"}, ABL),
    ("P00533 OR cereblon", EGFR | {"4ci1"}, ABL),
    ("VHL NOT BRD4", {"7jtp"}, BRD4),
    ("VHL OR BRD4", VHL | BRD4, EGFR),
    ("VHL AND BRD4", VHL & BRD4, {"7jtp", "6duv"}),
    ("BRD4 -5T35", BRD4 - {"5t35"}, {"5t35"}),
    ("5T35 OR cereblon", {"5t35", "4ci1"}, EGFR),
    ("β-lactamase", {"6tzg"}, EGFR),
    ("estrogen receptor α", {"1ere"}, EGFR),
    ("ERα", {"1ere"}, EGFR),
    ("Hsp90α", {"3o5r"}, EGFR),
    ("Bcr-Abl", ABL, EGFR),
    ("HIV1 protease", {"1hpx", "1hxw", "4k4p"}, EGFR),
    ('"HIV-1 protease" -ritonavir', {"1hpx", "4k4p"}, {"1hxw"}),
    ("trypsin OR thrombin", {"1gbt", "1ppc", "5pti", "1a4w"}, EGFR),
    ("c-Src OR Bcr-Abl", {"2src"} | ABL, EGFR),
    ("P07900 OR cereblon", {"4ci1", "7bqu"}, {"3o5r"} | EGFR),
    ("UniProt accession P00533", EGFR, ABL),
    ("PDB ID 2ITY", {"2ity"}, EGFR - {"2ity"}),
    ("PDB:9ZZZ", set(), EGFR),
    ("SARS-CoV-2 main protease", {"6lu7", "6wqf"}, EGFR),
]
"""Question, entries that it finds, entries that it must not find."""


@pytest.fixture(scope="module", params=["mirror", "rcsb"])
def asked(request: pytest.FixtureRequest, mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Source]:
    cache = tmp_path_factory.mktemp("cache")
    if request.param == "mirror":
        yield MirrorSource(mirror, cache).open()
        return
    with StandIn(mirror) as running, pytest.MonkeyPatch.context() as patch:
        running.use(patch)
        source = RcsbSource(cache)
        yield source
        source.close()


@pytest.mark.parametrize(("question", "found", "others"), QUESTIONS, ids=[question for question, *_ in QUESTIONS])
def test_query_finds_the_requested_entries(asked: Source, question: str, found: set[str], others: set[str]) -> None:
    entries = {candidate.entry_id for candidate in find_entries(asked, question, question).candidates}
    assert found <= entries
    assert not others & entries
