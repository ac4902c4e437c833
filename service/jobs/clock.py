"""Time as the service sees it; tests put another clock in its place."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from service.jobs.record import utc_text


class Clock:
    """The wall clock for what people read, the monotonic one for what the service measures."""

    def utc(self) -> datetime:
        """Return the current time; it may jump, so nothing is measured or ordered by it."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds that only grow, from no particular moment."""
        return time.monotonic()

    def text(self) -> str:
        """Return the current time as ``2026-05-30T10:00:00Z``."""
        return utc_text(self.utc())
