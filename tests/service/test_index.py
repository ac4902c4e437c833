import asyncio
import csv
import io
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from pathlib import Path

import duckdb
import pytest

from service.index.database import FILE, Index, IndexedJob
from service.index.query import JobFilters
from service.jobs import durable
from service.jobs.record import RECORD, JobRecord, ResultRow
from service.jobs.store import Store
from service.runs.reconcile import reconcile
from tests.service.disks import fill, small_disk
from tests.service.test_jobs import RECORD as JOB
from tests.tools.runs import ROOT

ROW: ResultRow = ("1hpv", "A", "478", "200", "478", 0.3, 38.7, 750.2)
GLUED: ResultRow = ("5abc", "B", "NAG-2", "1", "NAG-NAG", None, None, None)


def job(number: int, **values: object) -> JobRecord:
    day = f"2026-05-{number + 1:02d}T10:00:00Z"
    made = {"job_id": f"{number:08x}", "sequence": number, "created_at": day, "modified_at": day}
    return replace(JOB, **{**made, **values})  # type: ignore[arg-type]


JOBS = [
    IndexedJob(
        job(1, target_name="HIV protease", search_query="1HPV", status="completed", has_results=True), 11, (ROW,)
    ),
    IndexedJob(job(2, target_name="BAZ2B", search_query="4cup", status="failed"), 12, ()),
    IndexedJob(job(3, target_name="hiv Integrase", search_query="=1+1", status="completed"), 13, ()),
    IndexedJob(job(4, target_name="baz2b", search_query='a "b", c', has_results=True), 14, (GLUED,)),
]  # fmt: skip


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Index]:
    index = Index(folder)
    index.open()
    index.start()
    try:
        yield index
    finally:
        await index.close()


async def ids(index: Index, **filters: object) -> list[int]:
    total, rows = await index.jobs(JobFilters(**filters), "job_id")  # type: ignore[arg-type]
    assert total == len(rows)
    return [int(row["job_id"], 16) for row in rows]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, [1, 2, 3, 4]), ({"protein": "HIV"}, [1, 3]), ({"protein": "hiv", "available": True}, [1]),
        ({"query": "4CUP"}, [2]), ({"available": False}, [2, 3]), ({"status": "completed"}, [1, 3]),
        ({"ligand": "478"}, [1]), ({"ligand": "nag"}, [4]), ({"ligand": "NA"}, []), ({"pdb_id": "1HPV"}, [1]),
        ({"created_after": "2026-05-03T10:00:00Z"}, [2, 3, 4]), ({"created_before": "2026-05-03T10:00:00Z"}, [1]),
        ({"protein": "%"}, []), ({"protein": "'; DROP TABLE jobs; --"}, []),
    ],
)  # fmt: skip
async def test_filters(tmp_path: Path, filters: dict[str, object], expected: list[int]) -> None:
    async with opened(tmp_path) as index:
        for one in JOBS:
            index.put(one)
        await index.settled()
        assert await ids(index, **filters) == expected


@pytest.mark.parametrize(
    ("sort", "expected"),
    [("created_desc", [4, 3, 2, 1]), ("created_asc", [1, 2, 3, 4]), ("modified_desc", [4, 3, 2, 1]),
     ("protein", [4, 2, 3, 1]), ("job_id", [1, 2, 3, 4])],
)  # fmt: skip
async def test_sorts_and_pages(tmp_path: Path, sort: str, expected: list[int]) -> None:
    async with opened(tmp_path) as index:
        index.load(JOBS)
        pages = [await index.jobs(JobFilters(), sort, 1, offset) for offset in range(4)]
    assert [(total, int(row["job_id"], 16)) for total, (row,) in pages] == [(4, number) for number in expected]


async def test_a_changed_job_replaces_itself(tmp_path: Path) -> None:
    async with opened(tmp_path) as index:
        index.put(JOBS[0])
        for number in range(50):
            index.put(IndexedJob(replace(JOBS[0].record, result_rows=number), 20 + number, (ROW,)))
            if number % 10 == 0:
                await index.settled()
        await index.settled()
        _, rows = await index.jobs(JobFilters(ligand="478"))
        assert [row["result_rows"] for row in rows] == [49]
        index.remove(JOBS[0].record.job_id)
        await index.settled()
        assert await ids(index) == await ids(index, ligand="478") == []


async def test_export_is_csv_that_no_spreadsheet_runs(tmp_path: Path) -> None:
    async with opened(tmp_path) as index:
        index.load(JOBS)
        data = b"".join([piece async for piece in index.export(JobFilters(), "job_id")])
    assert data.startswith(b"job_id,protein,search_query,has_results,status,created_at,finished_at,result_rows,")
    rows = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    assert [row["search_query"] for row in rows] == ["1HPV", "4cup", "'=1+1", 'a "b", c']
    assert [row["has_results"] for row in rows] == ["yes", "no", "no", "yes"]
    assert data.count(b"\r\n") == 5


def on_disk(folder: Path) -> Store:
    store = Store(folder)
    store.open()
    for one in JOBS:
        path = folder / one.record.job_id
        path.mkdir()
        durable.write_json(path / RECORD, asdict(one.record))
    return store


def _other_version(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE meta SET schema = 0")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"not a database" * 1000),
        lambda path: path.with_name(f"{FILE}.wal").write_bytes(b"\x00garbage" * 64),
        _other_version,
    ],
    ids=["deleted", "truncated", "empty", "garbage", "broken wal", "other version"],
)
async def test_a_broken_index_is_rebuilt_from_the_folders(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    store = on_disk(tmp_path / "jobs")
    for break_file in (spoil, lambda _: None):
        async with opened(tmp_path / "index") as index:
            assert reconcile(store, index).jobs == 4
            assert index.consistent
            assert await ids(index) == [1, 2, 3, 4]
        break_file(tmp_path / "index" / FILE)
    store.close()


def test_a_restart_reads_only_changed_jobs(tmp_path: Path) -> None:
    store = on_disk(tmp_path / "jobs")
    index = Index(tmp_path / "index")
    index.open()
    assert reconcile(store, index).read == 4
    again = reconcile(store, index)
    assert (again.jobs, again.read) == (4, 1)  # the job that is not final
    assert [record.job_id for record in again.active] == ["00000004"]
    assert again.last_sequence == 4
    durable.write_json(store.folder("00000002") / RECORD, asdict(JOBS[1].record))
    assert reconcile(store, index).read == 2
    for name in ("00000001", "00000003"):
        (store.folder(name) / RECORD).unlink()
    reconcile(store, index)
    assert set(index.known()) == {"00000002", "00000004"}
    assert reconcile(store, index, everything=True).read == 2
    asyncio.run(index.close())
    store.close()


async def test_many_small_changes_leave_the_index_small(tmp_path: Path) -> None:
    """A checkpoint after each change once left a row group in the file and in memory for good."""
    async with opened(tmp_path) as index:
        for number in range(60):
            index.put(IndexedJob(job(number % 28, job_id=f"{number:08x}"), number, (ROW,)))
            await index.settled()
    with duckdb.connect(str(tmp_path / FILE)) as connection:
        (groups,) = connection.sql("SELECT count(DISTINCT row_group_id) FROM pragma_storage_info('jobs')").fetchall()
    assert groups[0] <= 2
    assert (tmp_path / FILE).stat().st_size < 4 << 20


async def test_a_full_disk_leaves_the_index_answering_and_marked(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 4 << 20) as disk:
        async with opened(disk) as index:
            index.load(JOBS)
            filler = fill(disk)
            for number in range(5, 200):
                index.put(IndexedJob(job(number % 25, job_id=f"{number:08x}", search_query="x" * 900), 1, (ROW,) * 50))
            await index.settled()
            assert (index.failed, index.consistent) == (True, False)
            assert await ids(index, created_before="2026-05-03T10:00:00Z", query="1HPV") == [1]
            filler.unlink()
            await index.in_writer(lambda: index.load(JOBS))
            index.failed = False
            assert index.consistent


async def test_an_index_that_has_no_place_lives_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    async with opened(tmp_path / "file" / "index") as index:
        index.load(JOBS)
        assert await ids(index) == [1, 2, 3, 4]


WRITER = """
import asyncio, itertools, sys
from pathlib import Path
from service.index.database import Index
from tests.service.test_index import JOBS

async def write(folder: Path) -> None:
    index = Index(folder)
    index.open()
    index.start()
    for number in itertools.count():
        index.put(JOBS[number % 4])
        await index.settled()
        if number == 20:
            print("writing", flush=True)

asyncio.run(write(Path(sys.argv[1])))
"""


def kill_writer(folder: Path, delay: float) -> None:
    """Write an index in another process, and kill it meanwhile."""
    with subprocess.Popen([sys.executable, "-c", WRITER, str(folder)], cwd=ROOT, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"writing\n"
        time.sleep(delay)
        writer.kill()


@pytest.mark.parametrize("delay", [0.0, 0.13, 0.4])
async def test_an_index_killed_while_it_is_written_is_in_line_after_the_start(tmp_path: Path, delay: float) -> None:
    store = on_disk(tmp_path / "jobs")
    await asyncio.to_thread(kill_writer, tmp_path / "index", delay)
    async with opened(tmp_path / "index") as index:
        reconcile(store, index)
        assert index.consistent
        assert await ids(index) == [1, 2, 3, 4]
        assert index.known()["00000001"].stamp == dict(store.scan())["00000001"]
    store.close()
