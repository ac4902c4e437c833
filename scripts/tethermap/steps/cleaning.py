"""Clean one entry of a shard: from the row of its download to its complexes and status rows."""

import logging
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

from tethermap.base import layout
from tethermap.base.errors import PROGRAM_ERROR, failed_at, isolate_errors
from tethermap.base.tables import Row, Value
from tethermap.complex.clean import CleanedEntry, KeptInstance, clean_entry, rejected_entry, status_of_missing
from tethermap.complex.experiment import Experiment
from tethermap.complex.settings import CleanSettings
from tethermap.entry.model import PREDICTED
from tethermap.entry.reader import EntryError, read_entry
from tethermap.exposure.radii import PolymerRadii
from tethermap.fit.own_map import Density, MapError, read_density
from tethermap.fit.report import EMPTY, Report, ReportError, read_report
from tethermap.instance.backbone import packed_backbone
from tethermap.instance.kinds import KindRules
from tethermap.instance.store import json_line, packed_neighbourhood, packed_surroundings
from tethermap.run.program_errors import InstanceId
from tethermap.run.shard_step import ShardStep

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EntryCleaner:
    """Cleans the entries of a shard.

    Parameters
    ----------
    settings : CleanSettings
        Settings of the job.
    rules : KindRules
        Reference lists of kinds.
    radii : PolymerRadii
        Radii of the atoms around ligands.
    step : ShardStep
        Takes the results.
    """

    settings: CleanSettings
    rules: KindRules
    radii: PolymerRadii
    step: ShardStep

    def clean(self, row: Row) -> bool:
        """Write the results of an entry, by the row of its download; return whether a ligand of it is accepted."""
        report, status = _report(row)
        density, map_status = _density(row)
        cleaned = self._cleaned(row, Experiment(report, density))
        reported = {"report_status": status, "report_date": report.entry.created, "map_status": map_status}
        flags = {flag for one in (row, cleaned.entry_row) for flag in str(one.get("flags") or "").split(";")}
        reported["flags"] = ";".join(sorted(flags - {""}))
        self.step.add("entry_status", {**_of_download(row), **cleaned.entry_row, **reported})
        self.step.add_all("ligand_status", cleaned.ligand_rows)
        for ligand, error in cleaned.errors.items():
            self.step.record_error(InstanceId(str(row["pdb_id"])), error, ligand)
        for kept in cleaned.kept:
            with self.step.isolated(kept.instance.entry_id, kept.instance.stem):
                self._write_kept(kept)
        return bool(cleaned.kept)

    def leave_out(self, row: Row, error: Exception) -> None:
        """Write the status of an entry on which `clean` has failed, and of its het groups if the file is readable."""
        entry_id, value = str(row["pdb_id"]), failed_at("clean_complexes", error)
        cleaned = [status_of_missing(entry_id, PROGRAM_ERROR, value)]
        with isolate_errors(f"{entry_id}: its het groups"):
            cleaned.append(rejected_entry(read_entry(Path(str(row["path"])), entry_id), PROGRAM_ERROR, value))
        self.step.add("entry_status", {**_of_download(row), **cleaned[-1].entry_row, "flags": row["flags"]})
        self.step.add_all("ligand_status", cleaned[-1].ligand_rows)

    def _cleaned(self, row: Row, experiment: Experiment) -> CleanedEntry:
        """Clean one entry; an error becomes its status."""
        entry_id = str(row["pdb_id"])
        if row["reason"]:
            return status_of_missing(entry_id, str(row["reason"]), str(row["value"]))
        try:
            entry = read_entry(Path(str(row["path"])), entry_id)
        except EntryError as error:
            log.warning("%s: %s", entry_id, error)
            return status_of_missing(entry_id, error.reason, error.value)
        settings = replace(self.settings, own_files=row["source"] == "files")
        if row["source_file"]:
            record = None if row["source_record"] is None else int(str(row["source_record"]))
            model = replace(entry.additions.model, source_file=str(row["source_file"]), source_record=record)
            entry = replace(entry, additions=replace(entry.additions, model=model))
        if settings.predicted and not entry.metadata.methods:
            entry = replace(entry, metadata=replace(entry.metadata, methods=(PREDICTED,)))
        watch = partial(self.step.ligands, entry_id)
        return clean_entry(entry, settings, self.rules, self.radii, experiment, watch)

    def _write_kept(self, kept: KeptInstance) -> None:
        stem = kept.instance.stem
        self.step.add("instances", json_line(kept.instance))
        self.step.add("neighbourhoods", packed_neighbourhood(stem, kept.neighbourhood))
        self.step.add("surroundings", packed_surroundings(stem, kept.surroundings))
        self.step.add("backbones", packed_backbone(stem, kept.backbone))
        for extension, content in (("pdb", kept.cleaned.pdb), ("cif", kept.cleaned.mmcif)):
            if content is not None:
                self.step.write(layout.war_pdb(stem, extension), content)
        for name in kept.cleaned.renamed:
            self.step.add("name_map", {"stem": stem, "pdb_id": kept.instance.entry_id, **asdict(name)})


def _report(row: Row) -> tuple[Report, str]:
    """Return the validation report of an entry, empty without a sound one, and notes on it."""
    status = str(row["report_status"])
    if not row["report"]:
        return EMPTY, status
    try:
        return read_report(Path(str(row["report"])), str(row["pdb_id"])), status
    except ReportError as error:
        log.warning("validation report of %s: %s", row["pdb_id"], error)
        return EMPTY, str(error)


def _density(row: Row) -> tuple[Density | None, str]:
    """Return the user's map of an entry, and notes on it."""
    if not row["map"]:
        return None, ""
    try:
        return read_density(Path(str(row["map"])), Path(str(row["path"]))), "found"
    except MapError as error:
        log.warning("map of %s: %s", row["pdb_id"], error)
        return None, str(error)


def _of_download(row: Row) -> dict[str, Value]:
    columns = "pdb_id requested_id source revision sha256 successor report_source report_sha256"
    return {name: row[name] for name in columns.split()}
