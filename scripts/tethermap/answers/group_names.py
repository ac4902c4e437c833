"""Names of linked groups of several components."""

from __future__ import annotations

from tethermap.molecule.record import LigandMolecule

AMINO_ACID, SUGAR = frozenset({"N", "CA", "C", "O"}), frozenset({"C1", "C2", "C3", "C4", "C5", "O5"})
"""Names of atoms that all amino acids, and all hexopyranoses, have in the dictionary."""

MOST_CODES = 3
"""Most components of a group that is named by their codes."""


def group_name(molecule: LigandMolecule) -> str:
    """Return the name of a linked group, empty for a single component.

    Few components are named by their codes (``PJE+010+02J``), larger groups by their number: ``cyclic peptide of 8
    residues`` if a ring contains three residues or more.
    """
    codes = molecule.component_names.split("+")
    if len(codes) == 1:
        return ""
    if len(codes) <= MOST_CODES:
        return molecule.component_names
    residues: list[int] = molecule.residue.tolist()
    atoms: dict[int, set[str]] = {}
    for residue, name in zip(residues, molecule.dictionary_names, strict=True):
        atoms.setdefault(residue, set()).add(name)
    n_amino_acids, n_sugars = (sum(names <= of for of in atoms.values()) for names in (AMINO_ACID, SUGAR))
    if 2 * n_sugars > len(codes):
        return f"saccharide of {len(codes)} residues"
    if 2 * n_amino_acids <= len(codes):
        return f"linked group of {len(codes)} components"
    rings = molecule.mol.GetRingInfo().AtomRings()
    cyclic = any(len({residues[k] for k in ring if k < len(residues)}) >= 3 for ring in rings)
    return f"{'cyclic ' if cyclic else ''}peptide of {len(codes)} residues"
