from collections.abc import Callable, Mapping, Sequence

import pytest

from tethermap.base.reasons import REASONS
from tethermap.base.tables import ENTRY_STATUS, Row, Table, Value
from tethermap.report.content import DOWNLOAD_REASONS, Line, _badness, build_content
from tethermap.report.fit import fit_view


def rows_of(known: Mapping[Table, Sequence[Row]]) -> Callable[[Table], Sequence[Row]]:
    """Return a reader of the rows of tables, without rows for other tables."""
    return lambda table: known.get(table, ())


def entry(reason: str, found: int | None, kept: int = 0) -> Row:
    verdict: Row = {"kept": kept > 0, "reason": reason, "instances_found": found, "instances_kept": kept}
    return {"pdb_id": "1abc", "target_match": "", "value": None, **verdict}


def test_reasons_of_the_download_are_in_the_list() -> None:
    assert set(DOWNLOAD_REASONS) <= REASONS.keys()


def test_the_funnel_drops_entries_at_their_stage() -> None:
    entries = [entry("resolution", None), entry("file_empty", 0), entry("no_ligand", 0), entry("kept", 3, 2)]
    content = build_content("x", rows_of({ENTRY_STATUS: entries}))
    assert [bar.value for bar in content.entry_bars] == [4, 3, 2, 1]
    assert [bar.note for bar in content.entry_bars] == ["", *["1 left out"] * 3]
    assert {group.code for group in content.entry_reasons} == {"resolution", "file_empty", "no_ligand"}


def line(**cells: Value) -> Line:
    names: Row = {"pdb_id": "1abc", "Chain": "A", "Warhead": "LIG", "Residue_ID": "1"}
    base: Row = {**names, "atoms_missing": "", "sanitised": True}
    return Line({**base, "occupancy": 1.0, "resolution": 2.0, **cells}, None, None)


@pytest.mark.parametrize(
    "worse",
    [{"atoms_missing": "C1"}, {"sanitised": False}, {"occupancy": 0.5}, {"resolution": 2.1}, {"resolution": None}],
)
def test_the_best_instance_is_complete_occupied_and_sharp(worse: dict[str, Value]) -> None:
    assert _badness(line()) < _badness(line(**worse))
    assert _badness(line(resolution=3.5)) < _badness(line(resolution=1.0, atoms_missing="C1"))


def test_assessed_ligands_are_counted_apart_from_others() -> None:
    view = fit_view(
        [
            {"RSCC": 0.95, "fit_status": "assessed", "geometry_flags": "protein_clash"},
            {"RSCC": 0.6, "fit_status": "assessed", "geometry_flags": "internal_clash;protein_clash"},
            {"RSCC": None, "fit_status": "not_assessed", "geometry_flags": ""},
        ]
    )
    assert [number for _, number in view.statuses] == [2, 1]
    assert (view.n_poor, view.assessed) == (1, True)
    assert [(name, number) for name, _, number in view.geometry] == [("protein_clash", 2), ("internal_clash", 1)]
    assert not fit_view([{"RSCC": None, "fit_status": "no_report"}]).assessed
