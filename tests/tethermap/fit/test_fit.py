from dataclasses import replace
from math import sqrt
from pathlib import Path

import pytest

from tests.tools.cleaning import ANY_TARGET, Find, clean_file
from tethermap.complex.clean import CleanedEntry
from tethermap.complex.experiment import Experiment
from tethermap.fit.fit import by_residue, fit_fields, ligand_fit, with_map
from tethermap.fit.model import NO_FIT, EntryFit, ResidueFit
from tethermap.fit.report import EMPTY, Report, read_report
from tethermap.instance.backbone import RSRZ_OUTLIER
from tethermap.instance.store import instance_of_line, json_line

PARTS = (
    ResidueFit(rscc=0.9, rsr=0.1, n_atoms=10, bonds_rmsz=1.0, n_bonds=9, n_clashes=1),
    ResidueFit(rscc=0.6, n_atoms=5, bonds_rmsz=2.0, n_bonds=3, n_clashes=0, mean_occupancy=0.5),
    ResidueFit(),
)
KEYS = [(("A", str(number), ""), "LIG") for number in range(3)]


def report(*fits: ResidueFit) -> Report:
    places: dict[tuple[str, ...], int] = {("A", str(number), "", "LIG", ""): number for number in range(len(fits))}
    return Report(EntryFit(r_free=0.2), frozenset(), places, fits.__getitem__)


def test_fit_of_a_linked_group_is_weighted_by_assessed_atoms() -> None:
    found = ligand_fit(report(*PARTS), KEYS, "")
    assert found.residues == PARTS
    assert found.status == "assessed"
    assert found.whole.rscc == pytest.approx(0.8)
    assert found.whole.bonds_rmsz == pytest.approx(sqrt(21 / 12))
    rest = replace(found.whole, rscc=None, bonds_rmsz=None)
    assert rest == ResidueFit(rsr=0.1, n_atoms=15, mean_occupancy=0.5, n_bonds=12, n_clashes=1)
    names = ["LIG A0", "LIG A1", "LIG A2"]
    assert by_residue(found, names) == "LIG A0 0.900;LIG A1 0.600;LIG A2 not assessed"
    assert fit_fields(found, names)["RSCC"] == "0.800"


def test_missing_report_missing_density_and_fit_are_distinguished() -> None:
    assert ligand_fit(EMPTY, KEYS, "") == NO_FIT
    assert ligand_fit(report(PARTS[2]), KEYS[:1], "").status == "not_assessed"
    assert ligand_fit(report(), KEYS, "").status == "not_assessed"
    single = ligand_fit(report(PARTS[1]), KEYS[:1], "")
    assert (single.whole, single.entry.r_free) == (PARTS[1], 0.2)
    assert by_residue(single, ["LIG A0"]) == ""


# The inhibitor N3 of 6LU7, whose cap is not in the density.


@pytest.fixture(scope="module")
def n3(validation_reports: Path) -> Report:
    return read_report(validation_reports / "lu/6lu7/6lu7_validation.cif.gz", "6lu7")


def _cleaned(mirror: Path, find: Find, report: Report, **limits: float) -> CleanedEntry:
    settings = replace(ANY_TARGET, **limits)  # type: ignore[arg-type]
    return clean_file(mirror / "6lu7.cif.gz", find, settings, Experiment(report))[1]


def test_cleaned_instance_has_its_fit_and_its_chain_the_outliers(mirror: Path, find: Find, n3: Report) -> None:
    cleaned = _cleaned(mirror, find, n3)
    (kept,) = cleaned.kept
    fit = kept.instance.fit
    names = [residue.comp_id for residue in kept.instance.components]
    assert dict(zip(names, [one.rscc for one in fit.residues], strict=True)) == {
        "02J": 0.839, "ALA": 0.960, "VAL": 0.964, "LEU": 0.947, "PJE": 0.786, "010": 0.528,
    }  # fmt: skip
    assert {row["ligand"]: row["RSCC"] for row in cleaned.ligand_rows} == {"02J": 0.839, "PJE": 0.786, "010": 0.528}
    assert (cleaned.entry_row["R_free"], n3.entry.percent_rsrz_outliers) == (0.23, 6.15)
    assert sum(kept.backbone.marks & RSRZ_OUTLIER > 0) == len(n3.outliers) == 19
    assert instance_of_line(json_line(kept.instance)).fit == fit


@pytest.mark.parametrize(
    ("limits", "reason"),
    [({"min_rscc": 0.82}, "kept"), ({"min_rscc": 0.83}, "rscc"), ({"max_rfree": 0.23}, "kept"),
     ({"max_rfree": 0.229}, "entry_rejected")],
)  # fmt: skip
def test_limits_reject_with_reason(mirror: Path, find: Find, n3: Report, limits: dict[str, float], reason: str) -> None:
    cleaned = _cleaned(mirror, find, n3, **limits)
    assert [row["reason"] for row in cleaned.ligand_rows if row["ligand"] == "PJE"] == [reason]
    assert cleaned.entry_row["reason"] == ("r_free" if reason == "entry_rejected" else cleaned.entry_row["reason"])


def test_limits_reject_unknown_values_with_a_reason(mirror: Path, find: Find) -> None:
    head = [row for row in _cleaned(mirror, find, EMPTY, min_rscc=0.5).ligand_rows if row["ligand"] == "PJE"]
    assert [(row["reason"], row["fit_status"]) for row in head] == [("rscc_unknown", "no_report")]
    assert _cleaned(mirror, find, EMPTY, max_rfree=0.5).entry_row["reason"] == "r_free"


def test_map_of_the_user_adds_values_missing_from_the_report() -> None:
    bare = with_map(NO_FIT, 0.7, [0.9, 0.5])
    assert (bare.status, bare.source, bare.whole.rscc, bare.atom_rscc) == ("assessed", "map", 0.7, (0.9, 0.5))
    reported = ligand_fit(report(PARTS[1]), KEYS[:1], "")
    both = with_map(reported, 0.7, [0.9, 0.5])
    assert (both.source, both.whole, both.atom_rscc) == ("report", PARTS[1], (0.9, 0.5))
    assert with_map(NO_FIT, None, [None]).status == "no_report"
