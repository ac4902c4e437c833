"""Preview of a job: its search without downloads, and the proteins in the entries that it finds.

``python -m scripts.scout <configuration>`` writes them to standard output as JSON.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from tethermap.base import recorded_search
from tethermap.base.config import resolve
from tethermap.base.errors import UserError
from tethermap.base.reasons import sentence
from tethermap.base.tables import ENTRIES, read_table
from tethermap.complex.polymers import polymers_of
from tethermap.complex.scene import Scene
from tethermap.entry.proteins import MOST_ENTRIES, Polymers, proteins_of
from tethermap.entry.reader import EntryError, read_entry
from tethermap.instance.find import Residues
from tethermap.sources.base import FetchError, Source
from tethermap.sources.choose import open_source
from tethermap.steps import parameters
from tethermap.steps.search_entries import run_search

_MOST_READ = 50
"""Files without sequences whose coordinates are read."""


def preview(settings: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Run the search of a job in a folder; return its entries, rejected ones by reason, notes and proteins."""
    search = parameters.search_entries(settings)
    entries, query = folder / "entries.csv", folder / "query.json"
    run_search(entries, query, {**search, recorded_search.KEY: None}, preview=True)
    rows = list(read_table(entries, ENTRIES))
    selected = [row for row in rows if row["selected"]]
    opened = open_source(search["source"], search["cache_dir"], refresh=False, preview=True)
    try:
        limits = {key: settings["filters"][key] for key in ("min_identity", "min_coverage")}
        polymers, damaged = _polymers(opened, [str(row["pdb_id"]) for row in selected[:MOST_ENTRIES]])
        proteins = proteins_of(polymers, **limits)
    finally:
        opened.close()
    notes = [*json.loads(query.read_text(encoding="utf-8"))["notes"], *damaged]
    left_out = Counter(str(row["reason"]) for row in rows if not row["selected"])
    return {"entries": selected, "left_out": left_out, "notes": notes, "proteins": proteins}


def main(config: Path) -> int:
    """Print the preview of a job, or its error; return the exit status."""
    try:
        settings = resolve(json.loads(config.read_text(encoding="utf-8")))  # YAML lacks JSON's surrogate pairs
        with tempfile.TemporaryDirectory(prefix="tethermap-scout-") as folder:
            found = preview(settings, Path(folder))
    except UserError as error:
        found = {"error": {"message": error.message, "kind": error.kind}}
    sys.stdout.write(json.dumps(found))
    return int("error" in found)


def _polymers(source: Source, entry_ids: list[str]) -> tuple[Polymers, list[str]]:
    """Return the polymers of entries, and notes on damaged files; files without sequences have observed chains."""
    polymers, notes = source.polymers(entry_ids), list[str]()
    if not source.lists_all:
        return polymers, notes
    unnamed = [name for name in entry_ids if not any(entity.sequence for entity in polymers.get(name, ()))]
    for name in unnamed[:_MOST_READ]:
        try:
            entry = read_entry(source.fetch(name).path, name)
            polymers[name] = polymers_of(Scene(entry, Residues(entry), ()))
        except (EntryError, FetchError) as error:
            notes.append(f"{name}: {sentence(error.reason)}")
    return polymers, notes


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m scripts.scout", description=__doc__)
    parser.add_argument("config", type=Path, help="configuration of the job, JSON")
    raise SystemExit(main(parser.parse_args().config))
