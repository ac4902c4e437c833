"""The Cα trace of the target chain near an instance: for superposition, and for the confidence of the model there."""

from operator import itemgetter

import gemmi
import numpy as np
from rdkit import Chem

from tethermap.base.arrays import IntArray
from tethermap.complex.context import ASSEMBLY, TARGET, Around
from tethermap.complex.scene import Scene
from tethermap.entry.atoms import text
from tethermap.entry.mmcif_header import parent_letter
from tethermap.instance.backbone import GAP, NO_BACKBONE, RSRZ_OUTLIER, TOUCHED, TOUCHES_WITHIN, TRUNCATED, Backbone

LONGEST_STEP = 4.5
"""Cα atoms of bonded residues are 3.8 angstroms apart (2.9 for cis); beyond this the chain is broken."""

HEAVY_ATOMS = {one: Chem.MolFromSequence(one).GetNumHeavyAtoms() - 1 for one in "ACDEFGHIKLMNPQRSTVWY"}
"""Heavy atoms of each standard residue within a chain: one less than in the amino acid."""


def backbone_of(
    scene: Scene, around: Around, label: bytes, outliers: frozenset[tuple[str, ...]] = frozenset()
) -> Backbone:
    """Return the backbone of the target chain, a protein if there is one, that an instance touches most.

    Residues of all target chains are marked as touched: those of like chains as the same residue of this one, others
    by their UniProt numbers, so that equal copies at an interface have equal pockets.

    Parameters
    ----------
    around : Around
        Surroundings of the instance.
    label : bytes
        Label of its conformer.
    outliers : frozenset of (str, str, str)
        Chain, number and insertion code of residues that are RSRZ outliers.
    """
    atoms, mask = scene.atoms, scene.mask(label)
    chains = [copy for copy in around.copies if copy.level <= ASSEMBLY and not copy.body.parents]
    touching = [(copy, copy.near[copy.apart < TOUCHES_WITHIN]) for copy in chains]
    targets = [(copy, len(beside)) for copy, beside in touching if copy.level <= TARGET]
    proteins = [one for one in targets if one[1] and (atoms.name[one[0].body.atoms.members] == b"CA").any()]
    if not targets:
        return NO_BACKBONE
    nearest, _ = max(proteins or targets, key=itemgetter(1))  # the first of equal ones, which is the nearest
    members = nearest.body.atoms.members
    members = members[mask[members]]
    residue = atoms.residue[members]
    alpha = members[atoms.name[members] == b"CA"]
    alpha = alpha[np.unique(atoms.residue[alpha], return_index=True)[1]]
    if not len(alpha):
        return NO_BACKBONE
    names, which = np.unique(atoms.comp_id[alpha], return_inverse=True)
    letters = np.array([parent_letter(text(name)) for name in names], dtype="U1")[which]
    xyz = atoms.xyz[alpha].astype(np.float64)
    marks = np.zeros(len(alpha), dtype=np.int8)
    broken = np.linalg.norm(np.diff(xyz, axis=0), axis=1) > LONGEST_STEP
    marks[:-1][broken] |= GAP
    marks[1:][broken] |= GAP
    first = int(residue[0])
    n_backbone = np.bincount(residue - first)[atoms.residue[alpha] - first]
    codes = (gemmi.find_tabulated_residue(text(name)).one_letter_code for name in names)  # lower case if modified
    standard = np.array([HEAVY_ATOMS.get(code, 0) for code in codes])[which]
    marks[n_backbone < standard] |= TRUNCATED
    chain = scene.chain_names[nearest.body.asym].strip()
    residue_ids = atoms.residue_ids[atoms.residue[alpha]].tolist()
    poor = {number + code for name, number, code in outliers if name == chain}
    marks[[residue_id in poor for residue_id in residue_ids]] |= RSRZ_OUTLIER
    b_iso = atoms.b_iso[alpha][np.isfinite(atoms.b_iso[alpha])]
    several = len(b_iso) > 1
    uniprot = scene.entry.references.of_chain(chain)
    keys = _keys(scene, chain, atoms.residue[alpha])
    place_of = {key: k for k, key in enumerate(keys)}
    others: dict[int, set[str]] = {TARGET: set(), ASSEMBLY: set()}
    for copy, beside in (pair for pair in touching if len(pair[1])):
        named = _keys(scene, scene.chain_names[copy.body.asym].strip(), np.unique(atoms.residue[beside]))
        own = [place_of[key] for key in named if key in place_of] if copy.level <= TARGET else []
        marks[own] |= TOUCHED
        others[max(copy.level, TARGET)].update(key for key in named if key not in place_of and ":" in key)
    return Backbone(
        chain=chain,
        sequence="".join(letters.tolist()),
        xyz=nearest.placement.apply(xyz),
        marks=marks,
        numbers=np.array(residue_ids, dtype=np.str_),
        uniprot=np.array([uniprot.get(residue_id, "") for residue_id in residue_ids], dtype=np.bytes_),
        others=tuple(sorted(others[TARGET])),
        partner=tuple(sorted(others[ASSEMBLY])),
        b_mean=float(b_iso.mean()) if several else float("nan"),
        b_sd=float(b_iso.std()) if several else float("nan"),
    )


def _keys(scene: Scene, chain: str, residues: IntArray) -> list[str]:
    """Return keys shared by residues of equivalent chains: UniProt number (``P00533:790``), else name and number."""
    uniprot, atoms = scene.entry.references.of_chain(chain), scene.atoms
    numbers = atoms.residue_ids[residues].tolist()
    codes = atoms.comp_id[atoms.starts[residues]].tolist()
    return [uniprot.get(number) or f"{text(code)} {number}" for number, code in zip(numbers, codes, strict=True)]
