from typing import Any

import pytest

from tests.tethermap.sources.fake import FakeSource, entry
from tests.tethermap.sources.make import filters
from tethermap.base.reasons import REASONS
from tethermap.base.tables import ENTRIES
from tethermap.sources.base import EntrySummary
from tethermap.sources.search import find_entries, pinned_entries
from tethermap.sources.selection import entry_rows, rejection


def _rows(source: FakeSource, query: str, **values: Any) -> list[dict[str, Any]]:
    return list(entry_rows(source, find_entries(source, query, "x"), filters(**values)))


def _reasons(rows: list[dict[str, Any]]) -> dict[str, str]:
    return {row["pdb_id"]: row["reason"] for row in rows}


@pytest.mark.parametrize(
    ("values", "reason", "threshold", "value"),
    [
        ({"max_resolution": 1.9}, "resolution", "1.9", "2"),
        ({"methods": ["SOLUTION NMR"]}, "method", "SOLUTION NMR", "X-RAY DIFFRACTION"),
        ({"released_after": "2010-05-06"}, "release_date", "from 2010-05-06", "2010-05-05"),
        ({"released_before": "2010-05-04"}, "release_date", "to 2010-05-04", "2010-05-05"),
        ({"organism": "Mus musculus"}, "organism", "Mus musculus", "Homo sapiens"),
    ],
)
def test_a_filter_names_the_compared_value(values: dict[str, Any], reason: str, threshold: str, value: str) -> None:
    assert rejection(entry("1abc"), filters(**values)) == (reason, threshold, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_resolution", 2.0),
        ("methods", ["X-RAY DIFFRACTION", "SOLUTION NMR"]),
        *(("released_after", "2010-05-05"), ("released_before", "2010-05-05")),
        *(("organism", "homo SAPIENS"), ("organism", "homo")),
    ],
)
def test_limits_are_inclusive_and_without_case_and_an_unknown_value_does_not_pass(name: str, value: object) -> None:
    assert rejection(entry("1abc"), filters(**{name: value})) is None
    assert rejection(EntrySummary("1abc"), filters(**{name: value})) is not None


def test_the_most_relevant_are_kept_and_each_cut_is_recorded() -> None:
    source = FakeSource(*(entry(f"{n}abc", "kinase" + " and more" * n, ligands=("STI",)) for n in range(1, 6)))
    rows = _rows(source, "kinase", max_entries=2)
    assert [(row["rank"], row["pdb_id"], row["selected"]) for row in rows] == [
        (1, "1abc", True), (2, "2abc", True), (3, "3abc", False), (4, "4abc", False), (5, "5abc", False),
    ]  # fmt: skip
    assert rows[2]["reason"] == "cut_by_max_entries"
    assert (rows[2]["threshold"], rows[2]["value"]) == ("2", "3")


def test_rejected_entries_do_not_count_towards_the_limit() -> None:
    best = entry("1abc", "kinase", resolution=3.0)
    source = FakeSource(best, entry("2abc", "kinase one", ligands=("STI",)), entry("3abc", "kinase one two"))
    rows = _rows(source, "kinase", max_entries=1, max_resolution=2.5)
    assert _reasons(rows) == {"1abc": "resolution", "2abc": "", "3abc": "cut_by_max_entries"}


def test_entries_without_a_requested_ligand_are_cut_first() -> None:
    third = entry("3abc", "kinase one two", ligands=("SO4",))
    source = FakeSource(entry("1abc", "kinase"), entry("2abc", "kinase one", ligands=("STI",)), third)
    assert _reasons(_rows(source, "kinase", max_entries=2)) == {"1abc": "cut_by_max_entries", "2abc": "", "3abc": ""}
    wanted = _rows(source, "kinase", max_entries=1, only_ligands=["STI"])
    assert _reasons(wanted) == {"1abc": "cut_by_max_entries", "2abc": "", "3abc": "cut_by_max_entries"}
    assert all(row["selected"] for row in _rows(source, "kinase", max_entries=3))


def test_named_entries_are_exempt_from_filters_and_count() -> None:
    source = FakeSource(entry("1abc", "kinase"), entry("2abc", "kinase one"), entry("9abc", "other", resolution=9.0))
    rows = _rows(source, "kinase 9abc", max_entries=2, max_resolution=2.5)
    assert _reasons(rows) == {"9abc": "", "1abc": "", "2abc": "cut_by_max_entries"}


def test_pinned_entries_are_never_filtered_or_cut() -> None:
    source = FakeSource(*(entry(f"{n}abc") for n in range(5)))
    limits = filters(max_entries=2, max_resolution=0.5)
    rows = list(entry_rows(source, pinned_entries(source, [*source.entries, "9zzz"]), limits))
    assert _reasons(rows) == {**dict.fromkeys(source.entries, ""), "9zzz": "not_found"}


def test_metadata_after_the_cut_are_not_requested() -> None:
    source = FakeSource(*(entry(f"{n:04d}", "kinase", ligands=("STI",)) for n in range(1000)))
    rows = _rows(source, "kinase", max_entries=10)
    assert len(rows) == 1000
    assert len(source.asked_for) == 300


def test_a_withdrawn_entry_and_its_successor_are_selected_once() -> None:
    source = FakeSource(entry("2abc", "kinase"), entry("3abc"))
    source.replaced["1abc"] = ("2abc",)
    rows = _rows(source, "1abc 2abc")
    assert [(row["pdb_id"], row["requested_id"], row["reason"], row["value"]) for row in rows] == [
        ("1abc", "1abc", "same_as_other", "2abc"), ("2abc", "2abc", "", ""),
    ]  # fmt: skip


def test_the_successor_is_processed_under_its_own_id_and_an_absent_one_is_a_reason() -> None:
    source = FakeSource(entry("2abc"))
    source.replaced.update({"1abc": ("2abc",), "3abc": ("7abc",)})
    names = ("pdb_id", "requested_id", "successor", "selected", "reason", "value")
    assert [[row.get(name) for name in names] for row in _rows(source, "1abc 3abc 9zzz")] == [
        ["2abc", "1abc", "2abc", True, "", ""],
        ["3abc", "3abc", "7abc", False, "withdrawn", "7abc"],
        ["9zzz", "9zzz", None, False, "not_found", ""],
    ]


def test_own_files_that_do_not_match_are_rows() -> None:
    source = FakeSource(entry("pose-1", "kinase"), entry("pose-2", "ligase"), lists_all=True)
    assert _reasons(_rows(source, "kinase")) == {"pose-1": "", "pose-2": "not_matched"}


def test_every_row_fits_the_table_and_has_a_known_reason() -> None:
    source = FakeSource(entry("1abc", "kinase"), entry("2abc", "kinase two"))
    source.replaced["3abc"] = ()
    rows = _rows(source, "kinase 9zzz 3abc", max_entries=1)
    assert all(set(row) <= set(ENTRIES.names) for row in rows)
    assert all(row["selected"] or row["reason"] in REASONS for row in rows)
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    assert len({row["pdb_id"] for row in rows}) == len(rows)
