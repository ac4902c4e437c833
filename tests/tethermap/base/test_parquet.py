"""Tables as Parquet: the rows of their CSV with real types, and words for every column."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies as st

from tests.tools.runs import ROOT
from tethermap.base import layout, parquet, tables
from tethermap.base.column_words import column_words, words_of
from tethermap.base.parquet import PARQUET_TABLES, connect, csv_rows, file_columns, quoted, source, write_parquet
from tethermap.base.tables import (
    EXIT_VECTORS,
    POSES,
    RESULTS_TABLE,
    SERIES,
    Column,
    Row,
    Table,
    read_table,
    write_table,
)

# CSV files of jobs have no NUL and no bare carriage return, which Python's writer does not quote.
TEXTS = st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=8)
NUMBERS = st.floats(-1e12, 1e12)


def cells(column: Column) -> st.SearchStrategy[Any]:
    """Return values of a column as they occur in the pipeline."""
    if column.items == "number":
        return st.lists(NUMBERS).map(lambda values: column.separator.join(f"{v:.{column.decimals}f}" for v in values))
    if column.separator:
        return st.lists(TEXTS).map(column.separator.join)
    kinds = {"text": TEXTS, "integer": st.integers(-(2**63), 2**63 - 1), "flag": st.booleans()}
    return st.none() | kinds.get(column.kind, NUMBERS | st.sampled_from([float("nan"), float("inf")]))


def rows(table: Table) -> st.SearchStrategy[list[Mapping[str, Any]]]:
    return st.lists(st.fixed_dictionaries({column.name: cells(column) for column in table.columns}), max_size=4)


def csv_cell(value: Any, column: Column) -> str:
    """Return a value of Parquet as its cell in CSV."""
    if column.separator:
        items = [f"{item:.{column.decimals}f}" if column.items == "number" else item for item in value or ()]
        return column.separator.join(items)
    return tables.format_value(value, column)


def assert_same(job: Path, table: Table) -> None:
    """Compare a table's Parquet file with its CSV file, cell by cell and row by row, through SQL."""
    with (job / table.path).open(encoding="utf-8", newline="") as stream:
        header, *expected = csv.reader(stream)
    table = table.usual if len(header) < len(table.columns) else table
    file = duckdb.read_parquet(str(job / table.parquet))
    assert file.columns == header == list(table.names)
    infinite = {"inf": "", "-inf": "", "nan": ""}
    found = [[csv_cell(value, one) for value, one in zip(row, table.columns, strict=True)] for row in file.fetchall()]
    numbers = [one.kind == "number" for one in table.columns]
    kept = [[infinite.get(c, c) if n else c for c, n in zip(row, numbers, strict=True)] for row in expected]
    assert found == kept
    values = ", ".join(f"{parquet.cell_of(one)} AS {quoted(one.name)}" for one in table.columns)
    typed = list(read_table(job / table.path, table))
    for origin in (f"FROM '{job / table.parquet}'", f"FROM ({csv_rows(job / table.path, table.columns)})"):
        answer = duckdb.sql(f"SELECT {values} {origin}")
        assert [dict(zip(answer.columns, row, strict=True)) for row in answer.fetchall()] == typed


OF_EACH_TYPE = {
    (one.kind, one.decimals, one.separator, one.items): one for table in PARQUET_TABLES for one in table.columns
}


@settings(
    max_examples=30,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_parquet_equals_csv_cell_by_cell(tmp_path: Path, data: st.DataObject) -> None:
    table = Table(RESULTS_TABLE.path, tuple(OF_EACH_TYPE.values()))
    given_rows: list[Row] = data.draw(rows(table))
    write_table(tmp_path / table.path, table, given_rows)
    write_parquet(tmp_path, [table])
    assert_same(tmp_path, table)


@pytest.mark.parametrize("example", ["exam1gbt", "exam1hpv", "exam4cup"])
def test_all_tables_of_a_job_are_the_same_in_both(tmp_path: Path, example: str) -> None:
    job = ROOT / "data" / "examples" / example
    for table in PARQUET_TABLES:
        if (job / table.path).is_file():
            (tmp_path / table.path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / table.path).write_bytes((job / table.path).read_bytes())
    write_parquet(tmp_path)
    written = {path: path.read_bytes() for path in (tmp_path / layout.TABLES).iterdir()}
    for table in PARQUET_TABLES:
        if (job / table.path).is_file():
            assert_same(tmp_path, table)
    write_parquet(tmp_path)
    assert {path: path.read_bytes() for path in written} == written


def test_types_lists_and_descriptions_are_in_the_file(tmp_path: Path) -> None:
    write_table(tmp_path / EXIT_VECTORS.path, EXIT_VECTORS, [{"rank": 1, "lysine_distances_A": "4.9;5.5", "E": 0.25}])
    write_parquet(tmp_path, [EXIT_VECTORS])
    path = str(tmp_path / EXIT_VECTORS.parquet)
    (row,) = duckdb.sql(f"SELECT rank, lysine_distances_A, E, reason, closed FROM '{path}'").fetchall()
    assert row == (1, [4.9, 5.5], 0.25, None, None)
    query = f"SELECT decode(value) FROM parquet_kv_metadata('{path}') WHERE decode(key) = 'columns'"
    ((about,),) = duckdb.sql(query).fetchall()
    assert json.loads(about)["cone_deg"] == {"unit": "°", "meaning": column_words()["cone_deg"].meaning}


def test_every_column_has_words_and_all_words_a_column(tmp_path: Path) -> None:
    for table in (tables.AFFINITY, tables.PUBLISHED):  # words of their columns are only in jobs that have them
        write_table(tmp_path / table.path, table, [])
    write_parquet(tmp_path, [])
    dictionary = (tmp_path / layout.DATA_DICTIONARY).read_text(encoding="utf-8")
    for table in PARQUET_TABLES:
        for column in table.columns:
            words = words_of(table, column.name)
            assert words is not None, (table.title, column.name)
            assert f"| `{column.name}` |" in dictionary.split(f"## {table.title}\n")[1].split("\n## ")[0]
    names = {name for table in PARQUET_TABLES for one in table.names for name in (one, f"{table.title}.{one}")}
    assert column_words().keys() <= names


def test_columns_that_join_values_are_lists() -> None:
    """Other cells with a separator are sentences and names."""
    sentences = {"hits", "action", "sentence", "detail", "kind_reason", "method", "Name", "best_title"}
    for example in (ROOT / "data" / "examples").glob("exam*"):
        for table in PARQUET_TABLES:
            if not (example / table.path).is_file():
                continue
            single = [one.name for one in table.columns if one.kind == "text" and not one.separator]
            for row in read_table(example / table.path, table):
                assert [n for n in single if n not in sentences and len(tables.split_cell(row[n])) > 1] == []


def test_csv_of_another_version_is_read_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "old.csv"
    path.write_text("pdb_id,rank,more\n1abc,2,x\n2abc\n", encoding="utf-8")
    columns = file_columns(path, EXIT_VECTORS)
    assert [column.kind for column in columns] == ["text", "integer", "text"]
    with connect() as database:
        found = database.execute(csv_rows(path, columns)).fetchall()
    assert found == [("1abc", 2, "x"), ("2abc", None, None)]


def test_cell_with_very_many_members_is_read(tmp_path: Path) -> None:
    members = ";".join(f"1abc_A_LIG_{k}" for k in range(10_000))
    write_table(tmp_path / SERIES.path, SERIES, [{"members": members}])
    assert [row["members"] for row in read_table(tmp_path / SERIES.path, SERIES)] == [members]
    write_parquet(tmp_path, [SERIES])
    with connect() as database:
        assert database.read_parquet(str(tmp_path / SERIES.parquet)).select("len(members)").fetchall() == [(10_000,)]


def test_sql_expressions_work_with_other_versions() -> None:
    """DuckDB 2 refuses arrows as lambdas; earlier versions do if asked to."""
    columns = {column.name: column for table in PARQUET_TABLES for column in table.columns}
    with duckdb.connect(config={"lambda_syntax": "DISABLE_SINGLE_ARROW"}) as database:
        for column in columns.values():
            cell = f"SELECT NULL::{parquet._cell_type(column)} AS {quoted(column.name)}"
            typed = database.sql(f"SELECT {parquet._typed(column)} FROM ({cell})")
            assert len(typed.select(parquet.cell_of(column)).fetchall()) == 1


@pytest.mark.parametrize("parquet", [False, True], ids=["csv", "parquet"])
def test_a_folder_with_a_pattern_in_its_name_is_read_literally(tmp_path: Path, parquet: bool) -> None:
    for name in ("run1", "run[1]", "run*", "run?"):
        write_table(tmp_path / name / RESULTS_TABLE.path, RESULTS_TABLE, [{"pdb_id": name}])
        if parquet:
            write_parquet(tmp_path / name, [RESULTS_TABLE])
    for name in ("run1", "run[1]", "run*", "run?"):
        columns = file_columns(tmp_path / name / RESULTS_TABLE.path, RESULTS_TABLE)
        rows = source(tmp_path / name, RESULTS_TABLE, columns)
        assert connect().execute(f"SELECT pdb_id FROM ({rows})").fetchall() == [(name,)]


def test_long_table_is_written_in_groups_of_rows(tmp_path: Path) -> None:
    """DuckDB buffers a group of rows in memory until it is written."""
    write_table(
        tmp_path / POSES.path, POSES, ({"stem": f"s{k}", "source_record": k} for k in range(parquet.ROW_GROUP + 1))
    )
    write_parquet(tmp_path, [POSES])
    groups = "SELECT DISTINCT row_group_num_rows FROM parquet_metadata(?) ORDER BY 1"
    with duckdb.connect() as database:
        assert database.execute(groups, [str(tmp_path / POSES.parquet)]).fetchall() == [(1,), (parquet.ROW_GROUP,)]
        numbers = database.execute("SELECT source_record FROM read_parquet(?)", [str(tmp_path / POSES.parquet)])
        assert numbers.fetchall() == [(k,) for k in range(parquet.ROW_GROUP + 1)]
