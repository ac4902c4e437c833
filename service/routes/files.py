"""Files, listings and archives, of jobs and of examples."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from service import query
from service.artifacts import MEDIA_TYPES, Listing, list_artifacts, resolve_artifact
from service.bundles import bundle_answer, public_bundle, structures_folder
from service.context import context_of, in_thread, job_of
from service.endpoint import Endpoint, Parameter
from service.query import Page
from service.responses import file_answer, tagged
from service.routes.parameters import EXAMPLE_ERRORS, FOLDER, JOB_ERRORS, KIND, LIMIT, OFFSET
from service.structures import files_of_instances

_DEFAULT, _MAXIMUM = 1000, 2000

MAX_STEMS = 200
"""Ligands that one ZIP can be asked for by name; more come with all files."""

_ANY_FILE = tuple(sorted({*MEDIA_TYPES.values()}))


async def list_files(request: Request) -> Response:
    """Answer the files of a job that a client may see."""
    return await _list(request, counted=False)


async def list_with_counts(request: Request) -> Response:
    """Answer the same, with counts by kind and folder."""
    return await _list(request, counted=True)


async def _list(request: Request, *, counted: bool) -> Response:
    job = job_of(request)
    kind = (query.text(request, "kind") or "all").lower()
    folder = request.query_params.get("folder", "")
    page = Page.of(request, _DEFAULT, _MAXIMUM)
    listing: Listing = await in_thread(list_artifacts, job.folder)
    found = listing.of(kind, folder)
    part = found[page.offset : page.offset + page.limit]
    body, headers = page.links(request, len(found))
    counts = {"kinds": listing.counts(), "folders": listing.folders()} if counted else {}
    answer = {
        "ok": True,
        "job_id": job.record.job_id,
        "kind": kind,
        "folder": folder,
        "count": len(part),
        **body,
        **counts,
        "files": listing.entries(part, f"{job.base}/files"),
    }
    return tagged(request, answer, headers)


async def get_file(request: Request) -> Response:
    """Answer one file."""
    job = job_of(request)
    artifact = await in_thread(resolve_artifact, job.folder, request.path_params["path"])
    return await file_answer(request, artifact)


async def list_structures(request: Request) -> Response:
    """Answer the cleaned complexes, each once."""
    job = job_of(request)
    listing: Listing = await in_thread(list_artifacts, job.folder)
    files = listing.structures()
    answer = {
        "ok": True,
        "job_id": job.record.job_id,
        "count": len(files),
        "total": len(files),
        "files": listing.entries(files, f"{job.base}/files"),
        "zip_url": f"{job.base}/war-pdbs.zip",
    }
    return tagged(request, answer)


async def structures_zip(request: Request) -> Response:
    """Answer the cleaned complexes as one ZIP."""
    job = job_of(request, ready=True)
    listing: Listing = await in_thread(list_artifacts, job.folder)
    folder = structures_folder(job.record.job_id)
    return await in_thread(bundle_answer, request, listing.structures(), folder, f"{folder}.zip")


async def bundle(request: Request) -> Response:
    """Answer all files as one ZIP: the prepared one of an example, if it has one."""
    job_id = str(request.path_params["job_id"])
    return await _bundle(request, f"{job_id}_results.zip")


async def download(request: Request) -> Response:
    """Answer the same under the name that earlier clients know."""
    return await _bundle(request, f"{request.path_params['job_id']}.zip")


async def _bundle(request: Request, name: str) -> Response:
    job = job_of(request, ready=True)
    stems = query.several(request, "stem", MAX_STEMS)
    if stems:
        tables = context_of(request).tables
        chosen = await in_thread(files_of_instances, tables, job.folder, stems)
        own = f"{job.record.job_id}_selected.zip"
        return await in_thread(bundle_answer, request, chosen, job.record.job_id, own)
    if job.record.source == "example" and (prepared := public_bundle(job.folder, job.record.job_id)):
        own = name if request.scope["path"].endswith("/download") else prepared.name
        return await file_answer(request, prepared, name=own)
    listing: Listing = await in_thread(list_artifacts, job.folder)
    return await in_thread(bundle_answer, request, listing.artifacts, job.record.job_id, name)


STEM = Parameter(
    "stem",
    {"type": "array", "items": {"type": "string"}, "maxItems": MAX_STEMS},
    f"Only the files of this ligand; may be repeated, at most {MAX_STEMS} times.",
)


def _endpoints(base: str, group: str, errors: tuple[str, ...]) -> tuple[Endpoint, ...]:
    """Return the routes of files below jobs or below examples."""
    listing = (KIND, FOLDER, LIMIT, OFFSET)
    bad = (*errors, "INVALID_PATH", "INVALID_PARAMETER")
    ready = (*errors, "RESULTS_NOT_READY")
    file_errors = (*errors, "INVALID_PATH", "FILE_NOT_FOUND", "RANGE_NOT_SATISFIABLE")
    path = f"{base}/{{job_id}}"
    return (
        Endpoint("GET", f"{path}/files", list_files, group, "Files that can be had.", listing, "", {200: "Files"}, bad),
        Endpoint(
            "GET",
            f"{path}/artifacts",
            list_with_counts,
            group,
            "The same with counts by kind and folder.",
            listing,
            "",
            {200: "Artifacts"},
            bad,
        ),
        Endpoint(
            "GET",
            f"{path}/files/{{path:path}}",
            get_file,
            group,
            "One file.",
            (),
            "",
            {200: _ANY_FILE, 206: _ANY_FILE},
            file_errors,
        ),
        Endpoint(
            "GET", f"{path}/war-pdbs", list_structures, group, "Cleaned complexes.", (), "", {200: "Structures"}, errors
        ),
        Endpoint(
            "GET",
            f"{path}/war-pdbs.zip",
            structures_zip,
            group,
            "Cleaned complexes as one ZIP.",
            (),
            "",
            {200: "application/zip"},
            ready,
        ),
        Endpoint(
            "GET",
            f"{path}/bundle",
            bundle,
            group,
            "All files as one ZIP, or those of some ligands.",
            (STEM,),
            "",
            {200: "application/zip", 206: "application/zip"},
            (*ready, "RANGE_NOT_SATISFIABLE", "FILE_NOT_FOUND", "INVALID_PARAMETER"),
        ),
    )


ENDPOINTS = (
    *_endpoints("/api/jobs", "Results and files", JOB_ERRORS),
    Endpoint(
        "GET",
        "/api/jobs/{job_id}/download",
        download,
        "Results and files",
        "The bundle under its earlier name.",
        (STEM,),
        "",
        {200: "application/zip", 206: "application/zip"},
        (*JOB_ERRORS, "RESULTS_NOT_READY", "RANGE_NOT_SATISFIABLE", "FILE_NOT_FOUND", "INVALID_PARAMETER"),
    ),
)
EXAMPLE_ENDPOINTS = _endpoints("/api/examples", "Examples", EXAMPLE_ERRORS)
