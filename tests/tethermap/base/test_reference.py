"""Reference tables are well-formed CSV."""

import csv
from pathlib import Path

import pytest

from tethermap.base.reference import REFERENCE

TABLES = sorted(REFERENCE.glob("*.csv"))


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_all_rows_have_as_many_cells_as_the_header(path: Path) -> None:
    with path.open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream)
    assert [row for row in rows if len(row) != len(header)] == []
