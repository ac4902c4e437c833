"""The rows of the index: its tables, and what of a job goes into them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from service.index.query import words
from service.jobs.record import JobRecord, ResultRow

SCHEMA = 2
TABLES = {
    "jobs": "job_id VARCHAR, sequence BIGINT, target_name VARCHAR, search_query VARCHAR, fasta_len INTEGER,"
    " status VARCHAR, has_results BOOLEAN, result_rows INTEGER, ligand_count INTEGER, created_at VARCHAR,"
    " started_at VARCHAR, finished_at VARCHAR, modified_at VARCHAR, source VARCHAR, batch_id VARCHAR,"
    " codes VARCHAR, entries VARCHAR, created_s BIGINT, modified_s BIGINT, stamp BIGINT",
    "results": "job_id VARCHAR, pdb_id VARCHAR, chain VARCHAR, ligand VARCHAR, residue_id VARCHAR,"
    " components VARCHAR, exposed DOUBLE, sasa_bound_a2 DOUBLE, sasa_free_a2 DOUBLE",
    "meta": "schema INTEGER",
}
WIDTHS = {"jobs": 20, "results": 9}

_CODE = re.compile(r"[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class IndexedJob:
    """What the index is told of a job: its record, the time of the record's file, and its results.

    Parameters
    ----------
    record : JobRecord
        The record as it is on disk.
    stamp : int
        Modification time of its file in nanoseconds; by it a restart sees what it must read again.
    rows : tuple of ResultRow
        Its results; none before it has ended.
    """

    record: JobRecord
    stamp: int
    rows: tuple[ResultRow, ...] = ()


def job_row(job: IndexedJob) -> tuple[Any, ...]:
    """Return the row of a job, in the order of the table."""
    record = job.record
    return (
        record.job_id,
        record.sequence,
        record.target_name,
        record.search_query,
        record.fasta_len,
        record.status,
        record.has_results,
        record.result_rows,
        record.ligand_count,
        record.created_at,
        record.started_at,
        record.finished_at,
        record.modified_at,
        record.source,
        record.batch_id,
        words(code for row in job.rows for code in (row[2], *_CODE.findall(row[4]))),
        words(row[0] for row in job.rows),
        _seconds(record.created_at),
        _seconds(record.modified_at),
        job.stamp,
    )


def _seconds(time: str) -> int:
    """Return a record's time as a number, by which sorting costs a third."""
    return int(datetime.fromisoformat(time).timestamp())
