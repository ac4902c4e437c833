from pathlib import Path

import pytest

from tethermap.base.tables import Column, Row, Table, Value, read_table, write_table
from tethermap.results.merging import merge, read_blocks, sorted_table

TABLE = Table("", (Column("key"), Column("part", "integer"), Column("text")))


def by_key(row: Row) -> tuple[Value]:
    return (row["key"],)


def test_rows_of_any_parts_come_in_the_order_of_their_keys(tmp_path: Path) -> None:
    rows: list[Row] = [
        {"key": key, "part": number, "text": f'line 1\nline "2", {key}'} for number, key in enumerate("edcabba")
    ]
    texts = []
    for size in (1, 3, 7):
        parts = []
        for start in range(0, len(rows), size):
            parts.append(tmp_path / f"{size}-{start}.csv")
            write_table(parts[-1], TABLE, rows[start : start + size])
        merge(reversed(parts), tmp_path / "merged.csv", TABLE, by_key)
        texts.append((tmp_path / "merged.csv").read_bytes())
    assert texts[0] == texts[1] == texts[2]
    assert [row["key"] for row in read_table(tmp_path / "merged.csv", TABLE)] == list("aabbcde")


def test_rows_of_one_block_stay_together_in_their_order(tmp_path: Path) -> None:
    part, merged = tmp_path / "1.csv", tmp_path / "all.csv"
    rows = [("b", 9), ("b", 1), ("a", 5), ("a", 2)]
    write_table(part, TABLE, [{"key": key, "part": number} for key, number in rows])
    merge([part], merged, TABLE, by_key, "key")
    assert [(row["key"], row["part"]) for row in read_table(merged, TABLE)] == [("a", 5), ("a", 2), ("b", 9), ("b", 1)]


def test_cells_with_line_ends_and_quotes_are_unchanged(tmp_path: Path) -> None:
    part = tmp_path / "1.csv"
    write_table(part, TABLE, [{"key": "a", "text": 'say "no",\nthen go'}, {"key": "b", "text": "017"}])
    assert [row["text"] for row, _ in read_blocks(part, TABLE)] == ['say "no",\nthen go', "017"]


def test_empty_parts_give_a_table_without_rows(tmp_path: Path) -> None:
    merge([], tmp_path / "all.csv", TABLE, by_key)
    assert (tmp_path / "all.csv").read_text() == "key,part,text\n"


def test_a_failure_keeps_the_earlier_file(tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    path.write_text("before")
    with pytest.raises(KeyError, match="no column"), sorted_table(path, TABLE) as table:
        table.add(("a",), [{"unknown": 1}])
    assert path.read_text() == "before"
    assert [file.name for file in tmp_path.iterdir()] == ["all.csv"]


def test_a_part_with_other_columns_is_refused(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("key,text\na,b\n")
    with pytest.raises(ValueError, match="unexpected columns"):
        merge([tmp_path / "1.csv"], tmp_path / "all.csv", TABLE, by_key)
