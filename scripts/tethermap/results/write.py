"""Write the tables of a job: merged rows of the shards, and the tables over all instances."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set as AbstractSet
from functools import partial
from operator import itemgetter
from pathlib import Path
from sys import intern
from types import MappingProxyType
from typing import NamedTuple

from tethermap.answers.observed.bridging import Bridging, read_bridging
from tethermap.answers.observed_rows import Degrader, observed_rows
from tethermap.answers.pockets.directions import CopyExit
from tethermap.answers.pockets.groups import Group, Member, grouped
from tethermap.answers.pockets.rows import consensus_rows, superposition_rows
from tethermap.answers.pockets.sites import binding_sites, site_class
from tethermap.answers.rows import KnownLigands, answer_rows
from tethermap.answers.sites import copy_exits, read_exits
from tethermap.answers.waiting import Spool, StoredValues, spool
from tethermap.base import layout, tables
from tethermap.base.atomic import replacing
from tethermap.base.recorded_search import search_source
from tethermap.base.records import Source, joined, named_lines, named_records, part
from tethermap.base.tables import JOINED, Row, Value, split_cell
from tethermap.instance.backbone import Backbone, backbone_of_record, packed_backbone
from tethermap.instance.model import Instance
from tethermap.instance.store import instance_of_line
from tethermap.molecule.record import LigandMolecule
from tethermap.molecule.store import molecule_of_record, packed_molecule
from tethermap.results.affinity import Affinities, AffinityQuery
from tethermap.results.merging import entry_key, ligand_status_key, merge, sorted_table, unchanged
from tethermap.results.published import PublishedDegraders
from tethermap.results.rows import Membership, map_columns, pose_rows, result_row, row_sort_key, unselected_entry_row
from tethermap.run.program_errors import LeftOut, StatusCorrector

MOSTLY_PACKED = 0.5
"""Fraction of a ligand's contact area from which symmetry mates count as its main partners (house rule)."""


_LEAST = ("pdb_id", "requested_id", "rank", "kept", "instances_found", "instances_kept", "reason")
"""Columns of an entry on whose row the step fails."""


def write_tables(
    job: Path,
    shards: Sequence[str],
    *,
    target_name: str,
    protac_inputs: Iterable[Source] = (),
    errors: Iterable[Row] = (),
    left_out: LeftOut = MappingProxyType({}),
    affinity: Sequence[str] = (),
    degraders: Sequence[str] = (),
) -> None:
    """Write all tables and the one SDF of a job.

    Parameters
    ----------
    job : Path
        The job folder.
    shards : sequence of str
        Numbers of its shards; none when the search found nothing.
    target_name : str
        Name of the target in the settings.
    protac_inputs : iterable of Source
        The index of each shard's inputs for programs that model degraders, if there are any.
    errors : iterable of Row
        Errors of all steps in single ligands and entries, rows of `tethermap.base.tables.ERRORS`.
    left_out : mapping
        Skipped instances and entries, with their errors.
    affinity : sequence of str
        The user's tables of affinities, `source.affinity`.
    degraders : sequence of str
        The user's tables of published degraders, `source.degraders`.
    """
    (job / layout.RESULTS).mkdir(parents=True, exist_ok=True)
    at_ph, heavy = _write_metadata(job, shards)
    with spool(job / layout.RESULTS) as waiting:
        gathered = Gathered(waiting, _checks_failed(job, shards), with_queries=bool(affinity or degraders))
        _merge_instances(job, shards, gathered, at_ph, target_name, left_out)
        affinities = Affinities(affinity, gathered.measured, heavy) if affinity else None
        _write_answers(job, gathered, target_name, affinities, _published(degraders, gathered) if degraders else None)
        stems = {member.stem for member in gathered.members}

    def of_results(row: Row) -> Row | None:
        return row if row["stem"] in stems else None

    status = StatusCorrector(errors, stems)
    for table, name, key, column, changed in (
        (tables.SASA_SUMMARY, "measure_sasa/sasa_summary", row_sort_key, "stem", of_results),
        (tables.SASA_ATOMS, "measure_sasa/sasa_atoms", row_sort_key, "stem", of_results),
        (tables.CONTACTS, "measure_sasa/contacts", row_sort_key, "stem", of_results),
        (tables.EXIT_VECTORS, "measure_sasa/exits", row_sort_key, "stem", of_results),
        (tables.LIGAND_STATUS, "clean_complexes/ligand_status", ligand_status_key, None, status.ligand),
        (tables.NAME_MAP, "clean_complexes/name_map", itemgetter("pdb_id", "stem"), None, of_results),
        (tables.SERIES, "find_cores/series", lambda row: (int(row["series"][1:]),), None, unchanged),
    ):
        parts = (part(job, shard, name) for shard in shards)
        merge(parts, job / table.path, table, key, column, changed)
    inputs = tables.PROTAC_INPUTS
    merge(protac_inputs, job / inputs.path, inputs, row_sort_key, "stem", of_results)
    _write_entry_status(job, shards, status, left_out)


def _write_metadata(job: Path, shards: Sequence[str]) -> tuple[dict[str, str], dict[str, int]]:
    """Write Ligand_Metadata by the ligands' names; return SMILES at pH 7.4 by parent, and numbers of heavy atoms."""
    at_ph: dict[str, str] = {}
    heavy: dict[str, int] = {}

    def key(row: Row) -> tuple[object, ...]:
        at_ph[str(row["Parent_SMILES"])] = str(row["SMILES_pH74"])
        heavy[str(row["Ligand"])] = int(row["Heavy_Atom_Count"] or 0)
        return str(row["Ligand"]), -int(row["Instances"] or 0), str(row["Parent_SMILES"])

    parts = (part(job, shard, "find_cores/ligands") for shard in shards)
    merge(parts, job / tables.LIGAND_METADATA.path, tables.LIGAND_METADATA, key)
    return at_ph, heavy


def _write_answers(
    job: Path, gathered: Gathered, target_name: str, affinities: Affinities | None, published: PublishedDegraders | None
) -> None:
    """Write the tables over all instances: results with their sites, superpositions, directions, answers, degraders."""
    groups = grouped(gathered.members)
    _write_results(job, gathered, groups, affinities)
    for left in (tables.AFFINITY, tables.PUBLISHED, tables.POSES):
        (job / left.path).unlink(missing_ok=True)
    if affinities:
        tables.write_table(job / layout.AFFINITY, tables.AFFINITY, sorted(affinities.rows(), key=row_sort_key))
    if published:
        tables.write_table(job / layout.PUBLISHED, tables.PUBLISHED, published.rows())
    if gathered.poses:
        in_order = (row for _, row in sorted(gathered.poses, key=itemgetter(0)))
        tables.write_table(job / tables.POSES.path, tables.POSES, in_order)
    degraders = sorted(gathered.degraders.values(), key=lambda degrader: row_sort_key(degrader.instance.cells))
    observed = list(observed_rows(target_name, degraders, gathered.complete))
    of_target = {str(row["stem"]): row for row in observed if row["side"] == "target"}
    known = KnownLigands(gathered.degraders, gathered.complete, gathered.sites, of_target)
    answers: Iterable[Row] = answer_rows(target_name, groups, known, job / layout.RESULTS)
    if affinities:
        answers = ({**row, **affinities.cells(split_cell(row["stems"]))} for row in answers)
    if published:
        component = {member.stem: member.component for member in gathered.members}
        answers = ({**row, **published.cells(component[str(row["best_stem"])], row)} for row in answers)
    extra = (*(tables.AFFINITY_CELLS if affinities else ()), *(tables.PUBLISHED_CELLS if published else ()))
    for written, rows in (
        (tables.SUPERPOSITION, superposition_rows(groups)),
        (tables.EXIT_CONSENSUS, consensus_rows(groups)),
        (tables.EXIT_ANSWERS.having(extra), answers),
        (tables.OBSERVED_EXITS, observed),
    ):
        tables.write_table(job / written.path, written, rows)


def _memberships(job: Path, shards: Sequence[str]) -> dict[str, Membership]:
    """Return the series of each instance by its stem, from the lines of `find_cores`."""
    members = {}
    for shard in shards:
        with part(job, shard, "find_cores/members").open("rb") as stream:
            for line in stream:
                record = json.loads(line)
                members[record["stem"]] = Membership(record["series"], tuple(record["core"]))
    return members


class InstanceParts(NamedTuple):
    """One instance: molecule, row of the summary, chain, exits and their sites, data of a ligand between two proteins.

    `exits` are cells of `tethermap.answers.sites.EXIT_CELLS`, `sites` the numbers of `tethermap.exits.sites`,
    `mol_record` and `backbone_record` the molecule and the chain as the shard's archives have them.
    """

    instance: Instance
    mol: LigandMolecule
    summary: Row
    backbone: Backbone
    exits: list[tuple[str, ...]]
    sites: tuple[int, ...]
    bridging: Bridging | None
    mol_record: bytes
    backbone_record: bytes


class Gathered:
    """Data of each instance for the tables over all: rows of results, and inputs of groups and answers.

    Rows, chains, exits and molecules of large jobs wait on disk.
    """

    def __init__(self, waiting: Spool, checks_failed: AbstractSet[str], *, with_queries: bool) -> None:
        self._checks_failed = checks_failed
        self._with_queries = with_queries
        self._fullest: dict[str, tuple[int, str]] = {}
        self.members: list[Member] = []
        self.degraders: dict[str, Degrader] = {}
        self.poses: list[tuple[tuple[object, ...], Row]] = []
        self.measured: list[AffinityQuery] = []
        self.rows = StoredValues[tuple[object, ...], Row](waiting)
        self.backbones = StoredValues[str, Backbone](waiting, partial(packed_backbone, ""), backbone_of_record)
        self.exits = StoredValues[str, tuple[CopyExit, ...]](waiting)
        self.complete = StoredValues[str, LigandMolecule](waiting, packed_molecule, molecule_of_record)
        self.sites: dict[str, tuple[int, ...]] = {}

    def add(self, key: tuple[object, ...], parts: InstanceParts, row: Row) -> None:
        """Add one instance with its sort key and its row of results."""
        instance, mol = parts.instance, parts.mol
        xyz = instance.atoms.xyz[mol.atom_index]
        packed = is_packed(parts.summary)
        failed = instance.stem in self._checks_failed
        conditions = {"crystal_packing": packed, "two_proteins": parts.bridging, "checks_failed": failed}
        more = [flag for flag, holds in conditions.items() if holds]
        flags = sorted({*str(row["flags"]).split(JOINED), *more} - {""})
        pocket = JOINED.join([*parts.backbone.pocket_uniprot, *(parts.backbone.partner if parts.bridging else ())])
        self.rows.add(key, {**row, "flags": JOINED.join(flags), "pocket_uniprot": pocket})
        self.backbones.add(instance.stem, parts.backbone, parts.backbone_record)
        chain = parts.backbone.chain
        self.members.append(
            Member(
                stem=instance.stem,
                key=key,
                names=instance.cells,
                resolution=instance.facts.resolution,
                ligand=xyz,
                chain=chain,
                sequence=intern(parts.backbone.sequence),
                read_backbone=partial(self.backbones.__getitem__, instance.stem),
                read_exits=partial(self.exits.__getitem__, instance.stem),
                component=mol.component_names,
                protein=next((polymer.name for polymer in instance.polymers if chain in polymer.chains), ""),
                packed=packed,
                bridging=parts.bridging is not None,
                complete=not mol.atoms_missing,
                cofactor="cofactor" in instance.flags,
                title=intern(instance.facts.title),
            )
        )
        if self._with_queries:
            self.measured.append(_affinity_query(instance, mol, parts.backbone))
        if parts.bridging:
            self.degraders[instance.stem] = Degrader(instance, mol, parts.bridging)
            return
        self.exits.add(instance.stem, copy_exits(mol, xyz, parts.exits))
        rank = -mol.n_heavy, mol.stem
        if rank <= self._fullest.setdefault(mol.component_names, rank):
            self._fullest[mol.component_names] = rank
            self.complete.add(mol.component_names, mol, parts.mol_record)
            self.sites[mol.component_names] = parts.sites


def _merge_instances(
    job: Path, shards: Sequence[str], gathered: Gathered, at_ph: dict[str, str], target_name: str, left_out: LeftOut
) -> None:
    """Write the map of atoms and the SDF of all ligands; gather the data for the tables over all instances."""
    order: list[tuple[tuple[object, ...], str]] = []
    series = _memberships(job, shards)
    with sorted_table(job / tables.LIGAND_MCS_MAP.path, tables.LIGAND_MCS_MAP) as atom_map:
        for shard in shards:
            files = set(_files(job, shard))
            geometries = tables.read_table(part(job, shard, "measure_sasa/geometry"), tables.GEOMETRIES)
            shapes = {str(row["stem"]): row for row in geometries}
            for parts in _instances(job, shard, left_out):
                instance, mol = parts.instance, parts.mol
                key = row_sort_key(instance.cells)
                membership = series.get(instance.stem, Membership())
                shape, charged = shapes[instance.stem], at_ph.get(mol.parent_smiles, "")
                gathered.poses += [(key, row) for row in pose_rows(instance)]
                gathered.add(key, parts, result_row(instance, mol, parts.summary, membership, files, shape, charged))
                atom_map.add_columns(key, map_columns(instance, mol, target_name, membership))
                order.append((key, instance.stem))
    order.sort()
    with replacing(job / layout.LIGANDS_SDF) as temporary, temporary.open("wb") as stream:
        for _, stem in order:
            with (job / layout.ligand_sdf(stem)).open("rb") as sdf:
                shutil.copyfileobj(sdf, stream)


def _published(files: Sequence[str], gathered: Gathered) -> PublishedDegraders:
    """Return the user's degraders with the ligands of a job that they contain."""
    published = PublishedDegraders(files)
    accessions: dict[str, set[str]] = defaultdict(set)
    for one in gathered.measured:
        accessions[one.components] |= one.accessions
    for component, molecule in gathered.complete.items():
        published.add(molecule, accessions[component])
    return published


def _affinity_query(instance: Instance, mol: LigandMolecule, backbone: Backbone) -> AffinityQuery:
    """Return an instance as affinities are looked up for it."""
    polymers = {chain for polymer in instance.polymers for chain in polymer.chains}
    chains = frozenset({*instance.target_chains, *({instance.name.auth_asym_id} - polymers)})
    accessions = frozenset(intern(residue.partition(":")[0]) for residue in backbone.pocket_uniprot)
    return AffinityQuery(instance.stem, instance.cells, instance.component_names, chains, mol.inchikey, accessions)


def _write_results(job: Path, gathered: Gathered, groups: Sequence[Group], affinities: Affinities | None) -> None:
    """Write the table of results, each instance with its binding site and its affinity if tables of them are given."""
    sites = {stem: site for group in groups for stem, site in binding_sites(group).items()}

    def with_sites() -> Iterator[Row]:
        for row in map(gathered.rows.__getitem__, sorted(gathered.rows)):
            stem = str(row["stem"])
            measured = affinities.cells([stem]) if affinities else {}
            yield {**row, "site": sites[stem], "site_class": site_class(sites[stem]), **measured}

    table = tables.RESULTS_TABLE if affinities else tables.RESULTS_TABLE.usual
    tables.write_table(job / table.path, table, with_sites())


def is_packed(summary: Row) -> bool:
    """Return whether symmetry mates make more than half of an instance's contacts.

    Parameters
    ----------
    summary : Row
        Its row of Resolved_SASA_Summary.
    """
    free, assembly, crystal = (
        float(value) if (value := summary[f"SASA_{name}_A2"]) is not None else float("nan")
        for name in ("free", "assembly", "crystal")
    )
    return assembly - crystal > MOSTLY_PACKED * (free - crystal)


def _instances(job: Path, shard: str, left_out: LeftOut) -> Iterator[InstanceParts]:
    """Yield each instance of a shard that has passed all steps, with its data.

    Raises
    ------
    ValueError
        If a file contains other instances, or in another order.
    """
    of = partial(part, job, shard)
    summary = tables.read_table(of("measure_sasa/sasa_summary"), tables.SASA_SUMMARY)
    summaries = ((str(row["stem"]), row) for row in summary)
    bridging = read_bridging(of("measure_sasa/bridging"))
    parts = joined(
        named_lines(of("clean_complexes/instances")),
        named_records(of("match_ligands/molecules")),
        summaries,
        named_records(of("clean_complexes/backbones")),
        read_exits(of("measure_sasa/exits")),
        ((str(row["stem"]), row) for row in tables.read_table(of("measure_sasa/exit_sites"), tables.EXIT_SITES)),
    )
    for stem, line, mol, summary, backbone, ways, sites in parts:
        if stem not in left_out:
            instance, molecule, chain = instance_of_line(line), molecule_of_record(mol), backbone_of_record(backbone)
            numbers = tuple(map(int, split_cell(sites["exit_sites"])))
            yield InstanceParts(instance, molecule, summary, chain, ways, numbers, bridging.get(stem), mol, backbone)


def _checks_failed(job: Path, shards: Sequence[str]) -> frozenset[str]:
    """Return the instances of which a check has failed."""
    parts = (part(job, shard, "check_results/checks") for shard in shards)
    checks = (tables.read_table(path, tables.CHECKS, names=("stem", "passed")) for path in parts)
    return frozenset(str(row["stem"]) for rows in checks for row in rows if row["passed"] is not True)


def _files(job: Path, shard: str) -> Iterator[str]:
    for step in ("clean_complexes", "measure_sasa"):
        for row in tables.read_table(part(job, shard, f"{step}/files"), tables.FILES, names=("path",)):
            yield str(row["path"])


def _write_entry_status(job: Path, shards: Sequence[str], corrector: StatusCorrector, left_out: LeftOut) -> None:
    """Write one row for every entry of the search: those it left out, and those of the shards with their rank."""
    ranks: dict[str, Value] = {}
    source = search_source(job)
    with sorted_table(job / tables.ENTRY_STATUS.path, tables.ENTRY_STATUS) as status:

        def add(row: Row) -> None:
            row = corrector.entry(row)
            status.add(entry_key(row), [row])

        for entry in tables.read_table(job / layout.SEARCH_ENTRIES, tables.ENTRIES):
            if entry["selected"]:
                ranks[str(entry["requested_id"] or entry["pdb_id"])] = entry["rank"]
            elif entry["pdb_id"] in left_out:
                add({name: entry[name] for name in _LEAST if name in entry})
            else:
                add(unselected_entry_row(entry, source))
        for shard in shards:
            for row in tables.read_table(part(job, shard, "clean_complexes/entry_status"), tables.ENTRY_STATUS):
                if row["pdb_id"] in left_out:
                    add({**{name: row[name] for name in _LEAST}, "rank": ranks.get(str(row["requested_id"]))})
                else:
                    add({**row, "rank": ranks[str(row["requested_id"])]})
