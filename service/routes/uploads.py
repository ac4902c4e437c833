"""Structures of a client: upload, inspection, removal."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from service.addresses import address
from service.errors import JobStateConflict
from service.http.answer import Answer, Count, Success, Yes
from service.http.endpoint import Routes
from service.http.multipart import announced_length, sent_files
from service.http.responses import json_answer
from service.jobs.uploads import Upload
from service.routes.shared import in_thread, owner_of, require_owner, shared_of, upload_named


class UploadedLigand(Answer):
    """Ligand of an uploaded file, with depiction and source of its bonds."""

    comp_id: str
    place: str
    smiles: str
    bond_source: str
    bonds_from: str
    svg: str


class UploadedFile(Answer):
    """Uploaded file with its content."""

    name: str
    size_bytes: Count
    kind: str
    entry_id: str
    notes: list[str]
    ligands: list[UploadedLigand]


class UploadAnswer(Success):
    """Uploaded files; `upload_id` is a value for the field `structures` of a job."""

    upload_id: str
    files: list[UploadedFile]
    expires_at: str

    @classmethod
    def of(cls, upload: Upload) -> UploadAnswer:
        """Return the answer for an upload."""
        files = [UploadedFile(**{"ligands": [], **file}) for file in upload.files]
        return cls(upload_id=upload.upload_id, files=files, expires_at=upload.expires_at)


class RemovedUploadAnswer(Success):
    """Removed upload."""

    upload_id: str
    deleted: Yes = True


ROUTES = Routes("Uploads")


@ROUTES.post("/api/uploads", {201: UploadAnswer}, body="Files")
async def add_upload(request: Request) -> Response:
    """Upload your own structures, separate ligand files and companion files, checked at once."""
    shared = shared_of(request)
    await in_thread(shared.uploads.check_quota, owner_of(request), announced_length(request))
    async with sent_files(request, shared.parts.settings.max_upload_files) as files:
        upload = await shared.uploads.add(files, shared.parts.clock.utc(), owner_of(request))
    return json_answer(UploadAnswer.of(upload), 201, {"Location": address(f"/api/uploads/{upload.upload_id}")})


@ROUTES.get("/api/uploads/{upload_id}", UploadAnswer)
async def get_upload(request: Request) -> Response:
    """Content of an upload."""
    return json_answer(UploadAnswer.of(await in_thread(upload_named, request, str(request.path_params["upload_id"]))))


@ROUTES.delete("/api/uploads/{upload_id}", RemovedUploadAnswer)
async def delete_upload(request: Request) -> Response:
    """Remove an upload."""
    shared = shared_of(request)
    upload_id = str(request.path_params["upload_id"])
    upload = await in_thread(upload_named, request, upload_id)
    require_owner(request, upload.owner, "upload", upload_id=upload_id)
    if upload_id in shared.parts.queue.uploads_in_use():
        raise JobStateConflict(
            "An unfinished job uses this upload: delete it after the job has ended.", status="running"
        )
    await in_thread(lambda: shared.uploads.remove(upload_id))
    return json_answer(RemovedUploadAnswer(upload_id=upload_id))
