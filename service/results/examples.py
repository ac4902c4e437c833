"""Curated examples: their configuration, and their presentation with or without results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from service.addresses import address
from service.http.discovery_answers import ExampleCounts, ExampleLinks, ExampleUrls
from service.jobs.record import JobRecord
from service.results.bundles import public_bundle
from service.settings import REPOSITORY
from tethermap.base.config import load_yaml


@dataclass(frozen=True, slots=True)
class Example:
    """One configured example.

    Parameters
    ----------
    job_id : str
        Its id, as that of a job.
    label, protein, use_case : str
        Title and description.
    job : mapping
        The job's configuration: target, query and other settings.
    what_you_can_do : sequence of str
        Suggestions for the reader.
    shipped : bool
        Whether its results are part of the repository.
    """

    job_id: str
    label: str
    protein: str
    use_case: str
    job: Mapping[str, Any]
    what_you_can_do: Sequence[str]
    shipped: bool


def load_examples() -> dict[str, Example]:
    """Return the configured examples by id, in their order."""
    configured = load_yaml(REPOSITORY / "config" / "examples.yaml")
    return {item["job_id"]: Example(**item) for item in configured["examples"]}


def example_record(example: Example, record: JobRecord | None, folder: Path | None) -> dict[str, Any]:
    """Return the fields of an `ExampleRecord`.

    Parameters
    ----------
    example : Example
        As configured.
    record : JobRecord or None
        Record of the job; None if its results do not exist.
    folder : Path or None
        Folder of the results.
    """
    status, reason = _status(record)
    kinds = record.artifacts if record is not None else {}
    prepared = folder is not None and record is not None and public_bundle(folder, record.job_id) is not None
    counts = ExampleCounts(
        bundle_available=prepared or sum(kinds.values()) > 0,
        downloadable_file_count=sum(kinds.values()),
        result_rows=record.result_rows if record is not None else 0,
        **{f"{kind}_count": kinds.get(kind, 0) for kind in ("csv", "sdf", "svg", "table", "war_pdb")},
    )
    return {
        **{name: getattr(example, name) for name in ("job_id", "label", "protein", "use_case")},
        "search_query": str(example.job["search_query"]),
        "available": status != "unavailable",
        "has_results": record is not None and record.has_results,
        "status": status,
        "status_reason": reason,
        "api_curl": f'curl -s "$TETHERMAP_URL/api/examples/{example.job_id}/metadata"',
        "counts": counts,
        **_urls(example.job_id),
        "what_you_can_do": list(example.what_you_can_do),
    }


def _status(record: JobRecord | None) -> tuple[str, str]:
    if record is None:
        return "unavailable", "Its results are not on this server: run `make examples` to build them."
    if not record.results_ready:
        return "partial", "Its tables are missing."
    missing = [kind for kind in ("war_pdb", "sdf", "svg") if not record.artifacts.get(kind)]
    if record.has_results and missing:
        return "partial", f"It has no files of kind {', '.join(missing)}."
    return "available", "All its results are here."


def _urls(job_id: str) -> dict[str, Any]:
    base = address(f"/api/examples/{job_id}")
    page, browser = address(f"/examples/{job_id}"), address(f"/results/{job_id}")
    own = {name: f"{base}/{name}" for name in ("artifacts", "bundle", "files", "metadata")}
    own |= {"page": page, "war_pdbs": f"{base}/war-pdbs", "war_pdbs_zip": f"{base}/war-pdbs.zip"}
    return {
        "browser_url": browser,
        "page_url": page,
        "bundle_url": own["bundle"],
        "files_url": own["files"],
        "job_url": own["metadata"],
        "links": ExampleLinks(metadata_legacy=base, results=browser, **own),
        "urls": ExampleUrls(browser=browser, **own),
    }
