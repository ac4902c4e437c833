"""The snapshot of the index for other tools: Parquet files that no service has open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb

from service.index.query import EXPORTED, SORTS, JobFilters, csv_bytes, export_row, where
from tethermap.base.parquet import file_literal

JOBS_SNAPSHOT = "jobs.parquet"
RESULTS_SNAPSHOT = "results.parquet"

_ROWS = 2000


def snapshot_csv(folder: Path, filters: JobFilters) -> Iterator[bytes]:
    """Yield the jobs of a snapshot as the export of the API has them."""
    condition, values = where(filters)
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"CREATE VIEW jobs AS FROM read_parquet({file_literal(folder / JOBS_SNAPSHOT)})")
        columns = ", ".join(EXPORTED)
        inner = f"SELECT *, target_name AS protein FROM jobs {condition}"  # noqa: S608
        rows = connection.execute(f"SELECT {columns} FROM ({inner}) ORDER BY {SORTS['created_desc']}", values)  # noqa: S608
        yield csv_bytes([EXPORTED])
        while batch := rows.fetchmany(_ROWS):
            yield csv_bytes(export_row(row) for row in batch)
