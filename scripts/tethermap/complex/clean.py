"""Clean one entry: decide on every het group and build the complex of each one that is kept."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from tethermap.base.arrays import FloatArray, IntArray
from tethermap.base.contexts import CONTEXTS
from tethermap.base.errors import PROGRAM_ERROR, failed_at, isolate_errors
from tethermap.base.root import __version__
from tethermap.base.tables import JOINED, Row, Value
from tethermap.complex import candidates
from tethermap.complex.backbone import backbone_of
from tethermap.complex.cleaned import CleanedComplex, Ligand, clean_complex
from tethermap.complex.context import Around, ContextFinder, atoms_around, beside, coincide
from tethermap.complex.describe import describe, neighbourhood_of, surroundings_of
from tethermap.complex.experiment import NO_EXPERIMENT, Experiment
from tethermap.complex.limits import KEPT_WITHIN, WHOLE_CHAINS_WITHIN
from tethermap.complex.lysines import LYSINE_SLICES, lysines_around
from tethermap.complex.placement import DEPOSITED, Placement
from tethermap.complex.polymers import polymers_beside, polymers_of
from tethermap.complex.scene import Copy, Scene
from tethermap.complex.settings import CleanSettings
from tethermap.complex.status import StatusRows, Verdict, entry_row
from tethermap.entry.atoms import text
from tethermap.entry.model import PolymerEntity
from tethermap.entry.reader import Entry, EntryError
from tethermap.entry.target import TargetChains, find_target
from tethermap.exits.geometry import REACH as EXIT_REACH
from tethermap.exposure.radii import EntryRadii, PolymerRadii
from tethermap.fit.fit import entry_cells
from tethermap.fit.model import LigandFit
from tethermap.instance.backbone import Backbone
from tethermap.instance.classify import HetGroup, is_unknown_atom
from tethermap.instance.conformer import best_altloc
from tethermap.instance.find import Residues, find_groups, heaviest
from tethermap.instance.kinds import KindRules
from tethermap.instance.model import Instance, Neighbourhood, Residue, Surroundings, chain_of_copy
from tethermap.instance.stems import Stems

Watch = Callable[[Sequence[HetGroup]], Iterable[HetGroup]]


@dataclass(frozen=True)
class KeptInstance:
    """One instance with its surroundings and its cleaned complex."""

    instance: Instance
    neighbourhood: Neighbourhood
    surroundings: Surroundings
    backbone: Backbone
    cleaned: CleanedComplex


@dataclass
class CleanedEntry:
    """The result of one entry.

    Parameters
    ----------
    entry_row : dict
        Row of `tethermap.base.tables.ENTRY_STATUS`, without the columns of the download.
    ligand_rows : list of dict
        Rows of `tethermap.base.tables.LIGAND_STATUS`: one for each het group.
    kept : list of KeptInstance
        Accepted instances, in file order.
    errors : dict of str to Exception
        Program errors by the ligand that was lost.
    """

    entry_row: dict[str, Value]
    ligand_rows: list[Row] = field(default_factory=list)
    kept: list[KeptInstance] = field(default_factory=list)
    errors: dict[str, Exception] = field(default_factory=dict)


def status_of_missing(entry_id: str, reason: str, value: str = "") -> CleanedEntry:
    """Return the status of an entry that is missing or unreadable.

    Parameters
    ----------
    reason : str
        Code of `tethermap.base.reasons.REASONS`.
    """
    return CleanedEntry(entry_row(entry_id, Verdict(reason, value=value)))


def rejected_entry(entry: Entry, reason: str, value: str = "") -> CleanedEntry:
    """Return the status of an entry that was read but can't be used, with a row for each het group.

    Parameters
    ----------
    reason : str
        Code of `tethermap.base.reasons.REASONS`.
    """
    residues, verdict = Residues(entry), Verdict(reason, value=value)
    status = StatusRows(entry, residues)
    groups = [HetGroup((one,), one, "unknown") for one in residues.het.tolist() if not residues.standard[one]]
    rows = [row for group in groups for row in status.of_group(group, verdict)] + status.of_modified(verdict)
    return CleanedEntry(entry_row(entry.entry_id, verdict, instances_found=len(groups)), rows)


def clean_entry(
    entry: Entry,
    settings: CleanSettings,
    rules: KindRules,
    radii: PolymerRadii,
    experiment: Experiment = NO_EXPERIMENT,
    watch: Watch = iter,
) -> CleanedEntry:
    """Return the status of an entry and of all its het groups, and the complexes that are kept.

    Parameters
    ----------
    entry : Entry
        The entry as read.
    settings : CleanSettings
        Settings of the job.
    rules : KindRules
        Reference lists of kinds.
    radii : PolymerRadii
        Radii, for burial and the reach of the neighbourhood.
    experiment : Experiment
        Its validation report and the user's map.
    watch : callable
        Yields the given het groups and may record the progress.
    """
    return _Cleaner(entry, settings, rules, radii, experiment).run(watch)


@dataclass
class _Cleaner:
    _entry: Entry
    _settings: CleanSettings
    _rules: KindRules
    _radii: PolymerRadii
    _experiment: Experiment

    def __post_init__(self) -> None:
        entry, settings = self._entry, self._settings
        self._buried: dict[int, float] = {}
        self._cofactors = False
        self._errors: dict[int, Exception] = {}
        self._residues = Residues(entry)
        self._status = StatusRows(entry, self._residues, self._experiment)
        self._groups = find_groups(entry, self._residues, self._rules, settings.named | settings.always_keep)
        self._scene = Scene(entry, self._residues, self._groups)
        self._polymers = polymers_of(self._scene)
        self._stems = Stems(entry.entry_id)
        self._largest = self._radii.table.largest_of(entry.atoms.element)
        self._radii_around = EntryRadii(entry.atoms, self._radii)
        self._reach = max(WHOLE_CHAINS_WITHIN, 2 * float(self._largest.max()) + 2 * settings.probe_radius)

    def run(self, watch: Watch) -> CleanedEntry:
        entry, groups = self._entry, self._groups
        cells: dict[str, Value] = {
            "instances_found": len(groups),
            "assembly": next((name for name, _ in self._scene.assemblies.found), ""),
            "flags": JOINED.join(entry.flags),
            **entry_cells(self._experiment.report.entry),
        }
        modified = self._status.of_modified()
        try:
            target = self._target = self._find_target()
        except EntryError as error:
            verdict = Verdict("entry_rejected", value=error.reason)
            rows = [row for group in groups for row in self._status.of_group(group, verdict)]
            row = entry_row(entry.entry_id, Verdict(error.reason, value=error.value), **cells)
            return CleanedEntry(row, rows + modified)
        asyms = self._target_asyms(target)
        self._finder = ContextFinder(self._scene, asyms, max(self._reach, EXIT_REACH), self._reach)
        self._decide_kinds()
        decided = [self._decided(group) for group in watch(groups)]
        self._cofactors = "ligand" in self._settings.kinds and all(kept is None for _, kept in decided)
        if self._cofactors:
            decided = [
                self._decided(group) if group.kind == "cofactor" else before
                for group, before in zip(groups, decided, strict=True)
            ]
        rows = [row for of_group, _ in decided for row in of_group] + modified
        kept = [one for _, one in decided if one is not None]
        nothing = "no_instance_kept" if groups else "only_polymer_residues" if rows else "no_ligand"
        cells |= {
            "target_match": target.match,
            "target_chains": ",".join(dict.fromkeys(self._scene.chain_names[asym].strip() for asym in asyms)),
            "instances_kept": len(kept),
            "target_identity": target.identity,
            "target_coverage": target.coverage,
        }
        row = entry_row(entry.entry_id, Verdict("kept" if kept else nothing), **cells)
        failed = ((self._residues.name(head), error) for head, error in self._errors.items())
        errors = {f"{name.auth_asym_id} {name.comp_id} {name.residue_id}": error for name, error in failed}
        return CleanedEntry(row, rows, kept, errors)

    def _decided(self, group: HetGroup) -> tuple[list[Row], KeptInstance | None]:
        """Return the rows of a het group and its complex, None unless it is kept."""
        with self._isolated(group):
            verdict, kept = self._judge(group)
            rows = self._status.of_group(group, verdict, kept.instance if kept else None)
        if (failed := self._errors.get(group.head)) is None:
            return rows, kept
        verdict = Verdict(PROGRAM_ERROR, value=failed_at("clean_complexes", failed))
        return self._status.of_group(group, verdict), None

    @contextmanager
    def _isolated(self, group: HetGroup) -> Iterator[None]:
        """Limit an error of this program to one het group."""
        about = f"{self._entry.entry_id} {self._residues.name(group.head).comp_id}: clean_complexes"
        with isolate_errors(about) as errors:
            yield
        for error in errors:
            self._errors.setdefault(group.head, error)

    def _find_target(self) -> TargetChains:
        if not self._scene.chains:
            raise EntryError("no_polymer")
        limit, r_free = self._settings.max_rfree, self._experiment.report.entry.r_free
        if limit is not None and (r_free is None or r_free > limit):
            raise EntryError("r_free", "" if r_free is None else f"{r_free:.3f}")
        entities = tuple(entity for entity in self._polymers if not self._is_short(entity))
        return find_target(replace(self._entry.metadata, entities=entities), self._settings.target)

    def _is_short(self, entity: PolymerEntity) -> bool:
        """Return whether all chains of an entity are peptides or peptide-like ligands."""
        short = self._residues.short
        if self._entry.is_mmcif and entity.label_asym_ids:
            return short.keys() >= set(entity.label_asym_ids)
        return bool(entity.auth_asym_ids) and set(short.values()) >= set(entity.auth_asym_ids)

    def _target_asyms(self, target: TargetChains) -> list[str]:
        """Return the label_asym_id of the target chains in the structure."""
        long = [asym for asym, body in self._scene.chains.items() if not body.residues]
        if target.match == "unmatched":
            return long
        labels = {asym for entity in target.entities for asym in entity.label_asym_ids}
        if not labels or not self._entry.is_mmcif:
            chains = {chain for entity in target.entities for chain in entity.auth_asym_ids}
            labels = {asym for asym in long if self._scene.chain_names[asym].strip() in chains}
        return [asym for asym in long if asym in labels]

    def _decide_kinds(self) -> None:
        """Distinguish buried additives from others; copies in equivalent sites get the same kind."""
        burials: dict[int, candidates.Burial] = {}
        codes: dict[int, str] = {}
        sasa = self._settings.sasa(candidates.BURIED_SLICES)
        for group in self._groups:
            if group.unless_buried:
                with self._isolated(group):
                    _, heavy, label = self._conformer(group)
                    around = self._around(group, heavy, label).within(self._reach)
                    burials[group.head] = candidates.burial(self._scene, around, heavy, self._radii, sasa)
                    codes[group.head] = "+".join(sorted(self._residues.name(one).comp_id for one in group.residues))
        self._buried = candidates.best_of_equivalent(burials, codes)
        for place, group in enumerate(self._groups):
            if group.head in burials:
                best = self._buried[group.head]
                self._groups[place] = candidates.judged(group, burials[group.head].fraction, best)

    def _around(self, group: HetGroup, heavy: IntArray, label: bytes) -> Around:
        atoms = self._entry.atoms
        asym = text(atoms.label_asym_id[atoms.starts[group.head]])
        return self._finder.around(atoms.xyz[heavy], asym, frozenset(group.residues), label)

    def _judge(self, group: HetGroup) -> tuple[Verdict, KeptInstance | None]:
        settings = self._settings
        code = self._residues.name(group.head).comp_id.upper()
        unnamed = settings.own_files and group.kind == "unknown"
        requested = (
            code in settings.always_keep | settings.named
            or (self._cofactors and group.kind == "cofactor")
            or (unnamed and not is_unknown_atom(self._entry.atoms, group.head, self._rules))
        )
        if group.kind not in settings.kinds and not requested:
            if group.unless_buried:
                least, buried = candidates.least_buried(group), self._buried[group.head]
                return Verdict("not_buried", f"{least:.2f}", f"{buried:.2f}"), None
            return Verdict("kind_not_kept", ",".join(sorted(settings.kinds)), group.kind), None
        if settings.only_ligands and code not in settings.only_ligands:
            return Verdict("not_asked_for", ",".join(sorted(settings.only_ligands)), code), None
        members, heavy, label = self._conformer(group)
        if self._entry.atoms.unplaced[heavy].all():
            return Verdict("no_heavy_atoms"), None
        if not settings.own_files and not (self._entry.atoms.occupancy[heavy] > 0).any():
            return Verdict("zero_occupancy", "0", "0"), None
        farther = self._around(group, heavy, label)
        around = farther.within(self._reach)
        if around.target_distance > KEPT_WITHIN:
            value = f"{around.target_distance:.2f}" if np.isfinite(around.target_distance) else ""
            return Verdict("far_from_target", f"{KEPT_WITHIN:.1f}", value), None
        if not all(self._residues.is_unique(residue, group.residues) for residue in group.residues):
            return Verdict("not_unique"), None
        limit, rscc = settings.min_rscc, self._fit(group.residues, heavy, label).whole.rscc
        if limit is not None and rscc is None:
            return Verdict("rscc_unknown", f"{limit:g}"), None
        if limit is not None and rscc is not None and rscc < limit:
            return Verdict("rscc", f"{limit:g}", f"{rscc:.3f}"), None
        return Verdict("kept"), self._keep(group, members, heavy, label, around, farther)

    def _conformer(self, group: HetGroup) -> tuple[IntArray, IntArray, bytes]:
        """Return the atoms of the chosen conformer, component by component, the heavy ones, and its label."""
        atoms = self._entry.atoms
        parts = [np.arange(part.start, part.stop) for part in map(atoms.at, group.residues)]
        members = np.concatenate(parts).astype(np.int64)
        label = best_altloc(atoms, members[atoms.heavy[members]])
        members = members[self._scene.mask(label)[members]]
        return members, members[atoms.heavy[members]], label

    def _keep(
        self, group: HetGroup, members: IntArray, heavy: IntArray, label: bytes, around: Around, farther: Around
    ) -> KeptInstance:
        atoms = self._entry.atoms
        xyz = atoms.xyz[heavy]
        # Alternates of a group's residues: only the chosen conformer belongs to its components.
        modelled = set(atoms.residue[heavy].tolist())
        own = tuple(residue for residue in group.residues if residue in modelled)
        present = replace(group, residues=own, head=group.head if group.head in modelled else heaviest(atoms, own))
        residues = tuple(self._residues.name(residue) for residue in present.residues)
        head = present.residues.index(present.head)
        mask = self._scene.mask(label)
        atoms_of_ligand = set(members.tolist())
        bonds = (bond for bond in group.links if bond.kind != "contact" and bond.first in atoms_of_ligand)
        ligand = Ligand(heavy, residues, head, tuple(b for b in bonds if mask[b.second]), members, label)
        stem, numbered = self._stems.of(residues[head])
        written = list(self._written(around, frozenset(group.residues), xyz, label))
        copies = self._copies_of(residues, written)
        remarks, hydrogens = self._remarks(around, label, copies), self._settings.keep_hydrogens
        cleaned = clean_complex(self._scene, ligand, written, remarks, self._rules, keep_hydrogens=hydrogens)
        reach = self._largest + float(self._largest[heavy].max()) + 2 * self._settings.probe_radius
        ahead = atoms_around(self._scene, farther, EXIT_REACH)
        nearby = ahead.within(reach)
        labels = (atoms.altloc[part][atoms.heavy[part]].tolist() for part in map(atoms.at, group.residues))
        flags = {
            "alternate_conformers": len(set().union(*labels) - {b""}) > 1,
            "unmatched": self._target.match == "unmatched",
            "stem_numbered": numbered,
        }
        instance = replace(
            describe(self._scene, self._residues, present, ligand, cleaned, around, nearby, copies, stem, flags),
            fit=self._fit(present.residues, heavy, label),
            polymers=polymers_beside(self._scene, around, self._polymers, self._target.entities),
            lysines=lysines_around(
                self._scene, farther, xyz, label, self._radii_around, self._settings.sasa(LYSINE_SLICES)
            ),
        )
        backbone = backbone_of(self._scene, around, label, self._experiment.report.outliers)
        surroundings = surroundings_of(self._scene, ahead)
        return KeptInstance(instance, neighbourhood_of(self._scene, nearby), surroundings, backbone, cleaned)

    def _fit(self, residues: Iterable[int], heavy: IntArray, label: bytes) -> LigandFit:
        names = map(self._residues.name, residues)
        return self._experiment.fit(names, self._entry.atoms.xyz[heavy], text(label))

    def _written(self, around: Around, own: frozenset[int], xyz: FloatArray, label: bytes) -> Iterator[Copy]:
        """Yield the bodies of the cleaned complex: complete chains near the ligand and their companions.

        Coinciding bodies are written once, and nothing is written in the place of the ligand.
        """
        scene = self._scene
        if self._settings.context == "entry":
            near, chains = [], [Copy(body, DEPOSITED, len(CONTEXTS), 0.0) for body in scene.chains.values()]
        else:
            level = CONTEXTS.index(self._settings.context)
            near = [copy for copy in around.copies if copy.level <= level and copy.distance < WHOLE_CHAINS_WITHIN]
            chains = [copy for copy in near if not copy.body.parents]
        hets: list[Copy] = [copy for copy in near if copy.body.parents]
        pairs = ((chain, body) for chain in chains for body in scene.hets if chain.body.asym in body.parents)
        hets += [Copy(body, chain.placement, chain.level, chain.distance) for chain, body in pairs]
        hets.sort(key=lambda copy: bool(copy.placement.name))
        places: dict[int, list[Placement]] = {}
        for copy in [*chains, *hets]:
            if copy.body.parents:
                placements = places.setdefault(id(copy.body), [DEPOSITED] if copy.body.residues & own else [])
                if any(coincide(scene, copy.body, copy.placement, other) for other in placements):
                    continue
                placements.append(copy.placement)
            elif not copy.placement.name:
                yield copy
                continue
            if (rest := beside(scene, copy, xyz, label)) is not None:
                yield rest

    def _copies_of(self, own: Iterable[Residue], written: Iterable[Copy]) -> tuple[str, ...]:
        """Return the names of the cofactors and glycans of a complex that have a code of the ligand's."""
        codes = {residue.comp_id for residue in own}
        hets = [(copy.placement.name, sorted(copy.body.residues)) for copy in written if copy.body.parents]
        named = [(self._residues.name(residue), place) for place, residues in hets for residue in residues]
        alike = [(name, chain_of_copy(name.auth_asym_id, place)) for name, place in named if name.comp_id in codes]
        return tuple(f"{name.comp_id} {chain} {name.residue_id}" for name, chain in alike)

    def _remarks(self, around: Around, label: bytes, copies: Iterable[str]) -> list[str]:
        metadata = self._entry.metadata
        assembly = around.view.assembly or "none given, asymmetric unit taken"
        return [
            f"cleaned by Tethermap {__version__}",
            f"entry {self._entry.entry_id} revision {metadata.revision or 'unknown'} ({metadata.revision_date})",
            f"context {self._settings.context}, assembly {assembly}",
            f"conformer {text(label) or 'only one modelled'}",
            *(f"part of the protein, not the ligand: {name}" for name in copies),
        ]
