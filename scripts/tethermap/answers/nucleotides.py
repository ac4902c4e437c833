"""Nucleotides and their analogues: they bind like the cofactor that they mimic, and are not suitable for degraders."""

from __future__ import annotations

from functools import cache

from rdkit import Chem

from tethermap.molecule.record import LigandMolecule


@cache
def _patterns() -> tuple[Chem.Mol, ...]:
    """Return two phosphorus atoms bridged by O, N, C or S as in ATP, AMP-PNP and AMP-PCP; a base on a ribose."""
    return Chem.MolFromSmarts("[PX4]~[#6,#7,#8,#16]~[PX4]"), Chem.MolFromSmarts(
        "[#7;R]-[CX4;R]1~[OX2]~[CX4]~[CX4]~[CX4]1"
    )


def is_nucleotide(molecule: LigandMolecule) -> bool:
    """Return whether a molecule is a nucleoside with two or more bridged phosphates, or an analogue of one."""
    if not any(atom.GetAtomicNum() == 15 for atom in molecule.mol.GetAtoms()):
        return False
    return all(molecule.mol.HasSubstructMatch(pattern) for pattern in _patterns())
