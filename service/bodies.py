"""What clients read of a job: bodies made from records, without opening the job's folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.lib import layout
from service.jobs import CANCELED, COMPLETED, FAILED, QUEUED, BatchItem, BatchRecord, JobRecord

RETRY_SECONDS = 2
"""How long a client should wait before it asks again."""

FINAL_NAMES = (COMPLETED, FAILED, CANCELED)


def namespace(record: JobRecord) -> str:
    """Return where a job's routes are: examples have one of their own besides that of jobs."""
    return f"/api/jobs/{record.job_id}"


def submitted(record: JobRecord) -> dict[str, Any]:
    """Return the answer to a submission, the same when it is sent again later."""
    base = namespace(record)
    return {
        "ok": True,
        "job_id": record.job_id,
        "status": QUEUED,
        "status_url": base,
        "monitor_url": f"/monitor/{record.job_id}",
        "results_url": f"{base}/results",
        "files_url": f"{base}/files",
        "bundle_url": f"{base}/bundle",
        "events_url": f"{base}/events",
        "browser_results_url": f"/results/{record.job_id}",
        "notes": list(record.notes),
    }


def job_body(record: JobRecord, position: int | None, *, public_bundle: str | None = None) -> dict[str, Any]:
    """Return the state of a job.

    Parameters
    ----------
    record : JobRecord
        The job.
    position : int or None
        Its place in the queue, from 1.
    public_bundle : str or None
        Path of the prepared bundle in the job folder, which only examples have.
    """
    base = namespace(record)
    urls = {
        "monitor_url": f"/monitor/{record.job_id}",
        "results_url": f"{base}/results",
        "files_url": f"{base}/files",
        "bundle_url": f"{base}/bundle",
        "browser_results_url": f"/results/{record.job_id}",
    }
    counts = record.artifacts
    return {
        "ok": True,
        "job_id": record.job_id,
        "status": record.status,
        "target_name": record.target_name,
        "search_query": record.search_query,
        "source": record.source,
        "batch_id": record.batch_id,
        "created_at": record.created_at,
        "started_at": record.started_at,
        "finished_at": record.finished_at,
        "current_step": record.current_step,
        "attempt": record.attempt,
        "progress": progress(record),
        "queue_position": position if record.status == QUEUED else None,
        "request": record.request,
        "notes": list(record.notes),
        "error": error_of(record),
        "has_results": record.has_results,
        "results_ready": record.results_ready,
        "results_row_count": record.result_rows,
        "available_artifacts": {
            f"{kind}_count": counts.get(kind, 0) for kind in ("war_pdb", "sdf", "svg", "csv", "table")
        },
        "outputs": {
            "results_url": urls["results_url"],
            "files_url": urls["files_url"],
            "bundle_url": urls["bundle_url"],
            "war_pdbs_url": f"{base}/war-pdbs",
            "legacy_download_url": f"{base}/download",
            "has_results": record.has_results,
            "public_bundle_path": public_bundle,
        },
        **urls,
    }


def progress(record: JobRecord) -> dict[str, Any]:
    """Return how far a job is."""
    entries = record.entries
    return {
        "done": record.done,
        "planned": record.planned,
        "percent": record.percent,
        "entries": {
            "found": entries.found,
            "done": entries.done,
            "kept": entries.kept,
            "rejected": entries.rejected,
        },
    }


def error_of(record: JobRecord) -> dict[str, str] | None:
    """Return why a job failed, or None."""
    if record.error is None:
        return None
    return {"message": record.error.message, "step": record.error.step, "kind": record.error.kind}


def waiting_headers(record: JobRecord) -> dict[str, str]:
    """Return Retry-After while a job is queued or running."""
    return {} if record.final else {"Retry-After": str(RETRY_SECONDS)}


def batch_status(statuses: list[str]) -> str:
    """Return the state of a batch: final when all its jobs are."""
    if not all(status in FINAL_NAMES for status in statuses):
        return QUEUED if all(status == QUEUED for status in statuses) else "running"
    if COMPLETED in statuses:
        return COMPLETED
    return CANCELED if all(status == CANCELED for status in statuses) else FAILED


def batch_job(item: BatchItem) -> dict[str, Any]:
    """Return a job of a batch as the answer to its submission has it."""
    base = f"/api/jobs/{item.job_id}"
    return {
        "target_name": item.target_name,
        "search_query": item.search_query,
        "job_id": item.job_id,
        "status_url": base,
        "monitor_url": f"/monitor/{item.job_id}",
        "results_url": f"{base}/results",
        "browser_results_url": f"/results/{item.job_id}",
    }


def batch_submitted(batch: BatchRecord) -> dict[str, Any]:
    """Return the answer to the submission of a batch."""
    base = f"/api/batches/{batch.batch_id}"
    return {
        "ok": True,
        "batch_id": batch.batch_id,
        "count": len(batch.items),
        "jobs": [batch_job(item) for item in batch.items],
        "batch_status_url": base,
        "batch_results_url": f"{base}/results",
    }


def key_outputs() -> dict[str, str]:
    """Return the names of the outputs that most clients want, as drop-in clients know them."""
    return {
        "results_display": "Results_Display.csv",
        "resolved_sasa_summary": "Resolved_SASA_Summary.csv",
        "ligand_metadata": "Ligand_Metadata.csv",
        "war_pdb_dir": layout.WAR_PDB,
        "mcs_output_dir": layout.MCS_OUTPUT,
    }


def index_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of the index with its URLs."""
    job_id = row["job_id"]
    names = (
        "job_id",
        "protein",
        "target_name",
        "search_query",
        "fasta_len",
        "status",
        "has_results",
        "available",
        "result_rows",
        "ligand_count",
        "created_at",
        "modified_at",
        "source",
    )
    return {
        **{name: row[name] for name in names},
        "monitor_url": f"/monitor/{job_id}",
        "browser_results_url": f"/results/{job_id}",
        "api_status_url": f"/api/jobs/{job_id}",
        "files_url": f"/api/jobs/{job_id}/files",
        "bundle_url": f"/api/jobs/{job_id}/bundle",
        "war_pdbs_url": f"/api/jobs/{job_id}/war-pdbs",
    }
