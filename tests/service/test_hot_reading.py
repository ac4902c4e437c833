"""Repeated reads of a finished job: cached listings, rows found without reading all."""

import operator as operator_of
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from service.errors import QueueFull
from service.http.responses import json_bytes
from service.jobs import artifacts
from service.jobs.artifacts import Artifact, Listing, list_artifacts
from service.pages.instances import instance, instances
from service.results import tables
from service.results.answers import Answers
from service.results.rows import csv_text, view_of
from service.results.tables import OF_STEMS, Database, json_of
from tests.tools.runs import ROOT
from tethermap.base import layout
from tethermap.base.atomic import write_text
from tethermap.base.parquet import write_parquet
from tethermap.base.tables import (
    CONTACTS,
    EXIT_ANSWERS,
    EXIT_VECTORS,
    RESULTS_TABLE,
    SASA_SUMMARY,
    Column,
    Row,
    Table,
    Value,
    format_value,
    read_table,
    write_table,
)


def aged(job: Path) -> None:
    """Make all of a job look as if it were an hour old."""
    for path in (job, *job.rglob("*")):
        before = path.stat().st_mtime - 3600
        os.utime(path, (before, before))


def test_listing_of_a_finished_job_is_kept_until_a_file_comes_or_goes(tmp_path: Path) -> None:
    write_text(tmp_path / layout.MANIFEST, "{}")
    write_text(tmp_path / layout.war_pdb("1abc_A_LIG_1"), "END\n")
    assert list_artifacts(tmp_path) is not list_artifacts(tmp_path)  # changed just now
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


def test_listings_of_so_many_jobs_and_files_are_kept() -> None:
    listings, empty = artifacts._LISTINGS, Listing([], {})
    for number in range(70):
        listings.keep(Path(str(number)), ({}, empty))
    assert list(listings) == [Path(str(number)) for number in range(8, 70)]
    listings.keep(Path("large"), ({}, Listing([Artifact("x", "x", "other", 1, 0.0)] * 49_000, {})))
    assert list(listings) == [Path("69"), Path("large")]
    listings.clear()


@pytest.fixture
def contacts(tmp_path: Path) -> Path:
    rows: list[Row] = [
        {"pdb_id": f"{stem}abc", "detail": f'"{n}", µ', "distance_A": n / 4, "stem": f"{stem}abc_A_LIG_{stem}"}
        for stem in (1, 2, 11, 3)
        for n in range(stem)
    ]
    write_table(tmp_path / CONTACTS.path, CONTACTS, rows)
    return tmp_path


def test_an_instance_has_the_cells_of_its_tables_and_the_answer_of_its_ligand() -> None:
    job = ROOT / "data" / "examples" / "exam1hpv"
    reader = Database().of(job)
    names = {*RESULTS_TABLE.names, *SASA_SUMMARY.names}
    known = {str(row["stem"]): row for row in instances(reader, names, Answers.of(reader))}
    results, summary, answers = (
        list(read_table(job / table.path, table)) for table in (RESULTS_TABLE, SASA_SUMMARY, EXIT_ANSWERS)
    )
    for row in results:
        stem = str(row["stem"])
        expected = {**next(one for one in summary if one["stem"] == stem), **row}
        assert {name: known[stem][name] for name in expected} == expected
        best = next(one for one in answers if one["answer_rank"] == 1 and stem in str(one["stems"]).split(";"))
        assert known[stem]["answer_atom"] == best["anchor_atom"]
        shown = instance(reader, stem)
        assert shown is not None
        assert dict(shown) == {name: expected.get(name) for name in shown}
    assert known.keys() == {row["stem"] for row in results}
    assert instance(reader, "1hpv_A_478_201") is None


@pytest.mark.parametrize("table", [EXIT_VECTORS, EXIT_ANSWERS, RESULTS_TABLE], ids=lambda table: table.title)
def test_cells_and_lines_are_those_of_the_file(table: Table) -> None:
    job = ROOT / "data" / "examples" / "exam1gbt"
    assert any(column.separator for column in table.columns)
    reader = Database().of(job)
    rows = reader.rows(table)
    assert rows == list(read_table(job / table.path, table, strict=False))
    columns = reader.columns(table)
    text = "".join(view_of(columns, [], None).csv(reader, table, columns, None, 0))
    assert text == csv_text(columns, rows)


def with_parquet(job: Path) -> Path:
    """Add a job's tables as Parquet."""
    write_parquet(job)
    return job


@pytest.mark.parametrize("parquet", [False, True], ids=["csv", "parquet"])
@pytest.mark.parametrize("asked", [["1"], ["3", "11"], ["11", "2", "9"], []], ids=str)
def test_rows_and_columns_are_those_of_the_whole_table(contacts: Path, asked: list[str], parquet: bool) -> None:
    stems = [f"{number}abc_A_LIG_{number}" for number in asked]
    everything = list(read_table(contacts / CONTACTS.path, CONTACTS))
    expected = [row for row in everything if row["stem"] in stems]
    assert list(read_table(contacts / CONTACTS.path, CONTACTS, stems=stems)) == expected
    some = [{name: row[name] for name in ("distance_A", "stem")} for row in everything]
    assert list(read_table(contacts / CONTACTS.path, CONTACTS, names=("stem", "distance_A"))) == some
    job = with_parquet(contacts) if parquet else contacts
    assert Database().of(job).rows(CONTACTS, f"WHERE {OF_STEMS}", [stems]) == expected


def filter_of(column: Column, operator: str, text: str) -> Callable[[Value], bool]:
    """Return the meaning of a filter, in plain Python."""
    if operator == "contains":
        return lambda value: text.lower() in format_value(value, column).lower()
    if column.kind == "text":
        if operator:
            return lambda value: str(value) >= text if operator == "gte" else "" != str(value) <= text
        if column.name in ("pdb_id", "Warhead"):
            return lambda value: str(value).lower() == text.lower()
        return lambda value: value == text
    if text == "":
        return lambda value: value is None and operator == ""
    wanted = float(text)
    order = {"": operator_of.eq, "gte": operator_of.ge, "lte": operator_of.le}[operator]
    return lambda value: value is not None and order(value, wanted)


CELLS = st.text("=+-@\t\n,\"';0.1Aµ", max_size=6)


@settings(max_examples=25, deadline=None)
@given(details=st.lists(st.tuples(CELLS, CELLS), max_size=5), limit=st.none() | st.integers(1, 4))
def test_rows_as_csv_are_those_of_the_csv_module(details: list[tuple[str, str]], limit: int | None) -> None:
    rows: list[Row] = [{"pdb_id": one, "detail": other, "distance_A": 0.125} for one, other in details]
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder)
        write_table(job / CONTACTS.path, CONTACTS, rows)
        whole = list(read_table(job / CONTACTS.path, CONTACTS))
        text = "".join(
            view_of(CONTACTS.columns, [], None).csv(Database().of(job), CONTACTS, CONTACTS.columns, limit, 0)
        )
    assert text == csv_text(CONTACTS.columns, whole[:limit])


TEXTS = ["", "1abc", "11ABC", "µ", '"1"', "LIG", "0.5", "0.250", "nan", "1e3", "-1", "İ"]


@pytest.mark.parametrize("parquet", [False, True], ids=["csv", "parquet"])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_filters_and_sorts_are_those_of_plain_python(contacts: Path, data: st.DataObject, parquet: bool) -> None:
    job = with_parquet(contacts) if parquet else contacts
    columns = [column for column in CONTACTS.columns if column.name in ("pdb_id", "detail", "distance_A", "stem")]
    column, operator = data.draw(st.sampled_from(columns)), data.draw(st.sampled_from(["", "gte", "lte", "contains"]))
    numbers = column.kind == "number" and operator != "contains"
    text = data.draw(st.sampled_from([one for one in TEXTS if not numbers or re.fullmatch(r"[-0-9.e]*", one)]))
    sort, descending = data.draw(st.none() | st.sampled_from(columns)), data.draw(st.booleans())
    expected = [
        row for row in read_table(job / CONTACTS.path, CONTACTS) if filter_of(column, operator, text)(row[column.name])
    ]
    if sort is not None:
        known = [row for row in expected if row[sort.name] not in (None, "")]
        known.sort(key=lambda row: row[sort.name], reverse=descending)  # type: ignore[arg-type, return-value]
        expected = known + [row for row in expected if row[sort.name] in (None, "")]
    parameter = f"{column.name}__{operator}" if operator else column.name
    order = None if sort is None else f"{'-' * descending}{sort.name}"
    view, reader = view_of(CONTACTS.columns, [(parameter, text)], order), Database().of(job)
    assert view.count(reader, CONTACTS) == len(expected)
    assert reader.rows(CONTACTS, view.page(4, 1), view.values) == expected[1:5]
    texts = reader.fetch(CONTACTS, json_of(CONTACTS.columns), view.page(None, 0), view.values)
    assert [one for (one,) in texts] == list(map(json_bytes, expected))


def test_answers_of_a_table_are_those_of_its_file_as_it_is_now(contacts: Path) -> None:
    aged(with_parquet(contacts))
    reader, where = Database().of(contacts), "WHERE stem = '3abc_A_LIG_3'"
    first = reader.rows(CONTACTS, where)
    assert reader.rows(CONTACTS, where) == first
    rows = list(read_table(contacts / CONTACTS.path, CONTACTS))
    write_table(contacts / CONTACTS.path, CONTACTS, rows[:-1])
    assert reader.rows(CONTACTS, where) == first[:-1]


def test_a_question_that_takes_too_long_is_refused(contacts: Path) -> None:
    # One long sequence is read in pieces; a product of two would fill the memory first.
    endless = "(FROM range(1000000000000) AS a(n) SELECT sum(a.n % 7))"
    with pytest.raises(QueueFull, match="took too long"):
        Database(0.2).of(contacts).fetch(CONTACTS, "1", f"WHERE {endless} > 0")


def test_a_question_that_needs_too_much_memory_is_refused(contacts: Path) -> None:
    large = "(FROM range(100000000) AS a(n) SELECT len(list(a.n)))"
    with pytest.raises(QueueFull, match="too much memory"):
        Database().of(contacts).fetch(CONTACTS, large)


@pytest.mark.parametrize("parquet", [False, True], ids=["csv", "parquet"])
@pytest.mark.parametrize("when", ["file_columns", "source"])
def test_a_job_that_is_removed_while_it_is_read_has_no_rows(
    contacts: Path, monkeypatch: pytest.MonkeyPatch, when: str, parquet: bool
) -> None:
    job = with_parquet(contacts) if parquet else contacts
    read = getattr(tables, when)

    def removed_after(*arguments: object) -> object:
        value = read(*arguments)
        shutil.rmtree(job)
        return value

    monkeypatch.setattr(tables, when, removed_after)
    assert Database().of(job).fetch(CONTACTS, "count(*)") == []


def test_questions_of_many_threads_at_once_have_their_own_answers(contacts: Path) -> None:
    reader = Database().of(with_parquet(contacts))
    stems = [f"{number}abc_A_LIG_{number}" for number in (1, 2, 11, 3)] * 8
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda stem: reader.rows(CONTACTS, "WHERE stem = ?", [stem]), stems))
    assert [len(rows) for rows in found] == [1, 2, 11, 3] * 8
    assert all(row["stem"] == stem for rows, stem in zip(found, stems, strict=True) for row in rows)
