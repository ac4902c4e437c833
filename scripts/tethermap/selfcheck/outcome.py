"""Outcome of a check of the results."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from tethermap.base.tables import Row

log = logging.getLogger(__name__)


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
