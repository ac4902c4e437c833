"""Files, listings and archives, of jobs and of examples."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from service.http.endpoint import Endpoint, Routes
from service.http.parameters import FOLDER, KIND, STEM, Paging
from service.http.responses import file_answer, tagged
from service.http.result_answers import ArtifactsAnswer, File, FilesAnswer, StructuresAnswer
from service.jobs.artifacts import ANY_FILE, Listing, list_artifacts, resolve_artifact
from service.results.bundles import bundle_answer, public_bundle, structures_folder
from service.results.structures import files_of_instances
from service.routes.shared import in_thread, job_of, shared_of

_PAGE = Paging(1000, 2000)


async def list_files(request: Request) -> Response:
    """Answer the files of a job that a client may see, as artifacts with counts by kind and folder."""
    job = job_of(request)
    kind = (KIND.of(request) or "all").lower()
    folder = request.query_params.get(FOLDER.name, "")  # unchanged: text that can't be a folder is an invalid path
    page = _PAGE.of(request)
    listing: Listing = await in_thread(list_artifacts, job.folder)
    listed = listing.of(kind, folder)
    part = listed[page.offset : page.offset + page.limit]
    body, headers = page.links(request, len(listed))
    values = {
        "job_id": job.record.job_id,
        "kind": kind,
        "folder": folder,
        "count": len(part),
        "files": File.all_of(listing, job.base, part),
        **body,
    }
    if request.scope["path"].endswith("/artifacts"):
        return tagged(request, ArtifactsAnswer(**values, kinds=listing.counts(), folders=listing.folders()), headers)
    return tagged(request, FilesAnswer(**values), headers)


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
    answer = StructuresAnswer(
        job_id=job.record.job_id,
        count=len(files),
        total=len(files),
        files=File.all_of(listing, job.base, files),
        zip_url=f"{job.base}/war-pdbs.zip",
    )
    return tagged(request, answer)


async def structures_zip(request: Request) -> Response:
    """Answer the cleaned complexes as one ZIP."""
    job = job_of(request, ready=True)
    listing: Listing = await in_thread(list_artifacts, job.folder)
    folder = structures_folder(job.record.job_id)
    return await in_thread(bundle_answer, request, listing.structures(), folder, f"{folder}.zip")


async def bundle(request: Request) -> Response:
    """Answer a ZIP of all files or of the files of selected ligands; that of an example is ready-made."""
    job = job_of(request, ready=True)
    job_id, legacy = job.record.job_id, request.scope["path"].endswith("/download")
    if stems := STEM.of(request):
        chosen = await in_thread(files_of_instances, shared_of(request).tables, job.folder, stems)
        return await in_thread(bundle_answer, request, chosen, job_id, f"{job_id}_selected.zip")
    if job.record.source == "example" and (prepared := public_bundle(job.folder, job_id)):
        return await file_answer(request, prepared, name=f"{job_id}.zip" if legacy else prepared.name)
    listing: Listing = await in_thread(list_artifacts, job.folder)
    name = f"{job_id}.zip" if legacy else f"{job_id}_results.zip"
    return await in_thread(bundle_answer, request, listing.artifacts, job_id, name)


def _endpoints(base: str, group: str, of: str) -> tuple[Endpoint, ...]:
    """Return the routes of files below jobs or below examples; `of` is part of their names."""
    routes, asked, path = Routes(group), (KIND, FOLDER, *_PAGE), f"{base}/{{job_id}}"
    bad: dict[str, Any] = {"errors": ("INVALID_PATH",), "listing": True}
    files = {200: ANY_FILE, 206: ANY_FILE}
    lost = ("INVALID_PATH", "FILE_NOT_FOUND")
    return (
        routes.get(f"{path}/files", list_files, "List the files.", FilesAnswer, asked, **bad, name=f"list_{of}files"),
        routes.get(
            f"{path}/artifacts",
            list_files,
            "List the files with counts by kind and folder.",
            ArtifactsAnswer,
            asked,
            **bad,
            name=f"list_{of}artifacts",
        ),
        routes.get(
            f"{path}/files/{{path:path}}", get_file, "One file.", files, errors=lost, kind="file", name=f"get_{of}file"
        ),
        routes.get(
            f"{path}/war-pdbs",
            list_structures,
            "Cleaned complexes.",
            StructuresAnswer,
            listing=True,
            name=f"list_{of}complexes",
        ),
        routes.get(
            f"{path}/war-pdbs.zip",
            structures_zip,
            "Cleaned complexes as one ZIP.",
            {200: "application/zip", 206: "application/zip"},
            ready=True,
            kind="file",
            name=f"download_{of}complexes",
        ),
        _archive(
            routes, f"{path}/bundle", "All files as one ZIP, or the files of given ligands.", f"download_{of}bundle"
        ),
    )


def _archive(routes: Routes, path: str, note: str, name: str) -> Endpoint:
    """Return a route of the archive of all files."""
    answers, lost = {200: "application/zip", 206: "application/zip"}, ("FILE_NOT_FOUND",)
    return routes.get(path, bundle, note, answers, (STEM,), ready=True, errors=lost, kind="file", name=name)


_GROUP = "Results and files"

ENDPOINTS = (
    *_endpoints("/api/jobs", _GROUP, ""),
    _archive(
        Routes(_GROUP),
        "/api/jobs/{job_id}/download",
        "All files as one ZIP (earlier address).",
        "download_legacy_bundle",
    ),
)
EXAMPLE_ENDPOINTS = _endpoints("/api/examples", "Examples", "example_")
