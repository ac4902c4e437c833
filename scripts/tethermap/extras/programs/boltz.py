"""Jobs of Boltz-2, as ``docs/prediction.md`` and ``data/parse/schema.py`` of jwohlwend/boltz read them (2026)."""

import json
import math
from typing import Any

from rdkit import Chem

from tethermap.extras.protac.program import folding_program
from tethermap.extras.protac.subject import FoldedHalf, FoldedLigand, Subject

LEAST_DISTANCE, MOST_DISTANCE = 4.0, 20.0
"""Distances that a constraint can have, in angstroms."""


def job(subject: Subject) -> str:
    """Return a job as YAML: JSON in lines, which any YAML reader parses."""
    ligand = subject.ligand
    constraints: list[dict[str, Any]] = []
    for k, half in enumerate(subject.halves):
        if half.pocket:
            contacts = [[place.letter, place.number] for place in half.pocket]
            constraints.append({"pocket": {"binder": ligand.letter, "contacts": contacts, "max_distance": 6.0}})
        if k < len(ligand.anchors) and (contact := _at_exit(ligand, half, ligand.anchors[k])):
            constraints.append({"contact": contact})
    if ligand.bond:
        place, partner, own = ligand.bond
        ends = {"atom1": [place.letter, place.number, partner], "atom2": [ligand.letter, 1, own]}
        constraints.append({"bond": ends})
    parts = {"sequences": subject.sequences({"ccd": ligand.comp_id}), "constraints": constraints}
    lines = ["version: 1"]
    for name, items in parts.items():
        lines += [f"{name}:", *(f"  - {json.dumps(item)}" for item in items)] if items else []
    return "\n".join(lines) + "\n"


def atom_names(smiles: str) -> list[str]:
    """Return the names that Boltz gives the atoms of a SMILES, hydrogens after the heavy atoms.

    >>> atom_names("CO")[:2]
    ['C6', 'O5']
    """
    mol = Chem.AddHs(Chem.MolFromSmiles(smiles))
    ranks = Chem.CanonicalRankAtoms(mol)
    return [f"{atom.GetSymbol().upper()}{rank + 1}" for atom, rank in zip(mol.GetAtoms(), ranks, strict=True)]


def _at_exit(ligand: FoldedLigand, half: FoldedHalf, anchor: str | int) -> dict[str, Any] | None:
    """Return the contact that fixes the orientation of the ligand: its anchor at the residue near it in the crystal."""
    distance = math.ceil(half.distance + 1)
    if half.at_exit is None or distance > MOST_DISTANCE:
        return None
    name = anchor if isinstance(anchor, str) else atom_names(ligand.smiles)[anchor]
    return {
        "token1": [ligand.letter, name],
        "token2": [half.at_exit.letter, half.at_exit.number],
        "max_distance": max(LEAST_DISTANCE, float(distance)),
    }


PROGRAM = folding_program("boltz", lambda subject: {"boltz/job.yaml": job(subject)})
