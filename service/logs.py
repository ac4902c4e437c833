"""The service's log: one JSON object per line on standard error."""

import json
import logging
import sys
import time
from datetime import UTC, datetime
from typing import Any

from service.lru import Lru

REPEATED_SECONDS = 60.0
_MOST_CAUSES = 1000
_STANDARD = {*vars(logging.makeLogRecord({})), "message", "asctime", "color_message"}


class JsonFormatter(logging.Formatter):
    """Formats a record with all its extra fields, such as a request id."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line of JSON."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {key: value for key, value in vars(record).items() if key not in _STANDARD}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str, ensure_ascii=False)


class CountRepeated(logging.Filter):
    """Passes one warning or error of a cause, and for a while only counts similar ones.

    Parameters
    ----------
    seconds : float
        Duration; the next line after it reports the number of suppressed ones.
    """

    def __init__(self, seconds: float = REPEATED_SECONDS) -> None:
        super().__init__()
        self._seconds = seconds
        self._causes: Lru[tuple[object, ...], tuple[float, int]] = Lru(_MOST_CAUSES)

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is written, with the number of suppressed ones before it."""
        if record.levelno < logging.WARNING:
            return True
        error = record.exc_info[1] if record.exc_info else None
        cause = (record.name, record.levelno, str(record.msg)[:200], type(error), getattr(error, "errno", None))
        now = time.monotonic()
        begun, left_out = self._causes.get(cause, (-self._seconds, 0))
        if now - begun < self._seconds:
            self._causes.keep(cause, (begun, left_out + 1))
            return False
        self._causes.keep(cause, (now, 0))
        if left_out:
            record.repeated = left_out
        return True


def configure_logging(*, verbose: bool) -> None:
    """Send all logging to standard error.

    Parameters
    ----------
    verbose : bool
        Whether to log successes, too.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    handler.addFilter(CountRepeated())
    logging.basicConfig(level=logging.INFO if verbose else logging.WARNING, handlers=[handler], force=True)
    logging.captureWarnings(capture=True)
