import itertools
from contextlib import suppress
from dataclasses import asdict, replace

import pytest

from service.jobs.outcome import fasta_length
from service.jobs.record import JOB_RECORDS, STATES, EntryCounts, IllegalChangeError, JobError, JobRecord

TIME = "2026-05-30T10:00:00Z"
RECORD = JobRecord(
    job_id="0a1b2c3d", sequence=7, status="queued", target_name="T", search_query="q", request={"a": [1]}, notes=("n",),
    created_at=TIME, modified_at=TIME,
)  # fmt: skip


def test_only_the_changes_of_state_of_the_contract_are_possible() -> None:
    possible = set()
    for one, other in itertools.product(STATES, STATES):
        with suppress(IllegalChangeError):
            possible.add((one, replace(RECORD, status=one).moved(other, "2026-05-30T10:00:01Z").status))
    assert possible == {
        ("queued", "running"), ("queued", "canceled"), ("running", "completed"), ("running", "failed"),
        ("running", "canceled"), ("running", "queued"), ("failed", "queued"), ("canceled", "queued"),
    }  # fmt: skip


def test_times_never_decrease_when_the_clock_does() -> None:
    running = RECORD.moved("running", "2020-01-01T00:00:00Z")
    done = running.moved("completed", "2019-01-01T00:00:00Z")
    assert running.started_at == done.finished_at == done.modified_at == RECORD.created_at


def test_started_at_is_that_of_the_first_attempt() -> None:
    again = RECORD.moved("running", "2026-05-30T10:00:05Z").moved("queued", "2026-05-30T10:01:00Z")
    assert again.attempt == 2
    assert again.moved("running", "2026-05-30T10:02:00Z").started_at == "2026-05-30T10:00:05Z"


def test_a_retried_job_forgets_its_end_and_may_be_interrupted_once_again() -> None:
    error, time = JobError("m", "s", "pipeline"), "2026-05-30T10:01:00Z"
    first = RECORD.moved("running", time)
    assert first.runs_again
    assert not first.moved("queued", time).runs_again
    ended = first.moved("failed", time, error=error, results_ready=True, result_rows=2, artifacts={"sdf": 1})
    again = ended.moved("queued", time)
    assert (again.attempt, again.started_at, again.finished_at, again.error) == (2, time, None, None)
    assert (again.results_ready, again.result_rows, again.artifacts) == (False, 0, {})
    assert again.runs_again
    assert not again.moved("running", time).moved("queued", time).runs_again


def test_a_job_canceled_before_its_run_is_retried_as_its_first_attempt() -> None:
    again = RECORD.moved("canceled", TIME).moved("queued", TIME)
    assert (again.attempt, again.first_attempt) == (1, 1)


def test_a_record_survives_its_json() -> None:
    record = replace(RECORD, entries=EntryCounts(3, 2, 1, 1), error=JobError("m", "s", "input"), artifacts={"sdf": 1})
    assert JOB_RECORDS.validate_python(asdict(record)) == record


@pytest.mark.parametrize("data", [{}, {"job_id": "x"}, {**asdict(RECORD), "status": "lost"}, {"entries": 3}])
def test_invalid_record_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="JobRecord"):
        JOB_RECORDS.validate_python(data)


def test_residues_of_all_records_are_counted() -> None:
    assert fasta_length(">a\nACD\nEF\n>b ACGT\nG") == 6
    assert fasta_length(None) == 0
