"""Assets of pages: own files and vendored ones, from memory, by name; no other files."""

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from service.addresses import address

HERE = Path(__file__).parent
STATIC = HERE / "static"
VENDORED = HERE / "assets" / "node_modules"

VENDOR: Mapping[str, str] = {
    "vendor/3dmol.js": "3dmol/build/3Dmol-min.js",
    "vendor/swagger-ui.js": "swagger-ui-dist/swagger-ui-bundle.js",
    "vendor/swagger-ui.css": "swagger-ui-dist/swagger-ui.css",
}
"""Names of the vendored files that are served → where the set-up has put them."""

MEDIA_TYPES: Mapping[str, str] = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True)
class Asset:
    """A file that pages load.

    Parameters
    ----------
    body : bytes
        Content of the asset.
    media_type : str
        Media type of the asset.
    tag : str
        ETag of the asset.
    """

    body: bytes
    media_type: str
    tag: str

    @cached_property
    def zipped(self) -> bytes:
        """The content as gzip, compressed on first use."""
        return gzip.compress(self.body, 9, mtime=0)


class Assets:
    """All files that pages load.

    Parameters
    ----------
    static, vendored : Path
        The house's files; the folder of the vendored packages, which may be missing.
    """

    def __init__(self, static: Path = STATIC, vendored: Path = VENDORED) -> None:
        paths = {path.relative_to(static).as_posix(): path for path in sorted(static.rglob("*")) if path.is_file()}
        paths |= {name: vendored / place for name, place in VENDOR.items() if (vendored / place).is_file()}
        self._files = {name: _asset(path) for name, path in paths.items() if path.suffix in MEDIA_TYPES}
        tags = "".join(f"{name}{asset.tag}" for name, asset in sorted(self._files.items()))
        self.version = hashlib.blake2b(tags.encode(), digest_size=6).hexdigest()

    def get(self, name: str) -> Asset | None:
        """Return a file by its name, or None."""
        return self._files.get(name)

    def has(self, name: str) -> bool:
        """Whether a file exists; vendored ones may be missing."""
        return name in self._files

    def url(self, name: str) -> str:
        """Return the address of a file, which changes with the content of any of them.

        Raises
        ------
        KeyError
            If there is no such file.
        """
        if name not in self._files:
            raise KeyError(name)
        return address(f"/static/{self.version}/{name}")


def _asset(path: Path) -> Asset:
    body = path.read_bytes()
    return Asset(body, MEDIA_TYPES[path.suffix], f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"')
