"""Build the compiled loops of the library: part of the set-up."""

from __future__ import annotations

import logging
import sys

from scripts.lib.errors import UserError
from scripts.lib.kernels.build import build
from scripts.lib.kernels.library import library_path

_log = logging.getLogger(__name__)


def main() -> None:
    """Compile them into the Python environment unless this source is there; earlier ones stay for who uses them."""
    path = library_path()
    if not path.is_file():
        build(path)
        _log.info("wrote %s", path)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        main()
    except (OSError, UserError) as error:
        sys.exit(f"the compiled part can't be built: {error}")
