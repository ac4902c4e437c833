"""Source of a job's search."""

from __future__ import annotations

import json
from pathlib import Path

from tethermap.base import layout


def search_source(job: Path) -> str:
    """Return the source of a job's search by the name that the status of unused entries has."""
    origin = json.loads((job / layout.SEARCH_QUERY).read_text(encoding="utf-8"))["source"]
    return f"{origin['kind']}:{origin['label']}" if origin["kind"] == "mirror" else str(origin["kind"])
