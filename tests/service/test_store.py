import json
import shutil
import threading
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from service.jobs import durable
from service.jobs.record import RECORD, BatchItem, BatchRecord, JobRecord
from service.jobs.store import JobsFolderBusyError, Store
from service.lru import Lru
from tests.service.disks import fill, refused_by_disk, small_disk
from tests.service.test_jobs import RECORD as JOB
from tests.tools.patience import patience


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "jobs", [tmp_path / "examples"])
    made.open()
    return made


def reopened(store: Store) -> Store:
    store.close()
    again = Store(store.jobs_dir)
    again.open()
    return again


def test_a_job_is_read_back_unchanged(store: Store) -> None:
    store.create([(JOB, {"target_name": "T"})])
    again = reopened(store)
    assert again.get(JOB.job_id) == JOB
    assert json.loads((again.folder(JOB.job_id) / ".service/config.json").read_text()) == {"target_name": "T"}


@pytest.mark.parametrize("job_id", ["", "..", "0a1b2c3", "0a1b2c3d/", "../../etc", "0a1b2c3é", "batches", "0A1B2C3D"])
def test_invalid_id_of_a_job_finds_none(store: Store, job_id: str) -> None:
    store.create([(JOB, {})])
    assert store.get(job_id) is None


def test_an_id_that_is_taken_makes_nothing(store: Store) -> None:
    store.create([(JOB, {})])
    with pytest.raises(FileExistsError):
        store.create([(replace(JOB, job_id="ffffffff"), {}), (JOB, {})])
    assert [job_id for job_id, _ in store.scan()] == [JOB.job_id]


def test_a_folder_deleted_by_hand_is_noticed_and_not_created_again(store: Store) -> None:
    store.create([(JOB, {})])
    shutil.rmtree(store.folder(JOB.job_id))
    assert store.get(JOB.job_id) is None
    with pytest.raises(FileNotFoundError):
        store.save(JOB.moved("running", "2026-05-30T10:00:01Z"))
    assert not store.folder(JOB.job_id).exists()


def test_a_second_service_is_refused_while_the_first_lives(store: Store) -> None:
    with pytest.raises(JobsFolderBusyError):
        Store(store.jobs_dir).open()
    reopened(store).close()


def test_a_half_made_job_is_dropped_and_one_of_a_batch_is_finished(store: Store) -> None:
    batch = BatchRecord("batch_00000001", JOB.created_at, 0.0, (BatchItem("11111111", "T", "q"),))
    for job_id, batch_id in (("11111111", batch.batch_id), ("22222222", None)):
        staged = store.jobs_dir / f".new.{job_id}.abcd"
        (staged / ".service").mkdir(parents=True)
        durable.write_json(staged / RECORD, asdict(replace(JOB, job_id=job_id, batch_id=batch_id)))
    (store.jobs_dir / ".new.33333333.abcd").mkdir()
    durable.write_json(store.jobs_dir / "batches/batch_00000001.json", asdict(batch))
    again = reopened(store)
    assert [job_id for job_id, _ in again.scan()] == ["11111111"]
    assert not list(again.jobs_dir.glob(".new.*"))


def test_a_record_that_the_disk_refuses_is_kept_and_written_later(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.create([(JOB, {})])
    running = JOB.moved("running", "2026-05-30T10:00:01Z")
    with monkeypatch.context() as patched:
        patched.setattr("service.jobs.store.write_json", refused_by_disk)
        assert store.save(running) is None
        assert store.get(JOB.job_id) == running
    assert store.flush(replace(running)) is None  # not the last one that was saved
    assert list(store.unwritten.values()) == [running]
    assert store.flush(running) is not None
    assert not store.unwritten
    assert reopened(store).get(JOB.job_id) == running


def test_the_reserve_lets_a_full_disk_be_recorded(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 2 << 20) as disk:
        store = Store(disk / "jobs")
        store.open()
        store.create([(JOB, {})])
        fill(disk)
        assert store.save(JOB.moved("running", "2026-05-30T10:00:01Z")) is not None
        store.close()


def test_an_unreadable_record_is_not_changed(store: Store) -> None:
    store.create([(JOB, {})])
    (store.folder(JOB.job_id) / RECORD).write_text('{"job_id": ')
    again = reopened(store)
    assert again.get(JOB.job_id) is None
    assert (again.folder(JOB.job_id) / RECORD).exists()


def test_memory_contains_only_the_latest_of_many_finished_jobs(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_final", Lru(3))
    jobs = [replace(JOB, job_id=f"{number:08d}", status="completed") for number in range(9)]
    store.create([(job, {}) for job in jobs])
    assert [store.get(job.job_id) for job in jobs] == jobs
    assert len(store._final) <= 3


def test_examples_answer_like_jobs(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "examples" / "example1"
    folder.mkdir(parents=True)
    durable.write_json(folder / RECORD, asdict(replace(JOB, job_id="example1", status="completed")))
    record = store.get("example1")
    assert isinstance(record, JobRecord)
    assert record.source == "example"
    assert store.is_example("example1")
    assert store.folder("example1") == folder


def batch_of(store: Store, *job_ids: str) -> BatchRecord:
    """Make a batch of completed jobs."""
    batch = BatchRecord("batch_00000001", JOB.created_at, 0.0, tuple(BatchItem(one, "T", "q") for one in job_ids))
    jobs = [replace(JOB, job_id=one, batch_id=batch.batch_id, status="completed") for one in job_ids]
    store.create([(job, {}) for job in jobs], batch)
    return batch


def states_on_disk(store: Store, batch: BatchRecord) -> list[str | None]:
    found = reopened(store).batch(batch.batch_id)
    assert found is not None
    return [item.status for item in found.items]


def test_jobs_of_a_batch_deleted_at_once_all_leave_their_states(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = batch_of(store, "11111111", "22222222")
    first_writes, second_wrote = threading.Event(), threading.Event()

    def overtaken(path: Path, value: Any) -> int:
        if not first_writes.is_set():
            first_writes.set()
            second_wrote.wait(0.3)  # it may not write before
            return durable.write_json(path, value)
        stamp = durable.write_json(path, value)
        second_wrote.set()
        return stamp

    monkeypatch.setattr("service.jobs.store.write_json", overtaken)
    first, second = (threading.Thread(target=store.delete, args=(item.job_id,)) for item in batch.items)
    first.start()
    assert first_writes.wait(patience(20))
    second.start()
    first.join()
    second.join()
    assert states_on_disk(store, batch) == ["completed", "completed"]
    assert sorted(path.name for path in store.jobs_dir.iterdir()) == [".lock", ".reserve", "batches"]


def test_a_job_of_a_batch_can_be_deleted_from_a_full_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 2 << 20) as disk:
        store = Store(disk / "jobs")
        store.open()
        batch = batch_of(store, "11111111")
        (store.folder("11111111") / "large.txt").write_bytes(bytes(64 << 10))
        fill(disk)
        store.delete("11111111")
        assert not store.folder("11111111").exists()
        assert states_on_disk(store, batch) == ["completed"]


def test_a_job_of_a_batch_that_can_not_be_written_is_deleted_all_the_same(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = batch_of(store, "11111111")
    monkeypatch.setattr("service.jobs.store.write_json", refused_by_disk)
    store.delete("11111111")
    known = store.batch(batch.batch_id)
    assert known is not None
    assert [(gone, status) for _, gone, status in store.batch_jobs(known)] == [(None, "completed")]
