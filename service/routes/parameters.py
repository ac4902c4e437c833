"""Query parameters and errors that several routes have in common."""

from __future__ import annotations

from service.endpoint import Parameter
from service.exposure import CONTEXTS

JOB_ERRORS = ("JOB_NOT_FOUND",)
EXAMPLE_ERRORS = ("EXAMPLE_NOT_FOUND",)

_TEXT = {"type": "string"}

DRY_RUN = Parameter("dry_run", {"type": "boolean"}, "Only say what the job would do.")
IDEMPOTENCY_KEY = Parameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
    "The same key with the same body gives the same job again, for a day.",
    place="header",
)
LIMIT = Parameter("limit", {"type": "integer", "minimum": 1}, "At most as many; lowered to the maximum.")
OFFSET = Parameter("offset", {"type": "integer", "minimum": 0}, "Leave out as many.")
KIND = Parameter("kind", _TEXT, "Only files of this kind; all by default.")
FOLDER = Parameter("folder", _TEXT, "Only files below this folder, any case, whole parts.")
CONTEXT = Parameter("context", {"type": "string", "enum": list(CONTEXTS)}, "Which atoms surround the ligand.")
RESID = Parameter("resid", _TEXT, "Residue: author number and insertion code.")
PDB_ID = Parameter("pdb_id", _TEXT, "Entry, any case.", required=True)
CHAIN = Parameter("chain", _TEXT, "Author chain.", required=True)
LIGAND = Parameter("ligand", _TEXT, "Component code.", required=True)
RESIDUE_ID = Parameter("residue_id", _TEXT, "Author number and insertion code.", required=True)


def optional(parameter: Parameter) -> Parameter:
    """Return the same parameter where it need not be given."""
    return Parameter(parameter.name, parameter.schema, parameter.says)
