"""`tethermap doctor`: one line for each part of an installation, with the one thing to set where something is wrong."""

import fcntl
import os
import platform
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies

from tethermap.base.component_index import INDEX_VARIABLE, default_index
from tethermap.base.config import cache_folder
from tethermap.base.errors import UserError
from tethermap.base.links import Addresses
from tethermap.base.root import __version__
from tethermap.kernels import compiler
from tethermap.kernels.library import loaded
from tethermap.run.http import CERTIFICATES, HttpAnswer, HttpClient, HttpError, RequestLimits, refuse_socks, trusted

_SECONDS = 10.0
_LEAST_FREE = 1 << 30
_ENTRY = "4cup"
_QUERY = {
    "query": {"type": "terminal", "service": "full_text", "parameters": {"value": "BAZ2B"}},
    "return_type": "entry",
    "request_options": {"return_counts": True},
}
"""Content of the requests to the services."""


class Finding(NamedTuple):
    """One line.

    Parameters
    ----------
    part : str
        Part of the installation.
    state : str
        ``ok``, ``note`` (something optional is missing) or ``FAULT``.
    says : str
        Result, and the remedy.
    """

    part: str
    state: str
    says: str


def main() -> int:
    """Write all findings; return 1 if one is a fault."""
    faults = False
    for part, check in CHECKS.items():
        for finding in findings(part, check):
            faults |= finding.state == "FAULT"
            sys.stdout.write(f"{finding.state:5}  {finding.part:12}  {finding.says}\n")
            sys.stdout.flush()
    return int(faults)


def findings(part: str, check: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """Yield the findings of a check, and its error as a fault."""
    try:
        yield from check()
    except (UserError, OSError) as error:
        yield Finding(part, "FAULT", str(error))


def check_loops() -> Iterator[Finding]:
    """Check the compiled loops."""
    loaded()
    yield Finding("loops", "ok", f"Tethermap {__version__}, Python {platform.python_version()}, compiler {compiler()}")


def check_dictionary() -> Iterator[Finding]:
    """Check the component index."""
    path = default_index()
    if not path.is_file():
        if os.environ.get(INDEX_VARIABLE):
            yield Finding("dictionary", "FAULT", f"{INDEX_VARIABLE} names no file: correct it or unset it")
        else:
            yield Finding("dictionary", "note", "not built yet: the first tethermap run builds it in up to a minute")
        return
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
            (count,) = connection.execute("SELECT count(*) FROM component").fetchone()
    except sqlite3.DatabaseError as error:
        yield Finding("dictionary", "FAULT", f"{path} is damaged ({error}): rm '{path}'")
    else:
        yield Finding("dictionary", "ok", f"{count:,} components in {path}")


def check_cache() -> Iterator[Finding]:
    """Check that the cache folder can be written and locked, and its databases."""
    folder = cache_folder(None)
    remedy = "export XDG_CACHE_HOME=/a/folder/of/yours (or cache_dir in the job)"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix="doctor-") as file:
            file.write(b"x")
            file.flush()
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        yield Finding("cache", "FAULT", f"{folder} can't be written and locked ({error.strerror}): {remedy}")
        return
    damaged = [path for path in sorted(folder.rglob("*.sqlite")) if path != default_index() and not _is_sound(path)]
    for path in damaged:
        yield Finding("cache", "FAULT", f"{path} is damaged: rm '{path}'")
    if not damaged:
        yield Finding("cache", "ok", f"{folder} can be written and locked")


def check_disk() -> Iterator[Finding]:
    """Check the free space of the cache and of the current folder."""
    for name, folder, remedy in (
        ("cache", cache_folder(None), "export XDG_CACHE_HOME=/a/larger/disk"),
        ("current folder", Path.cwd(), "tethermap run … --folder /a/larger/disk/job"),
    ):
        existing = next(path for path in (folder, *folder.parents) if path.exists())
        free = shutil.disk_usage(existing).free
        if free < _LEAST_FREE:
            yield Finding("disk", "FAULT", f"{free / 1e6:,.0f} MB free for the {name}: free some, or {remedy}")
        else:
            yield Finding("disk", "ok", f"{free / 1e9:,.0f} GB free for the {name}")


def check_proxy() -> Iterator[Finding]:
    """Check that the proxies of the environment accept connections."""
    proxies = {scheme: address for scheme, address in getproxies().items() if scheme in ("http", "https", "all")}
    if not proxies:
        yield Finding("proxy", "ok", "none is set")
    refuse_socks()
    for scheme, address in proxies.items():
        parts = urlsplit(address if "://" in address else f"http://{address}")
        shown = f"{scheme.upper()}_PROXY={parts.scheme}://{parts.hostname}:{parts.port or 80}"
        try:
            with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=_SECONDS):
                yield Finding("proxy", "ok", f"{shown} accepts connections")
        except OSError as error:
            reason = error.strerror or str(error)
            remedy = f"correct it, or unset {scheme}_proxy {scheme.upper()}_PROXY"
            yield Finding("proxy", "FAULT", f"{shown} does not answer ({reason}): {remedy}")


def check_certificates() -> Iterator[Finding]:
    """Check the file of certificates that the environment names."""
    trusted()
    name = next((name for name in CERTIFICATES if os.environ.get(name)), "")
    yield Finding("certificates", "ok", f"from {name}" if name else "from the system")


def check_services() -> Iterator[Finding]:
    """Send each service a small request."""
    addresses = Addresses.from_environment()
    limits = RequestLimits(attempts=1, connect=_SECONDS, read=_SECONDS, total=2 * _SECONDS)
    try:
        client = HttpClient(limits)
    except UserError:  # the fault is reported under proxy or certificates
        return
    services: tuple[tuple[str, str, str, Callable[[str], HttpAnswer]], ...] = (
        ("RCSB search", "TETHERMAP_RCSB_SEARCH_URL", addresses.search,
         lambda address: client.request(address, _QUERY)),
        ("RCSB data", "TETHERMAP_RCSB_DATA_URL", addresses.data,
         lambda address: client.request(f"{address}/rest/v1/core/entry/{_ENTRY}")),
        ("RCSB files", "TETHERMAP_RCSB_FILES_URL", addresses.files,
         lambda address: client.request(f"{address}/{_ENTRY.upper()}.cif.gz", raw=True)),
        ("PDBe files", "TETHERMAP_PDBE_FILES_URL", addresses.pdbe_files,
         lambda address: client.request(f"{address}/{_ENTRY}.cif")),
    )  # fmt: skip
    for name, variable, address, ask in services:
        host = urlsplit(address).netloc
        try:
            status = ask(address).status
        except HttpError as error:
            remedy = "" if CERTIFICATES[0] in error.detail else f"; set HTTPS_PROXY if there is a proxy, or {variable}"
            yield Finding(name, "FAULT", f"{host}: {error.detail}{remedy}")
            continue
        if status in (200, 204):
            yield Finding(name, "ok", f"{host} answers")
        else:
            yield Finding(name, "FAULT", f"{host} answers HTTP {status}: correct {variable} or request access")
    client.close()


def check_slurm() -> Iterator[Finding]:
    """Check the cluster, if this machine belongs to one."""
    if shutil.which("sbatch") is None:
        yield Finding("Slurm", "note", "no sbatch here: nothing to do on one machine; on a cluster, module load slurm")
        return
    if find_spec("snakemake_executor_plugin_slurm") is None:
        yield Finding("Slurm", "note", "Snakemake's plugin is missing: pip install snakemake-executor-plugin-slurm")
        return
    if (failed := _failure("squeue", "--me")) is not None:
        yield Finding("Slurm", "FAULT", f"squeue does not answer ({failed}): ask who runs the cluster")
        return
    command = ["sinfo", "--noheader", "--format=%R"]
    partitions = subprocess.run(command, capture_output=True, text=True, check=False)
    names = ", ".join(dict.fromkeys(partitions.stdout.split()))
    named = f"set slurm_partition in config/profiles/slurm to one of {names}"
    if (failed := _failure("sacct", "-n", "-X")) is None:
        yield Finding("Slurm", "ok", f"with accounting; {named}, and slurm_account if the cluster requires accounts")
    else:
        yield Finding("Slurm", "ok", f"without accounting: keep slurm-status-command: squeue; {named}")


def check_programs() -> Iterator[Finding]:
    """Check the optional parts: Open Babel and the packages of the service."""
    babel = shutil.which("obabel")
    missing = "not here: only --open-babel of protac_inputs needs it"
    yield Finding("Open Babel", "ok" if babel else "note", babel or missing)
    if find_spec("starlette") is None or find_spec("duckdb") is None:
        yield Finding("service", "note", "not installed: pip install 'tethermap[service]'")
    else:
        yield Finding("service", "ok", "its packages are installed: tethermap serve")


def _is_sound(database: Path) -> bool:
    """Return whether a file is a whole SQLite database."""
    try:
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
    except sqlite3.DatabaseError:
        return False


def _failure(*command: str) -> str | None:
    """Return the reason why a command fails, in a line; None if it succeeds."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if done.returncode == 0 else (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]


CHECKS: dict[str, Callable[[], Iterator[Finding]]] = {
    "loops": check_loops,
    "dictionary": check_dictionary,
    "cache": check_cache,
    "disk": check_disk,
    "proxy": check_proxy,
    "certificates": check_certificates,
    "services": check_services,
    "Slurm": check_slurm,
    "programs": check_programs,
}
