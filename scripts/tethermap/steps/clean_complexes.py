"""Clean the entries of one shard: decide on every het group, write the complexes that are kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from tethermap.base.fasta import read_fasta
from tethermap.base.identifiers import short_code
from tethermap.base.records import written_at
from tethermap.base.tables import STRUCTURES, Row, read_table
from tethermap.complex.settings import CleanSettings
from tethermap.components.finder import job_components
from tethermap.entry.target_query import TargetQuery
from tethermap.run.cache import digest_of, unchanged
from tethermap.run.shard_step import ShardStep
from tethermap.run.task import Task
from tethermap.sources.query import parse_query

if TYPE_CHECKING:
    from tethermap.steps.cleaning import EntryCleaner

PLACES = ("path", "report", "map")
"""Columns of the downloaded entries that only give the path of a file."""


def make(task: Task) -> None:
    """Clean every entry of a shard and write its complexes, instances and status rows."""
    settings = clean_settings(task.settings["cleaning"])
    structures = task.part("download_entries/structures")
    components = job_components(task.settings)
    with ShardStep(task, task.cache(components=components)) as step:

        @cache
        def cleaner() -> EntryCleaner:
            # Most of the step's start, needed for new entries only.
            from tethermap.exposure.radii import PolymerRadii
            from tethermap.instance.kinds import KindRules
            from tethermap.steps.cleaning import EntryCleaner

            rules = KindRules(components, components.of_dictionary)
            return EntryCleaner(settings, rules, PolymerRadii(components), step)

        def clean(row: Row) -> bool:
            return cleaner().clean(row)

        def leave_out(row: Row, error: Exception) -> None:
            cleaner().leave_out(row, error)

        downloaded = written_at(structures)
        for row in read_table(structures, STRUCTURES):
            keepable = not row["reason"] and not row["map"] and unchanged(row, downloaded)
            step.entry(
                str(row["pdb_id"]),
                partial(_digest, row, settings) if keepable else None,
                partial(clean, row),
                instead=partial(leave_out, row),
            )


def _digest(row: Row, settings: CleanSettings) -> str:
    """Return a digest of the inputs of an entry's results: its bytes, its source, and the job's settings."""
    values: dict[str, Any] = asdict(settings)
    named = values["target"].pop("named_entries")
    facts = {name: value for name, value in row.items() if name not in PLACES}
    plain = json.dumps(values, sort_keys=True, default=sorted)
    return digest_of(facts, plain, row["pdb_id"] in named)


def clean_settings(settings: Mapping[str, Any]) -> CleanSettings:
    """Return the settings of the cleaning from those of `tethermap.steps.parameters.cleaning`."""
    filters, structure = settings["filters"], settings["structure"]
    query = parse_query(settings["search_query"])
    target = TargetQuery(
        name=settings["target_name"],
        accessions=frozenset(query.accessions),
        named_entries=frozenset(query.entry_ids),
        sequences=read_fasta(settings["fasta_seq"] or ""),
        min_identity=filters["min_identity"],
        min_coverage=filters["min_coverage"],
        strict=filters["strict_target"],
    )
    return CleanSettings(
        target=target,
        kinds=frozenset(filters["kinds"]),
        only_ligands=frozenset(short_code(code.upper()) for code in filters["only_ligands"]),
        always_keep=frozenset(short_code(code.upper()) for code in filters["always_keep"]),
        named=frozenset(word for term in query.terms for word in term.split() if word.isupper() or word.isdigit()),
        context=structure["context"],
        keep_hydrogens=structure["keep_hydrogens"],
        probe_radius=settings["probe_radius"],
        engine=settings["engine"],
        min_rscc=filters["min_rscc"],
        max_rfree=filters["max_rfree"],
        predicted=settings["predicted"],
    )
