"""Jobs of AlphaFold 3, as ``docs/input.md`` and ``folding_input.py`` of google-deepmind/alphafold3 read them (2026)."""

import json
from typing import Any

from tethermap.extras.protac.program import folding_program
from tethermap.extras.protac.subject import Subject

VERSION = 1
"""The first version of the format: nothing of later ones is used."""


def job(subject: Subject) -> str:
    """Return a job as JSON. The format has no pockets; a bond is possible only for a ligand with a component code."""
    ligand = subject.ligand
    values: dict[str, Any] = {
        "name": subject.name,
        "modelSeeds": [1],
        "sequences": subject.sequences({"ccdCodes": [ligand.comp_id]}),
        "dialect": "alphafold3",
        "version": VERSION,
    }
    if ligand.bond:
        place, partner, own = ligand.bond
        values["bondedAtomPairs"] = [[[place.letter, place.number, partner], [ligand.letter, 1, own]]]
    return json.dumps(values, indent=1) + "\n"


PROGRAM = folding_program("af3", lambda subject: {"af3/job.json": job(subject)})
