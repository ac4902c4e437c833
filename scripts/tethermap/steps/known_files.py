"""Structure files that an earlier job has checked."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields
from pathlib import Path

from tethermap.run.cache import EntryResult, StepCache
from tethermap.sources.content import Content, check_file, read_file


class KnownFiles:
    """Checks structure files; those checked by an earlier job are compared by their bytes only.

    Parameters
    ----------
    known : StepCache
        Content of checked files, by the digest of their stored bytes.
    """

    def __init__(self, cache: StepCache) -> None:
        self._known = cache

    def __call__(self, path: Path, entry_id: str, own: bool) -> Content:
        """Return the content of a file; see `tethermap.sources.content.read_content`."""
        data = read_file(path)
        key = self._known.key(f"{hashlib.sha256(data).hexdigest()} {entry_id} {own}")
        if (kept := self._known.cache.get(key)) is not None:
            values = json.loads(kept.streams["checked"])
            return Content(**{**values, "successors": tuple(values["successors"])})
        content = check_file(data, entry_id, own=own)
        values = {field.name: getattr(content, field.name) for field in fields(Content) if field.name != "entities"}
        self._known.cache.put(key, EntryResult(streams={"checked": json.dumps(values).encode()}))
        return Content(**values)
