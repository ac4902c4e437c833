"""Find the het groups of an entry, join covalently linked ones, and classify each by kind."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from tethermap.base.arrays import IntArray
from tethermap.base.elements import mass
from tethermap.base.tables import by_key
from tethermap.entry.atoms import POLYMER, WATER, Atoms, text
from tethermap.entry.near import NearAtoms, squared_distances
from tethermap.entry.reader import Entry
from tethermap.instance.bonds import LONGEST_JOIN, Bond, can_form, declared_bonds, partners_for_bonds, undeclared_bonds
from tethermap.instance.classify import Classifier, HetGroup, is_bare_ion, is_unknown_atom
from tethermap.instance.glycans import stray_glycans, with_sugar_links
from tethermap.instance.kinds import STANDARD_RESIDUES, KindRules
from tethermap.instance.model import Residue
from tethermap.instance.peptides import short_chains

_STANDARD = frozenset(name.encode() for name in STANDARD_RESIDUES)


class Residues:
    """The residues of an entry sorted into polymer, water and het groups.

    Parameters
    ----------
    entry : Entry
        The entry.

    Attributes
    ----------
    polymer : ndarray of bool, shape (n_residues,)
        Residues of polymers that are not ligands.
    short : dict of str to str
        Author chain of each chain that is a ligand or a peptide, by label_asym_id.
    peptides : list of ndarray of int
        Residues of each short unmodified chain, which is a polymer too.
    modified : ndarray of int
        Polymer residues that are not standard.
    het : ndarray of int
        All others but water, peptide-like ligands included.
    standard : ndarray of bool, shape (n_residues,)
        Standard residues of a polymer chain, even if the chain is a ligand: not het groups.
    peptide_like : ndarray of bool, shape (n_residues,)
        Residues of chains that are ligands.
    """

    def __init__(self, entry: Entry) -> None:
        atoms = entry.atoms
        starts = atoms.starts
        self._atoms = atoms
        kinds = atoms.entity_type[starts]
        comp_ids = atoms.comp_id[starts]
        in_polymer = kinds == POLYMER
        known = np.array([name in _STANDARD for name in comp_ids.tolist()], dtype=np.bool_)
        chains = short_chains(entry, known)
        asyms = atoms.label_asym_id[starts]
        none = [name.encode() for name in chains.ligands | chains.sugars]
        self.polymer = in_polymer & ~np.isin(asyms, none)
        first = {asym: np.flatnonzero(asyms == asym.encode())[0] for asym in chains.ligands | chains.peptides}
        self.short = {asym: text(atoms.auth_asym_id[starts[residue]]).strip() for asym, residue in first.items()}
        self.peptides = [np.flatnonzero(self.polymer & (asyms == name.encode())) for name in sorted(chains.peptides)]
        self.standard = in_polymer & known
        self.peptide_like = np.isin(asyms, [name.encode() for name in chains.ligands])
        self.modified = np.flatnonzero(self.polymer & ~known)
        self.het = np.flatnonzero(~self.polymer & (kinds != WATER))
        self.polymer_atoms = np.flatnonzero(self.polymer[atoms.residue] & atoms.heavy).astype(np.int64)
        self._names: dict[int, Residue] = {}

    def name(self, residue: int) -> Residue:
        """Return the names of a residue; one without chain gets the chain of the nearest polymer atom."""
        if residue not in self._names:
            atoms = self._atoms
            first = int(atoms.starts[residue])
            self._names[residue] = Residue(
                auth_asym_id=text(atoms.auth_asym_id[first]).strip() or self._chain_nearby(residue),
                label_asym_id=text(atoms.label_asym_id[first]),
                comp_id=text(atoms.comp_id[first]),
                auth_seq_id=int(atoms.auth_seq_id[first]),
                ins_code=text(atoms.ins_code[first]),
            )
        return self._names[residue]

    def is_unique(self, residue: int, group: Sequence[int]) -> bool:
        """Return whether a residue's combination of chain, number and name is unique.

        Parameters
        ----------
        residue : int
            A residue.
        group : sequence of int
            The residues of its group.

        Returns
        -------
        bool
            Complete copies of a component elsewhere under one number are accepted, as in files of the 1990s.
        """
        atoms = self._atoms
        first = int(atoms.starts[residue])
        same = np.flatnonzero(atoms.auth_seq_id[atoms.starts] == atoms.auth_seq_id[first])
        for column in (atoms.comp_id, atoms.auth_asym_id, atoms.ins_code):
            same = same[column[atoms.starts[same]] == column[first]]
        own = sorted(atoms.name[atoms.at(residue)].tolist())
        others = [other for other in same.tolist() if other != residue]
        if any(other in group or self.polymer[other] for other in others):
            return False
        return all(sorted(atoms.name[atoms.at(other)].tolist()) == own for other in others)

    def _chain_nearby(self, residue: int) -> str:
        atoms, members = self._atoms, self.polymer_atoms
        if not len(members):
            return ""
        nearest = int(squared_distances(atoms.xyz[atoms.at(residue)], atoms.xyz[members]).argmin()) % len(members)
        return text(atoms.auth_asym_id[members[nearest]]).strip()


def find_groups(entry: Entry, residues: Residues, rules: KindRules, wanted: Iterable[str] = ()) -> list[HetGroup]:
    """Return the het groups of an entry outside its polymers, linked ones joined.

    Parameters
    ----------
    entry : Entry
        The entry.
    residues : Residues
        Residues of the group.
    rules : KindRules
        Reference lists.
    wanted : iterable of str
        Component codes that the job names: never additives.

    Returns
    -------
    list of HetGroup
        In file order of their first residues; short unmodified chains, which are polymers too, come last.
    """
    atoms = entry.atoms
    alone = {residue for residue in residues.het.tolist() if is_unknown_atom(atoms, residue, rules)}
    bonds = _bonds(entry, residues, rules, alone)
    owner = _joined(atoms, residues, bonds)
    members = by_key((owner[residue], residue) for residue in residues.het.tolist())
    links: dict[int | None, list[Bond]] = defaultdict(list)
    inner: dict[int | None, list[Bond]] = defaultdict(list)
    for bond in bonds:
        first, second = map(owner.get, bond.residues(atoms))
        if first == second:
            inner[first].append(bond)
        else:
            links[first].append(bond)
            links[second].append(replace(bond, first=bond.second, second=bond.first))
    title = entry.metadata.title
    classify = Classifier(atoms, residues.polymer, residues.peptide_like, rules, frozenset(wanted), title)
    classified = [
        classify(HetGroup(tuple(group), heaviest(atoms, group), links=tuple(links[key]), inner=tuple(inner[key])))
        for key, group in members.items()
    ]
    for place, glycan in list(stray_glycans(atoms, classified, rules.is_saccharide)):
        classified[place] = glycan
    others = partners_for_bonds(atoms) if residues.peptides else None
    return [*classified, *(_peptide(atoms, members, others) for members in residues.peptides if others is not None)]


def _bonds(entry: Entry, residues: Residues, rules: KindRules, alone: set[int]) -> list[Bond]:
    """Return declared and undeclared bonds of all het residues except `alone`, each pair of atoms once."""
    atoms = entry.atoms
    bonds = [bond for bond in declared_bonds(entry.structure, atoms) if alone.isdisjoint(bond.residues(atoms))]
    known = {frozenset((bond.first, bond.second)) for bond in bonds}
    linked = {frozenset(bond.residues(atoms)) for bond in bonds if bond.kind == "covalent"}
    # Poses have only declared bonds, and hundreds of them coincide.
    others = partners_for_bonds(atoms, but=entry.poses)
    het = [residue for residue in residues.het.tolist() if residue not in entry.poses]
    for residue in het:
        bare = residue in alone or is_bare_ion(atoms, residue)
        for bond in () if bare else undeclared_bonds(atoms, residue, others):
            ends = bond.residues(atoms)
            joins = not residues.polymer[ends[1]]
            if ends[1] in alone or (joins and bond.ratio(atoms) > LONGEST_JOIN):
                continue
            pair = frozenset((bond.first, bond.second))
            if pair not in known and frozenset(ends) not in linked and can_form(atoms, bond, rules.component):
                known.add(pair)
                bonds.append(bond)
    return with_sugar_links(atoms, het, bonds, others, rules.is_saccharide)


def _peptide(atoms: Atoms, residues: IntArray, others: NearAtoms) -> HetGroup:
    """Return a short unmodified chain as a group."""
    members = tuple(residues.tolist())
    bonds = [bond for residue in members for bond in undeclared_bonds(atoms, residue, others)]
    inner = {frozenset((bond.first, bond.second)): bond for bond in bonds if int(atoms.residue[bond.second]) in members}
    return HetGroup(members, heaviest(atoms, members), "peptide", inner=tuple(inner.values()))


def _joined(atoms: Atoms, residues: Residues, bonds: list[Bond]) -> dict[int, int]:
    """Map each het residue to the first residue of its covalently linked group."""
    groups = {residue: [residue] for residue in residues.het.tolist()}
    for bond in bonds:
        ends = bond.residues(atoms)
        if bond.kind == "covalent" and all(end in groups and not is_bare_ion(atoms, end) for end in ends):
            group, other = (groups[end] for end in ends)
            if group is not other:
                group += other
                groups |= dict.fromkeys(other, group)
    return {residue: min(group) for residue, group in groups.items()}


def heaviest(atoms: Atoms, residues: Sequence[int]) -> int:
    """Return the residue with the largest mass of its heavy atoms; the first of equals."""
    if len(residues) == 1:
        return residues[0]

    def heavy_mass(residue: int) -> float:
        part = atoms.at(residue)
        _, first = np.unique(atoms.name[part], return_index=True)
        elements = atoms.element[part][first][atoms.heavy[part][first]]
        return round(sum(mass(text(element)) for element in elements), 3)

    return max(residues, key=heavy_mass)
