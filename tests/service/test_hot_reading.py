"""What is read again and again of a finished job: listings that are kept, rows that are found without reading all."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from service.jobs.artifacts import Artifact, Listing, _Listings, list_artifacts
from service.pages.instances import instance, instances
from service.results.rows import view_of
from service.results.tables import TableCache, cell_rows
from tests.tools.runs import ROOT
from tethermap.base import layout
from tethermap.base.atomic import write_text
from tethermap.base.tables import CONTACTS, EXIT_ANSWERS, RESULTS_TABLE, SASA_SUMMARY, Row, read_table, write_table


def aged(job: Path) -> None:
    """Make all of a job look as if it were an hour old."""
    for path in (job, *job.rglob("*")):
        before = path.stat().st_mtime - 3600
        os.utime(path, (before, before))


def test_listing_of_a_finished_job_is_kept_until_a_file_comes_or_goes(tmp_path: Path) -> None:
    write_text(tmp_path / layout.MANIFEST, "{}")
    write_text(tmp_path / layout.war_pdb("1abc_A_LIG_1"), "END\n")
    aged(tmp_path)
    kept = list_artifacts(tmp_path)
    assert list_artifacts(tmp_path) is kept
    write_text(tmp_path / layout.war_pdb("2abc_A_LIG_1"), "END\n")
    assert len(list_artifacts(tmp_path).artifacts) == len(kept.artifacts) + 1
    aged(tmp_path)
    (tmp_path / layout.MANIFEST).unlink()
    assert [artifact.name for artifact in list_artifacts(tmp_path).artifacts] == [
        "1abc_A_LIG_1.pdb",
        "2abc_A_LIG_1.pdb",
    ]


def test_listing_of_what_has_just_changed_is_not_kept(tmp_path: Path) -> None:
    write_text(tmp_path / layout.MANIFEST, "{}")
    assert list_artifacts(tmp_path) is not list_artifacts(tmp_path)


def test_listings_of_so_many_jobs_and_files_are_kept() -> None:
    listings = _Listings(2, 100)
    empty, large = Listing([], {}), Listing([Artifact("x", "x", "other", 1, 0.0)] * 99, {})
    for name, listing in (("a", empty), ("b", empty), ("c", large)):
        listings.keep(Path(name), {}, listing)
    assert [listings.get(Path(name)) for name in "abc"] == [None, empty, large]
    listings.keep(Path("d"), {}, large)
    assert [listings.get(Path(name)) for name in "bcd"] == [None, None, large]


def test_small_tables_count_for_what_they_take_in_memory(contacts: Path) -> None:
    jobs = [contacts / f"job{number}" for number in range(3)]
    for job in jobs:
        (job / CONTACTS.path).parent.mkdir(parents=True)
        shutil.copyfile(contacts / CONTACTS.path, job / CONTACTS.path)
    cache = TableCache(2 << 15)
    first = [cache.rows(job, CONTACTS) for job in jobs]
    again = [cache.rows(job, CONTACTS) for job in reversed(jobs)]
    assert [a is b for a, b in zip(first[::-1], again, strict=True)] == [True, True, False]


@pytest.fixture
def contacts(tmp_path: Path) -> Path:
    rows: list[Row] = [
        {"pdb_id": f"{stem}abc", "detail": f'"{n}", µ', "distance_A": n / 4, "stem": f"{stem}abc_A_LIG_{stem}"}
        for stem in (1, 2, 11, 3)
        for n in range(stem)
    ]
    write_table(tmp_path / CONTACTS.path, CONTACTS, rows)
    return tmp_path


def test_some_columns_of_a_table_are_those_of_all(contacts: Path) -> None:
    names = ("stem", "distance_A")
    everything = list(read_table(contacts / CONTACTS.path, CONTACTS))
    assert list(read_table(contacts / CONTACTS.path, CONTACTS, names=names)) == [
        {name: row[name] for name in row if name in names} for row in everything
    ]


def test_an_instance_has_the_cells_of_its_tables_and_the_answer_of_its_ligand() -> None:
    job = ROOT / "data" / "examples" / "exam1hpv"
    cache = TableCache()
    known = {str(row["stem"]): row for row in instances(cache, job)}
    results, summary, answers = (
        list(read_table(job / table.path, table)) for table in (RESULTS_TABLE, SASA_SUMMARY, EXIT_ANSWERS)
    )
    for row in results:
        stem = str(row["stem"])
        expected = {**next(one for one in summary if one["stem"] == stem), **row}
        assert {name: known[stem][name] for name in expected} == expected
        best = next(one for one in answers if one["answer_rank"] == 1 and stem in str(one["stems"]).split(";"))
        assert known[stem]["answer_atom"] == best["anchor_atom"]
        assert instance(cache, job, stem) == known[stem]
    assert known.keys() == {row["stem"] for row in results}
    assert instance(cache, job, "1hpv_A_478_201") is None


@pytest.mark.parametrize("asked", [["1"], ["3", "11"], ["11", "2", "9"], []], ids=str)
def test_rows_of_instances_are_those_of_the_whole_table(contacts: Path, asked: list[str]) -> None:
    stems = [f"{number}abc_A_LIG_{number}" for number in asked]
    everything = list(read_table(contacts / CONTACTS.path, CONTACTS))
    expected = [row for row in everything if row["stem"] in stems]
    assert list(read_table(contacts / CONTACTS.path, CONTACTS, stems=stems)) == expected
    assert [dict(row) for row in cell_rows(contacts, CONTACTS, stems=stems)] == expected


@pytest.mark.parametrize(
    "asked",
    [[], [("pdb_id", "11ABC")], [("detail__contains", '"1"')], [("distance_A__lte", "0.3"), ("pdb_id", "3abc")]],
)
def test_a_page_of_a_view_is_a_part_of_all_its_rows(contacts: Path, asked: list[tuple[str, str]]) -> None:
    view = view_of(CONTACTS.columns, asked, None)
    rows = view.rows(list(read_table(contacts / CONTACTS.path, CONTACTS)))
    assert rows
    cache = TableCache(capacity=0)
    cache.small = lambda *_: ()  # type: ignore[method-assign] # as of a large table
    part, total = view.page(cache, contacts, CONTACTS, slice(1, 4))
    assert ([dict(row) for row in part], total) == (rows[1:4], len(rows))
