import re

import pytest

from tethermap.base.config import resolve
from tethermap.base.reference import rows_of
from tethermap.report.methods import paragraphs

ASKED = {"target_name": "x", "search_query": "y", "source": {"kind": "archive"}}


def text(**settings: object) -> str:
    return " ".join(part for _, part in paragraphs(resolve({**ASKED, **settings})))


def test_every_work_cited_is_listed_and_every_work_listed_is_cited() -> None:
    both = text() + text(fasta_seq="MKVLAAGIVGLCAKAYQEW")
    cited = set(re.findall(r"[A-ZÖ]\w+ (?:19|20)\d\d", both)) | {"Landrum"}
    assert cited == {reference["key"] for reference in rows_of("citations")}


def test_radii_cite_the_work_of_each_element() -> None:
    told = re.search(r"united-atom radii \((.*?)\)", text())
    assert told is not None
    groups = [part.split(": ") for part in told.group(1).split("; ")]
    source = {element: work for names, work in groups for element in re.findall(r"\b[A-Z][a-z]?\b", names)}
    rows = {row["element"]: row["source"] for row in rows_of("radii")}
    assert {element for element, work in rows.items() if "Alvarez" not in work} == source.keys()
    for element, work in source.items():
        assert ("Tsai" in rows[element]) == (work == "Tsai 1999")
    assert {element for element, work in source.items() if work == "Bondi 1964"} == {"F", "Cl", "Br", "I"}


def test_references_are_sorted_and_have_dois() -> None:
    keys = [reference["key"] for reference in rows_of("citations")]
    assert keys == sorted(keys)
    assert all(re.fullmatch(r"10\.\d{4,}/\S+", reference["doi"]) for reference in rows_of("citations"))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"sasa": {"probe_radius": 1.2, "slices": 50}}, "50 slices per atom and a probe of 1.2 Å"),
        ({"filters": {"kinds": ["ligand", "cofactor"]}}, "the kinds ligand, cofactor with"),
        ({"structure": {"context": "assembly"}}, "context “assembly”"),
        ({"series": {"seconds": 3}}, "about 3 s"),
        ({"filters": {"strict_target": True}}, "without a match is rejected"),
        ({"fasta_seq": "MKVLAAGIVG", "filters": {"min_identity": 0.7}}, "identity of at least 0.7"),
    ],
)
def test_methods_name_the_settings_of_the_job(settings: dict[str, object], words: str) -> None:
    assert words in text(**settings)
