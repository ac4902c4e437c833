"""Start of a job on the command line, and estimate of its cost."""

import json
import sys
from argparse import ArgumentTypeError
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tethermap.base import layout
from tethermap.base.atomic import write_text
from tethermap.base.root import ROOT, expanded

PROFILES = ROOT / "config" / "profiles"
"""Folder of the Snakemake profiles shipped with Tethermap."""

LOCAL = "local"
"""The profile for one machine."""

_START_CPU_SECONDS = 6.0
_CPU_SECONDS_PER_ENTRY = 0.1
"""Cost of the first entry of a job, then of each further one, with all contexts and the report."""

_BYTES_PER_ATOM = 33
_USUAL_ATOMS = 11_000
"""Means over 40 entries of the tests' large mirror: of a gzipped mmCIF file, and of an entry."""


def cores(text: str) -> int:
    """Return the number of processes that a word of the command line gives, for `argparse`.

    >>> cores("2")
    2
    """
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text} is no number of processes: give a whole number from 1")
    return int(text)


def job_folder(text: str) -> Path:
    """Return the folder that a word of the command line names, for `argparse`."""
    folder = expanded(text)
    if not folder.is_dir():
        raise ArgumentTypeError(f"there is no folder {text}: give that of a finished job")
    return folder


class Cost(NamedTuple):
    """Cost of a job.

    Parameters
    ----------
    cpu_seconds : float
        CPU time.
    bytes : int
        Size of its structure files.
    """

    cpu_seconds: float
    bytes: int


def cost(atoms: Iterable[int | None]) -> Cost:
    """Return the cost of a job.

    Parameters
    ----------
    atoms : iterable of int or None
        Number of atoms of each entry; None if unknown.

    >>> cost([2000, None])
    Cost(cpu_seconds=6.2, bytes=429000)
    """
    sizes = [_USUAL_ATOMS if size is None else size for size in atoms]
    return Cost(round(_START_CPU_SECONDS + _CPU_SECONDS_PER_ENTRY * len(sizes), 1), _BYTES_PER_ATOM * sum(sizes))


def snakemake_command(job: Path, settings: Mapping[str, Any], cores: int | None, profile: str = LOCAL) -> list[str]:
    """Write the configuration of a job into its folder and return the command that runs it.

    Parameters
    ----------
    job : Path
        The job folder, absolute.
    settings : mapping
        The configuration.
    cores : int or None
        Number of processes at the same time; None for the number of the profile.
    profile : str
        A folder of `config/profiles`, or the path of another one.
    """
    configuration = job / layout.WORK / "command.json"
    write_text(configuration, json.dumps(dict(settings), indent=1, ensure_ascii=False) + "\n")
    return [
        *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--directory", str(job)),
        *("--configfile", str(configuration), "--profile", str(PROFILES / profile)),
        *(("--cores", str(cores)) if cores else ()),
    ]
