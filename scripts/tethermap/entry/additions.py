"""Additions of Tethermap to a user's model: ligands from separate files, confidences.

A separate block after the model's (`BLOCK`) lists the chains of ligands that came from a file, each with the definition
of its bonds, and the program's confidence in the relative positions of residues.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gemmi import cif

from tethermap.base.identifiers import is_component_code, short_code
from tethermap.formats.cif_repair import columns_of

BLOCK = "tethermap"
"""Name of the block; those of definitions begin with it."""

LIGANDS, ERRORS, FIELDS = "_tethermap_ligand.", "_tethermap_aligned_error.", "_tethermap_pose_field."
SCORES, SCORE_TAGS = "_tethermap_score.", ("name", "value")
LIGAND_TAGS = ("asym_id", "definition", "smiles", "source_file", "source_record", "pose_rank")
FIELD_TAGS = ("asym_id", "name", "value")
ERROR_TAGS = ("asym_id", "auth_asym_id", "residue_id", "angstroms")

ResidueKey = tuple[str, str]
"""Author chain and residue number with insertion code."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Origin of a model or a pose.

    Parameters
    ----------
    source_file : str
        The user's name of its file; empty for deposited entries.
    source_record : int or None
        Number of its record or model in the file, from 1.
    pose_rank : int or None
        Its rank among the poses of its molecule; None for a model.
    fields : dict of str to str
        Scores and other fields of the record; of a model the confidence scores of a program: ipTM, pTM.
    """

    source_file: str = ""
    source_record: int | None = None
    pose_rank: int | None = None
    fields: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Additions:
    """Content of the block.

    Parameters
    ----------
    ligands : dict of str to str
        By label_asym_id of each ligand from a file: CIF text of its definition, else a SMILES; empty without either.
    aligned_errors : dict of str to dict
        By label_asym_id of a ligand: expected error in angstroms of its position relative to a residue of a polymer.
    smiles : dict of str to str
        SMILES by code, of components that no dictionary has.
    poses : dict of str to Origin
        Origin of each ligand, by label_asym_id.
    model : Origin
        Origin of the structure.
    """

    ligands: dict[str, str] = field(default_factory=dict)
    aligned_errors: dict[str, dict[ResidueKey, float]] = field(default_factory=dict)
    smiles: dict[str, str] = field(default_factory=dict)
    poses: dict[str, Origin] = field(default_factory=dict)
    model: Origin = Origin()

    def definition(self, asym: str, comp_id: str) -> str:
        """Return the definition of a ligand's bonds: CIF text, a SMILES, or empty."""
        return self.ligands.get(asym) or self.smiles.get(comp_id, "")

    def renamed(self, asyms: Mapping[str, str]) -> Additions:
        """Return the additions under other label_asym_id."""
        renamed: dict[str, Any] = {
            name: {asyms.get(asym, asym): value for asym, value in getattr(self, name).items()}
            for name in ("ligands", "aligned_errors", "poses")
        }
        return replace(self, **renamed)


NONE = Additions()


def read_additions(document: cif.Document, model: cif.Block) -> Additions:
    """Return the content of the block of a file; empty for most files.

    AlphaFold 3 writes the SMILES of a ligand that has no code of the dictionary into the model itself.
    """
    ligands = _smiles_of(model)
    blocks = {block.name: block for block in document if block.name.startswith(BLOCK)}
    if BLOCK not in blocks:
        return Additions(smiles=ligands) if ligands else NONE
    block = blocks[BLOCK]
    smiles, ligands = ligands, {}
    poses: dict[str, Origin] = {}
    for row in block.find(LIGANDS, list(LIGAND_TAGS)):
        definition = blocks.get(row.str(1))
        ligands[row.str(0)] = str(definition.as_string()) if definition is not None else row.str(2)
        if row.str(3):
            poses[row.str(0)] = Origin(row.str(3), int(row.str(4)), int(row.str(5)))
    for row in block.find(FIELDS, list(FIELD_TAGS)):
        poses[row.str(0)].fields[row.str(1)] = row.str(2)
    errors: dict[str, dict[ResidueKey, float]] = {}
    for row in block.find(ERRORS, list(ERROR_TAGS)):
        errors.setdefault(row.str(0), {})[row.str(1), row.str(2)] = float(row.str(3))
    scores = {row.str(0): row.str(1) for row in block.find(SCORES, list(SCORE_TAGS))}
    return Additions(ligands, errors, smiles, poses, Origin(fields=scores))


def _smiles_of(model: cif.Block) -> dict[str, str]:
    """Return the SMILES of components whose codes are none of the dictionary, by code."""
    rows = model.find("_chem_comp.", ["id", "pdbx_smiles"])
    smiles_of = {short_code(row.str(0)): row.str(1) for row in rows if not is_component_code(row.str(0))}
    return {code: smiles for code, smiles in smiles_of.items() if smiles}


_CODES = re.compile(r"(?:comp_id|mon_id|comp_id_[12])$|^_chem_comp\.id$")


def shorten_codes(block: cif.Block) -> None:
    """Give a code to components whose names are not codes, in every block that names them."""
    for column in (column for tag, column in columns_of(block) if _CODES.search(tag)):
        for place, name in enumerate(column):
            plain = cif.as_string(name)
            if plain and (code := short_code(plain)) != plain:
                column[place] = code
