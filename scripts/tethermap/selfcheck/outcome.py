"""Outcomes of the checks of results, and the checks of status rows."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Sequence, Set as AbstractSet
from dataclasses import dataclass

from tethermap.base.tables import Row

log = logging.getLogger(__name__)


CHECKS = {
    "files": "PDB or mmCIF, SDF, all depictions and inputs for other programs exist and are unchanged",
    "same_atoms": "complex and SDF have the same heavy atoms, with coordinates that agree to 0.001 Å",
    "bonds": "bonds are 0.6 to 1.35 times the sum of covalent radii long",
    "connected": "the molecule is one piece",
    "sasa_sums": "areas of the atoms add up to the ligand's",
    "status_rows": "found = kept + left out, each with a reason, and every kept instance has its rows",
    "entry_rows": "every entry of the search has a status row",
    "processed": "no step failed on an entry or ligand because of an error in this program",
}
"""All checks that a job makes on itself, in the order of the report, with the fact that each confirms."""


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """Result of one check: whether it passed, a number for the deviation, and words."""

    check: str
    passed: bool
    value: str = ""
    detail: str = ""

    @classmethod
    def of(cls, check: str, problems: Sequence[str], *, most: int | None = None, joint: str = "; ") -> CheckOutcome:
        """Return the outcome of a check that lists faults, the first `most` of them in words.

        >>> CheckOutcome.of("sasa_order", ["C1", "N2"], joint=", ")
        CheckOutcome(check='sasa_order', passed=False, value='2', detail='C1, N2')
        """
        return cls(check, not problems, str(len(problems)) if problems else "", joint.join(problems[:most]))

    def row(self, stem: str) -> Row:
        """Return the row of `tables.CHECKS`; `stem` is the instance, an entry, or empty for the job."""
        return {"stem": stem, "check": self.check, "passed": self.passed, "value": self.value, "detail": self.detail}

    def logged_row(self, stem: str) -> Row:
        """Return the row, and log a failed check."""
        if not self.passed:
            log.warning("%s: %s failed: %s %s", stem, self.check, self.value, self.detail)
        return self.row(stem)


def tallied(checks: Iterable[Row]) -> tuple[dict[str, tuple[int, int]], list[Row]]:
    """Return how many checks passed and failed by name, in the order of `CHECKS`, and the failed ones by instance.

    Parameters
    ----------
    checks : iterable of Row
        Rows of `tables.CHECKS`.
    """
    passed: Counter[str] = Counter()
    failures = []
    for row in checks:
        if row["passed"] is True:
            passed[str(row["check"])] += 1
        else:
            failures.append(row)
    failures.sort(key=lambda row: (str(row["stem"]), str(row["check"])))
    failed = Counter(str(row["check"]) for row in failures)
    names = [*CHECKS, *sorted((passed.keys() | failed.keys()) - CHECKS.keys())]
    return {name: (passed[name], failed[name]) for name in names}, failures


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
