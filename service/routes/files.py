"""Files, listings and archives, of jobs and of examples."""

from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from service.http.endpoint import Declaration, Handler, Routes
from service.http.parameters import FOLDER, KIND, STEM, Paging, Parameter
from service.http.responses import file_answer, tagged
from service.http.result_answers import ArtifactsAnswer, File, FilesAnswer, StructuresAnswer
from service.jobs.artifacts import ANY_FILE, list_artifacts, resolve_artifact
from service.results.bundles import bundle_answer, public_bundle, structures_folder
from service.results.job import Job
from service.results.structures import files_of_instances

_PAGE = Paging(1000, 2000)
_ZIP = {200: "application/zip", 206: "application/zip"}

ROUTES = Routes("Results and files")
EXAMPLE_ROUTES = Routes("Examples")


def _of_both(path: str, answer: Any, parameters: Sequence[Parameter] = (), *, name: str, **more: Any) -> Declaration:
    """Declare a route of jobs, and the same of examples; `name` has a place for the word example."""

    def declare(handler: Handler) -> Handler:
        ROUTES.get(f"/api/jobs/{{job_id}}/{path}", answer, parameters, name=name.format(""), **more)(handler)
        path_of_examples, name_of_examples = f"/api/examples/{{job_id}}/{path}", name.format("example_")
        EXAMPLE_ROUTES.get(path_of_examples, answer, parameters, name=name_of_examples, **more)(handler)
        return handler

    return declare


_LISTED: dict[str, Any] = {"errors": ("INVALID_PATH",), "listing": True}
_ARCHIVE: dict[str, Any] = {"errors": ("FILE_NOT_FOUND",), "ready": True, "listing": True}


@_of_both(
    "artifacts",
    ArtifactsAnswer,
    (KIND, FOLDER, *_PAGE),
    name="list_{}artifacts",
    note="List the files with counts by kind and folder.",
    **_LISTED,
)
@_of_both("files", FilesAnswer, (KIND, FOLDER, *_PAGE), name="list_{}files", **_LISTED)
def list_files(request: Request, job: Job) -> Response:
    """List the files."""
    kind = (KIND.of(request) or "all").lower()
    folder = request.query_params.get(FOLDER.name, "")  # unchanged: text that can't be a folder is an invalid path
    page = _PAGE.of(request)
    listing = list_artifacts(job.folder)
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


@_of_both(
    "files/{path:path}", {200: ANY_FILE, 206: ANY_FILE}, name="get_{}file", errors=("INVALID_PATH", "FILE_NOT_FOUND")
)
def get_file(request: Request, job: Job) -> Response:
    """One file."""
    return file_answer(request, resolve_artifact(job.folder, request.path_params["path"]))


@_of_both("war-pdbs", StructuresAnswer, name="list_{}complexes", listing=True)
def list_structures(request: Request, job: Job) -> Response:
    """Cleaned complexes."""
    listing = list_artifacts(job.folder)
    files = listing.of("war_pdb")
    answer = StructuresAnswer(
        job_id=job.record.job_id,
        count=len(files),
        total=len(files),
        files=File.all_of(listing, job.base, files),
        zip_url=f"{job.base}/war-pdbs.zip",
    )
    return tagged(request, answer)


@_of_both("war-pdbs.zip", _ZIP, name="download_{}complexes", ready=True, listing=True)
def structures_zip(request: Request, job: Job) -> Response:
    """Cleaned complexes as one ZIP."""
    listing = list_artifacts(job.folder)
    folder = structures_folder(job.record.job_id)
    return bundle_answer(request, listing.of("war_pdb"), folder, f"{folder}.zip")


@ROUTES.get(
    "/api/jobs/{job_id}/download",
    _ZIP,
    (STEM,),
    name="download_legacy_bundle",
    note="All files as one ZIP (earlier address).",
    **_ARCHIVE,
)
@_of_both("bundle", _ZIP, (STEM,), name="download_{}bundle", **_ARCHIVE)
def bundle(request: Request, job: Job) -> Response:
    """All files as one ZIP, or the files of given ligands."""
    job_id, legacy = job.record.job_id, request.scope["path"].endswith("/download")
    if stems := STEM.of(request):
        return bundle_answer(request, files_of_instances(job.tables, stems), job_id, f"{job_id}_selected.zip")
    if job.record.source == "example" and (prepared := public_bundle(job.folder, job_id)):
        return file_answer(request, prepared, name=f"{job_id}.zip" if legacy else prepared.name)
    listing = list_artifacts(job.folder)
    name = f"{job_id}.zip" if legacy else f"{job_id}_results.zip"
    return bundle_answer(request, listing.artifacts, job_id, name)
