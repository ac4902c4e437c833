"""Answers about jobs and batches, made from their records without opening a job's folder."""

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import Field

from service.addresses import address
from service.http.answer import Answer, Count, Map, Number, OfJob, Paged, Place, Success, Time, Url, Yes
from service.jobs.record import FINAL, QUEUED, JobRecord, State
from service.scrub import Scrubber

RETRY_SECONDS = 2
"""Seconds that a client should wait before the next request."""


_SHOWN_ENTRIES = 50


def waiting_headers(status: State) -> dict[str, str]:
    """Return Retry-After while a job or a batch is queued or running."""
    return {} if status in FINAL else {"Retry-After": str(RETRY_SECONDS)}


def job_urls(job_id: str) -> dict[str, Any]:
    """Return all addresses of a job by their names in answers."""
    base = address(f"/api/jobs/{job_id}")
    return {
        **dict.fromkeys(("status_url", "api_status_url"), base),
        "events_url": f"{base}/events",
        "war_pdbs_url": f"{base}/war-pdbs",
        "legacy_download_url": f"{base}/download",
        "monitor_url": address(f"/monitor/{job_id}"),
        "results_url": f"{base}/results",
        "files_url": f"{base}/files",
        "bundle_url": f"{base}/bundle",
        "browser_results_url": address(f"/results/{job_id}"),
    }


class SubmittedAnswer(OfJob):
    """Accepted job; a repeated submission returns the same one."""

    status: State = QUEUED
    status_url: Url
    monitor_url: Url
    results_url: Url
    files_url: Url
    bundle_url: Url
    events_url: Url
    browser_results_url: Url
    notes: list[str]

    @classmethod
    def of(cls, record: JobRecord) -> Self:
        """Return the answer to a submission."""
        return cls(job_id=record.job_id, notes=list(record.notes), **job_urls(record.job_id))


class DryRunEntry(Answer):
    """An entry that a job would use."""

    pdb_id: str
    title: str
    resolution: Number | None
    ligands: list[str]
    reason: str


class FoundProtein(Answer):
    """Protein of the entries that a job would use."""

    name: str
    gene: str
    organism: str
    accession: str
    kind: str
    entity: str
    chains: list[str]
    sequence: str
    n_entries: Count


class PlannedStep(Answer):
    """A step that a job would run."""

    name: str
    says: str


class Estimate(Answer):
    """Estimated cost of a job."""

    cpu_seconds: Number
    bytes: Count


class DryRunAnswer(Success):
    """Preview of a job."""

    dry_run: Yes = True
    total: Count
    entries: list[DryRunEntry]
    proteins: list[FoundProtein]
    left_out: dict[str, Count]
    steps: list[PlannedStep]
    estimate: Estimate
    notes: list[str]


class Entries(Answer):
    """Progress of a job by entry."""

    found: Count | None
    done: Count
    kept: Count
    rejected: Count
    ligands: Count = 0
    ligands_done: Count = 0


class JobProgress(Answer):
    """Progress of a job."""

    done: Count
    planned: Count
    percent: Count | None
    entries: Entries


class Failure(Answer):
    """Reason of a failure."""

    message: str
    step: str
    kind: str

    @classmethod
    def of(cls, record: JobRecord, scrubber: Scrubber) -> Self | None:
        """Return why a job failed, or None, without places of this machine."""
        error = record.error
        return None if error is None else cls(message=scrubber.text(error.message), step=error.step, kind=error.kind)


class ArtifactCounts(Answer):
    """Number of files by kind."""

    war_pdb_count: Count = 0
    sdf_count: Count = 0
    svg_count: Count = 0
    csv_count: Count = 0
    table_count: Count = 0


class Outputs(Answer):
    """Addresses of a job's results."""

    results_url: Url
    files_url: Url
    bundle_url: Url
    war_pdbs_url: Url
    legacy_download_url: Url
    has_results: bool
    public_bundle_path: str | None


class Delivery(Answer):
    """Notification of a job's end."""

    state: Literal["waiting", "pending", "delivered", "failed"]
    attempts: Count
    last_status: Count | None
    next_at: Time | None


def _short(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request for polls: the number of its entries in place of many ids."""
    options = request.get("options") or {}
    entries = options.get("entries") or ()
    if len(entries) <= _SHOWN_ENTRIES:
        return dict(request)
    others = {name: value for name, value in options.items() if name != "entries"}
    return {**request, "options": others, "entries_count": len(entries)}


class JobRequestAnswer(OfJob):
    """The complete settings of a job's request."""

    request: Map


class JobAnswer(OfJob):
    """The state of a job."""

    status: State
    target_name: str
    search_query: str
    source: Literal["api", "web", "cli", "batch", "example"]
    batch_id: str | None
    created_at: Time | None
    started_at: Time | None
    finished_at: Time | None
    current_step: str | None
    attempt: Count
    progress: JobProgress
    queue_position: Place | None
    request: Map
    notes: list[str]
    error: Failure | None
    webhook: Delivery | None
    has_results: bool
    results_ready: bool
    results_row_count: Count
    available_artifacts: ArtifactCounts
    outputs: Outputs
    monitor_url: Url
    results_url: Url
    files_url: Url
    bundle_url: Url
    browser_results_url: Url

    @classmethod
    def of(
        cls,
        record: JobRecord,
        position: int | None,
        *,
        waits_for: str = "",
        public_bundle: str | None = None,
        failure: Failure | None = None,
        webhook: Mapping[str, Any] | None = None,
    ) -> Self:
        """Return the state of a job.

        Parameters
        ----------
        position : int or None
            Its place in the queue, from 1.
        waits_for : str
            Sentence about the resource that it waits for.
        public_bundle : str or None
            Path of the prepared bundle in the job folder, which only examples have.
        failure : Failure or None
            Why it failed, without places of this machine.
        webhook : mapping or None
            State of its notice.
        """
        urls = job_urls(record.job_id)
        same = {name: getattr(record, name, None) for name in cls.model_fields}
        values: dict[str, Any] = {
            **same,
            "ok": True,
            "request": _short(record.request),
            "progress": JobProgress.model_validate(record),
            "queue_position": position if record.status == QUEUED else None,
            "notes": [*record.notes, *([waits_for] if waits_for else [])],
            "error": failure,
            "webhook": None if webhook is None else Delivery(**webhook),
            "results_row_count": record.result_rows,
            "available_artifacts": ArtifactCounts(
                **{name: record.artifacts.get(name.removesuffix("_count"), 0) for name in ArtifactCounts.model_fields}
            ),
            "outputs": Outputs(**urls, has_results=record.has_results, public_bundle_path=public_bundle),
            **urls,
        }
        return cls.model_construct(**values)


class DeletedAnswer(OfJob):
    """A deleted job."""

    deleted: Yes = True


class JobLogAnswer(OfJob):
    """Lines of a job's log."""

    status: State
    target: str
    current_step: str | None
    results_ready: bool
    log: list[str]
    next: Count
    error: Failure | None


class JobSummaryAnswer(Answer):
    """Counts of a job's ligands."""

    job_id: str
    target: str
    total_warheads: Count
    unique_warheads: Count
    structures_downloaded: Count
    warhead_id_col: str = "Warhead"


class PinnedEntry(Answer):
    """The version of an entry that a job used."""

    pdb_id: str
    revision: str
    sha256: str


class HashedFile(Answer):
    """A file and its SHA-256."""

    path: str
    sha256: str


class ReproductionAnswer(OfJob):
    """Files and commands to repeat a job and to compare the results."""

    config: Map
    entries: list[PinnedEntry]
    command: str
    versions: Map
    outputs: list[HashedFile]
    unpinned: list[str]


class ListedJob(Answer):
    """A job in the list."""

    job_id: str
    protein: str
    target_name: str
    search_query: str
    fasta_len: Count
    status: State
    has_results: bool
    available: bool
    result_rows: Count
    ligand_count: Count
    created_at: Time | None
    modified_at: Time | None
    source: str
    monitor_url: Url
    browser_results_url: Url
    api_status_url: Url
    files_url: Url
    bundle_url: Url
    war_pdbs_url: Url

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """Return a row of the index with its addresses."""
        return cls.model_validate({**row, **job_urls(row["job_id"])})


class FoundAnswer(Answer):
    """Best exit of a ligand, from all its copies in the binding site."""

    anchor_atom: str
    action: str
    evidence: str
    score_median: Number | None
    n_open: Count | None
    n_copies: Count | None


class FoundLigand(Answer):
    """Ligand of a finished job."""

    job_id: str
    target_name: str
    pdb_id: str
    chain: str = Field(validation_alias="Chain")
    ligand: str = Field(validation_alias="Warhead")
    residue_id: str = Field(validation_alias="Residue_ID")
    stem: str
    name: str = Field(validation_alias="ligand_name")
    inchikey: str = Field(validation_alias="InChIKey")
    smiles: str = Field(validation_alias="SMILES")
    exposed: Number | None = Field(validation_alias="%Exposed")
    resolution: Number | None
    site: str
    answer: FoundAnswer | None
    results_url: Url
    relation: Literal["same", "contains", "part", "similar"] | None = None
    similarity: Number | None = None


class SearchAsked(Success):
    """Number of ligands in a response."""

    count: Count


class SearchAnswer(Paged, SearchAsked):
    """Page of the ligands that match, and the number of searched jobs."""

    jobs_read: Count
    jobs_found: Count
    ligands: list[FoundLigand]


class JobsAsked(Success):
    """Number of jobs that match, and of those on the page."""

    count: Count
    returned: Count


class IndexedJobsAnswer(Paged, JobsAsked):
    """Page of the jobs that match."""

    jobs: list[ListedJob]


class SuggestedName(Answer):
    """A name that completes a text: a gene, protein, accession or ligand of the source."""

    text: str
    says: str
    kind: str
    key: str
    entries: int | None


class SuggestionsAnswer(Success):
    """Names that complete a text, the best first."""

    suggestions: list[SuggestedName]
