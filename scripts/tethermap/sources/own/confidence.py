"""Confidence of a structure prediction in the position of a ligand relative to the residues around it.

The expected aligned error of AlphaFold 3 (Abramson et al. 2024, doi:10.1038/s41586-024-07487-w), Boltz and Chai: a
matrix over tokens, one a residue of a standard polymer, one a heavy atom of everything else.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Container, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import gemmi
import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.base.packed import DamagedGzip, unpacked
from tethermap.entry.additions import ResidueKey

LARGEST_SCORES = 4 << 20
"""Bytes of a file of scores that are read."""

_SCORE = re.compile(r"tm\b|tm_|score|lddt|pde|pae|affinity", re.IGNORECASE)
LARGEST = 512 << 20
"""Bytes of a file of confidences that are read."""

WITHIN = 8.0
"""Maximum distance in angstroms between a ligand and the heavy atoms of reported residues."""

_UNREADABLE = (OSError, EOFError, TypeError, ValueError, KeyError, MemoryError, DamagedGzip, zipfile.BadZipFile)

Errors = dict[str, dict[ResidueKey, float]]
"""Error in angstroms by label_asym_id of the ligand and residue of a polymer."""


def confidence_file(model: str, files: Container[str]) -> str | None:
    """Return the file of the error matrix next to a model, None if there is none.

    Parameters
    ----------
    model : str
        Path of the model.
    files : container of str
        Paths of all files.
    """
    path = Path(model)
    stem = re.sub(r"\.(?:cif|mmcif|pdb)(?:\.gz)?$", "", path.name)
    names = [f"pae_{stem}.npz", f"{stem}_pae.npz", f"{stem}_confidences.json", f"{stem}_full_data.json"]
    if stem.endswith("model"):  # AlphaFold 3: x_model.cif and x_confidences.json
        names.append(f"{stem[:-5]}confidences.json")
    if server := re.fullmatch(r"(.+)_model_(\d+)", stem):  # AlphaFold Server: fold_x_model_0.cif, …_full_data_0.json
        names.append(f"{server[1]}_full_data_{server[2]}.json")
    if chai := re.fullmatch(r"pred\.(model_idx_\d+)", stem):
        names.append(f"pae.{chai[1]}.npz")
    for name in names:
        for ending in ("", ".gz"):
            if (place := str(path.with_name(name + ending))) in files:
                return place
    return None


def score_files(model: str, files: Container[str]) -> list[str]:
    """Return the files of the scores of a whole model next to it: ipTM and pTM, Boltz' affinity.

    Parameters
    ----------
    model : str
        Path of the model.
    files : container of str
        Paths of all files.
    """
    path = Path(model)
    stem = re.sub(r"\.(?:cif|mmcif|pdb)(?:\.gz)?$", "", path.name)
    names = [f"confidence_{stem}.json", f"{stem}_summary_confidences.json"]
    if stem.endswith("model"):  # AlphaFold 3
        names.append(f"{stem[:-5]}summary_confidences.json")
    if server := re.fullmatch(r"(.+)_model_(\d+)", stem):  # AlphaFold Server and Boltz
        names += [f"{server[1]}_summary_confidences_{server[2]}.json", f"affinity_{server[1]}.json"]
    if chai := re.fullmatch(r"pred\.(model_idx_\d+)", stem):
        names.append(f"scores.{chai[1]}.npz")
    return [place for name in names if (place := str(path.with_name(name))) in files]


def read_scores(path: Path) -> dict[str, str]:
    """Return the single numbers of a file of scores by name; nothing if it can't be read."""
    with suppress(*_UNREADABLE):
        if path.stat().st_size <= LARGEST_SCORES:
            data = unpacked(path.read_bytes(), LARGEST_SCORES)
            values: dict[str, Any]
            if data[:2] == b"PK":
                with np.load(io.BytesIO(data), allow_pickle=False) as archive:
                    values = {name: archive[name].item() for name in archive if archive[name].size == 1}
            else:
                values = _json_object(data)
            numbers = {name: value for name, value in values.items() if type(value) in (int, float)}
            return {name: f"{value:.6g}" for name, value in sorted(numbers.items()) if _SCORE.search(name)}
    return {}


def aligned_errors(structure: gemmi.Structure, path: Path) -> tuple[Errors, str]:
    """Return the errors of the ligands of a model, and a sentence if the file can't be used.

    The error of a ligand to a residue is the mean over its atoms and both directions.

    Parameters
    ----------
    structure : gemmi.Structure
        The model, with label_asym_id as subchains.
    path : Path
        The file of confidences.
    """
    try:
        matrix = _matrix(path)
    except _UNREADABLE as error:
        return {}, f"{path.name}: its aligned errors can't be read ({str(error)[:80] or type(error).__name__})."
    if matrix is None:
        return {}, ""
    tokens = list(_tokens(structure[0]))
    if matrix.shape != (len(tokens), len(tokens)):
        return {}, (
            f"{path.name} has aligned errors of {len(matrix)} tokens, the model has {len(tokens)}: they are not used."
        )
    by_ligand: dict[str, list[int]] = {}
    residues = []
    for number, (residue, chain, is_polymer) in enumerate(tokens):
        if is_polymer:
            residues.append((number, residue, chain))
        else:
            by_ligand.setdefault(residue.subchain, []).append(number)
    errors: Errors = {}
    for asym, own in by_ligand.items():
        atoms = _places(tokens[own[0]][0])
        for number, residue, chain in residues:
            if len(atoms) > 1 and _nearest(atoms, _places(residue)) <= WITHIN:
                mean = float((matrix[own, number].mean() + matrix[number, own].mean()) / 2)
                errors.setdefault(asym, {})[chain, str(residue.seqid).strip()] = mean
    return errors, ""


def _matrix(path: Path) -> FloatArray | None:
    """Return the matrix of a JSON or NumPy file, None if it contains other confidences."""
    if path.stat().st_size > LARGEST:
        raise ValueError("larger than 512 MB")
    data = unpacked(path.read_bytes(), LARGEST)
    values: Any
    if data[:2] == b"PK":
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            if sum(item.file_size for item in archive.zip.infolist()) > LARGEST:
                raise ValueError("larger than 512 MB")
            values = archive.get("pae")
    else:
        values = _json_object(data).get("pae")
    if values is None:
        return None
    matrix = np.asarray(values, dtype=np.float64).squeeze()
    if matrix.ndim != 2 or not np.isfinite(matrix).all():
        raise ValueError("no matrix of numbers")
    return matrix


def _json_object(data: bytes) -> dict[str, Any]:
    values = json.loads(data)
    if not isinstance(values, dict):
        raise TypeError("no JSON object")
    return values


def _tokens(model: gemmi.Model) -> Iterator[tuple[gemmi.Residue, str, bool]]:
    """Yield residue, author chain and whether it is one of a polymer, once a token."""
    for chain in model:
        for residue in chain:
            polymer = residue.entity_type == gemmi.EntityType.Polymer
            standard = polymer and gemmi.find_tabulated_residue(residue.name).is_standard()
            count = 1 if standard else sum(not atom.is_hydrogen() for atom in residue)
            for _ in range(count):
                yield residue, chain.name, polymer


def _places(residue: gemmi.Residue) -> FloatArray:
    return np.array([atom.pos.tolist() for atom in residue if not atom.is_hydrogen()])


def _nearest(one: FloatArray, other: FloatArray) -> float:
    if not len(one) or not len(other):
        return float("inf")
    return float(np.linalg.norm(one[:, None] - other[None], axis=2).min())
