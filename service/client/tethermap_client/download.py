"""Download of all results as one archive: resumed after interruptions, checked, unpacked only within its folder."""

import hashlib
import json
import shutil
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import httpx2

from tethermap_client.errors import NotAnsweredError, RefusedError, TethermapError

STATE = ".tethermap.json"
"""File in the folder of a job: the ETag of its archive, and the hash of each file."""

_MANIFEST = "job_result_manifest.json"
_ATTEMPTS = 6


@dataclass(frozen=True, slots=True)
class Download:
    """The archive of one job.

    Parameters
    ----------
    ask : callable
        Returns the response for the archive to a request with the given `headers`.
    job_id : str
        The job; all names in the archive begin with it.
    folder : Path
        Parent of the job's folder.
    sleep : callable
        Waits for seconds.
    """

    ask: Callable[..., AbstractContextManager[httpx2.Response]]
    job_id: str
    folder: Path
    sleep: Callable[[float], None]

    def run(self, told: Callable[[int, int], None], changed: Callable[[Sequence[str]], None]) -> Path:
        """Return the folder with all files of the job, each as the job's manifest has it."""
        target = self.folder / self.job_id
        self.folder.mkdir(parents=True, exist_ok=True)
        state = _read(target / STATE)
        hashes = state.get("files", {})
        differing = [name for name, digest in hashes.items() if _sha256(target / name) != digest]
        if differing:
            changed(differing)
        tag = self._fetch("" if differing else state.get("etag", ""), told)
        if tag is not None:
            self._unpack(target, hashes, tag)
        return target

    @property
    def _part(self) -> Path:
        return self.folder / f".{self.job_id}.zip.part"

    @property
    def _tag(self) -> Path:
        return self.folder / f".{self.job_id}.zip.etag"

    def _fetch(self, known: str, told: Callable[[int, int], None]) -> str | None:
        """Download the archive and return its ETag; None if it is still the known one."""
        failures = 0
        while True:
            done = self._begun()
            headers = {"Accept-Encoding": "identity"}
            if done:
                headers |= {"Range": f"bytes={done}-", "If-Range": self._tag.read_text(encoding="utf-8")}
            elif known:
                headers["If-None-Match"] = known
            try:
                return self._receive(headers, done, told)
            except RefusedError as error:
                if error.status != httpx2.codes.RANGE_NOT_SATISFIABLE:
                    raise
                self._part.unlink()  # whole already, or of another archive: begin again
            except NotAnsweredError:
                failures = 0 if self._begun() > done else failures + 1
                if failures == _ATTEMPTS:
                    raise
                self.sleep(0.5 * 2**failures if failures else 0)

    def _begun(self) -> int:
        return self._part.stat().st_size if self._part.exists() and self._tag.exists() else 0

    def _receive(self, headers: Mapping[str, str], done: int, told: Callable[[int, int], None]) -> str | None:
        with self.ask(headers=headers) as answer:
            if answer.status_code == httpx2.codes.NOT_MODIFIED:
                return None
            resumed = answer.status_code == httpx2.codes.PARTIAL_CONTENT
            done = done if resumed else 0
            total = done + int(answer.headers.get("content-length", 0))
            tag: str = answer.headers.get("etag", "")
            self._tag.write_text(tag, encoding="utf-8")
            with self._part.open("ab" if resumed else "wb") as stream:
                for block in answer.iter_bytes():  # in blocks of a size, the last would be lost with the line
                    stream.write(block)
                    done += len(block)
                    told(done, total)
        return tag

    def _unpack(self, target: Path, before: Mapping[str, str], tag: str) -> None:
        """Unpack the archive next to the job's folder, check the files, and move them into it."""
        staged = self.folder / f".{self.job_id}.unpacked"
        shutil.rmtree(staged, ignore_errors=True)
        (staged / self.job_id).mkdir(parents=True)
        names = self._extract(staged)
        self._tag.unlink(missing_ok=True)
        self._part.unlink()
        hashes = {name: str(_sha256(staged / self.job_id / name)) for name in names}
        for file in _read(staged / self.job_id / _MANIFEST).get("files", ()):
            if hashes.get(file["path"], file["sha256"]) != file["sha256"]:
                raise TethermapError(f"{file['path']} of {self.job_id} is not the file that the job's manifest lists.")
        for name in names:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (staged / self.job_id / name).replace(target / name)
        for name in before.keys() - hashes.keys():
            (target / name).unlink(missing_ok=True)
        target.mkdir(exist_ok=True)
        (target / STATE).write_text(json.dumps({"etag": tag, "files": hashes}, indent=1), encoding="utf-8")
        shutil.rmtree(staged)

    def _extract(self, staged: Path) -> list[str]:
        """Unpack the archive; return the paths of its files below the folder of the job."""
        try:
            with zipfile.ZipFile(self._part) as opened:
                for name in opened.namelist():
                    parts = PurePosixPath(name).parts
                    if parts[:1] != (self.job_id,) or ".." in parts or "\\" in name:
                        raise TethermapError(f"The archive has a file outside of its folder: {name!r}.")
                opened.extractall(staged)
                return [name.partition("/")[2] for name in opened.namelist() if not name.endswith("/")]
        except zipfile.BadZipFile as error:
            self._part.unlink()
            raise TethermapError(f"The archive is damaged ({error}). The same command downloads it again.") from error


def _read(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def _sha256(path: Path) -> str | None:
    """Return the hash of a file; None if it does not exist."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None
