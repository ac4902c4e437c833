"""Clean the entries of one shard: decide on every het group, write the complexes that are kept."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scripts.lib import layout
from scripts.lib.complex.clean import CleanedEntry, CleanSettings, KeptInstance, clean_entry
from scripts.lib.complex.rejected import rejected_entry, status_of_missing
from scripts.lib.entry.fasta import read_fasta
from scripts.lib.entry.reader import EntryError, read_entry
from scripts.lib.entry.target import TargetQuery
from scripts.lib.errors import PROGRAM_ERRORS
from scripts.lib.exposure.radii import RadiusTable
from scripts.lib.instance.backbone import backbone_writer
from scripts.lib.instance.kinds import KindRules
from scripts.lib.instance.store import instance_writer, surroundings_writer
from scripts.lib.logs import logged_to
from scripts.lib.molecule.finder import component_finder
from scripts.lib.progress import ShardProgress
from scripts.lib.reference import ADDITIVES, COFACTORS, RADII
from scripts.lib.result_files import ResultFiles, listed_files
from scripts.lib.sources.query import parse_query
from scripts.lib.tables import (
    ENTRY_STATUS,
    LIGAND_STATUS,
    NAME_MAP,
    STRUCTURES,
    Value,
    read_table,
    table_writer,
)

log = logging.getLogger(__name__)


def main(
    structures: Path,
    instances: Path,
    neighbourhoods: Path,
    surroundings: Path,
    backbones: Path,
    entry_status: Path,
    ligand_status: Path,
    name_map: Path,
    files: Path,
    job: Path,
    progress: Path,
    *,
    config: Mapping[str, Any],
) -> None:
    """Clean every entry of a shard and write its complexes, instances and status rows."""
    settings = clean_settings(config)
    find = component_finder(config)
    rules = KindRules(ADDITIVES, COFACTORS, find)
    radii = RadiusTable(RADII)
    done = ShardProgress(progress, "clean_complexes")
    with (
        instance_writer(instances, neighbourhoods) as write_instance,
        surroundings_writer(surroundings) as write_surroundings,
        backbone_writer(backbones) as write_backbone,
        table_writer(entry_status, ENTRY_STATUS) as write_entry,
        table_writer(ligand_status, LIGAND_STATUS) as write_ligand,
        table_writer(name_map, NAME_MAP) as write_name,
        listed_files(job, files) as results,
    ):
        for row in read_table(structures, STRUCTURES):
            cleaned = _clean(row, settings, rules, radii)
            write_entry({**_of_download(row), **cleaned.entry_row, "flags": _joined_flags(row, cleaned)})
            for ligand_row in cleaned.ligand_rows:
                write_ligand(ligand_row)
            for kept in cleaned.kept:
                write_instance(kept.instance, kept.neighbourhood)
                write_surroundings(kept.surroundings)
                write_backbone(kept.backbone)
                _write_complex(kept, results)
                for name in kept.cleaned.renamed:
                    write_name(
                        {
                            "stem": kept.instance.stem,
                            "pdb_id": kept.instance.entry_id,
                            "what": name.what,
                            "name_in_pdb": name.name_in_pdb,
                            "name": name.name,
                            "copy": name.copy,
                        }
                    )
            done.entry(str(row["pdb_id"]), kept=bool(cleaned.kept))


def clean_settings(config: Mapping[str, Any]) -> CleanSettings:
    """Return what a job's configuration asks of the cleaning.

    Parameters
    ----------
    config : mapping
        The configuration as resolved.
    """
    filters = config["filters"]
    query = parse_query(config["search_query"])
    target = TargetQuery(
        name=config["target_name"],
        accessions=frozenset(query.accessions),
        named_entries=frozenset(query.entry_ids),
        sequences=read_fasta(config["fasta_seq"] or ""),
        min_identity=filters["min_identity"],
        min_coverage=filters["min_coverage"],
        strict=filters["strict_target"],
    )
    return CleanSettings(
        target=target,
        kinds=frozenset(filters["kinds"]),
        only_ligands=frozenset(code.upper() for code in filters["only_ligands"]),
        always_keep=frozenset(code.upper() for code in filters["always_keep"]),
        named=frozenset(word for term in query.terms for word in term.split() if word.isupper() or word.isdigit()),
        context=config["structure"]["context"],
        keep_hydrogens=config["structure"]["keep_hydrogens"],
        probe_radius=config["sasa"]["probe_radius"],
    )


def _clean(row: Mapping[str, Value], settings: CleanSettings, rules: KindRules, radii: RadiusTable) -> CleanedEntry:
    """Clean one entry; what goes wrong with it becomes its status."""
    entry_id = str(row["pdb_id"])
    if row["reason"]:
        return status_of_missing(entry_id, str(row["reason"]), str(row["value"]))
    try:
        entry = read_entry(Path(str(row["path"])), entry_id)
    except EntryError as error:
        log.warning("%s: %s", entry_id, error)
        return status_of_missing(entry_id, error.reason, error.value)
    try:
        return clean_entry(entry, settings, rules, radii)
    except UnicodeDecodeError:  # gemmi keeps eight bytes of a name, which may be half a character
        return rejected_entry(entry, "file_unreadable", "a name has characters outside ASCII")
    except PROGRAM_ERRORS as error:
        log.exception("%s could not be processed", entry_id)
        return rejected_entry(entry, "program_error", type(error).__name__)


def _of_download(row: Mapping[str, Value]) -> dict[str, Value]:
    names = ("rank", "pdb_id", "requested_id", "source", "revision", "sha256", "successor")
    return {name: row[name] for name in names}


def _joined_flags(row: Mapping[str, Value], cleaned: CleanedEntry) -> str:
    flags = {flag for part in (row["flags"], cleaned.entry_row.get("flags")) for flag in str(part or "").split(";")}
    return ";".join(sorted(flags - {""}))


def _write_complex(kept: KeptInstance, results: ResultFiles) -> None:
    for extension, content in (("pdb", kept.cleaned.pdb), ("cif", kept.cleaned.mmcif)):
        if content is not None:
            results.write(layout.war_pdb(kept.instance.stem, extension), content)


if __name__ == "__main__":
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake
    with logged_to(snakemake.log[0]):
        main(
            structures=Path(snakemake.input.structures),
            instances=Path(snakemake.output.instances),
            neighbourhoods=Path(snakemake.output.neighbourhoods),
            surroundings=Path(snakemake.output.surroundings),
            backbones=Path(snakemake.output.backbones),
            entry_status=Path(snakemake.output.entry_status),
            ligand_status=Path(snakemake.output.ligand_status),
            name_map=Path(snakemake.output.name_map),
            files=Path(snakemake.output.files),
            job=Path(),
            progress=Path(snakemake.params.progress),
            config=snakemake.params.config,
        )
