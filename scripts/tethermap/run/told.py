"""Final notes of a run: fallbacks of the search, and, without accepted ligands, reasons and remedies."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tethermap.base import layout
from tethermap.base.atomic import read_json
from tethermap.base.reasons import REASONS, REMEDIES
from tethermap.base.tables import ENTRY_STATUS, LIGAND_STATUS, Row, read_table

MOST_TOLD = 3
"""Maximum number of reported reasons, the most frequent first; the tables contain all."""


NOTHING_KEPT = "Nothing was kept."
"""Sentence about a finished job without an accepted ligand."""


def told_at_end(job: Path) -> list[str]:
    """Return sentences for the terminal, the log and the page of a finished job; none if there is nothing to report.

    Parameters
    ----------
    job : Path
        The job folder.
    """
    if (query := read_json(job / layout.SEARCH_QUERY)) is None:
        return []
    return [*query.get("notes", ()), *nothing_kept(job), *problems(job)]


def problems(job: Path) -> list[str]:
    """Return the problems of a finished job: errors of this program in single ligands, failed checks."""
    sentences: list[str] = read_json(job / layout.PROBLEMS) or []
    return sentences


def nothing_kept(job: Path) -> list[str]:
    """Return the reasons why a finished job has no accepted ligand; empty if it has one or has no tables.

    >>> nothing_kept(Path("no such job"))
    []
    """
    try:
        kept = (row["kept"] for row in read_table(job / layout.ENTRY_STATUS, ENTRY_STATUS, strict=False))
        if any(one is not False for one in kept):  # None if a table of another version lacks it
            return []
        entries = list(read_table(job / layout.ENTRY_STATUS, ENTRY_STATUS, strict=False))
        ligands = list(read_table(job / layout.LIGAND_STATUS, LIGAND_STATUS, strict=False))
    except OSError:
        return []
    return [NOTHING_KEPT, *_counted("entries", entries), *_counted("ligands", ligands)]


def _counted(noun: str, rows: Sequence[Row]) -> Iterator[str]:
    """Yield a sentence for each of the most frequent reasons, with the remedy."""
    reasons = Counter(str(row["reason"]) for row in rows)
    for reason, count in reasons.most_common(MOST_TOLD):
        singular = {"entries": "entry", "ligands": "ligand"}[noun]
        remedy = f" {REMEDIES[reason]}" if reason in REMEDIES else ""
        words = REASONS.get(reason, reason.replace("_", " ") or "no reason is recorded")  # of another version
        yield f"{count} {singular if count == 1 else noun}: {words}{remedy}"
