"""All stages of the pipeline over one file, in this process, and the checks afterwards."""

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.tools.agreement import disagreements
from tests.tools.parts import put_rows, rows_of_part, run_step
from tests.tools.runs import job_of
from tethermap.base import layout, tables
from tethermap.base.config import resolve
from tethermap.base.reasons import REASONS
from tethermap.entry.reader import EntryError, read_entry
from tethermap.instance.find import Residues
from tethermap.run.steps import STEPS
from tethermap.selfcheck.outcome import tallied
from tethermap.sources.base import Fetched, FetchError
from tethermap.sources.content import read_content
from tethermap.sources.index_rows import read_row
from tethermap.sources.own.sniff import StructureFile
from tethermap.steps.download_entries import structure_row

FROM_DATA = ("bonds", "connected")
"""Checks that deposited data can fail."""
ENTRY = "9fuz"
SHARD = "0"


class Outcome(NamedTuple):
    """Result of a file: the reason in the entry's status row, ligands kept, violations with their kind."""

    reason: str
    instances: int
    wrong: tuple[str, ...]


class OneJob:
    """A job folder for one file after another.

    Parameters
    ----------
    folder : Path
        Created again for each file.
    cache : Path or None
        Folder of the cached results of entries; None for no cache.
    """

    def __init__(self, folder: Path, cache: Path | None = None) -> None:
        self._folder = folder
        own = {"cache_dir": str(cache) if cache else None, "series": {"seconds": 1}, "protac_inputs": {"exits": 3}}
        self._given = resolve(job_of("Anything") | own)
        self._cache_mb = 1000 if cache else 0

    def run(self, content: bytes) -> Outcome:
        """Run all stages over a file.

        Raises
        ------
        Exception
            Any exception of a stage: a job would have failed.
        """
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)
        path = self._folder / "structure.gz"
        path.write_bytes(content)
        read_row(StructureFile(ENTRY, str(path), b"_atom_site." in content))
        fetched = self._search(path)
        for step in STEPS[2:-1]:
            run_step(step.name, self._folder, given=self._given, cache_mb=self._cache_mb)
        return self._judged(path, fetched)

    def _search(self, path: Path) -> bool:
        """Write the files of search and download; return whether the download accepts the file."""
        result: Fetched | FetchError
        try:
            checked = read_content(path, ENTRY)
            result = Fetched(ENTRY, checked.format, checked.sha256, checked.revision, path, "archive")
        except FetchError as error:
            result = error
        row: tables.Row = {**dict.fromkeys(tables.ENTRIES.names), "rank": 1, "pdb_id": ENTRY, "requested_id": ENTRY,
                           "selected": True, "reason": "", "successor": ""}  # fmt: skip
        tables.write_table(self._folder / layout.SEARCH_ENTRIES, tables.ENTRIES, [row])
        query = json.dumps({"source": {"kind": "archive", "label": "archive"}})
        (self._folder / layout.SEARCH_QUERY).write_text(query, encoding="utf-8")
        put_rows(self._folder, SHARD, "download_entries/structures", [structure_row(row, result, set())])
        put_rows(self._folder, SHARD, "download_entries/errors", [])
        return isinstance(result, Fetched)

    def _judged(self, path: Path, fetched: bool) -> Outcome:
        entries, groups, results = (
            list(tables.read_table(self._folder / table.path, table))
            for table in (tables.ENTRY_STATUS, tables.LIGAND_STATUS, tables.RESULTS_TABLE)
        )
        reason = str(entries[0]["reason"]) if entries else ""
        wrong = [f"status: {len(entries)} rows of the entry"] if len(entries) != 1 else []
        rows = [*entries, *groups]
        errors = [row for row in rows if row["reason"] == "program_error"]
        wrong += [f"reason: {row['reason']!r}" for row in rows if row["reason"] not in REASONS]
        wrong += [f"program_error: {row['value'] or row.get('ligand')}" for row in errors]
        _, failures = tallied(rows_of_part(self._folder, SHARD, "check_results/checks"))
        wrong += [
            f"check: {row['check']}: {row['stem']} {row['value']} {row['detail']}"
            for row in failures
            if row["check"] not in FROM_DATA
        ]
        wrong += [f"disagreement: {words}" for words in disagreements(self._folder)]
        wrong += _without_row(path, reason, groups) if fetched else []
        return Outcome(reason, len(results), tuple(dict.fromkeys(wrong)))


def _without_row(path: Path, reason: str, groups: Sequence[tables.Row]) -> Iterator[str]:
    """Yield het groups of the file, counted apart from the cleaning, that have no status row."""
    try:
        entry = read_entry(path, ENTRY)
    except EntryError:
        return
    residues = Residues(entry)
    told = Counter((str(row["chain"]), str(row["ligand"]), str(row["residue"])) for row in groups)
    there: Counter[tuple[str, str, str]] = Counter()
    for residue in residues.het.tolist():
        if not residues.standard[residue]:
            name = residues.name(residue)
            there[name.auth_asym_id, name.comp_id, name.residue_id] += 1
    for key in there - told:
        yield f"no status row ({reason}): {' '.join(key)!r}"
