"""The checks that a job makes on itself, with the fact that each confirms; a failed check marks its instance."""

from __future__ import annotations

CHECKS = {
    "files": "PDB or mmCIF, SDF, all depictions and inputs for other programs exist and are unchanged",
    "same_atoms": "complex and SDF have the same heavy atoms, with coordinates that agree to 0.001 Å",
    "bonds": "bonds are 0.6 to 1.35 times the sum of covalent radii long",
    "connected": "the molecule is one piece",
    "sasa_sums": "areas of the atoms add up to the ligand's",
    "status_rows": "found = kept + left out, each with a reason, and every kept instance has its rows",
    "entry_rows": "every entry of the search has a status row",
    "processed": "no step failed on an entry or ligand because of an error in this program",
}
"""All checks by name, in the order of the report."""
