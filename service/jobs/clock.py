"""Clock of the service; tests replace it."""

import time
from datetime import UTC, datetime

from service.jobs.record import utc_text


class Clock:
    """The wall clock for displayed times, the monotonic one for measured times."""

    def utc(self) -> datetime:
        """Return the current time; it may jump, so nothing is measured or ordered by it."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds that only grow, from no particular moment."""
        return time.monotonic()

    def text(self) -> str:
        """Return the current time as ``2026-05-30T10:00:00Z``."""
        return utc_text(self.utc())
