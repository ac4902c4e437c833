"""Turn what was found about an instance into the values that later stages read."""

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tethermap.base.arrays import FloatArray, as_text
from tethermap.complex.cleaned import CleanedComplex, Ligand
from tethermap.complex.context import ASSEMBLY, CRYSTAL, Around, AtomsAround, on_special_position
from tethermap.complex.limits import SITE_SHARED_WITHIN, WATER_MAX
from tethermap.complex.scene import Scene
from tethermap.entry.atoms import POLYMER, Atoms, text
from tethermap.entry.model import DOCKED, PREDICTED
from tethermap.entry.near import NearAtoms, distances
from tethermap.entry.reader import Entry
from tethermap.instance.classify import HetGroup
from tethermap.instance.find import Residues
from tethermap.instance.model import EntryFacts, Instance, LigandAtoms, Link, Neighbourhood, Surroundings, Water

MUTATION_WITHIN = 8.0
"""A residue with a heavy atom this near to the ligand can change how it binds, in angstroms. House rule."""

FULL_OCCUPANCY = 0.995
"""Occupancies below this are partial; files give two or three decimals."""


def describe(
    scene: Scene,
    residues: Residues,
    group: HetGroup,
    ligand: Ligand,
    cleaned: CleanedComplex,
    around: Around,
    nearby: AtomsAround,
    copies: tuple[str, ...],
    stem: str,
    flags: Mapping[str, bool],
) -> Instance:
    """Return the instance for later stages.

    Parameters
    ----------
    scene, residues, group : Scene, Residues, HetGroup
        The entry and group of the instance.
    cleaned : CleanedComplex
        Its complex, for serial numbers and names.
    around, nearby : Around, AtomsAround
        Surroundings of the instance, and their atoms that can cover it.
    copies : tuple of str
        Cofactors and glycans of its complex that have separate codes.
    stem : str
        File name.
    flags : mapping of str to bool
        Further flags; only the true ones are added.
    """
    entry, atoms = scene.entry, scene.atoms
    xyz = atoms.xyz[ligand.atoms]
    place = {int(atom): position for position, atom in enumerate(ligand.members)}
    links = []
    for link in ligand.links:
        partner, other = residues.name(int(atoms.residue[link.second])), link.second
        names = text(atoms.name[other]), text(atoms.element[other]), tuple(atoms.xyz[other].tolist())
        links.append(Link(place[link.first], partner, *names, link.distance, link.kind, link.declared))
    inner = [(bond.first, bond.second) for bond in group.inner if bond.kind == "covalent"]
    head = ligand.residues[ligand.head]
    bound = [link for link in ligand.links if link.kind == "covalent" and residues.polymer[atoms.residue[link.second]]]
    occupancy = atoms.occupancy[ligand.atoms]
    own_chain = bool(atoms.auth_asym_id[atoms.starts[group.head]].strip())
    special = nearby.overlaps or on_special_position(scene, xyz)
    sharing = _sharing_site(scene, residues, group, xyz)
    keys = list(zip(atoms.residue[ligand.atoms].tolist(), atoms.name[ligand.atoms].tolist(), strict=True))
    conditions = {
        **flags,
        "covalent": bool(bound),
        "declared_link_too_long": any(bond.kind == "contact" for bond in (*group.links, *group.inner)),
        "undeclared_link": any(not link.declared for link in bound),
        "partial_occupancy": bool((occupancy < FULL_OCCUPANCY).any()),
        "zero_occupancy_atoms": bool((occupancy <= 0).any()),
        "multiple_components": len(group.residues) > 1,
        "special_position": special,
        "nucleic_acid_beside": around.has_nucleic_acid,
        "no_assembly": not around.view.assembly,
        "chain_from_nearest_polymer": not own_chain,
        "number_made_up": (head.auth_asym_id if own_chain else "", head.residue_id) in entry.numbered,
        "docked": head.label_asym_id in entry.additions.poses,
        "names_shortened": any(name.what != "copy" for name in cleaned.renamed),
        "mmcif_only": cleaned.pdb is None,
        "duplicate_atom_names": len(set(keys)) < len(keys),
        **dict.fromkeys(entry.flags, True),
        "no_crystal": scene.crystal is None,
        "additive_kept": group.kind == "ligand" and bool(group.kind_reason),
        "cofactor": group.kind == "cofactor",
        "copies_in_complex": bool(copies),
        "shares_site": bool(sharing),
    }
    notes = {
        "shares_site": ", ".join(sharing),
        "copies_in_complex": ", ".join(copies),
        "special_position": "images of the crystal in the ligand's own place were left out" if special else "",
        "kind": group.kind_reason,
    }
    target_chains = tuple(dict.fromkeys(scene.chain_names[asym].strip() for asym in around.target_chains))
    mutations, mutations_near = _mutations(entry, target_chains, xyz)
    return Instance(
        entry_id=entry.entry_id,
        stem=stem,
        components=ligand.residues,
        head=ligand.head,
        kind=group.kind,
        atoms=_ligand_atoms(atoms, group, ligand, cleaned),
        inner_links=tuple((place[i], place[j]) for i, j in inner if i in place and j in place),
        links=tuple(links),
        altloc=text(ligand.label),
        target_chains=target_chains,
        pdb_comp_id=cleaned.comp_id,
        pdb_chain_id=cleaned.chain,
        entry_bonds={one.comp_id: entry.bonds[one.comp_id] for one in ligand.residues if one.comp_id in entry.bonds},
        facts=_facts(entry, ligand, target_chains),
        flags=tuple(sorted(flag for flag, holds in conditions.items() if holds)),
        notes={name: note for name, note in notes.items() if note},
        uniprot=_uniprot(entry, nearby),
        mutations=mutations,
        mutations_near=mutations_near,
        waters=_waters(scene, residues, xyz, ligand.label),
        definition=entry.additions.definition(head.label_asym_id, head.comp_id),
        conect=tuple((place[i], place[j], times) for i in place for j, times in entry.conect.get(i, ()) if j in place),
    )


def _facts(entry: Entry, ligand: Ligand, target_chains: tuple[str, ...]) -> EntryFacts:
    """Return the columns of the entry; a pose has none of its receptor's experiment."""
    additions, metadata = entry.additions, entry.metadata
    origin = additions.poses.get(ligand.residues[ligand.head].label_asym_id, additions.model)
    facts = EntryFacts(
        method=DOCKED,
        title=metadata.title,
        source_file=origin.source_file,
        source_record=origin.source_record,
        pose_rank=origin.pose_rank,
        pose_fields=origin.fields,
    )
    if facts.docked:
        return facts
    return replace(
        facts,
        resolution=metadata.resolution,
        method=PREDICTED if entry.confidence_scale else metadata.method,
        release_date=metadata.release_date,
        confidence_scale=entry.confidence_scale,
        aligned_error=_aligned_error(entry, ligand, target_chains),
    )


def _aligned_error(entry: Entry, ligand: Ligand, chains: tuple[str, ...]) -> float | None:
    """Return the mean expected error to the residues of the target around a ligand; None if none is given."""
    by_residue = entry.additions.aligned_errors.get(ligand.residues[ligand.head].label_asym_id, {})
    errors = [error for (chain, _), error in by_residue.items() if chain in chains]
    return round(float(np.mean(errors)), 3) if errors else None


def _uniprot(entry: Entry, nearby: AtomsAround) -> dict[str, str]:
    """Return the UniProt numbers of the residues around by author chain and residue id."""
    atoms = entry.atoms
    residues = np.unique(atoms.residue[nearby.index])
    residues = residues[atoms.entity_type[atoms.starts[residues]] == POLYMER]
    chains = atoms.auth_asym_id[atoms.starts[residues]].tolist()
    numbers = {}
    for name, residue_id in zip(chains, atoms.residue_ids[residues].tolist(), strict=True):
        chain = text(name).strip()
        if number := entry.references.of(chain, residue_id):
            numbers[f"{chain} {residue_id}"] = number
    return numbers


def _waters(scene: Scene, residues: Residues, xyz: FloatArray, label: bytes) -> tuple[Water, ...]:
    """Return the oxygens of waters near a ligand."""
    atoms = scene.atoms
    low, high = xyz.min(axis=0) - WATER_MAX, xyz.max(axis=0) + WATER_MAX
    oxygens = scene.waters[scene.mask(label)[scene.waters]]
    oxygens = oxygens[((atoms.xyz[oxygens] >= low) & (atoms.xyz[oxygens] <= high)).all(axis=1)]
    near = oxygens[(distances(atoms.xyz[oxygens], xyz) <= WATER_MAX).any(axis=1)]
    names = [residues.name(int(atoms.residue[atom])) for atom in near]
    places = map(tuple, atoms.xyz[near].tolist())
    return tuple(Water(n.auth_asym_id, n.residue_id, n.comp_id, at) for n, at in zip(names, places, strict=True))


def _mutations(entry: Entry, chains: tuple[str, ...], xyz: FloatArray) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the mutations in the given chains, and those within `MUTATION_WITHIN` of a ligand."""
    atoms = entry.atoms
    is_near: dict[str, bool] = {}
    for mutation in entry.references.stated.mutations:
        if mutation.chain not in chains:
            continue
        number, letter = re.fullmatch(r"(-?\d+)(\w?)", mutation.residue_id).groups()  # type: ignore[union-attr]
        mutated = (atoms.auth_seq_id == int(number)) & (atoms.auth_asym_id == mutation.chain.encode()) & atoms.heavy
        mutated &= (atoms.ins_code == letter.encode()) & (atoms.entity_type == POLYMER)
        near = bool(mutated.any()) and float(distances(atoms.xyz[mutated], xyz).min()) < MUTATION_WITHIN
        is_near[mutation.name] = is_near.get(mutation.name, False) or near
    ordered = sorted(is_near, key=lambda name: (int(name[1:-1]), name))
    return tuple(ordered), tuple(name for name in ordered if is_near[name])


def _ligand_atoms(atoms: Atoms, group: HetGroup, ligand: Ligand, cleaned: CleanedComplex) -> LigandAtoms:
    members = ligand.members
    component = {residue: index for index, residue in enumerate(group.residues)}
    serial = dict(zip(ligand.atoms.tolist(), cleaned.serial.tolist(), strict=True))
    return LigandAtoms(
        component=np.array([component[int(r)] for r in atoms.residue[members]], dtype=np.int64),
        name=tuple(text(name) for name in atoms.name[members]),
        element=tuple(text(element) for element in atoms.element[members]),
        xyz=atoms.xyz[members],
        occupancy=atoms.occupancy[members].astype(np.float64),
        b_iso=atoms.b_iso[members].astype(np.float64),
        charge=atoms.charge[members].astype(np.int64),
        altloc=tuple(text(label) for label in atoms.altloc[members]),
        serial=np.array([serial.get(int(atom), 0) for atom in members], dtype=np.int64),
    )


def _sharing_site(scene: Scene, residues: Residues, group: HetGroup, xyz: FloatArray) -> list[str]:
    """Return the names of other het groups that coincide with a ligand as alternates; poses have none."""
    atoms, poses = scene.atoms, scene.entry.poses
    if poses & set(group.residues):
        return []
    is_other = np.zeros(len(atoms.starts), dtype=np.bool_)
    is_other[residues.het] = True
    is_other[[*group.residues, *poses]] = False
    others = np.flatnonzero(is_other[atoms.residue] & atoms.heavy)
    near, _ = NearAtoms(atoms.xyz, others).nearest(xyz, SITE_SHARED_WITHIN)
    names = [residues.name(int(residue)) for residue in np.unique(atoms.residue[near])]
    return [f"{name.comp_id} {name.auth_asym_id}{name.residue_id}" for name in names]


def neighbourhood_of(scene: Scene, nearby: AtomsAround) -> Neighbourhood:
    """Return the atoms around an instance for later stages."""
    atoms = scene.atoms
    index = nearby.index
    return Neighbourhood(
        xyz=nearby.xyz,
        element=as_text(atoms.element[index]),
        comp_id=as_text(atoms.comp_id[index]),
        atom_name=as_text(atoms.name[index]),
        auth_asym_id=as_text(atoms.auth_asym_id[index]),
        residue_id=atoms.residue_ids[atoms.residue[index]],
        copy_name=np.array(nearby.copy, dtype="U32"),
        context=nearby.level,
        largest=CRYSTAL if scene.crystal is not None else ASSEMBLY,
    )


def surroundings_of(scene: Scene, nearby: AtomsAround) -> Surroundings:
    """Return the atoms farther around an instance as the search for exits reads them."""
    return Surroundings(
        xyz=nearby.xyz.astype(np.float32),
        element=scene.atoms.element[nearby.index],
        context=nearby.level.astype(np.int8),
        largest=CRYSTAL if scene.crystal is not None else ASSEMBLY,
    )
