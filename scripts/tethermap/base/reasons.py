"""Reasons for skipped items and flags of accepted ones: closed lists of data/reference/codes.csv."""

from typing import NamedTuple

from tethermap.base.reference import rows_of


class Doubt(NamedTuple):
    """A doubt about an exit: the best grade that it allows, and a sentence for readers."""

    grade: str
    sentence: str


_ROWS = rows_of("codes")


def _sentences(name: str) -> dict[str, str]:
    """Return the sentence of each code of a list."""
    return {row["code"]: row["sentence"] for row in _ROWS if row["list"] == name}


GLOSSARY = _sentences("words")
"""Words of this field and of our results, with their meaning."""

KINDS = _sentences("kinds")
"""Kinds of het groups."""

TARGET_MATCHES = _sentences("target_matches")
"""Ways in which the target chains of an entry were found."""

REASONS = _sentences("reasons")
"""Reason codes of entries and ligands, each with a sentence for people."""

REMEDIES = _sentences("remedies")
"""The remedy that a user has for a reason, in one sentence, if there is any."""

BOND_SOURCES = _sentences("bond_sources")
"""Sources of a ligand's bonds, in words."""

FLAGS = _sentences("flags")
"""Flags of an instance: facts that a user should know."""

EXIT_REASONS = _sentences("exit_reasons")
"""Reasons why a candidate for an exit, or a whole ligand, has no rank."""

GEOMETRY_FLAGS = _sentences("geometry_flags")
"""Geometry of a ligand beyond the limits of PoseBusters: flagged, never a reason to omit the ligand."""

OBSERVED_REASONS = _sentences("observed_reasons")
"""Reasons why a ligand between two proteins shows no exit."""

PROTAC_REASONS = _sentences("protac_reasons")
"""Missing parts of the inputs for programs that model degraders, with reasons."""

SUPERPOSITION_REASONS = _sentences("superposition_reasons")
"""Reasons why an instance is not in the common frame of its group."""

EVIDENCE_GRADES = _sentences("evidence_grades")
"""Grades of evidence in words."""

EXIT_EVIDENCE = {row["code"]: Doubt(row["grade"], row["sentence"]) for row in _ROWS if row["list"] == "exit_evidence"}
"""Doubts about an exit in one structure, the most serious first; A is the grade without doubts."""

MAIN = "main"
"""The binding site of most entries; the others are ``other_1`` and so on."""


def sentence(reason: str) -> str:
    """Return the sentence of a reason code.

    Raises
    ------
    KeyError
        If the code is not in the closed list.

    >>> sentence("not_unique")
    "Atoms elsewhere have the same chain, number and name, so its own atoms can't be identified."
    """
    return REASONS[reason]
