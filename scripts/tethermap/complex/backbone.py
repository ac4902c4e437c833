"""The Cα trace of the target chain beside an instance: for superposition, and for what is known of the model there."""

from __future__ import annotations

from functools import lru_cache

import gemmi
import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.complex.context import CHAIN, Around
from tethermap.complex.scene import Scene
from tethermap.entry.atoms import text
from tethermap.instance.backbone import GAP, NO_BACKBONE, RSRZ_OUTLIER, TOUCHED, TOUCHES_WITHIN, TRUNCATED, Backbone

LONGEST_STEP = 4.5
"""Cα atoms of bonded residues are 3.8 angstroms apart (2.9 for cis); beyond this the chain is broken."""

HEAVY_ATOMS = {
    "A": 5, "C": 6, "D": 8, "E": 9, "F": 11, "G": 4, "H": 10, "I": 8, "K": 9, "L": 8,
    "M": 8, "N": 8, "P": 7, "Q": 9, "R": 11, "S": 6, "T": 7, "V": 7, "W": 14, "Y": 12,
}  # fmt: skip
"""Heavy atoms of each standard residue within a chain."""


def backbone_of(
    scene: Scene,
    around: Around,
    label: bytes,
    ligand: FloatArray,
    outliers: frozenset[tuple[str, ...]] = frozenset(),
) -> Backbone:
    """Return the backbone of the target chain nearest to an instance, where it stands beside it.

    Parameters
    ----------
    around : Around
        What stands around the instance.
    label : bytes
        Label of its conformer.
    ligand : ndarray of float, shape (n_heavy, 3)
        The instance's heavy atoms, in angstroms.
    outliers : frozenset of (str, str, str)
        Chain, number and insertion code of residues that are RSRZ outliers.
    """
    nearest = next((copy for copy in around.copies if copy.level == CHAIN and not copy.body.parents), None)
    if nearest is None:
        return NO_BACKBONE
    atoms, mask = scene.atoms, scene.mask(label)
    members = nearest.body.atoms.members
    members = members[mask[members]]
    residue = atoms.residue[members]
    alpha = members[atoms.name[members] == b"CA"]
    alpha = alpha[np.unique(atoms.residue[alpha], return_index=True)[1]]
    if not len(alpha):
        return NO_BACKBONE
    names, which = np.unique(atoms.comp_id[alpha], return_inverse=True)
    letters = np.array([one_letter(text(name)) for name in names], dtype="U1")[which]
    xyz = atoms.xyz[alpha].astype(np.float64)
    marks = np.zeros(len(alpha), dtype=np.int8)
    broken = np.linalg.norm(np.diff(xyz, axis=0), axis=1) > LONGEST_STEP
    marks[:-1][broken] |= GAP
    marks[1:][broken] |= GAP
    first = int(residue[0])
    n_backbone = np.bincount(residue - first)[atoms.residue[alpha] - first]
    standard = np.array([HEAVY_ATOMS.get(_standard(text(name)), 0) for name in names])[which]
    marks[n_backbone < standard] |= TRUNCATED
    beside, _ = nearest.body.atoms.nearest(nearest.placement.undo(ligand), TOUCHES_WITHIN)
    touched = np.zeros(len(atoms.starts), dtype=np.bool_)
    touched[atoms.residue[beside[mask[beside]]]] = True
    marks[touched[atoms.residue[alpha]]] |= TOUCHED
    chain = scene.chain_names[nearest.body.asym].strip()
    poor = {(number, code) for name, number, code in outliers if name == chain}
    if poor:
        numbers, codes = atoms.auth_seq_id[alpha].tolist(), atoms.ins_code[alpha].tolist()
        marks[[(str(n), text(c)) in poor for n, c in zip(numbers, codes, strict=True)]] |= RSRZ_OUTLIER
    b_iso = atoms.b_iso[alpha]
    several = len(alpha) > 1
    residue_ids = tuple(atoms.residue_ids[atoms.residue[alpha]].tolist())
    uniprot = scene.entry.references.of_chain(chain)
    return Backbone(
        chain=chain,
        sequence="".join(letters.tolist()),
        xyz=nearest.placement.apply(xyz),
        marks=marks,
        numbers=residue_ids,
        uniprot=tuple(uniprot.get(residue_id, "") for residue_id in residue_ids),
        b_mean=float(b_iso.mean()) if several else float("nan"),
        b_sd=float(b_iso.std()) if several else float("nan"),
    )


@lru_cache(maxsize=1024)
def one_letter(comp_id: str) -> str:
    """Return the one-letter code of a residue, that of its parent when modified, ``X`` when unknown."""
    letter = gemmi.find_tabulated_residue(comp_id).one_letter_code.upper()
    return letter if letter.isalpha() else "X"


@lru_cache(maxsize=1024)
def _standard(comp_id: str) -> str:
    """Return the one-letter code of a standard residue, empty for modified ones."""
    letter = gemmi.find_tabulated_residue(comp_id).one_letter_code
    return letter if letter.isupper() else ""
