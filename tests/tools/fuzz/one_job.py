"""All stages of the pipeline over one file, in this process, and what must hold afterwards."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts import (
    build_tables,
    find_series,
    match_ligands,
    measure_sasa,
    rank_exits,
)
from tests.tools.agreement import disagreements
from tests.tools.small_job import FILE_LISTS
from tethermap.base import layout, tables
from tethermap.base.component_index import default_index
from tethermap.base.reasons import REASONS
from tethermap.complex.settings import CleanSettings
from tethermap.components.finder import JobComponents
from tethermap.components.index import ComponentIndex
from tethermap.entry.reader import EntryError, read_entry
from tethermap.entry.target_query import TargetQuery
from tethermap.exposure.method import Method
from tethermap.extras.protac import step as write_protac_inputs
from tethermap.extras.protac.side import TARGET
from tethermap.instance.find import Residues
from tethermap.results.manifest import Tally
from tethermap.sources.base import Fetched, FetchError
from tethermap.sources.content import read_content
from tethermap.sources.index_rows import read_row
from tethermap.sources.naming import StructureFile
from tethermap.steps import check_results, clean_complexes
from tethermap.steps.cache import step_cache
from tethermap.steps.download_entries import structure_row

FROM_DATA = ("bonds", "connected")
"""Checks that deposited data can fail."""
ENTRY = "9fuz"
SHARD = "0"
METHOD = Method(1.4, 100)
CLEANING = CleanSettings(TargetQuery("Anything"))
RULES = ("clean_complexes", "match_ligands", "measure_sasa", "rank_exits", "write_protac_inputs", "check_results")


@dataclass(frozen=True)
class Outcome:
    """What became of a file.

    Parameters
    ----------
    reason : str
        That of the entry's status row.
    instances : int
        Ligands kept.
    wrong : tuple of str
        What must not be: the kind of failure and its detail.
    """

    reason: str
    instances: int
    wrong: tuple[str, ...]


class OneJob:
    """A job folder for one file after another.

    Parameters
    ----------
    folder : Path
        Made anew for each file.
    cache : Path or None
        Folder of the results of entries; none are kept or taken when not given.
    """

    def __init__(self, folder: Path, cache: Path | None = None) -> None:
        self._folder = folder
        self._known = {rule: step_cache(rule, None, str(cache), 1000 if cache else 0) for rule in RULES}
        self._index = ComponentIndex(default_index())

    def run(self, content: bytes) -> Outcome:
        """Run all stages over a file.

        Raises
        ------
        Exception
            Whatever a stage lets through: a job would have failed.
        """
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)
        path = self._folder / "structure.gz"
        path.write_bytes(content)
        read_row(StructureFile(ENTRY, str(path), b"_atom_site." in content))
        fetched = self._search(path)
        self._stages()
        return Outcome(*self._judged(path, fetched))

    def _search(self, path: Path) -> bool:
        """Write what search and download write; tell whether the download takes the file."""
        try:
            checked = read_content(path, ENTRY)
            result: Fetched | FetchError = Fetched(
                ENTRY, path, checked.format, "archive", checked.sha256, checked.revision
            )
        except FetchError as error:
            result = error
        row: Mapping[str, Any] = {
            **dict.fromkeys(tables.ENTRIES.names), "rank": 1, "pdb_id": ENTRY, "requested_id": ENTRY, "selected": True,
            "reason": "", "successor": "",
        }  # fmt: skip
        tables.write_table(self._folder / layout.SEARCH_ENTRIES, tables.ENTRIES, [dict(row)])
        query = json.dumps({"source": {"kind": "archive", "label": "archive"}})
        (self._folder / layout.SEARCH_QUERY).write_text(query, encoding="utf-8")
        tables.write_table(self._shard("structures"), tables.STRUCTURES, [structure_row(row, result, set())])
        return isinstance(result, Fetched)

    def _shard(self, name: str) -> Path:
        return self._folder / layout.shard_file(SHARD, name)

    def _stages(self) -> None:
        job, shard = self._folder, self._shard
        progress = {rule: job / layout.PROGRESS / f"{rule}.jsonl" for rule in RULES}
        instances, molecules = shard("instances"), shard("molecules")
        clean_complexes.main(
            shard("structures"), instances, shard("neighbourhoods"), shard("surroundings"), shard("backbones"),
            shard("entry_status"), shard("ligand_status"), shard("name_map"), shard("complex_files"), job,
            progress["clean_complexes"], settings=CLEANING, find=self._index.get,
            known=self._known["clean_complexes"],
        )  # fmt: skip
        match_ligands.main(
            instances,
            molecules,
            progress["match_ligands"],
            components=JobComponents("archive", None),
            known=self._known["match_ligands"],
        )
        measure_sasa.main(
            instances, shard("neighbourhoods"), molecules, shard("sasa_summary"), shard("sasa_atoms"),
            shard("contacts"), shard("exposure_files"), job, progress["measure_sasa"], target_name="Anything",
            method=METHOD, find=self._index.get, known=self._known["measure_sasa"],
        )  # fmt: skip
        rank_exits.main(
            instances, shard("neighbourhoods"), shard("surroundings"), shard("backbones"), molecules,
            shard("sasa_atoms"), shard("exits"), shard("geometry"), shard("bridging"), shard("observed"),
            shard("exit_files"), job, progress["rank_exits"], target_name="Anything", method=METHOD,
            find=self._index.get, known=self._known["rank_exits"],
        )  # fmt: skip
        write_protac_inputs.main(
            instances, molecules, shard("exits"), shard("observed"), shard("protac_inputs"), shard("protac_files"), job,
            progress["write_protac_inputs"], target_name="Anything", side=TARGET, sites=3,
        )  # fmt: skip
        check_results.main(
            shard("structures"), instances, shard("sasa_summary"), shard("sasa_atoms"), shard("exits"),
            shard("entry_status"), shard("ligand_status"), tuple(shard(name) for name in FILE_LISTS),
            shard("checks"), shard("files"), job, progress["check_results"], known=self._known["check_results"],
        )  # fmt: skip
        find_series.main(
            [molecules], job / layout.SERIES_TABLE, job / layout.SERIES_MEMBERS, job / layout.LIGANDS,
            job / layout.SERIES_FOLDER, seconds=1.0,
        )  # fmt: skip
        build_tables.main(job, [SHARD], target_name="Anything", protac_inputs=[shard("protac_inputs")])

    def _judged(self, path: Path, fetched: bool) -> tuple[str, int, tuple[str, ...]]:
        entries = list(tables.read_table(self._folder / layout.ENTRY_STATUS, tables.ENTRY_STATUS))
        groups = list(tables.read_table(self._folder / layout.LIGAND_STATUS, tables.LIGAND_STATUS))
        results = list(tables.read_table(self._folder / layout.RESULTS_DISPLAY, tables.RESULTS_TABLE))
        reason = str(entries[0]["reason"]) if entries else ""
        wrong = [f"status: {len(entries)} rows of the entry"] if len(entries) != 1 else []
        wrong += [f"reason: {row['reason']!r}" for row in (*entries, *groups) if row["reason"] not in REASONS]
        wrong += [
            f"program_error: {row['value'] or row.get('ligand')}"
            for row in (*entries, *groups)
            if row["reason"] == "program_error"
        ]
        tally = Tally()
        tally.count_checks(tables.read_table(self._shard("checks"), tables.CHECKS))
        wrong += [
            f"check: {row['check']}: {row['stem']} {row['value']} {row['detail']}"
            for row in tally.failures
            if row["check"] not in FROM_DATA
        ]
        wrong += [f"disagreement: {words}" for words in disagreements(self._folder)]
        wrong += _without_row(path, reason, groups) if fetched else []
        return reason, len(results), tuple(dict.fromkeys(wrong))


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
