"""Preview of a job: its search without downloads, and the proteins in the entries that it finds.

``python -m scripts.scout <configuration> <folder>`` leaves the tables of the search and ``search/proteins.json`` there.
"""

import argparse
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from tethermap.base import layout, recorded_search
from tethermap.base.atomic import write_text
from tethermap.base.config import resolve
from tethermap.base.errors import UserError
from tethermap.base.tables import ENTRIES, read_table
from tethermap.complex.polymers import polymers_of
from tethermap.complex.scene import Scene
from tethermap.entry.proteins import MOST_ENTRIES, Polymers, proteins_of
from tethermap.entry.reader import EntryError, read_entry
from tethermap.instance.find import Residues
from tethermap.run.logs import record_error
from tethermap.sources.base import FetchError, Source
from tethermap.sources.choose import open_source
from tethermap.steps import parameters
from tethermap.steps.search_entries import run_search

_MOST_READ = 50
"""Files without sequences whose coordinates are read."""


def main(config: Path, job: Path) -> int:
    """Run the search of a job; return the exit status, and write the reason into the folder if it is not 0."""
    try:
        settings = resolve(json.loads(config.read_text(encoding="utf-8")))  # YAML lacks JSON's surrogate pairs
        _search(job, settings)
    except UserError as error:
        record_error(error.message, step="search_entries", kind=error.kind, job=job)
        return 1
    return 0


def _search(job: Path, settings: dict[str, Any]) -> None:
    entries = job / layout.SEARCH_ENTRIES
    search = parameters.search_entries(settings)
    run_search(entries, job / layout.SEARCH_QUERY, {**search, recorded_search.KEY: None}, preview=True)
    selected = [str(row["pdb_id"]) for row in read_table(entries, ENTRIES) if row["selected"]]
    opened = open_source(search["source"], search["cache_dir"], refresh=False, preview=True)
    try:
        limits = {key: settings["filters"][key] for key in ("min_identity", "min_coverage")}
        proteins = proteins_of(_polymers(opened, selected[:MOST_ENTRIES]), **limits)
    finally:
        opened.close()
    write_text(job / layout.PROTEINS, json.dumps(proteins, ensure_ascii=False))


def _polymers(source: Source, entry_ids: list[str]) -> Polymers:
    """Return the polymers of entries; those of a user's files without sequences as their chains were observed."""
    polymers = source.polymers(entry_ids)
    if not source.lists_all:
        return polymers
    unnamed = [name for name in entry_ids if not any(entity.sequence for entity in polymers.get(name, ()))]
    for name in unnamed[:_MOST_READ]:
        with suppress(EntryError, FetchError):  # the job's own status row gives the reason
            entry = read_entry(source.fetch(name).path, name)
            polymers[name] = polymers_of(Scene(entry, Residues(entry), ()))
    return polymers


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m scripts.scout", description=__doc__)
    parser.add_argument("config", type=Path, help="configuration of the job, JSON")
    parser.add_argument("folder", type=Path, help="folder to write to")
    arguments = parser.parse_args()
    raise SystemExit(main(arguments.config, arguments.folder))
