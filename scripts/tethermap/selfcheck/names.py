"""The checks that a job makes on itself, and what holds when each passes: one that fails marks its instance."""

from __future__ import annotations

CHECKS = {
    "files": "PDB or mmCIF, SDF and all depictions are there and as written",
    "same_atoms": "complex and SDF hold the same heavy atoms",
    "nothing_else": "the ligand's residues in the complex hold no other atoms",
    "deposited_atoms": "all heavy atoms are atoms of one conformer of the deposited entry",
    "coordinates_complex": "coordinates of the complex are the deposited ones to 0.001 Å",
    "coordinates_sdf": "coordinates of the SDF are the deposited ones to 0.001 Å",
    "formula": "the formula equals the observed atoms",
    "bonds": "bonds are 0.6 to 1.35 times the sum of covalent radii long",
    "connected": "the molecule is one piece",
    "sasa_sums": "areas of the atoms add up to the ligand's",
    "sasa_order": "areas shrink from free to chain, target, assembly and crystal",
    "sasa_lists": "areas in the SDF are those of the table",
    "exits": "exits of table, SDF and depiction agree; every candidate has a rank or a reason",
    "protac_inputs": "anchors are the same atoms in all inputs for programs that model degraders",
    "status_rows": "found = kept + left out, each with a reason, and every kept instance has its rows",
    "entry_rows": "every entry that the search saw has its row",
    "processed": "no step failed on an entry or ligand because of an error in this program",
}
"""All checks by name, in the order they are told."""
