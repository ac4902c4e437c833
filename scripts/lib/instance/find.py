"""Find the het groups of an entry, join what is covalently linked, and say what kind each is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import gemmi
import numpy as np

from scripts.lib.entry.atoms import POLYMER, WATER, Atoms, text
from scripts.lib.entry.near import NearAtoms
from scripts.lib.entry.reader import Entry
from scripts.lib.instance.bonds import (
    LONGEST_JOIN,
    Bond,
    bond_ratio,
    declared_bonds,
    is_metal,
    partners_for_bonds,
    undeclared_bonds,
)
from scripts.lib.instance.kinds import BOUND_DISTANCE, CAPS, STANDARD_RESIDUES, KindRules, Surroundings
from scripts.lib.instance.model import IntArray, Residue
from scripts.lib.molecule.component import is_hydrogen

HALOGENS = frozenset({"F", "Cl", "Br", "I"})

LARGEST_LIGAND = 500
"""Heavy atoms up to which linked residues are one ligand; more are a polymer that the file doesn't declare. House rule:
twice the largest component of the dictionary of biotite 1.6.0, IR0, which has 240."""


@dataclass(frozen=True, slots=True)
class HetGroup:
    """One het group or covalently linked set of them, in one place.

    Parameters
    ----------
    residues : tuple of int
        Indices of its residues in `Atoms`, in file order.
    head : int
        Residue that names it: the heaviest.
    kind, kind_reason : str
        What it is and why.
    links : tuple of Bond
        Bonds that leave it, `first` being its own atom.
    inner : tuple of Bond
        Bonds between its residues.
    """

    residues: tuple[int, ...]
    head: int
    kind: str = "ligand"
    kind_reason: str = ""
    links: tuple[Bond, ...] = ()
    inner: tuple[Bond, ...] = ()


class Residues:
    """The residues of an entry sorted into polymer, water and het groups.

    Parameters
    ----------
    entry : Entry
        The entry.

    Attributes
    ----------
    polymer : ndarray of bool, shape (n_residues,)
        In a polymer that is no ligand.
    modified : ndarray of int
        Polymer residues that are not standard.
    het : ndarray of int
        All others but water, peptide-like BIRD ligands included.
    standard : ndarray of bool, shape (n_residues,)
        Standard residues of a polymer chain, also where the chain is a ligand: no het groups.
    """

    def __init__(self, entry: Entry) -> None:
        atoms = entry.atoms
        starts = atoms.starts
        self._atoms = atoms
        kinds = atoms.entity_type[starts]
        comp_ids = atoms.comp_id[starts]
        in_polymer = kinds == POLYMER
        birds = [name.encode() for name in entry.molecules]
        ligand_chain = in_polymer & np.isin(atoms.label_asym_id[starts], birds)
        known = np.isin(comp_ids, [name.encode() for name in STANDARD_RESIDUES])
        self.polymer = in_polymer & ~ligand_chain
        self.standard = in_polymer & known
        self.modified = np.flatnonzero(self.polymer & ~known)
        self.het = np.flatnonzero(~self.polymer & (kinds != WATER))
        self.polymer_atoms = np.flatnonzero(self.polymer[atoms.residue] & atoms.heavy).astype(np.int64)
        self._near_polymer: NearAtoms | None = None
        self._nearest_chain: dict[int, str] = {}

    @property
    def near_polymer(self) -> NearAtoms:
        """The heavy atoms of all polymers."""
        if self._near_polymer is None:
            self._near_polymer = NearAtoms(self._atoms.xyz, self.polymer_atoms)
        return self._near_polymer

    def name(self, residue: int) -> Residue:
        """Return the names of a residue; one without chain takes that of the nearest polymer atom."""
        atoms = self._atoms
        first = int(atoms.starts[residue])
        chain = text(atoms.auth_asym_id[first]).strip()
        return Residue(
            auth_asym_id=chain or self._chain_nearby(residue),
            label_asym_id=text(atoms.label_asym_id[first]),
            comp_id=text(atoms.comp_id[first]),
            auth_seq_id=int(atoms.auth_seq_id[first]),
            ins_code=text(atoms.ins_code[first]),
        )

    def has_chain(self, residue: int) -> bool:
        """Return whether the file gives the residue a chain."""
        return bool(text(self._atoms.auth_asym_id[int(self._atoms.starts[residue])]).strip())

    def is_unique(self, residue: int, group: Sequence[int]) -> bool:
        """Return whether a residue's chain, number and name tell it from all others.

        Parameters
        ----------
        residue : int
            A residue.
        group : sequence of int
            The residues of its group.

        Returns
        -------
        bool
            Whole copies of a component elsewhere under one number do no harm, as in files of the 1990s.
        """
        atoms = self._atoms
        first = int(atoms.starts[residue])
        columns = (atoms.auth_seq_id, atoms.comp_id, atoms.auth_asym_id, atoms.ins_code)
        same = np.flatnonzero(np.logical_and.reduce([column[atoms.starts] == column[first] for column in columns]))
        own = sorted(atoms.name[atoms.at(residue)].tolist())
        return all(
            other not in group and not self.polymer[other] and sorted(atoms.name[atoms.at(other)].tolist()) == own
            for other in same.tolist()
            if other != residue
        )

    def _chain_nearby(self, residue: int) -> str:
        if residue not in self._nearest_chain:
            part = self._atoms.at(residue)
            atom = nearest_atom(self._atoms, self.polymer_atoms, self._atoms.xyz[part])
            self._nearest_chain[residue] = "" if atom is None else text(self._atoms.auth_asym_id[atom]).strip()
        return self._nearest_chain[residue]


def nearest_atom(atoms: Atoms, members: IntArray, xyz: np.ndarray) -> int | None:
    """Return the member atom nearest to any of some points, None when there are no members."""
    best: tuple[float, int] | None = None
    for point in xyz:
        if len(members):
            squared = ((atoms.xyz[members] - point) ** 2).sum(axis=1)
            nearest = int(squared.argmin())
            if best is None or squared[nearest] < best[0]:
                best = float(squared[nearest]), int(members[nearest])
    return best[1] if best else None


def find_groups(entry: Entry, residues: Residues, rules: KindRules, wanted: Iterable[str] = ()) -> list[HetGroup]:
    """Return the het groups of an entry outside its polymers, linked ones joined.

    Parameters
    ----------
    entry : Entry
        The entry.
    residues : Residues
        Its residues.
    rules : KindRules
        Reference lists.
    wanted : iterable of str
        Component codes that the job asks for by name: never additives.

    Returns
    -------
    list of HetGroup
        In file order of their first residues.
    """
    atoms = entry.atoms
    bonds = _bonds(entry, residues)
    owner = _joined(atoms, residues, bonds)
    members: dict[int, list[int]] = {}
    for residue in residues.het.tolist():
        members.setdefault(owner[residue], []).append(residue)
    by_owner: dict[int, tuple[list[Bond], list[Bond]]] = {key: ([], []) for key in members}
    for bond in bonds:
        ends = (int(atoms.residue[bond.first]), int(atoms.residue[bond.second]))
        owners = (owner.get(ends[0]), owner.get(ends[1]))
        if owners[0] == owners[1] and owners[0] is not None:
            by_owner[owners[0]][1].append(bond)
            continue
        if owners[0] is not None:
            by_owner[owners[0]][0].append(bond)
        if owners[1] is not None:
            by_owner[owners[1]][0].append(replace(bond, first=bond.second, second=bond.first))
    groups = [
        HetGroup(tuple(group), heaviest(atoms, group), links=tuple(by_owner[key][0]), inner=tuple(by_owner[key][1]))
        for key, group in members.items()
    ]
    classify = _Classifier(entry, residues, rules, frozenset(wanted))
    return [classify(group) for group in groups]


def _bonds(entry: Entry, residues: Residues) -> list[Bond]:
    """Return declared and undeclared bonds of all het residues, each pair of atoms once."""
    atoms = entry.atoms
    bonds = declared_bonds(entry.structure, atoms)
    known = {frozenset((bond.first, bond.second)) for bond in bonds}
    linked = {
        frozenset((int(atoms.residue[bond.first]), int(atoms.residue[bond.second])))
        for bond in bonds
        if bond.kind == "covalent"
    }
    others = partners_for_bonds(atoms)
    for residue in residues.het.tolist():
        if _is_bare_ion(atoms, residue):
            continue
        for bond in undeclared_bonds(atoms, residue, others):
            pair = frozenset((bond.first, bond.second))
            ends = frozenset((int(atoms.residue[bond.first]), int(atoms.residue[bond.second])))
            joins = not residues.polymer[atoms.residue[bond.second]]
            if joins and bond_ratio(atoms, bond) > LONGEST_JOIN:
                continue
            if pair not in known and ends not in linked:
                known.add(pair)
                bonds.append(bond)
    return bonds


def _joined(atoms: Atoms, residues: Residues, bonds: list[Bond]) -> dict[int, int]:
    """Map each het residue to the first residue of its covalently linked group."""
    owner = {residue: residue for residue in residues.het.tolist()}

    def root(residue: int) -> int:
        while owner[residue] != residue:
            residue = owner[residue]
        return residue

    for bond in bonds:
        first, second = int(atoms.residue[bond.first]), int(atoms.residue[bond.second])
        if bond.kind != "covalent" or first not in owner or second not in owner:
            continue
        if _is_bare_ion(atoms, first) or _is_bare_ion(atoms, second):
            continue
        low, high = sorted((root(first), root(second)))
        owner[high] = low
    return {residue: root(residue) for residue in owner}


def _heavy_count(atoms: Atoms, residue: int) -> int:
    part = atoms.at(residue)
    return len(np.unique(atoms.name[part][atoms.heavy[part]]))


def _is_bare_ion(atoms: Atoms, residue: int) -> bool:
    """Return whether a residue is one atom of a metal or halogen."""
    part = atoms.at(residue)
    symbol = text(atoms.element[part.start])
    return _heavy_count(atoms, residue) == 1 and (symbol in HALOGENS or is_metal(symbol))


def heaviest(atoms: Atoms, residues: Sequence[int]) -> int:
    """Return the residue with the largest mass of its heavy atoms; the first of equals."""

    def mass(residue: int) -> float:
        part = atoms.at(residue)
        _, first = np.unique(atoms.name[part], return_index=True)
        elements = atoms.element[part][first][atoms.heavy[part][first]]
        return round(sum(gemmi.Element(text(element)).weight for element in elements), 3)

    return max(residues, key=mass)


class _Classifier:
    """Says what kind a group is."""

    def __init__(self, entry: Entry, residues: Residues, rules: KindRules, wanted: frozenset[str]) -> None:
        self._atoms = entry.atoms
        self._residues = residues
        self._rules = rules
        self._wanted = wanted
        comp_ids = [text(code) for code in self._atoms.comp_id[self._atoms.starts]]
        self._comp_ids = comp_ids
        polymers = np.unique(self._atoms.label_asym_id[residues.polymer_atoms])
        self._chains = max(1, len(polymers))

    def __call__(self, group: HetGroup) -> HetGroup:
        kind, reason = self._kind(group)
        return replace(group, kind=kind, kind_reason=reason)

    def _kind(self, group: HetGroup) -> tuple[str, str]:
        to_polymer = [
            bond
            for bond in group.links
            if bond.kind == "covalent" and self._residues.polymer[self._atoms.residue[bond.second]]
        ]
        codes = [self._comp_ids[residue] for residue in group.residues]
        if len(codes) > 1 and (size := sum(self._size(residue) for residue in group.residues)) > LARGEST_LIGAND:
            return "polymer", f"{len(codes)} linked residues of {size} heavy atoms, not declared a polymer"
        if to_polymer and any(self._rules.is_saccharide(code) for code in codes):
            return "glycan", "a sugar linked to the polymer"
        if len(codes) == 1 and codes[0] in CAPS:
            return "polymer", "a cap of a chain end, written outside its polymer"
        if len(codes) == 1 and not self._rules.is_unknown(codes[0]) and self._is_ion(group.head):
            return "ion", ""
        verdicts = [self._component(residue, bool(to_polymer)) for residue in group.residues]
        of_head = verdicts[group.residues.index(group.head)]
        return next((verdict for verdict in verdicts if verdict[0] == "ligand"), of_head)

    def _size(self, residue: int) -> int:
        """Return the heavy atoms of a residue: those of its component, or more if seen in one conformer."""
        seen = self._atoms.fullest_conformer(self._atoms.at(residue))
        component = self._rules.component(self._comp_ids[residue])
        if component is None:
            return seen
        return max(seen, sum(not is_hydrogen(atom.element) for atom in component.atoms))

    def _is_ion(self, residue: int) -> bool:
        if _heavy_count(self._atoms, residue) != 1:
            return False
        component = self._rules.component(self._comp_ids[residue])
        if component is not None and component.origin != "user":
            heavy = [atom for atom in component.atoms if atom.element not in ("H", "D")]
            return len(heavy) == 1 and self._comp_ids[residue] not in self._rules.additives
        return _is_bare_ion(self._atoms, residue)

    def _component(self, residue: int, covalent: bool) -> tuple[str, str]:
        code = self._comp_ids[residue]
        part = self._atoms.at(residue)
        xyz = self._atoms.xyz[part][self._atoms.heavy[part]]
        share = 0.0
        if code in self._rules.additives and len(xyz):
            _, distance = self._residues.near_polymer.within(xyz, BOUND_DISTANCE)
            share = float((distance < BOUND_DISTANCE).any(axis=0).mean())
        surroundings = Surroundings(
            heavy_atoms=_heavy_count(self._atoms, residue),
            copies_per_chain=self._comp_ids.count(code) / self._chains,
            contact_share=share,
            covalent=covalent,
        )
        return self._rules.of_component(code, surroundings, wanted=code in self._wanted)
