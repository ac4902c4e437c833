"""Real runs of the workflow as child processes, as a user would start them."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml

from tethermap.base import layout

ROOT = Path(__file__).resolve().parents[2]
Row = dict[str, str]
T = TypeVar("T")
K = TypeVar("K")
NO_BASH = "Cannot set bash as default shell because it is not available in your PATH. Falling back to sh.\n"
"""A message of Snakemake on machines without bash, which our runs do not need."""
LOCAL, SLURM = (("--profile", str(ROOT / "config" / "profiles" / name)) for name in ("local", "slurm"))
"""Arguments for our profiles; with that of one machine a run costs a third less than without."""

ARCHIVE_IDS = ("1a8o", "1gbt", "1hpv", "4cup", "4zhl")


@dataclass(frozen=True)
class JobRun:
    """A run that has ended.

    Parameters
    ----------
    job : Path
        The job folder.
    status : int
        Exit status; negative for the signal that ended it.
    output, errors : str
        Exit status, standard output and standard error.
    cpu_seconds : float
        CPU time of the run with all its children, in seconds.
    seconds : float
        Time by the clock.
    """

    job: Path
    status: int
    output: str
    errors: str
    cpu_seconds: float
    seconds: float

    @property
    def messages(self) -> list[str]:
        """The lines of standard error that are Tethermap's own."""
        return [line for line in self.errors.splitlines() if line.startswith("Tethermap: ")]

    def checked(self) -> JobRun:
        """Return this run, which must have ended well."""
        assert self.status == 0, f"status {self.status}\n{self.errors[-4000:]}\n{self.logs()}"
        return self

    def rows(self, path: str) -> list[Row]:
        """Return the rows of a table of the job, all cells as text."""
        return rows_of(self.job, path)

    def logs(self) -> str:
        """Return the ends of the logs of all rules, for failing tests."""
        logs = sorted((self.job / ".work/logs").rglob("*.log"))
        return "\n".join(f"--- {path}\n{path.read_text(errors='replace')[-2000:]}" for path in logs)


class RunningJob:
    """A run in a separate process group.

    Parameters
    ----------
    job : Path
        The job folder.
    settings : mapping
        The job's configuration file.
    arguments : str
        Further arguments of Snakemake.
    cores : int or None
        Cores to use; None leaves it to a profile.
    environment : mapping
        Variables set or, with None, removed for this run.
    checkout : Path
        The repository that is run, with an environment of its own where it is another than this.
    """

    def __init__(
        self,
        job: Path,
        settings: Mapping[str, Any],
        *arguments: str,
        cores: int | None = 2,
        environment: Mapping[str, str | None] | None = None,
        checkout: Path = ROOT,
    ) -> None:
        self.job = job
        job.parent.mkdir(parents=True, exist_ok=True)
        configuration = job.parent / f"{job.name}.yaml"
        python = sys.executable
        if checkout == ROOT:
            settings = {"result_cache_mb": 0, **settings}  # measurements and comparisons need computed results
        else:
            python = str(checkout / ".venv" / "bin" / "python")
        configuration.write_text(yaml.safe_dump(dict(settings), allow_unicode=True), encoding="utf-8")
        command = [python, "-m", "snakemake", "--snakefile", str(checkout / "Snakefile"), "--directory", str(job)]
        command += ["--configfile", str(configuration)]
        command += [*arguments] if cores is None else ["--cores", str(cores), *arguments]
        developing = dict.fromkeys(("PYTHONPATH", "PYTHONWARNINGS", "PYTHONDONTWRITEBYTECODE"))
        changes = {**developing, **(environment or {})}
        variables = {key: value for key, value in {**os.environ, **changes}.items() if value is not None}
        self._output = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 - closed by wait
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115
        self._begun = time.monotonic()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=self._errors,
            env=variables,
            cwd=job.parent,
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """Number of Snakemake's process, which leads the group of its children."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether Snakemake has ended; it can still be waited for."""
        return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def kill(self) -> None:
        """End it and all its children at once, as a power cut would."""
        os.killpg(self._process.pid, signal.SIGKILL)

    def send(self, number: signal.Signals) -> None:
        """Send a signal only to Snakemake."""
        os.kill(self._process.pid, number)  # Popen's own would wait for one that has ended

    def wait(self) -> JobRun:
        """Wait for its end."""
        _, status, usage = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        with self._output, self._errors:
            self._output.seek(0)
            self._errors.seek(0)
            output, errors = self._output.read(), self._errors.read().replace(NO_BASH, "")
        seconds = (usage.ru_utime + usage.ru_stime, time.monotonic() - self._begun)
        return JobRun(self.job, self._process.returncode, output, errors, *seconds)


def job_of(
    name: str, query: str | None = None, source: Path | Mapping[str, Any] | None = None, **settings: Any
) -> dict[str, Any]:
    """Return the settings of a job.

    Parameters
    ----------
    name, query : str
        Name of the target, and the query if it is not the name.
    source : Path or mapping or None
        A mirror or the settings of another source; None for the embedded archive.
    **settings
        Further settings.
    """
    chosen = {"kind": "mirror", "mirror": str(source)} if isinstance(source, Path) else source or {"kind": "archive"}
    return {"target_name": name, "search_query": name if query is None else query, "source": chosen, **settings}


def job_of_files(name: str, *files: Path, **settings: Any) -> dict[str, Any]:
    """Return the settings of a job over files of the user."""
    return job_of(name, "", {"kind": "files", "files": [str(path) for path in files], **settings})


def unpacked(name: str, folder: Path) -> Path:
    """Return a folder with the content of an archive of ``tests/data``."""
    with tarfile.open(ROOT / "tests" / "data" / f"{name}.tar.xz") as tar:
        tar.extractall(folder, filter="data")
    return folder


def settings_in(job: Path) -> dict[str, Any]:
    """Return the settings with which a job was run."""
    settings: dict[str, Any] = json.loads((job / layout.SETTINGS).read_text(encoding="utf-8"))
    return settings


def run_job(job: Path, settings: Mapping[str, Any], *arguments: str, **options: Any) -> JobRun:
    """Run a job to its end; see `RunningJob` for the parameters."""
    return RunningJob(job, settings, *arguments, **options).wait()


def rows_of(job: Path, path: str) -> list[Row]:
    """Return the rows of a table of a job, all cells as text, without lines that begin with `#`."""
    with (job / path).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(line for line in stream if not line.startswith("#")))


def grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Group items by a value, in their order."""
    found: dict[K, list[T]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def by_stem(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Return rows by the stem of their ligand."""
    return grouped(rows, lambda row: row["stem"])


def result_files(job: Path) -> dict[str, str]:
    """Return the SHA-256 of every result file of a job by path, except logs, which contain times."""
    skipped = {".work", ".snakemake", "logs"}
    return {
        str(path.relative_to(job)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(job.rglob("*"))
        if path.is_file() and path.relative_to(job).parts[0] not in skipped
    }


def job_results(job: Path) -> dict[str, str]:
    """Return the hashes for a job of the service, which stores its own files in the folder."""
    files = result_files(job)
    return {path: digest for path, digest in files.items() if not path.startswith((".service/", "job_record.json"))}


def difference(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """Return the result files in which two jobs differ."""
    return sorted(path for path in one.keys() | other.keys() if one.get(path) != other.get(path))
