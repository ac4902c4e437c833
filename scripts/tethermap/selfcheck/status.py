"""Checks of status rows: every entry and every het group is listed exactly once, with the correct status."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from tethermap.base.tables import Row
from tethermap.selfcheck.outcome import CheckOutcome

KEPT = ("kept", "member_of_group")
"""Reasons of rows that are kept."""


def status_rows(
    entry: Row, ligands: Sequence[Row], stems: Sequence[str], lost: AbstractSet[str] = frozenset()
) -> CheckOutcome:
    """Compare the status of an entry with the rows of its het groups and its instances.

    Parameters
    ----------
    entry : Row
        Row of Entry_Status.
    stems : sequence of str
        Stems of its instances that were written.
    lost : set of str
        Stems of instances lost to an error of this program.
    """
    problems = []
    kept_stems = {str(row["stem"]) for row in ligands if row["reason"] == "kept"}
    stems = sorted({*stems, *(kept_stems & lost)})
    if kept_stems != set(stems):
        problems.append(f"kept rows and files differ: {', '.join(sorted(kept_stems ^ set(stems)))}")
    if int(entry["instances_kept"] or 0) != len(stems) or (entry["kept"] is True) != bool(stems):
        problems.append(f"{entry['instances_kept']} instances kept, {len(stems)} written")
    if any(not row["reason"] or (row["reason"] in KEPT) != (row["kept"] is True) for row in (entry, *ligands)):
        problems.append("a row without its reason")
    return CheckOutcome.of("status_rows", problems)


def processed(entry: Row) -> CheckOutcome:
    """Report an entry that an error of this program skipped."""
    passed = entry["reason"] != "program_error"
    return CheckOutcome("processed", passed, "", "" if passed else str(entry["value"] or "see the log of its shard"))


def entry_rows(searched: Iterable[str], listed: Iterable[str]) -> CheckOutcome:
    """Report entries of the search without a status row.

    Parameters
    ----------
    searched, listed : iterable of str
        Requested ids: of the search, and of Entry_Status.

    >>> entry_rows(["1abc", "2abc"], ["1abc"]).detail
    '2abc'
    """
    return CheckOutcome.of("entry_rows", sorted(set(searched) - set(listed)), most=20, joint=", ")
