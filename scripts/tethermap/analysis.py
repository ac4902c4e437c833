"""Analyse structures in one call."""

import hashlib
import shutil
import subprocess
import tempfile
import threading
import warnings
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tethermap.base import layout
from tethermap.base.atomic import write_text
from tethermap.base.config import resolve
from tethermap.base.errors import UserError, is_full_disk
from tethermap.base.identifiers import entry_id_of
from tethermap.base.root import expanded
from tethermap.job import Job, read_job
from tethermap.run.logs import disk_full, read_error, unrecorded_error
from tethermap.run.progress import ProgressReader
from tethermap.run.start import snakemake_command
from tethermap.run.told import told_at_end
from tethermap.run_job import run_job
from tethermap.steps.own_files import refuse_wrong_smiles

Structures = str | Path | Sequence[str | Path]
"""A structure file, a folder, a PDB id, or several."""

_POLL_SECONDS = 0.5


def write_smiles(smiles: Mapping[str, str], folder: Path) -> Path:
    """Write a table of definitions by component code into a folder and return its path.

    The path differs for other definitions, so that a used folder refuses them like any changed setting.
    """
    text = "".join(f"{code},{value}\n" for code, value in smiles.items())
    table = folder / f"smiles-{hashlib.sha256(text.encode()).hexdigest()[:12]}.csv"
    if not table.is_file():  # steps run again for a file that is newer
        write_text(table, text)
    return table


def analyse(
    structures: Structures,
    *,
    smiles: Mapping[str, str] | None = None,
    target: str = "",
    folder: str | Path | None = None,
    predicted: bool = False,
    cores: int = 1,
    **settings: Any,
) -> Job:
    """Clean the ligand-bound complexes of structures, measure the exposure of their ligands, rank exits for linkers.

    Progress is shown if tqdm is installed.

    Parameters
    ----------
    structures : path, PDB id or sequence of them
        Structure files (PDB, mmCIF) or folders of them, with separate ligand files (SDF, mol2) next to the structure of
        the same name; or PDB ids, which are downloaded.
    smiles : mapping of str to str, optional
        SMILES by component code, for codes that the dictionary doesn't know: ``{"LIG": "CCO"}``.
    target : str
        Name of the target; without one all polymers count.
    folder : path, optional
        Folder for the result files; without one they are deleted together with the returned job.
    predicted : bool
        Whether the structures are predictions, whose B factors are confidences.
    cores : int
        Number of processes; more than one are started by Snakemake.
    **settings
        Further settings of a job by section: ``filters={"kinds": ["ligand", "cofactor"]}``, ``fasta_seq="MKT…"``.

    Returns
    -------
    Job
        Its ligands, with molecule, exposure and exits, and its tables.

    Raises
    ------
    TethermapError
        With one sentence for people: a setting or a file that can't be used.

    Warns
    -----
    UserWarning
        Of unused files and definitions, of ligands lost to errors, and if nothing was kept.

    Examples
    --------
    >>> from tethermap.sources.suggestions import ARCHIVE
    >>> job = analyse(ARCHIVE / "4cup.cif.gz")
    >>> [(ligand.name, round(ligand.exposed, 2)) for ligand in job.ligands]
    [('ZYB', 1.0)]
    """
    if not str(cores).isdecimal() or int(cores) < 1:  # Snakemake would wait forever
        raise UserError(f"cores is {cores!r}: give a whole number from 1.")
    if not structures:
        raise UserError("structures is empty: give structure files, folders or PDB ids.")
    if not isinstance(smiles or {}, Mapping):
        raise UserError(f"smiles is {smiles!r}: give SMILES by component code, {{'LIG': 'CCO'}} for example.")
    refuse_wrong_smiles(smiles or {})
    job_settings = _asked([structures] if isinstance(structures, str | Path) else list(structures), settings)
    job = expanded(tempfile.mkdtemp(prefix="tethermap-") if folder is None else folder).absolute()
    try:
        (job / layout.WORK).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"The folder {job} can't be written ({error.strerror}): give another one.") from None
    job_settings["target_name"] = target or job_settings.get("target_name", "all")
    if predicted:
        job_settings["source"]["predicted"] = predicted
    if smiles:
        job_settings["source"]["components"] = str(write_smiles(smiles, job / layout.WORK))
    try:
        with _progress(job):
            _run(job, resolve(job_settings), cores)
    except BaseException as error:
        if folder is None:
            shutil.rmtree(job, ignore_errors=True)
        if is_full_disk(error):
            raise UserError(disk_full("job folder")) from error
        raise
    finished = read_job(job)
    for sentence in told_at_end(job):
        warnings.warn(sentence, stacklevel=2)
    if folder is None:
        weakref.finalize(finished, shutil.rmtree, job, ignore_errors=True)
    return finished


def _asked(structures: list[str | Path], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a job on structures: files, or PDB ids for names that are not files."""
    if not all(str(one).strip() for one in structures):
        raise UserError(f"structures has {structures!r}: give structure files, folders or PDB ids.")
    for name in ("source", "filters"):
        if not isinstance(settings.get(name) or {}, Mapping):
            raise UserError(f"{name} is {settings[name]!r}: give a section of settings, as a dict.")
    source = dict(settings.get("source") or {})
    job_settings = {"search_query": "", **settings, "source": source}
    ids = [str(one) for one in structures if entry_id_of(str(one)) and not Path(one).exists()]
    if not ids:
        files = [str(expanded(one).absolute()) for one in structures]
        source |= {"kind": "files", "files": files}
        return job_settings
    if len(ids) < len(structures):
        raise UserError(f"{ids[0]} is a PDB id and other structures are files: analyse them in two calls.")
    if not job_settings["search_query"]:
        job_settings["search_query"] = " ".join(ids)
    job_settings["filters"] = {"entries": ids, **(settings.get("filters") or {})}
    return job_settings


def _run(job: Path, settings: Mapping[str, Any], cores: int) -> None:
    """Run a job in this process, or on several cores by Snakemake."""
    if cores == 1:
        from rdkit import rdBase

        with rdBase.BlockLogs():
            run_job(job, settings)
        return
    command = snakemake_command(job, settings, cores)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        error = read_error(job) or unrecorded_error(job, "", done.stderr.splitlines()[-1:])
        raise UserError(error["message"])


@contextmanager
def _progress(job: Path) -> Iterator[None]:
    """Show the entries of a job that are done while the block lasts, if tqdm is installed."""
    if find_spec("tqdm") is None:
        yield
        return
    ended = threading.Event()

    def show() -> None:
        reader = ProgressReader(job)
        with import_module("tqdm.auto").tqdm(desc="Tethermap", unit="entry", delay=1, leave=False) as bar:
            while not ended.wait(_POLL_SECONDS):
                progress = reader.read()
                bar.total = progress.found
                bar.update(progress.done - bar.n)

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
