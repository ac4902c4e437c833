"""The check of the inputs for programs that model degraders: every anchor is one and the same atom."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tethermap.base import layout
from tethermap.base.arrays import FloatArray
from tethermap.selfcheck.compare import MAX_SHIFT
from tethermap.selfcheck.outcome import CheckOutcome

CHECK = "protac_inputs"
_ROUNDING = 1e-6


def protac_inputs(
    job: Path,
    stem: str,
    files: Mapping[str, str],
    on_disk: Mapping[str, str],
    sdf_xyz: FloatArray,
    serials: Sequence[int],
) -> Iterator[CheckOutcome]:
    """Yield the outcome for one instance; nothing where it has no inputs.

    Parameters
    ----------
    stem : str
        Stem of the instance.
    files, on_disk : mapping
        sha256 of every file of the shard by path, as written and as found.
    sdf_xyz : ndarray of float, shape (n_heavy, 3)
        Heavy atoms of its SDF, in angstroms.
    serials : sequence of int
        Serial in the complex of each of them.
    """
    folder = layout.protac_inputs(stem)
    path = f"{folder}/exits.json"
    if path not in files:
        return
    try:
        document = json.loads((job / path).read_text(encoding="utf-8"))
        problems = list(_problems(job / folder, document, sdf_xyz, serials))
        named = [f"{folder}/{name}" for name in _named(document)]
        problems += [f"{name} is not as written" for name in named if files.get(name, "") != on_disk.get(name)]
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        problems = [f"unreadable: {str(error)[:200]}"]
    yield CheckOutcome.of(CHECK, problems, most=3)


def _named(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files that belong to the exits of a ligand."""
    yield document["ligand_file"]
    if document["protein"]["file"]:
        yield document["protein"]["file"]
    for exit_ in document["exits"]:
        if "files" in exit_:
            yield from (exit_["files"]["prosettac"][key] for key in ("head", "params"))
            yield from exit_["files"]["protac_ternary"].values()
            yield from exit_["files"]["deepternary"].values()


def _problems(folder: Path, document: Mapping[str, Any], xyz: FloatArray, serials: Sequence[int]) -> Iterator[str]:
    ligand = _pdb_atoms(folder / document["ligand_file"])
    atoms = document["atoms"]
    if [atom["pdb_serial"] for atom in atoms] != list(serials):
        yield "serials are not those of the complex"
    if len(atoms) != len(xyz) or np.abs(np.array([atom["xyz"] for atom in atoms]) - xyz).max() > MAX_SHIFT + _ROUNDING:
        yield "atoms are not those of the SDF"
    if sorted(ligand) != list(range(1, len(atoms) + 1)):
        yield "the ligand's file holds other atoms"
    for exit_ in document["exits"]:
        yield from _problems_of_exit(folder, exit_, atoms, ligand)


def _problems_of_exit(
    folder: Path,
    exit_: Mapping[str, Any],
    atoms: Sequence[Mapping[str, Any]],
    ligand: Mapping[int, tuple[str, FloatArray]],
) -> Iterator[str]:
    k = exit_["anchor"]["sdf_index"]
    anchor_xyz = np.array(atoms[k]["xyz"])
    if any(exit_["anchor"][key] != atoms[k][key] for key in exit_["anchor"]):
        yield f"exit {exit_['rank']}: the anchor has other names than its atom"
    if "files" not in exit_:
        return
    exit_files, core = exit_["files"], exit_["core"]
    k = core["anchor_sdf_index"]
    anchor_xyz = np.array(atoms[k]["xyz"])
    name = atoms[k]["ligand_file_name"]
    staying = {index + 1 for index in range(len(atoms)) if index not in core["leaving_atoms"]}
    anchors = {
        exit_files["prosettac"]["head"]: _sdf_atom(
            folder / exit_files["prosettac"]["head"], exit_files["prosettac"]["anchor"]
        ),
        "the ligand's file": ligand[k + 1][1] if ligand[k + 1][0] == name else anchor_xyz + np.inf,
    }
    for file, xyz in anchors.items():
        if np.abs(xyz - anchor_xyz).max() > MAX_SHIFT + _ROUNDING:
            yield f"exit {exit_['rank']}: {file} has its anchor elsewhere"
    if set(_pdb_atoms(folder / exit_files["deepternary"]["mask"])) != staying:
        yield f"exit {exit_['rank']}: the mask holds other atoms than those that stay"
    listed = (folder / exit_files["protac_ternary"]["atom_list"]).read_text(encoding="utf-8").splitlines()
    if not listed or listed[-1].split()[1:] != [name]:
        yield f"exit {exit_['rank']}: the list of atoms does not end with the anchor"


def _pdb_atoms(path: Path) -> dict[int, tuple[str, FloatArray]]:
    """Return name and place of each atom of a PDB file by its serial."""
    atoms = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("HETATM"):
            xyz = np.array([float(line[start : start + 8]) for start in (30, 38, 46)])
            atoms[int(line[6:11])] = (line[12:16].strip(), xyz)
    return atoms


def _sdf_atom(path: Path, number: int) -> FloatArray:
    """Return the place of an atom of an SDF, V2000 or V3000, counted from 1."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if lines[3].rstrip().endswith("V3000"):
        words = next(line.split()[2:] for line in lines if line.startswith(f"M  V30 {number} "))
        return np.array([float(word) for word in words[2:5]])
    line = lines[3 + number]
    return np.array([float(line[start : start + 10]) for start in (0, 10, 20)])
