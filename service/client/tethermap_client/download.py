"""Download of all results as one archive, resumed where it was stopped, and unpacked within its folder alone."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path, PurePosixPath

import httpx2

from tethermap_client.errors import TethermapError

Ask = Callable[[Mapping[str, str]], AbstractContextManager[httpx2.Response]]

_TAG = ".tethermap-etag"
_BLOCK = 1 << 18


def fetch_archive(ask: Ask, job_id: str, folder: Path, told: Callable[[int, int], None]) -> Path:
    """Return the folder with a job's files, all of which are there.

    Parameters
    ----------
    ask : callable
        Gives the archive's answer to a request with some headers.
    job_id : str
        The job; all names in the archive begin with it.
    folder : Path
        Where its folder lies.
    told : callable
        Told of bytes done and bytes in all.
    """
    target, part = folder / job_id, folder / f".{job_id}.zip.part"
    tag_of_part = folder / f".{job_id}.zip.etag"
    folder.mkdir(parents=True, exist_ok=True)
    known = _read(target / _TAG)
    begun = part.stat().st_size if part.exists() and tag_of_part.exists() else 0
    headers = {"If-None-Match": known} if known else {}
    if begun:
        headers = {"Range": f"bytes={begun}-", "If-Range": _read(tag_of_part)}
    with ask({**headers, "Accept-Encoding": "identity"}) as answer:
        if answer.status_code == httpx2.codes.NOT_MODIFIED:
            return target
        resumed = answer.status_code == httpx2.codes.PARTIAL_CONTENT
        done = begun if resumed else 0
        total = done + int(answer.headers.get("content-length", 0))
        tag = answer.headers.get("etag", "")
        tag_of_part.write_text(tag, encoding="utf-8")
        with part.open("ab" if resumed else "wb") as stream:
            for block in answer.iter_bytes(_BLOCK):
                stream.write(block)
                done += len(block)
                told(done, total)
    _unpack(part, job_id, folder)
    (target / _TAG).write_text(tag, encoding="utf-8")
    part.unlink()
    tag_of_part.unlink()
    return target


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _unpack(archive: Path, job_id: str, folder: Path) -> None:
    """Unpack an archive beside the folder it is for, and put it there when all is read."""
    staged = folder / f".{job_id}.unpacked"
    shutil.rmtree(staged, ignore_errors=True)
    try:
        with zipfile.ZipFile(archive) as opened:
            for name in opened.namelist():
                parts = PurePosixPath(name).parts
                if parts[:1] != (job_id,) or ".." in parts or "\\" in name:
                    raise TethermapError(f"The archive has a file outside of its folder: {name!r}.")
            opened.extractall(staged)
    except zipfile.BadZipFile as error:
        archive.unlink()
        raise TethermapError(f"The archive is damaged ({error}): it is fetched anew the next time.") from error
    (staged / job_id).mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / job_id, ignore_errors=True)
    (staged / job_id).rename(folder / job_id)
    shutil.rmtree(staged)
