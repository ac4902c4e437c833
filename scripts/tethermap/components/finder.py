"""Component definitions of a job: the user's, the index, and the files server for newer codes."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tethermap.base.component_index import default_index

if TYPE_CHECKING:
    from tethermap.components.component import Component
    from tethermap.components.index import ComponentIndex
    from tethermap.components.user import UserComponents

_log = logging.getLogger(__name__)

Find = Callable[[str], "Component | None"]
"""Look-up of a component by its code; None if it is unknown."""


class JobComponents:
    """Component definitions of a job, opened at the first lookup; call it with a code to get the component.

    Codes that are not in the index are requested from the files server, only if the job's source is ``rcsb``.

    Parameters
    ----------
    kind : str
        Kind of the job's source.
    cache_dir : str or None
        Folder of the cache for server responses; None for the user's cache folder.
    own_components : sequence of str
        Component CIF files and SMILES tables of the user, or folders of them; their definitions come first.
    """

    def __init__(self, kind: str, cache_dir: str | None, own_components: Sequence[str] = ()) -> None:
        self._kind = kind
        self._cache_dir = cache_dir
        self._own = [Path(place) for place in own_components]

    @cached_property
    def index(self) -> ComponentIndex:
        """The index."""
        from tethermap.components.index import ComponentIndex

        path = ensured_index()
        if self._kind != "rcsb":
            return ComponentIndex(path)
        from tethermap.base.config import cache_folder
        from tethermap.components.newer import ComponentFiles

        return ComponentIndex(path, fetch=ComponentFiles(cache_folder(self._cache_dir)))

    @cached_property
    def user(self) -> UserComponents | None:
        """The user's own definitions."""
        if not self._own:
            return None
        from tethermap.components.user import read_user_components

        return read_user_components(*self._own)

    def __call__(self, comp_id: str) -> Component | None:
        """Return a component by its code; None if it is unknown."""
        return (self.user.get(comp_id.upper()) if self.user else None) or self.index.get(comp_id)

    def of_dictionary(self, comp_id: str) -> Component | None:
        """Return a component by its code, without the user's definitions; None if it is unknown."""
        return self.index.get(comp_id)

    def identity(self) -> list[str]:
        """Return an identifier of these definitions, without opening them."""
        path = ensured_index()
        stat = path.stat()
        identity = [self._kind, path.name, str(stat.st_size), str(stat.st_mtime_ns)]
        for definitions in self._own:
            files = sorted(definitions.rglob("*")) if definitions.is_dir() else [definitions]
            identity += [hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.is_file()]
        return identity

    @property
    def lasting(self) -> bool:
        """Whether all lookups would give the same result another day: no request to a server failed."""
        return "index" not in self.__dict__ or not self.index.asked_in_vain


def job_components(settings: Mapping[str, Any]) -> JobComponents:
    """Return the definitions that a step's settings name."""
    return JobComponents(cache_dir=settings["cache_dir"], **settings["components"])


def ensured_index(path: Path | None = None) -> Path:
    """Return the index file, built first when there is none."""
    path = path or default_index()
    if not path.is_file():
        from tethermap.components.index_build import build_index

        _log.warning("no component index at %s: building it", path.name)
        count = build_index(path)
        _log.info("component index built: %d components", count)
    return path
