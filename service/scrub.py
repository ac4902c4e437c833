"""Removes paths of this machine from texts for clients."""

import re
import socket
import sys
import tempfile
from pathlib import Path

from service.settings import REPOSITORY, Settings

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters of formulas in spreadsheets."""

_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_ABSOLUTE = re.compile(r"(?<![\w.:/<~-])/(?:[\w.@%+=:,~-]+/)+[\w.@%+=:,~-]*")


class Scrubber:
    """Replaces the service's folders by their names, other absolute paths and the host by a placeholder.

    Parameters
    ----------
    settings : Settings
        Names the folders.
    """

    def __init__(self, settings: Settings) -> None:
        places = {
            settings.jobs_dir: "<jobs>",
            settings.cache_dir: "<cache>",
            settings.index_dir: "<index>",
            settings.mirror: "<mirror>",
            settings.affinity: "<affinity>",
            settings.degraders: "<degraders>",
            REPOSITORY: "<tethermap>",
            Path(sys.prefix): "<python>",
            Path(tempfile.gettempdir()): "<tmp>",
        }
        paths = [(str(path), name) for path, name in places.items() if path is not None and len(path.parts) > 1]
        self._places = sorted(paths, key=lambda item: -len(item[0]))
        self._host = re.compile(rf"\b{re.escape(socket.gethostname())}\b")

    def text(self, text: str) -> str:
        """Return a text without places of this machine."""
        if "/" in text:
            for folder, name in self._places:
                text = text.replace(folder, name)
            text = " ".join(word if _URL.search(word) else _ABSOLUTE.sub("<path>", word) for word in text.split(" "))
        return self._host.sub("<host>", text)
