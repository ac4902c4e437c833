"""Fragments with attachment points as plain JSON, for programs that design linkers.

Such programs need the two fragments' SMILES with ``*``, the attachment atoms, and in a common frame the distance and
angles between them (LinkLlama); DiffLinker and DiffPROTACs have separate files.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from rdkit import Chem

from tethermap.base.arrays import FloatArray
from tethermap.extras.protac.half import RequestedHalf, in_one_frame

FILE = "fragments.json"


def fragments_json(halves: Sequence[RequestedHalf]) -> str:
    """Return one half, or two with the geometry between them, as JSON."""
    content: dict[str, Any] = {
        "frame": "deposited coordinates, angstroms",
        "fragments": [_fragment(half) for half in halves],
    }
    if len(halves) > 1:
        content["between"] = _between(*halves[:2])
    return json.dumps(content, indent=1) + "\n"


def _fragment(half: RequestedHalf) -> dict[str, Any]:
    mol = half.warhead.mol
    return {
        "side": half.side.name,
        "stem": half.ligand.instance.stem,
        "smiles": half.smiles,
        "attachment_atom": half.warhead.anchor,
        "attachment_direction": np.round(half.direction, 4).tolist(),
        "elements": [atom.GetSymbol() for atom in mol.GetAtoms()],
        "xyz": mol.GetConformer().GetPositions().round(3).tolist(),
        "bonds": [
            [bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), bond.GetBondTypeAsDouble()] for bond in mol.GetBonds()
        ],
        "molblock": Chem.MolToMolBlock(mol, kekulize=False),
    }


def _between(first: RequestedHalf, second: RequestedHalf) -> dict[str, Any]:
    """Return distance and angles if both halves share one frame, else the reason."""
    if not in_one_frame(first, second):
        return {"distance_A": None, "reason": "the halves come from structures in different frames"}
    way = second.anchor - first.anchor
    return {
        "distance_A": round(float(np.linalg.norm(way)), 3),
        "angle_deg": _angle(first.direction, second.direction),
        "angles_to_way_deg": [_angle(first.direction, way), _angle(second.direction, -way)],
    }


def _angle(first: FloatArray, second: FloatArray) -> float:
    cosine = float(first @ second) / float(np.linalg.norm(first) * np.linalg.norm(second))
    return round(float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))), 1)
