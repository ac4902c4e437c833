"""Build the component index from the dictionary bundled with biotite, and its companion files: part of the set-up."""

import argparse
import logging
import sys
from pathlib import Path

from tethermap.base.component_index import INDEX_VARIABLE, default_index
from tethermap.components.index_build import build_index
from tethermap.molecule.alerts import pattern_bits
from tethermap.molecule.synthetic_accessibility import fragments

_log = logging.getLogger(__name__)


def main(output: Path, *, force: bool = False) -> None:
    """Write the component index, and the tables of RDKit's data in the default folder, unless they exist.

    Parameters
    ----------
    output : Path
        The SQLite file; its name contains the versions, so that an existing file is up to date.
    force : bool
        Whether to write it even so.
    """
    for table in (fragments, pattern_bits):
        table(again=force)
    if output.is_file() and not force:
        _log.info("the component index exists: %s", output)
        return
    count = build_index(output)
    _log.info("wrote %s: %d components, %.1f MB", output, count, output.stat().st_size / 1e6)


if __name__ == "__main__":
    place = f"${INDEX_VARIABLE}, else {default_index().name} in the user's cache folder"
    parser = argparse.ArgumentParser(prog="python -m scripts.build_component_index", description=__doc__)
    parser.add_argument("--output", type=Path, default=default_index(), help=f"the file to write (default: {place})")
    parser.add_argument("--force", action="store_true", help="write it even if it exists")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        main(arguments.output, force=arguments.force)
    except OSError as error:
        sys.exit(f"the component index can't be written: {error}")
