"""Source of a job's search."""

from __future__ import annotations

import json
from pathlib import Path

from tethermap.base import layout


def search_source(job: Path) -> str:
    """Return where the search of a job has looked, as the status of entries that it left out names it."""
    origin = json.loads((job / layout.SEARCH_QUERY).read_text(encoding="utf-8"))["source"]
    return f"{origin['kind']}:{origin['label']}" if origin["kind"] == "mirror" else str(origin["kind"])
