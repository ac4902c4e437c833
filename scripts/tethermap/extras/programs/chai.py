"""Jobs of Chai-1, as ``inference_dataset.py`` and ``parsing/restraints.py`` of chaidiscovery/chai-lab read them (2026).

Chai names chains A, B, C, … by their order in the FASTA file, the ligand last.
"""

import string

from tethermap.extras.protac.program import folding_program
from tethermap.extras.protac.subject import Subject

_COLUMNS = (
    "chainA,res_idxA,chainB,res_idxB,connection_type,confidence,min_distance_angstrom,max_distance_angstrom,comment,"
    "restraint_id"
)

MAX_DISTANCE = 6.0
"""From the ligand to a residue of its pocket, in angstroms (as Boltz's default)."""


def fasta(subject: Subject) -> str:
    """Return the sequences, then the ligand's SMILES."""
    parts = [(f"protein|name={subject.name}_{chain.letter}", chain.sequence) for chain in subject.chains]
    parts.append((f"ligand|name={subject.name}_ligand", subject.ligand.smiles))
    return "".join(f">{title}\n{text}\n" for title, text in parts)


def restraints(subject: Subject) -> str:
    """Return the pockets as restraints from the ligand as a whole to each residue."""
    letters = dict(zip((chain.letter for chain in subject.chains), string.ascii_uppercase, strict=False))
    own = string.ascii_uppercase[len(letters)]
    rows = [
        f"{own},,{letters[place.letter]},{place.name}{place.number},pocket,1.0,0.0,{MAX_DISTANCE},pocket,pocket_{k}"
        for k, place in enumerate(subject.pocket, 1)
    ]
    return "\n".join([_COLUMNS, *rows]) + "\n"


PROGRAM = folding_program(
    "chai", lambda subject: {"chai/job.fasta": fasta(subject), "chai/job.restraints": restraints(subject)}
)
