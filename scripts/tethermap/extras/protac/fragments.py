"""Fragments with attachment points as plain JSON, for programs that design linkers.

Such programs need the two fragments' SMILES with ``*``, the attachment atoms, and in a common frame the distance and
angles between them (LinkLlama); DiffLinker and DiffPROTACs have separate files.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rdkit import Chem

from tethermap.base.arrays import FloatArray
from tethermap.extras.protac.warhead import Warhead

FILE = "fragments.json"

MOST_APART = 40.0
"""Anchors farther apart than this, in angstroms, are not those of one complex (house rule)."""


@dataclass(frozen=True, eq=False, slots=True)
class Fragment:
    """One half as input for linker designers.

    Parameters
    ----------
    side : str
        ``target`` or ``e3``.
    stem, entry_id : str
        Instance and entry that it comes from.
    smiles : str
        Warhead with ``[*]`` for the linker.
    warhead : Warhead
        Its atoms in the bound frame.
    direction : ndarray of float, shape (3,)
        Unit vector from the anchor to the linker's first atom.
    """

    side: str
    stem: str
    entry_id: str
    smiles: str
    warhead: Warhead
    direction: FloatArray

    @property
    def anchor(self) -> FloatArray:
        """Position of the anchor, in angstroms."""
        place: FloatArray = self.warhead.mol.GetConformer().GetPositions()[self.warhead.anchor]
        return place


def fragments_json(fragments: Sequence[Fragment]) -> str:
    """Return one fragment, or two with the geometry between them, as JSON."""
    content: dict[str, Any] = {
        "frame": "deposited coordinates, angstroms",
        "fragments": [_fragment(one) for one in fragments],
    }
    if len(fragments) > 1:
        content["between"] = _between(*fragments[:2])
    return json.dumps(content, indent=1) + "\n"


def _fragment(fragment: Fragment) -> dict[str, Any]:
    mol = fragment.warhead.mol
    return {
        "side": fragment.side,
        "stem": fragment.stem,
        "smiles": fragment.smiles,
        "attachment_atom": fragment.warhead.anchor,
        "attachment_direction": np.round(fragment.direction, 4).tolist(),
        "elements": [atom.GetSymbol() for atom in mol.GetAtoms()],
        "xyz": mol.GetConformer().GetPositions().round(3).tolist(),
        "bonds": [
            [bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), bond.GetBondTypeAsDouble()] for bond in mol.GetBonds()
        ],
        "molblock": Chem.MolToMolBlock(mol, kekulize=False),
    }


def in_one_frame(first: Fragment, second: Fragment) -> bool:
    """Return whether two fragments are in one complex of one entry."""
    return first.entry_id == second.entry_id and 0 < math.dist(first.anchor, second.anchor) <= MOST_APART


def _between(first: Fragment, second: Fragment) -> dict[str, Any]:
    """Return distance and angles if both fragments share one frame, else the reason."""
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
