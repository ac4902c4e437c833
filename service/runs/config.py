"""Inputs of Snakemake: a job's configuration, the command, the environment."""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from service.errors import InvalidField, invalid_field
from service.settings import REPOSITORY, VARIABLES, Settings, cluster_executor
from tethermap.base.root import search_path

SNAKEFILE = REPOSITORY / "Snakefile"
SNAKEMAKE = (sys.executable, "-m", "snakemake")
_DOCUMENT = re.compile(r"\..*|(?:readme|licen[cs]e).*|.*\.(?:md|html?|pdf)", re.IGNORECASE)
"""Names of files that describe tables in a folder of the operator."""


def pipeline_config(job_settings: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    """Return a job's configuration: the client's settings, and the service's source and cache.

    Parameters
    ----------
    job_settings : mapping
        Settings of the pipeline, nested, without source and cache.
    settings : Settings
        Settings of the service.

    Raises
    ------
    InvalidField
        If it names a missing upload.
    """
    source: dict[str, Any] = dict(job_settings.get("source", {}))
    upload = source.pop("upload", None)
    for name, folder in (("affinity", settings.affinity), ("degraders", settings.degraders)):
        if folder is not None:
            files = (path for path in folder.iterdir() if path.is_file() and not _DOCUMENT.fullmatch(path.name))
            source[name] = sorted(map(str, files)) or None
    source["kind"] = settings.source if upload is None else "files"
    if upload is not None:
        source["files"] = str(settings.upload_folder(upload))
        if not settings.upload_folder(upload).is_dir():
            raise unknown_structures()
    elif settings.mirror is not None and settings.source in ("auto", "mirror"):
        source["mirror"] = str(settings.mirror)
    return {**job_settings, "source": source, "cache_dir": str(settings.cache_dir)}


def unknown_structures() -> InvalidField:
    """Return the error for a job with a missing upload."""
    return invalid_field("structures", "is not an upload of this service; uploads are deleted after some hours")


def snakemake_command(
    settings: Settings, folder: Path, config: Path, *arguments: str, snakemake: tuple[str, ...] = SNAKEMAKE
) -> list[str]:
    """Return the command that runs the pipeline in a job folder.

    Parameters
    ----------
    settings : Settings
        Settings of the service: profile and cores.
    folder, config : Path
        The job folder and the configuration file.
    *arguments : str
        Further arguments: targets, ``--unlock``, …
    snakemake : tuple of str
        Command that starts Snakemake.
    """
    command = [*snakemake, "--snakefile", str(SNAKEFILE), "--directory", str(folder), "--configfile", str(config)]
    command += ["--profile", str(settings.profile), "--printshellcmds"]  # so that the log has all of Snakemake's lines
    cores = "--local-cores" if cluster_executor(settings.profile) else "--cores"
    return [*command, cores, str(settings.cores_per_job), "--rerun-incomplete", "--nocolor", *arguments]


def child_environment(settings: Settings, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment of a run: this one's, without the service's own settings and tokens.

    Snakemake needs a writable cache folder; if the user's is not, it gets one below the structure cache.
    """
    variables = {key: value for key, value in environ.items() if key not in {*VARIABLES, "PYTHONWARNINGS"}}
    variables["PYTHONPATH"] = search_path()
    cache = Path(variables.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    nearest = next((path for path in (cache, *cache.parents) if path.exists()), cache)
    if not os.access(nearest, os.W_OK):
        variables["XDG_CACHE_HOME"] = str(settings.cache_dir / "xdg")
    return variables
