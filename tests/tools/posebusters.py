"""Results of PoseBusters for the geometry of a finished job: ``python -m tests.tools.posebusters <job> <table.csv>``.

Needs ``posebusters``, which no other part does. One row per ligand: the flags of its checks in the complex without the
ligand, and in the complex also without the atoms that a bond to the ligand keeps nearby, because such a bond is not a
clash in our checks.
"""

from __future__ import annotations

import csv
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from rdkit import Chem

OTHERS = ("protein", "organic_cofactors", "inorganic_cofactors", "waters")
BESIDE = 2.0
"""Protein atoms within this distance of the bonded one are also excluded, in angstroms."""


def main(job: Path, table: Path) -> None:
    """Write the results of PoseBusters."""
    with (
        (job / "Results_Display.csv").open(encoding="utf-8", newline="") as stream,
        table.open("w", encoding="utf-8", newline="") as written,
    ):
        write = csv.writer(written, lineterminator="\n").writerow
        write(["stem", "flags", "flags_without_bonded"])
        for row in csv.DictReader(stream):
            if row["sanitised"] == "True" and row["pdb_path"]:
                paths = job / row["sdf_path"], job / row["pdb_path"]
                both = (";".join(sorted(flags(*paths, bonded=bonded))) for bonded in (True, False))
                write([row["stem"], *both])


def flags(sdf: Path, pdb: Path, *, bonded: bool) -> set[str]:
    """Return the checks of PoseBusters beyond its limits, by our codes, with or without atoms bonded to the ligand."""
    names = ("distance_geometry", "flatness", "intermolecular_distance", "volume_overlap")
    geometry, flatness, distance, volume = (import_module(f"posebusters.modules.{name}") for name in names)
    mol = next(iter(Chem.SDMolSupplier(str(sdf), sanitize=False, removeHs=False)))
    Chem.SanitizeMol(mol)
    around = surroundings(mol, pdb, bonded=bonded)
    shape = geometry.check_geometry(mol, 0.25, 0.3, 0.25)["results"]
    passes: dict[str, Any] = {
        "bond_length": shape["bond_lengths_within_bounds"],
        "bond_angle": shape["bond_angles_within_bounds"],
        "internal_clash": shape["no_internal_clash"],
        "ring_not_flat": flatness.check_flatness(mol, 0.25, flatness.flat_rings)["results"]["flatness_passes"],
        "double_bond_not_flat": flatness.check_flatness(mol, 0.25, flatness.flat_bonds)["results"]["flatness_passes"],
    }
    radii = {"protein": "vdw", "organic_cofactors": "vdw", "inorganic_cofactors": "covalent"}
    passes["protein_clash"] = all(
        distance.check_intermolecular_distance(
            mol, around, kind, clash_cutoff=0.75, ignore_types={"hydrogens", *OTHERS} - {name}
        )["results"]["no_clashes"]
        for name, kind in radii.items()
    )
    ignored = {"hydrogens", "inorganic_cofactors", "waters"}
    overlap = volume.check_volume_overlap(mol, around, clash_cutoff=0.075, vdw_scale=0.8, ignore_types=ignored)
    passes["volume_overlap"] = overlap["results"]["no_volume_clash"]
    return {name for name, good in passes.items() if not good}


def surroundings(mol: Chem.Mol, pdb: Path, *, bonded: bool) -> Chem.Mol:
    """Return the atoms of a complex without those of the ligand, with or without those next to a bond to it."""
    lines = pdb.read_text(encoding="utf-8").splitlines()
    atoms = [line for line in lines if line.startswith(("ATOM", "HETATM"))]
    xyz = np.array([[float(line[k : k + 8]) for k in (30, 38, 46)] for line in atoms])
    heavy = np.array([atom.GetAtomicNum() > 1 for atom in mol.GetAtoms()])
    ligand = mol.GetConformer().GetPositions()[heavy]
    own = np.array([(np.abs(ligand - place).max(axis=1) < 0.002).any() for place in xyz])
    place = {int(line[6:11]): k for k, line in enumerate(atoms)}
    left_out = own.copy()
    for line in lines:
        if line.startswith("CONECT") and not bonded:
            first, *others = (place.get(int(line[k : k + 5])) for k in range(6, len(line.rstrip()), 5))
            for other in others:
                if first is not None and other is not None and own[first] and not own[other]:
                    left_out |= np.linalg.norm(xyz - xyz[other], axis=1) < BESIDE
    kept = "\n".join(line for line, out in zip(atoms, left_out, strict=True) if not out)
    return Chem.MolFromPDBBlock(kept, sanitize=False, removeHs=False, proximityBonding=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
