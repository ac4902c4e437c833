"""The check of the inputs for programs that model degraders: every anchor is one and the same atom."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scripts.lib import layout
from scripts.lib.check.compare import MAX_SHIFT
from scripts.lib.check.outcome import Outcome
from scripts.lib.instance.model import FloatArray

CHECK = "protac_inputs"
_ROUNDING = 1e-6


def protac_inputs(
    job: Path,
    stem: str,
    files: Mapping[str, str],
    on_disk: Mapping[str, str],
    sdf_xyz: FloatArray,
    serials: Sequence[int],
) -> Iterator[Outcome]:
    """Yield the outcome for one instance; nothing where it has no inputs.

    Parameters
    ----------
    job : Path
        The job folder.
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
        told = json.loads((job / path).read_text(encoding="utf-8"))
        problems = list(_problems(job / folder, told, sdf_xyz, serials))
        named = [f"{folder}/{name}" for name in _named(told)]
        problems += [f"{name} is not as written" for name in named if files.get(name, "") != on_disk.get(name)]
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        problems = [f"unreadable: {str(error)[:200]}"]
    yield Outcome(CHECK, not problems, str(len(problems)) if problems else "", "; ".join(problems[:3]))


def _named(told: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files that belong to the exits of a ligand."""
    yield told["ligand_file"]
    if told["protein"]["file"]:
        yield told["protein"]["file"]
    for one in told["exits"]:
        if "files" in one:
            yield from (one["files"]["prosettac"][key] for key in ("head", "params"))
            yield from one["files"]["protac_ternary"].values()
            yield from one["files"]["deepternary"].values()


def _problems(folder: Path, told: Mapping[str, Any], xyz: FloatArray, serials: Sequence[int]) -> Iterator[str]:
    ligand = _pdb_atoms(folder / told["ligand_file"])
    atoms = told["atoms"]
    if [atom["pdb_serial"] for atom in atoms] != list(serials):
        yield "serials are not those of the complex"
    if len(atoms) != len(xyz) or np.abs(np.array([atom["xyz"] for atom in atoms]) - xyz).max() > MAX_SHIFT + _ROUNDING:
        yield "atoms are not those of the SDF"
    if sorted(ligand) != list(range(1, len(atoms) + 1)):
        yield "the ligand's file holds other atoms"
    for one in told["exits"]:
        yield from _problems_of_exit(folder, one, atoms, ligand)


def _problems_of_exit(
    folder: Path,
    one: Mapping[str, Any],
    atoms: Sequence[Mapping[str, Any]],
    ligand: Mapping[int, tuple[str, FloatArray]],
) -> Iterator[str]:
    k = one["anchor"]["sdf_index"]
    place = np.array(atoms[k]["xyz"])
    if any(one["anchor"][key] != atoms[k][key] for key in one["anchor"]):
        yield f"exit {one['rank']}: the anchor has other names than its atom"
    if "files" not in one:
        return
    made = one["files"]
    name = atoms[k]["ligand_file_name"]
    kept = {index + 1 for index in range(len(atoms)) if index not in one["leaving_atoms"]}
    found = {
        made["prosettac"]["head"]: _sdf_atom(folder / made["prosettac"]["head"], made["prosettac"]["anchor"]),
        "the ligand's file": ligand[k + 1][1] if ligand[k + 1][0] == name else place + np.inf,
    }
    for what, where in found.items():
        if np.abs(where - place).max() > MAX_SHIFT + _ROUNDING:
            yield f"exit {one['rank']}: {what} has its anchor elsewhere"
    if set(_pdb_atoms(folder / made["deepternary"]["mask"])) != kept:
        yield f"exit {one['rank']}: the mask holds other atoms than those that stay"
    listed = (folder / made["protac_ternary"]["atom_list"]).read_text(encoding="utf-8").splitlines()
    if not listed or listed[-1].split()[1:] != [name]:
        yield f"exit {one['rank']}: the list of atoms does not end with the anchor"


def _pdb_atoms(path: Path) -> dict[int, tuple[str, FloatArray]]:
    """Return name and place of each atom of a PDB file by its serial."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("HETATM"):
            place = np.array([float(line[start : start + 8]) for start in (30, 38, 46)])
            found[int(line[6:11])] = (line[12:16].strip(), place)
    return found


def _sdf_atom(path: Path, number: int) -> FloatArray:
    """Return the place of an atom of an SDF, V2000 or V3000, counted from 1."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if lines[3].rstrip().endswith("V3000"):
        words = next(line.split()[2:] for line in lines if line.startswith(f"M  V30 {number} "))
        return np.array([float(word) for word in words[2:5]])
    line = lines[3 + number]
    return np.array([float(line[start : start + 10]) for start in (0, 10, 20)])
