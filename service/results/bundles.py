"""ZIP archives of a job's files: streamed, stored, of known length, the same bytes each time."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from zipstream.ng import ZipStream

from service.http.responses import disposition, part_of
from service.jobs.artifacts import Artifact
from tethermap.base import layout

PUBLIC_BUNDLES = "bundles"
_BLOCK = 1 << 18


def bundle_answer(request: Request, artifacts: Sequence[Artifact], folder: str, name: str) -> Response:
    """Return a ZIP of files below one folder.

    Parameters
    ----------
    request : Request
        The request; HEAD gets the headers only.
    artifacts : sequence of Artifact
        Content of the archive; packed in the order of their paths.
    folder : str
        Folder in the archive.
    name : str
        File name of the archive.
    """
    ordered = sorted(artifacts, key=lambda artifact: artifact.relative)
    state = "\n".join([folder, *(f"{item.relative}\t{item.size}\t{item.modified!r}" for item in ordered)])
    digest = hashlib.blake2b(state.encode(), digest_size=12).hexdigest()
    archive = ZipStream(sized=True)
    for item in ordered:
        archive.add_path(item.location, f"{folder}/{item.relative}", recurse=False)
    modified = max((item.modified for item in ordered), default=None)
    status, start, end, headers = part_of(request, len(archive), f'"{digest}"', modified)
    headers["Content-Disposition"] = disposition(name)
    if request.method == "HEAD" or status == 304:
        return Response(status_code=status, headers=headers, media_type="application/zip")
    return StreamingResponse(blocks(archive, start, end), status, headers, "application/zip")


def blocks(archive: ZipStream, start: int = 0, end: int | None = None) -> Iterator[bytes]:
    """Yield an archive, or its bytes from `start` to before `end`, in blocks large enough for a change of threads.

    The files before `start` are read, as the directory at the end of the archive has their checksums.
    """
    waiting: list[bytes] = []
    size = place = 0
    for part in archive:
        wanted = part[max(0, start - place) : None if end is None else max(0, end - place)]
        place += len(part)
        if wanted:
            waiting.append(wanted)
            size += len(wanted)
        if size >= _BLOCK:
            yield b"".join(waiting)
            waiting, size = [], 0
        if end is not None and place >= end:
            break
    if waiting:
        yield b"".join(waiting)


def public_bundle(job: Path, job_id: str) -> Artifact | None:
    """Return the prepared bundle of a curated example, if it has one."""
    relative = f"{PUBLIC_BUNDLES}/{job_id}_public_results.zip"
    path = Path(os.path.realpath(job)) / relative
    if path.is_symlink() or not path.is_file():
        return None
    status = path.stat()
    return Artifact(str(path), relative, "other", status.st_size, status.st_mtime)


def structures_folder(job_id: str) -> str:
    """Return the folder in the archive of the cleaned complexes, with the layout of the job."""
    return f"{job_id}_{Path(layout.WAR_PDB).name}"
