"""Confidence of a structure prediction in the position of a ligand relative to the residues around it.

The expected aligned error of AlphaFold 3 (Abramson et al. 2024, doi:10.1038/s41586-024-07487-w), Boltz and Chai: a
matrix over tokens, one a residue of a standard polymer, one a heavy atom of everything else.
"""

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
from tethermap.base.packed import SUFFIXES, DamagedGzip, unpacked
from tethermap.entry.additions import ResidueKey
from tethermap.entry.near import distances
from tethermap.sources.own.sniff import stem_of

_SCORE = re.compile(r"tm\b|tm_|score|lddt|pde|pae|affinity", re.IGNORECASE)
LARGEST = 512 << 20
"""Bytes of a file of confidences that are read."""

WITHIN = 8.0
"""Maximum distance in angstroms between a ligand and the heavy atoms of reported residues."""

_UNREADABLE = (OSError, EOFError, TypeError, ValueError, KeyError, MemoryError, DamagedGzip, zipfile.BadZipFile)

Errors = dict[str, dict[ResidueKey, float]]
"""Error in angstroms by label_asym_id of the ligand and residue of a polymer."""


_COMPANIONS = (
    (r"(.+)", ("pae_{0}.npz", "{0}_pae.npz", "{0}_confidences.json", "{0}_full_data.json"),
     ("confidence_{0}.json", "{0}_summary_confidences.json")),
    (r"(.*)model", ("{0}confidences.json",), ("{0}summary_confidences.json",)),  # AlphaFold 3: x_model.cif
    # AlphaFold Server, fold_x_model_0.cif, and Boltz
    (r"(.+)_model_(\d+)", ("{0}_full_data_{1}.json",), ("{0}_summary_confidences_{1}.json", "affinity_{0}.json")),
    (r"pred\.(model_idx_\d+)", ("pae.{0}.npz",), ("scores.{0}.npz",)),  # Chai
)  # fmt: skip
"""Stem of a model, and the names next to it of the error matrix and of the scores of the whole model."""


def confidence_file(model: str, files: Container[str]) -> str | None:
    """Return the path of the error matrix next to a model, None if it is not among all `files`."""
    return next((place for place in _companions(model, 1) if place in files), None)


def score_files(model: str, files: Container[str]) -> list[str]:
    """Return the paths of the scores of a whole model next to it among all `files`: ipTM and pTM, Boltz' affinity."""
    return [place for place in _companions(model, 2) if place in files]


def _companions(model: str, column: int) -> Iterator[str]:
    path = Path(model)
    for row in _COMPANIONS:
        if match := re.fullmatch(str(row[0]), stem_of(path.name)):
            names = (name.format(*match.groups()) for name in row[column])
            yield from (str(path.with_name(name + packer)) for name in names for packer in ("", *SUFFIXES))


def read_scores(path: Path) -> dict[str, str]:
    """Return the single numbers of a file of scores by name; nothing if it can't be read."""
    with suppress(*_UNREADABLE):
        values = {name: value.item() if getattr(value, "size", 0) == 1 else value
                  for name, value in sorted(_values(path, 4 << 20).items()) if _SCORE.search(name)}  # fmt: skip
        return {name: f"{value:.6g}" for name, value in values.items() if type(value) in (int, float)}
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
        values = _values(path, LARGEST).get("pae")
        if values is None:  # other confidences
            return {}, ""
        matrix = np.asarray(values, dtype=np.float64).squeeze()
        if matrix.ndim != 2 or not np.isfinite(matrix).all():
            raise ValueError("no matrix of numbers")
    except _UNREADABLE as error:
        return {}, f"{path.name}: its aligned errors can't be read ({str(error)[:80] or type(error).__name__})."
    tokens = list(_tokens(structure[0]))
    if matrix.shape != (len(tokens), len(tokens)):
        counts = f"{len(matrix)} tokens, the model has {len(tokens)}"
        return {}, f"{path.name} has aligned errors of {counts}: they are not used."
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
            around = _places(residue)
            if len(atoms) > 1 and len(around) and distances(atoms, around).min() <= WITHIN:
                mean = float((matrix[own, number].mean() + matrix[number, own].mean()) / 2)
                errors.setdefault(asym, {})[chain, str(residue.seqid).strip()] = mean
    return errors, ""


def _values(path: Path, largest: int) -> dict[str, Any]:
    """Return the values of a JSON or NumPy file by name."""
    too_large = ValueError(f"larger than {largest >> 20} MB")
    if path.stat().st_size > largest:
        raise too_large
    data = unpacked(path.read_bytes(), largest)
    if data[:2] == b"PK":
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            if sum(item.file_size for item in archive.zip.infolist()) > largest:
                raise too_large
            return dict(archive)
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
            yield from [(residue, chain.name, polymer)] * count


def _places(residue: gemmi.Residue) -> FloatArray:
    return np.array([atom.pos.tolist() for atom in residue if not atom.is_hydrogen()])
