from dataclasses import replace

from service.jobs.clock import Clock
from service.jobs.record import BatchItem, BatchRecord, JobRecord
from service.runs.waiting import WaitingList
from tests.service.test_jobs import RECORD


class Stopwatch(Clock):
    def __init__(self) -> None:
        self.seconds = 100.0

    def monotonic(self) -> float:
        return self.seconds


def job(number: int, batch: str | None = None) -> JobRecord:
    return replace(RECORD, job_id=f"{number:08d}", sequence=number, batch_id=batch)


def listed(*jobs: JobRecord) -> tuple[WaitingList, Stopwatch]:
    clock = Stopwatch()
    waiting = WaitingList(clock)
    for one in jobs:
        waiting.add(one)
    return waiting, clock


def any_job(_: str) -> bool:
    return True


def test_jobs_wait_in_the_order_of_their_numbers() -> None:
    waiting, _ = listed(job(3), job(1), job(2))
    assert list(waiting) == ["00000001", "00000002", "00000003"]
    assert waiting.position("00000003") == 3
    assert waiting.position("00000009") is None
    waiting.drop("00000001")
    waiting.drop("00000001")
    assert waiting.next([], any_job) == ("00000002", None)


def test_a_pause_keeps_a_batch_and_nothing_else() -> None:
    waiting, clock = listed(job(2, "b"), job(3, "b"))
    waiting.pause(BatchRecord("b", "", 5.0, (BatchItem("00000001", "", ""),)))
    assert waiting.next([], any_job) == (None, 5.0)
    waiting.add(job(9))
    assert waiting.next([], any_job) == ("00000009", None)
    clock.seconds += 5
    assert waiting.next([], any_job) == ("00000002", None)


def test_a_job_that_lacks_a_resource_is_passed_and_keeps_its_batch() -> None:
    waiting, _ = listed(job(2), job(3, "b"), job(4, "b"), job(5))
    lacking = {"00000002", "00000003"}
    assert waiting.next([], lambda job_id: job_id not in lacking) == ("00000005", None)
    waiting.drop("00000005")
    assert waiting.next([], lambda job_id: job_id not in lacking) == (None, None)
    assert waiting.next([], any_job) == ("00000002", None)
