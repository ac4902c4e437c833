"""Checks of status rows: every entry and every het group is told of once, and rightly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scripts.lib.check.outcome import Outcome
from scripts.lib.tables import Row

KEPT = ("kept", "member_of_group")
"""Reasons of rows that are kept."""


def status_rows(entry: Row, ligands: Sequence[Row], stems: Sequence[str]) -> Outcome:
    """Compare what an entry's status says with the rows of its het groups and its instances.

    Parameters
    ----------
    entry : Row
        Row of Entry_Status.
    ligands : sequence of Row
        Its rows of Ligand_Status.
    stems : sequence of str
        Stems of its instances that were written.
    """
    problems = []
    kept = {str(row["stem"]) for row in ligands if row["reason"] == "kept"}
    if kept != set(stems):
        problems.append(f"kept rows and files differ: {', '.join(sorted(kept ^ set(stems)))}")
    if int(entry["instances_kept"] or 0) != len(stems) or (entry["kept"] is True) != bool(stems):
        problems.append(f"{entry['instances_kept']} instances kept, {len(stems)} written")
    if any(not row["reason"] or (row["reason"] in KEPT) != (row["kept"] is True) for row in (entry, *ligands)):
        problems.append("a row without its reason")
    return Outcome("status_rows", not problems, str(len(problems)) if problems else "", "; ".join(problems))


def processed(entry: Row) -> Outcome:
    """Tell an entry that an error of this program left out."""
    passed = entry["reason"] != "program_error"
    return Outcome("processed", passed, "", "" if passed else str(entry["value"] or "see the log of its shard"))


def entry_rows(found: Iterable[str], told: Iterable[str]) -> Outcome:
    """Tell entries that the search saw and no status row names.

    Parameters
    ----------
    found, told : iterable of str
        Ids as they were asked for: of the search, and of Entry_Status.
    """
    missing = sorted(set(found) - set(told))
    return Outcome("entry_rows", not missing, str(len(missing)) if missing else "", ", ".join(missing[:20]))
