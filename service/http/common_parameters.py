"""Query parameters that several routes have in common."""

from __future__ import annotations

from service.http.parameters import Choice, Flag, Text, Texts
from service.jobs.artifacts import KINDS
from tethermap.base.contexts import HEADLINE_FIRST

MAX_STEMS = 200
"""Ligands that one ZIP can be asked for by name; more come with all files."""

DRY_RUN = Flag("dry_run", "Only say what the job would do.")
IDEMPOTENCY_KEY = Text(
    "Idempotency-Key",
    "The same key with the same body gives the same job again, for a day.",
    place="header",
    schema={"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
)
KIND = Text("kind", f"Only files of this kind: all, {', '.join(KINDS)}.")
FOLDER = Text("folder", "Only files below this folder, any case, whole parts.")
CONTEXT = Choice("context", "Which atoms surround the ligand.", known=HEADLINE_FIRST)
RESID = Text("resid", "Residue: author number and insertion code.", aliases=("residue_id",))
PDB_ID = Text("pdb_id", "Entry, any case.", required=True)
CHAIN = Text("chain", "Author chain.", required=True)
LIGAND = Text("ligand", "Component code.", required=True)
RESIDUE_ID = Text("residue_id", "Author number and insertion code.", required=True)
STEM = Texts("stem", f"Only the files of this ligand; may be repeated, at most {MAX_STEMS} times.", maximum=MAX_STEMS)
