"""Why something was left out, and what to know of what was kept: closed lists of data/reference/codes.csv."""

from __future__ import annotations

import csv
from typing import NamedTuple

from tethermap.base.reference import CODES


class Doubt(NamedTuple):
    """What speaks against an exit: the best grade that is left, and a sentence for people."""

    grade: str
    sentence: str


with CODES.open(encoding="utf-8", newline="") as _stream:
    _ROWS = list(csv.DictReader(_stream))


def _sentences(name: str) -> dict[str, str]:
    """Return the sentence of each code of a list."""
    return {row["code"]: row["sentence"] for row in _ROWS if row["list"] == name}


KINDS = _sentences("kinds")
"""Kinds of het groups."""

TARGET_MATCHES = _sentences("target_matches")
"""How the target chains of an entry were found."""

REASONS = _sentences("reasons")
"""Reason codes of entries and ligands, each with a sentence for people."""

REMEDIES = _sentences("remedies")
"""What a user can do about a reason, in one sentence, where there is something."""

BOND_SOURCES = _sentences("bond_sources")
"""Where the bonds of a ligand come from, in words."""

FLAGS = _sentences("flags")
"""What a user should know of an instance that was kept."""

EXIT_REASONS = _sentences("exit_reasons")
"""Why a candidate for an exit, or a whole ligand, has no rank."""

GEOMETRY_FLAGS = _sentences("geometry_flags")
"""What of a ligand's geometry is beyond the limits of PoseBusters: told, never a reason to leave it out."""

OBSERVED_REASONS = _sentences("observed_reasons")
"""Why a ligand that two proteins hold tells no exit."""

PROTAC_REASONS = _sentences("protac_reasons")
"""What is missing among the inputs for programs that model degraders, and why."""

SUPERPOSITION_REASONS = _sentences("superposition_reasons")
"""Why an instance is left out of the common frame of its group."""

EVIDENCE_GRADES = _sentences("evidence_grades")
"""Grades of evidence in words."""

EXIT_EVIDENCE = {row["code"]: Doubt(row["grade"], row["sentence"]) for row in _ROWS if row["list"] == "exit_evidence"}
"""What speaks against an exit in one structure, the gravest first; the grade is A where nothing does."""

MAIN = "main"
"""The binding site of most entries; the others are ``other_1`` and so on."""


def sentence(reason: str) -> str:
    """Return the sentence of a reason code.

    Raises
    ------
    KeyError
        If the code is not in the closed list.

    >>> sentence("not_unique")
    'Atoms elsewhere go by the same chain, number and name: the file does not tell which are its own.'
    """
    return REASONS[reason]
