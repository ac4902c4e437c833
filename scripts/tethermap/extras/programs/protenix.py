"""Jobs of Protenix, as its ``docs/infer_json_format.md`` and the parsers of bytedance/Protenix read them (2026).

Entities are counted from 1 in the order of the sequences; atoms of a SMILES are named by element and occurrence.
"""

import json
import re
from collections import Counter
from typing import Any

from rdkit import Chem

from tethermap.extras.protac.program import folding_program
from tethermap.extras.protac.subject import FoldedLigand, SequencePlace, Subject

_OTHERS = re.compile("[^ARNDCQEGHILKMFPSTWYVX]")
"""Every letter except the standard residues and ``X``."""

POCKET_DISTANCE = 6
"""From the ligand to residues of its pocket, in angstroms, as in its examples."""


def job(subject: Subject) -> str:
    """Return a job as JSON: sequences, the ligand, its pocket, the position of its anchors, a covalent bond."""
    ligand, chains = subject.ligand, subject.chains
    numbers = {chain.letter: number for number, chain in enumerate(chains, 1)}
    own = len(chains) + 1
    sequences: list[dict[str, Any]] = [
        {"proteinChain": {"sequence": _OTHERS.sub("X", chain.sequence), "count": 1, "id": [chain.letter]}}
        for chain in chains
    ]
    identity = f"CCD_{ligand.comp_id}" if ligand.comp_id else ligand.smiles
    sequences.append({"ligand": {"ligand": identity, "count": 1, "id": [ligand.letter]}})
    values: dict[str, Any] = {"name": subject.name, "sequences": sequences}

    def place(residue: SequencePlace) -> dict[str, int]:
        return {"entity": numbers[residue.letter], "copy": 1, "position": residue.number}

    if ligand.bond:
        residue, partner, atom = ligand.bond
        one = {f"{key}1": str(value) for key, value in place(residue).items()} | {"copy1": 1, "atom1": partner}
        values["covalent_bonds"] = [one | {"entity2": str(own), "copy2": 1, "position2": "1", "atom2": atom}]
    contacts = [
        {f"{key}1": value for key, value in place(half.at_exit).items()}
        | {"entity2": own, "copy2": 1, "position2": 1, "atom2": _atom(ligand, anchor)}
        | {"max_distance": round(half.distance + 1, 1)}
        for half, anchor in zip(subject.halves, ligand.anchors, strict=False)
        if half.at_exit is not None
    ]
    constraint: dict[str, Any] = {"contact": contacts} if contacts else {}
    if subject.pocket:
        constraint["pocket"] = {
            "binder_chain": {"entity": own, "copy": 1},
            "contact_residues": [place(residue) for residue in subject.pocket],
            "max_distance": POCKET_DISTANCE,
        }
    return json.dumps([values | ({"constraint": constraint} if constraint else {})], indent=1) + "\n"


def _atom(ligand: FoldedLigand, anchor: str | int) -> str:
    if isinstance(anchor, str):
        return anchor
    elements = [atom.GetSymbol().upper() for atom in Chem.MolFromSmiles(ligand.smiles).GetAtoms()]
    return f"{elements[anchor]}{Counter(elements[: anchor + 1])[elements[anchor]]}"


PROGRAM = folding_program("protenix", lambda subject: {"protenix/job.json": job(subject)})
