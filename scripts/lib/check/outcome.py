"""What a check of the results says."""

from __future__ import annotations

from dataclasses import dataclass

from scripts.lib.tables import Row


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of one check: whether it passed, a number that tells how far off, and words."""

    check: str
    passed: bool
    value: str = ""
    detail: str = ""

    def row(self, stem: str) -> Row:
        """Return the row of `tables.CHECKS`; `stem` is the instance, an entry, or empty for the job."""
        return {
            "stem": stem,
            "check": self.check,
            "passed": self.passed,
            "value": self.value,
            "detail": self.detail,
        }
