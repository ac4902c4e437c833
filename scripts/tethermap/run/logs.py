"""The log of a rule, and the exit of a script after an error."""

import contextlib
import getpass
import json
import logging
import os
import re
import resource
import shutil
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tethermap.base import layout
from tethermap.base.atomic import read_json, write_text
from tethermap.base.errors import NO_SPACE, UserError, is_full_disk
from tethermap.base.root import ROOT

_LOGGER = logging.getLogger(__name__)
_QUOTED = re.compile(r"""(["'])/[^"'\n]*/([^"'/\n]*)\1""")
_PATH = re.compile(r"""(?<![\w.<~/])~?/(?:[^\s"'/:,;()<>]+/)+""")
_URL = re.compile(r"(\w+://)[^\s/@]*@")

USAGE = "used %.2f s CPU and at most %d MB"
"""Last line of every log: the resources of the script's process, including start and imports."""

LOG_IS_IN_JOB_LOG = f"the end of its log is in {layout.JOB_LOG}"
"""Location of a failed step's log."""

_TAIL_BYTES = 16_384
_LONGEST_REASON = 400
_PLACE = re.compile(r"^\w*(?:Error|Exception)(?: in [^\n]*)?:?\n")
_SUMMARIES = ("Exiting because a job execution failed", "At least one job did not complete", "Error in rule")
_KILLED = re.compile(r"died with <Signals\.SIGKILL|exit status (?:137|-9)\b")
_FULL_BELOW_BYTES = 1 << 20  # in bytes; with less free space nothing useful can be written


INTERRUPTED = "The run was interrupted: repeat the command to resume it."
"""Message of an interrupted run."""


class _LogFile(logging.FileHandler):
    """A log file that stops writing on a full disk: the script's own error is reported instead."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            super().close()


@contextmanager
def logged_to(path: str | Path, job: Path = Path()) -> Iterator[None]:
    """Send all logging of the block to a rule's log file and record how the block ended.

    A `UserError` and a full disk end the script with status 1 and one sentence, without a
    traceback; any other exception is recorded with its traceback and raised again. In both cases the reason is written
    to the job folder (`layout.ERROR`).
    The log is truncated at the start; on a cluster it keeps the output of earlier attempts.

    Parameters
    ----------
    path : str or Path
        The log file, named ``.work/logs/<rule>/<shard>.log`` or ``.work/logs/<rule>.log`` in the job folder.
    job : Path
        The job folder.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if "SLURM_JOB_ID" not in os.environ:  # a job may begin there while the run writes its end
        path.unlink(missing_ok=True)
    handler = _LogFile(path, mode="a", encoding="utf-8")
    formatter = logging.Formatter("%(asctime)sZ %(levelname)s %(name)s: %(message)s", "%Y-%m-%dT%H:%M:%S")
    formatter.converter = time.gmtime
    handler.setFormatter(formatter)
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    logging.captureWarnings(True)
    try:
        yield
    except UserError as error:
        _LOGGER.error("%s", error)  # noqa: TRY400 - a sentence for the user, no traceback
        record_error(str(error), step=_step(path), kind=error.kind, job=job)
        raise SystemExit(1) from None
    except Exception as error:
        if not is_full_disk(error):
            _LOGGER.exception("unexpected error")
            reason = scrubbed(f"{type(error).__name__}: {error}", job)
            message = f"{_step(path)} stopped at an unexpected error ({reason}); {LOG_IS_IN_JOB_LOG}."
            record_error(message, step=_step(path), kind="pipeline", job=job, log=path.relative_to(job))
            raise
        _LOGGER.exception("disk full")
        inside = Path(str(getattr(error, "filename", None) or job)).absolute().is_relative_to(job.absolute())
        message = disk_full("job folder" if inside else "structure cache")
        record_error(message, step=_step(path), kind="disk_full", job=job)
        raise SystemExit(1) from None
    finally:
        _LOGGER.info(USAGE, *_usage())
        logging.captureWarnings(False)
        root.setLevel(level)
        root.removeHandler(handler)
        handler.close()


def _usage() -> tuple[float, int]:
    """Return the CPU time of this process and its ended children in seconds, and its own peak memory in MB."""
    usage, children = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    try:  # Linux counts the memory of the process that started this one in ru_maxrss
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        memory = int(status.partition("VmHWM:")[2].split()[0]) >> 10
    except (OSError, IndexError):
        memory = usage.ru_maxrss >> (20 if sys.platform == "darwin" else 10)
    return sum(used.ru_utime + used.ru_stime for used in (usage, children)), memory


def record_error(message: str, *, step: str, kind: str, job: Path = Path(), log: Path | None = None) -> dict[str, str]:
    """Write the reason of a job's end, and return it like `read_error`; on a full disk it does only the latter.

    Parameters
    ----------
    message : str
        One sentence for people.
    step : str
        The rule, empty when no rule had begun.
    kind : str
        ``input``, ``pipeline``, ``upstream``, ``disk_full`` or ``interrupted``.
    job : Path
        The job folder; the current folder is one.
    log : Path or None
        Log of the step, relative to the job folder; its end is copied to the job's log (`failed_step_log`).
    """
    error = {"message": message, "step": step, "kind": kind, **({"log": str(log)} if log else {})}
    try:
        write_text(job / layout.ERROR, json.dumps(error) + "\n")
    except OSError as failure:
        _LOGGER.warning("the reason could not be recorded: %s", failure)
    return error


def read_error(job: Path) -> dict[str, str]:
    """Return the reason for the early end of a job's last run: message, step, kind, log; empty if none was recorded."""
    error: dict[str, str] = read_json(job / layout.ERROR) or {}
    return error


def unrecorded_error(job: Path, step: str, said: Sequence[str]) -> dict[str, str]:
    """Determine the reason of a run that recorded none, write it, and return it like `read_error`.

    Parameters
    ----------
    job : Path
        The job folder.
    step : str
        The step that failed; empty if none did.
    said : sequence of str
        Snakemake's messages of errors, in order.
    """
    if shutil.disk_usage(job).free < _FULL_BELOW_BYTES or any(map(NO_SPACE.search, said)):
        return record_error(disk_full("job folder"), step="", kind="disk_full", job=job)
    logs = sorted((job / layout.RULE_LOGS).rglob("*.log"), key=lambda path: path.stat().st_mtime_ns)
    log = logs[-1].relative_to(job) if logs else None
    reason = next(filter(None, map(_without_place, said)), "no reason was given")
    reason = f"Snakemake stopped{f' at {step}' if step else ''}: {scrubbed(reason, job)}"
    if _KILLED.search(reason):
        reason = f"{step or 'A step'} was killed from outside, for lack of memory perhaps"
    return record_error(f"{reason}; {LOG_IS_IN_JOB_LOG}.", step="", kind="pipeline", job=job, log=log)


def _without_place(text: str) -> str:
    """Return an error message of Snakemake as one line without the place in the rules; nothing if it is a summary.

    >>> _without_place('WorkflowError in file "a.smk", line 3:\\nNo  such plugin.')
    'No such plugin'
    """
    line = " ".join(_PLACE.sub("", text).split()).rstrip(".")
    return "" if line.startswith(_SUMMARIES) else line[:_LONGEST_REASON]


def failed_step_log(job: Path) -> str:
    """Return the public part of the end of the failed step's log; usually empty."""
    log = read_error(job).get("log", "")
    text = end_of_log(job / log) if log else ""
    return f"--- the end of {log}\n{scrubbed(text, job)}" if text else ""


def end_of_log(path: Path) -> str:
    """Return the last lines of a log; empty if there is none that this user may read."""
    try:
        with path.open("rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - _TAIL_BYTES))
            text = stream.read().decode("utf-8", errors="replace")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError):
        return ""
    return text if size <= _TAIL_BYTES else text.partition("\n")[2]


def disk_full(folder: str) -> str:
    """Return the message for a full disk."""
    return f"The disk of the {folder} is full: free some space and run the job again."


def _step(log: Path) -> str:
    """Return the rule that a log file belongs to."""
    folder = log.parent.name
    return log.stem if folder in ("", Path(layout.RULE_LOGS).name) else folder


def scrubbed(text: str, job: Path) -> str:
    """Return a text with relative paths of the job and of the program, and only the names of other files.

    Parameters
    ----------
    job : Path
        The job folder.

    >>> scrubbed('File "/home/jane doe/run.py", line 3: /data/x/1abc.cif is gone', Path("/jobs/a"))
    'File "run.py", line 3: 1abc.cif is gone'
    """
    for known in (job.resolve(), ROOT):
        text = text.replace(f"{known}/", "")
    text = _PATH.sub("", _QUOTED.sub(r"\1\2\1", _URL.sub(r"\1", text)))
    for name, word in ((_user(), "user"), (socket.gethostname(), "host")):
        if len(name) > 1:
            text = re.sub(rf"\b{re.escape(name)}\b", word, text)
    return text


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a number without a name, as in containers
        return ""
