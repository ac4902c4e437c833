"""Presentation of a ligand's fit: in words and numbers, without a verdict if it was not measured."""

import pytest

from service.pages.columns import BY_KEY
from service.pages.fit import fit_of
from service.pages.render import environment
from tethermap.fit.limits import limit
from tethermap.report.fit import fit_view

N3 = "02J C1 0.839;PJE C5 0.786;010 C6 0.528"


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"RSCC": 0.822, "fit_status": "assessed", "RSCC_by_residue": N3},
         f"RSCC 0.822 (02J C1 0.839, PJE C5 0.786, 010 C6 0.528; poor is below {limit('rscc_poor')})"),
        ({"RSCC": 0.5, "fit_status": "assessed", "RSCC_by_residue": ""}, "RSCC 0.500 (poor is below 0.8)"),
        ({"RSCC": None, "fit_status": "not_assessed"}, "fit to the density not assessed"),
        ({"RSCC": None, "fit_status": "no_report"}, ""),
        ({}, ""),
    ],
)  # fmt: skip
def test_fit_is_described_in_words(row: dict[str, object], words: str) -> None:
    parts = environment().get_template("results/parts.html.j2").module
    assert str(parts.fit_words(row)) == words  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("row", "fit"),
    [
        ({"RSCC": 0.95, "RSR": 0.1, "fit_status": "assessed"}, "good"),
        ({"RSCC": 0.79, "RSR": 0.1, "fit_status": "assessed"}, "poor"),
        ({"RSCC": 0.95, "RSR": 0.41, "fit_status": "assessed"}, "poor"),
        ({"RSCC": None, "RSR": 0.45, "fit_status": "assessed"}, "poor"),
        ({"RSCC": None, "fit_status": "assessed"}, "other"),
        ({"RSCC": None, "fit_status": "not_assessed"}, "not_assessed"),
        ({"RSCC": None, "fit_status": "no_report"}, "no_report"),
        ({}, "no_report"),
    ],
)
def test_fit_is_good_poor_or_not_known(row: dict[str, object], fit: str) -> None:
    assert fit_of(row) == fit  # type: ignore[arg-type]
    assert fit_view([row]).n_poor == (fit == "poor")  # type: ignore[list-item]


def test_instances_can_be_sorted_by_fit() -> None:
    assert BY_KEY["fit"].source == "RSCC"
    assert f"{limit('rscc_poor'):g}" in BY_KEY["fit"].says
