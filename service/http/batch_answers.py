"""Answers about batches, made from their records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from service.addresses import address
from service.http.answer import Answer, Count, Number, Success, Time, Url
from service.http.job_answers import job_urls
from service.http.result_answers import ResultsAnswer
from service.jobs.record import (
    CANCELED,
    COMPLETED,
    FAILED,
    FINAL,
    QUEUED,
    RUNNING,
    BatchItem,
    BatchRecord,
    JobRecord,
    State,
)


class BatchJob(Answer):
    """A job of a batch."""

    target_name: str
    search_query: str
    job_id: str
    status_url: Url
    monitor_url: Url
    results_url: Url
    browser_results_url: Url

    @classmethod
    def urls_of(cls, item: BatchItem) -> dict[str, Any]:
        """Return what the record of a batch tells of a job."""
        urls = {"status_url": address(f"/api/jobs/{item.job_id}"), **job_urls(item.job_id)}
        known = {"target_name": item.target_name, "search_query": item.search_query, "job_id": item.job_id}
        return known | {name: url for name, url in urls.items() if name in cls.model_fields}


class BatchSubmittedAnswer(Success):
    """A batch that was taken."""

    batch_id: str
    count: Count
    jobs: list[BatchJob]
    batch_status_url: Url
    batch_results_url: Url

    @classmethod
    def of(cls, batch: BatchRecord) -> BatchSubmittedAnswer:
        """Return the answer to the submission of a batch."""
        base = address(f"/api/batches/{batch.batch_id}")
        jobs = [BatchJob(**BatchJob.urls_of(item)) for item in batch.items]
        return cls(
            batch_id=batch.batch_id,
            count=len(jobs),
            jobs=jobs,
            batch_status_url=base,
            batch_results_url=f"{base}/results",
        )


class BatchMember(BatchJob):
    """A job of a batch and how it is."""

    status: State
    has_results: bool


class BatchAnswer(Success):
    """The state of a batch: final when all its jobs are."""

    batch_id: str
    status: State
    created_at: Time
    updated_at: Time
    count: Count
    delay_seconds: Number
    counts: dict[str, Count]
    jobs: list[BatchMember]

    @classmethod
    def of(cls, batch: BatchRecord, jobs: Sequence[tuple[BatchItem, JobRecord | None, State]]) -> BatchAnswer:
        """Return the state of a batch from those of its jobs."""
        states = [status for _, _, status in jobs]
        times = [record.modified_at for _, record, _ in jobs if record is not None]
        return cls.model_construct(
            batch_id=batch.batch_id,
            status=_batch_status(states),
            created_at=batch.created_at,
            updated_at=max([batch.created_at, *times]),
            count=len(jobs),
            delay_seconds=batch.delay_seconds,
            counts={status: states.count(status) for status in sorted(set(states))},
            jobs=[
                BatchMember.model_construct(
                    **BatchJob.urls_of(item), status=status, has_results=record is not None and record.has_results
                )
                for item, record, status in jobs
            ],
        )


def _batch_status(states: Sequence[State]) -> State:
    if not all(status in FINAL for status in states):
        return QUEUED if all(status == QUEUED for status in states) else RUNNING
    if COMPLETED in states:
        return COMPLETED
    return CANCELED if all(status == CANCELED for status in states) else FAILED


class BatchResult(Answer):
    """The results of a job of a batch; null before its end."""

    job_id: str
    target_name: str
    status: State
    has_results: bool
    results: ResultsAnswer | None


class BatchResultsAnswer(Success):
    """The results of those jobs of a batch that have ended."""

    batch_id: str
    count: Count
    jobs: list[BatchResult]
