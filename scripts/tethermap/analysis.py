"""Analyse structures in one call."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tethermap.base import layout
from tethermap.base.atomic import write_text
from tethermap.base.config import resolve
from tethermap.job import Job, read_job
from tethermap.run_job import run_job

Structures = str | Path | Sequence[str | Path]
"""A structure file, a folder, or several."""


def write_smiles(smiles: Mapping[str, str], folder: Path) -> Path:
    """Write a table of definitions by component code into a folder and return its path."""
    table = folder / "smiles.csv"
    write_text(table, "".join(f"{code},{value}\n" for code, value in smiles.items()))
    return table


def analyse(
    structures: Structures,
    *,
    smiles: Mapping[str, str] | None = None,
    target: str = "",
    folder: str | Path | None = None,
    predicted: bool = False,
    **settings: Any,
) -> Job:
    """Clean the ligand-bound complexes of structures, measure the exposure of their ligands, rank exits for linkers.

    Parameters
    ----------
    structures : path or sequence of paths
        Structure files (PDB, mmCIF) or folders of them; ligands in files of their own (SDF, mol2) go with the structure
        of the same name.
    smiles : mapping of str to str, optional
        SMILES by component code, for codes that the dictionary doesn't know: ``{"LIG": "CCO"}``.
    target : str
        Name of the target; without one all polymers count.
    folder : path, optional
        Where the result files go; without one they are gone with the job that is returned.
    predicted : bool
        Whether the structures are predictions, whose B factors are confidences.
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

    Examples
    --------
    >>> from tethermap.sources.choose import ARCHIVE
    >>> job = analyse(ARCHIVE / "4cup.cif.gz")
    >>> [(ligand.name, round(ligand.exposed, 2)) for ligand in job.ligands]
    [('ZYB', 1.0)]
    """
    job = Path(tempfile.mkdtemp(prefix="tethermap-") if folder is None else str(folder)).absolute()
    paths = [structures] if isinstance(structures, str | Path) else list(structures)
    source: dict[str, Any] = {
        **settings.pop("source", {}),
        "kind": "files",
        "files": [str(Path(path).expanduser().absolute()) for path in paths],
        "predicted": predicted,
    }
    if smiles:
        source["components"] = str(write_smiles(smiles, job / layout.WORK))
    asked = {"target_name": target or "all", "search_query": settings.pop("search_query", ""), "source": source}
    try:
        run_job(job, resolve({**asked, **settings}))
    except BaseException:
        if folder is None:
            shutil.rmtree(job, ignore_errors=True)
        raise
    finished = read_job(job)
    if folder is None:
        weakref.finalize(finished, shutil.rmtree, job, ignore_errors=True)
    return finished
