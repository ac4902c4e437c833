"""Clean one entry: decide on every het group and build the complex of each one that is kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from scripts.lib.complex.backbone import backbone_of
from scripts.lib.complex.cleaned import CleanedComplex, Ligand, clean_complex
from scripts.lib.complex.context import Around, ContextFinder, atoms_around, beside, coincide, on_special_position
from scripts.lib.complex.describe import Description, describe, neighbourhood_of, surroundings_of
from scripts.lib.complex.placement import DEPOSITED, Placement
from scripts.lib.complex.scene import Copy, Scene
from scripts.lib.complex.stems import Stems
from scripts.lib.contexts import CONTEXTS
from scripts.lib.entry.atoms import text
from scripts.lib.entry.reader import Entry, EntryError
from scripts.lib.entry.target import TargetChains, TargetQuery, find_target
from scripts.lib.exits.geometry import REACH as EXIT_REACH
from scripts.lib.exposure.radii import RadiusTable
from scripts.lib.instance.backbone import Backbone
from scripts.lib.instance.conformer import best_altloc
from scripts.lib.instance.find import HetGroup, Residues, find_groups, heaviest
from scripts.lib.instance.kinds import KindRules
from scripts.lib.instance.model import FloatArray, Instance, IntArray, Neighbourhood, Surroundings
from scripts.lib.reasons import sentence
from scripts.lib.tables import Row, Value
from scripts.lib.version import __version__

KEPT_WITHIN = 5.0
"""A ligand is kept with a heavy atom this near to a heavy atom of a target chain, in angstroms."""

WHOLE_CHAINS_WITHIN = 7.0
"""A cleaned complex holds the whole chains with a heavy atom this near to the ligand, in angstroms:
more than 1.98 + 1.98 + 2 x 1.4, the reach of two large atoms, so that the file reproduces the exposure."""


@dataclass(frozen=True, slots=True)
class CleanSettings:
    """What a job asks of the cleaning.

    Parameters
    ----------
    target : TargetQuery
        What names the target.
    kinds : frozenset of str
        Kinds of het groups to keep.
    only_ligands, always_keep, named : frozenset of str
        Component codes: the only ones to keep (empty: all); those to keep whatever their kind;
        those that the query names.
    context : str
        What the cleaned complex holds: ``chain``, ``target``, ``assembly`` or ``entry``.
    keep_hydrogens : bool
        Whether deposited hydrogens are written to the cleaned complex.
    probe_radius : float
        Of the exposure, in angstroms; sets how far the neighbourhood reaches.
    """

    target: TargetQuery
    kinds: frozenset[str] = frozenset({"ligand"})
    only_ligands: frozenset[str] = frozenset()
    always_keep: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    context: str = "target"
    keep_hydrogens: bool = False
    probe_radius: float = 1.4


@dataclass(frozen=True)
class KeptInstance:
    """One instance with what surrounds it and its cleaned complex."""

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
        Row of `scripts.lib.tables.ENTRY_STATUS`, without what the download knows.
    ligand_rows : list of dict
        Rows of `scripts.lib.tables.LIGAND_STATUS`: one for each het group.
    kept : list of KeptInstance
        What is kept, in file order.
    """

    entry_row: dict[str, Value]
    ligand_rows: list[Row] = field(default_factory=list)
    kept: list[KeptInstance] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Verdict:
    """Why a group is kept or not: reason code, and the threshold and value that decided."""

    reason: str
    threshold: str = ""
    value: str = ""


def clean_entry(entry: Entry, settings: CleanSettings, rules: KindRules, radii: RadiusTable) -> CleanedEntry:
    """Return the status of an entry and of all its het groups, and the complexes that are kept.

    Parameters
    ----------
    entry : Entry
        The entry as read.
    settings : CleanSettings
        What the job asks.
    rules : KindRules
        Reference lists of kinds.
    radii : RadiusTable
        Radii, for the reach of the neighbourhood.
    """
    return _Cleaner(entry, settings, rules, radii).run()


class _Cleaner:
    def __init__(self, entry: Entry, settings: CleanSettings, rules: KindRules, radii: RadiusTable) -> None:
        self._entry = entry
        self._settings = settings
        self._radii = radii
        self._residues = Residues(entry)
        wanted = settings.named | settings.always_keep
        self._groups = find_groups(entry, self._residues, rules, wanted)
        self._scene = Scene(entry, self._residues, self._groups)
        self._stems = Stems(entry.entry_id)
        atoms = entry.atoms
        self._largest = radii.largest_of(atoms.element)

    def run(self) -> CleanedEntry:
        result = CleanedEntry(self._entry_row())
        try:
            target = self._target()
        except EntryError as error:
            self._reject_all(result, error)
            return result
        asyms = self._target_asyms(target)
        reach = max(WHOLE_CHAINS_WITHIN, 2 * float(self._largest.max()) + 2 * self._settings.probe_radius)
        finder = ContextFinder(self._scene, asyms, reach)
        self._farther = ContextFinder(self._scene, asyms, EXIT_REACH)
        for group in self._groups:
            verdict, kept = self._judge(group, finder, target)
            result.ligand_rows.extend(self._rows(group, verdict, kept))
            if kept is not None:
                result.kept.append(kept)
        result.ligand_rows.extend(self._modified_rows())
        names = [self._scene.chain_names[asym].strip() for asym in asyms]
        found = bool(len(self._residues.het))
        reason = "kept" if result.kept else "no_instance_kept" if found else "no_ligand"
        result.entry_row.update(
            kept=bool(result.kept),
            reason=reason,
            sentence=sentence(reason),
            target_match=target.match,
            target_chains=",".join(dict.fromkeys(names)),
            instances_kept=len(result.kept),
            target_identity=target.identity,
            target_coverage=target.coverage,
        )
        return result

    def _entry_row(self) -> dict[str, Value]:
        flags = []
        if self._entry.n_models > 1:
            flags.append("first_model")
        if self._entry.metadata.withdrawn:
            flags.append("withdrawn")
        return {
            "pdb_id": self._entry.entry_id,
            "instances_found": len(self._groups),
            "instances_kept": 0,
            "target_match": "none",
            "target_chains": "",
            "kept": False,
            "assembly": next(iter(self._scene.assemblies.names), ""),
            "flags": ";".join(flags),
        }

    def _target(self) -> TargetChains:
        if not self._scene.chains:
            raise EntryError("no_polymer")
        return find_target(self._entry.metadata, self._settings.target)

    def _target_asyms(self, target: TargetChains) -> list[str]:
        """Return the label_asym_id of the target chains that the structure has."""
        if target.match == "unmatched":
            return list(self._scene.chains)
        labels = {asym for entity in target.entities for asym in entity.label_asym_ids}
        if not labels or not self._entry.is_mmcif:
            chains = {chain for entity in target.entities for chain in entity.auth_asym_ids}
            labels = {asym for asym in self._scene.chains if self._scene.chain_names[asym].strip() in chains}
        return [asym for asym in self._scene.chains if asym in labels]

    def _reject_all(self, result: CleanedEntry, error: EntryError) -> None:
        for group in self._groups:
            result.ligand_rows.extend(self._rows(group, _Verdict("entry_rejected", value=error.reason), None))
        result.ligand_rows.extend(self._modified_rows())
        result.entry_row.update(reason=error.reason, value=error.value, sentence=sentence(error.reason))

    def _judge(
        self, group: HetGroup, finder: ContextFinder, target: TargetChains
    ) -> tuple[_Verdict, KeptInstance | None]:
        settings = self._settings
        code = self._residues.name(group.head).comp_id
        asked = code in settings.always_keep or code in settings.named
        if group.kind not in settings.kinds and not asked:
            return _Verdict("kind_not_kept", ",".join(sorted(settings.kinds)), group.kind), None
        if settings.only_ligands and code not in settings.only_ligands:
            return _Verdict("not_asked_for", ",".join(sorted(settings.only_ligands)), code), None
        members, label = self._conformer(group)
        atoms = self._entry.atoms
        heavy = members[atoms.heavy[members]]
        if not len(heavy):
            return _Verdict("no_heavy_atoms"), None
        if not (atoms.occupancy[heavy] > 0).any():
            return _Verdict("zero_occupancy", "0", "0"), None
        xyz = atoms.xyz[heavy]
        own = frozenset(group.residues)
        asym = text(atoms.label_asym_id[atoms.starts[group.head]])
        around = finder.around(xyz, asym, own, label)
        if around.target_distance > KEPT_WITHIN:
            value = f"{around.target_distance:.2f}" if np.isfinite(around.target_distance) else ""
            return _Verdict("far_from_target", f"{KEPT_WITHIN:.1f}", value), None
        if not all(self._residues.is_unique(residue, group.residues) for residue in group.residues):
            return _Verdict("not_unique"), None
        return _Verdict("kept"), self._keep(group, members, label, around, target)

    def _conformer(self, group: HetGroup) -> tuple[IntArray, bytes]:
        """Return the atoms of the chosen conformer, component by component, and its label."""
        atoms = self._entry.atoms
        parts = [np.arange(part.start, part.stop) for part in map(atoms.at, group.residues)]
        members = np.concatenate(parts).astype(np.int64)
        label = best_altloc(atoms, members[atoms.heavy[members]])
        chosen = members[self._scene.mask(label)[members]]
        return chosen, label

    def _keep(
        self, group: HetGroup, members: IntArray, label: bytes, around: Around, target: TargetChains
    ) -> KeptInstance:
        atoms = self._entry.atoms
        heavy = members[atoms.heavy[members]]
        xyz = atoms.xyz[heavy]
        residues_of_group = frozenset(group.residues)
        # Alternates of a group's residues: only those of the chosen conformer are its components.
        group = self._as_modelled(group, heavy)
        residues = tuple(self._residues.name(residue) for residue in group.residues)
        head = group.residues.index(group.head)
        mask = self._scene.mask(label)
        own = set(members.tolist())
        links = tuple(
            bond for bond in group.links if bond.kind != "contact" and bond.first in own and mask[bond.second]
        )
        ligand = Ligand(heavy, residues, head, links)
        stem, numbered = self._stems.of(residues[head])
        remarks = self._remarks(around, label)
        cleaned = clean_complex(
            self._scene,
            ligand,
            list(self._written(around, residues_of_group, xyz, label)),
            label,
            remarks,
            keep_hydrogens=self._settings.keep_hydrogens,
        )
        reach = self._largest + float(self._largest[heavy].max()) + 2 * self._settings.probe_radius
        nearby = atoms_around(self._scene, around, xyz, label, reach)
        special = nearby.overlaps or on_special_position(self._scene, xyz)
        description = Description(
            stem=stem,
            stem_numbered=numbered,
            label=label,
            members=members,
            around=around,
            special=special,
            unmatched=target.match == "unmatched",
            own_chain=self._residues.has_chain(group.head),
        )
        instance = describe(self._entry, self._scene, self._residues, group, ligand, cleaned, description)
        surroundings = self._surroundings(residues_of_group, xyz, label, around)
        backbone = backbone_of(self._scene, around, label)
        return KeptInstance(instance, neighbourhood_of(self._scene, nearby), surroundings, backbone, cleaned)

    def _surroundings(self, own: frozenset[int], xyz: FloatArray, label: bytes, around: Around) -> Surroundings:
        """Return the atoms that a linker may meet, in the same assembly and conformer."""
        farther = self._farther.around(xyz, "", own, label, around.view)
        reach = np.full(len(self._entry.atoms), EXIT_REACH)
        return surroundings_of(self._scene, atoms_around(self._scene, farther, xyz, label, reach))

    def _as_modelled(self, group: HetGroup, heavy: IntArray) -> HetGroup:
        """Return a group without the residues that have no atom in the chosen conformer."""
        present = set(self._entry.atoms.residue[heavy].tolist())
        residues = tuple(residue for residue in group.residues if residue in present)
        if len(residues) == len(group.residues):
            return group
        head = group.head if group.head in present else heaviest(self._entry.atoms, residues)
        return replace(group, residues=residues, head=head)

    def _written(self, around: Around, own: frozenset[int], xyz: FloatArray, label: bytes) -> Iterator[Copy]:
        """Yield the bodies of the cleaned complex: whole chains near the ligand and what goes with them.

        What stands in one place is written once, and nothing in the ligand's own.
        """
        scene = self._scene
        if self._settings.context == "entry":
            near, chains = [], [scene.deposited(body) for body in scene.chains.values()]
        else:
            level = CONTEXTS.index(self._settings.context)
            near = [copy for copy in around.copies if copy.level <= level and copy.distance < WHOLE_CHAINS_WITHIN]
            chains = [copy for copy in near if not copy.body.parents]
        hets = [*(copy for copy in near if copy.body.parents), *scene.going_with(chains)]
        hets.sort(key=lambda copy: bool(copy.placement.name))
        places: dict[int, list[Placement]] = {}
        for copy in [*chains, *hets]:
            if copy.body.parents:
                taken = places.setdefault(id(copy.body), [DEPOSITED] if copy.body.residues & own else [])
                if any(coincide(scene, copy.body, copy.placement, other) for other in taken):
                    continue
                taken.append(copy.placement)
            elif not copy.placement.name:
                yield copy
                continue
            if (rest := beside(scene, copy, xyz, label)) is not None:
                yield rest

    def _remarks(self, around: Around, label: bytes) -> list[str]:
        metadata = self._entry.metadata
        assembly = around.view.assembly or "none given, asymmetric unit taken"
        return [
            f"cleaned by Tethermap {__version__}",
            f"entry {self._entry.entry_id} revision {metadata.revision or 'unknown'} ({metadata.revision_date})",
            f"context {self._settings.context}, assembly {assembly}",
            f"conformer {text(label) or 'only one modelled'}",
        ]

    def _rows(self, group: HetGroup, verdict: _Verdict, kept: KeptInstance | None) -> Iterator[Row]:
        names = [self._residues.name(residue) for residue in group.residues]
        components = "+".join(name.comp_id for name in names)
        stem = kept.instance.stem if kept else ""
        for residue, name in zip(group.residues, names, strict=True):
            if residue != group.head and self._residues.standard[residue]:
                continue
            member = kept is not None and residue != group.head
            reason = "member_of_group" if member else verdict.reason
            yield {
                "pdb_id": self._entry.entry_id,
                "chain": name.auth_asym_id,
                "label_chain": name.label_asym_id if self._entry.is_mmcif else "",
                "ligand": name.comp_id,
                "residue": name.residue_id,
                "components": components,
                "kind": group.kind,
                "kind_reason": group.kind_reason,
                "kept": kept is not None,
                "reason": reason,
                "threshold": "" if member else verdict.threshold,
                "value": stem if member else verdict.value,
                "stem": stem,
                "sentence": sentence(reason),
            }

    def _modified_rows(self) -> Iterator[Row]:
        for residue in self._residues.modified.tolist():
            name = self._residues.name(residue)
            yield {
                "pdb_id": self._entry.entry_id,
                "chain": name.auth_asym_id,
                "label_chain": name.label_asym_id if self._entry.is_mmcif else "",
                "ligand": name.comp_id,
                "residue": name.residue_id,
                "components": name.comp_id,
                "kind": "modified_residue",
                "kept": False,
                "reason": "part_of_polymer",
                "threshold": "",
                "value": "",
                "sentence": sentence("part_of_polymer"),
            }
