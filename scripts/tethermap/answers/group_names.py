"""Names of linked groups of components, which no single component stands for."""

from __future__ import annotations

from tethermap.molecule.record import LigandMolecule

MOST_CODES = 3
"""Most components of a group that is named by their codes."""


def group_name(molecule: LigandMolecule) -> str:
    """Return the name of a linked group, empty for a single component.

    Few components are named by their codes (``PJE+010+02J``), more of them by their number: ``cyclic peptide of 8
    residues`` if a ring runs through three residues or more.
    """
    codes = molecule.component_names.split("+")
    if len(codes) == 1:
        return ""
    if len(codes) <= MOST_CODES:
        return molecule.component_names
    kinds = molecule.type.lower().split("+")
    peptide, sugar = (sum(word in kind for kind in kinds) for word in ("peptide", "saccharide"))
    if 2 * sugar > len(codes):
        return f"saccharide of {len(codes)} residues"
    if 2 * peptide < len(codes):
        return f"linked group of {len(codes)} components"
    residues = molecule.residue.tolist()
    rings = molecule.mol.GetRingInfo().AtomRings()
    cyclic = any(len({residues[k] for k in ring if k < len(residues)}) >= 3 for ring in rings)
    return f"{'cyclic ' if cyclic else ''}peptide of {len(codes)} residues"
