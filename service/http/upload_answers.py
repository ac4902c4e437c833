"""Answers about structures that clients have sent."""

from __future__ import annotations

from service.http.answer import Answer, Count, Success, Yes
from service.jobs.uploads import Upload


class UploadedFile(Answer):
    """A file as it was understood: its kind, the entry that it is or belongs to, and what is in it."""

    name: str
    size_bytes: Count
    kind: str
    entry_id: str
    notes: list[str]


class UploadAnswer(Success):
    """Files that were sent together; their id goes into the field `structures` of a job."""

    upload_id: str
    files: list[UploadedFile]
    expires_at: str

    @classmethod
    def of(cls, upload: Upload) -> UploadAnswer:
        """Return the answer for an upload."""
        files = [UploadedFile(**file) for file in upload.files]
        return cls(upload_id=upload.upload_id, files=files, expires_at=upload.expires_at)


class RemovedUploadAnswer(Success):
    """An upload is gone."""

    upload_id: str
    deleted: Yes = True
