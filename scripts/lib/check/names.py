"""The checks that a job makes on itself: what each says and whether a failure means a program error."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    Parameters
    ----------
    sentence : str
        What holds when it passes.
    fatal : bool
        Whether a failure can only come from an error in this program and fails the job; others
        may come from the deposited data and are reported.
    """

    sentence: str
    fatal: bool


CHECKS = {
    "files": Check("PDB or mmCIF, SDF and all depictions are there and as written", True),
    "same_atoms": Check("complex and SDF hold the same heavy atoms", True),
    "nothing_else": Check("the ligand's residues in the complex hold no other atoms", True),
    "deposited_atoms": Check("all heavy atoms are atoms of one conformer of the deposited entry", True),
    "coordinates_complex": Check("coordinates of the complex are the deposited ones to 0.001 Å", True),
    "coordinates_sdf": Check("coordinates of the SDF are the deposited ones to 0.001 Å", True),
    "formula": Check("the formula equals the observed atoms", True),
    "bonds": Check("bonds are 0.6 to 1.35 times the sum of covalent radii long", False),
    "connected": Check("the molecule is one piece", False),
    "sasa_sums": Check("areas of the atoms add up to the ligand's", True),
    "sasa_order": Check("areas shrink from free to chain, target, assembly and crystal", True),
    "sasa_lists": Check("areas in the SDF are those of the table", True),
    "exits": Check("exits of table, SDF and depiction agree; every candidate has a rank or a reason", True),
    "protac_inputs": Check("anchors are the same atoms in all inputs for programs that model degraders", True),
    "status_rows": Check("found = kept + left out, each with a reason, and every kept instance has its rows", True),
    "entry_rows": Check("every entry that the search saw has its row", True),
    # its row of Entry_Status says so; the results of the other entries are right
    "processed": Check("no entry was left out because of an error in this program", False),
}
"""All checks by name, in the order they are told."""


def fails_job(check: str) -> bool:
    """Return whether a failure of this check fails the job; an unknown check does.

    >>> fails_job("coordinates_sdf"), fails_job("connected")
    (True, False)
    """
    return check not in CHECKS or CHECKS[check].fatal
