"""Kinds of het groups, decided for sets of linked residues."""

from dataclasses import dataclass, replace

from tethermap.base.arrays import BoolArray
from tethermap.base.elements import HALOGENS, is_metal
from tethermap.components.component import is_hydrogen
from tethermap.entry.atoms import Atoms, text
from tethermap.instance.bonds import Bond
from tethermap.instance.kinds import (
    ANCHORED,
    ATTACKED_BY_SUGARS,
    CAPS,
    FEWEST_CHAINED_SUGARS,
    GLYCAM_CARRIERS,
    LIPID,
    MONOMERS,
    PARTICLES,
    KindOf,
    KindRules,
)

LARGEST_LIGAND = 500
"""Heavy atoms up to which linked residues are one ligand; more are a polymer that the file doesn't declare. House rule:
twice the largest component of the dictionary of biotite 1.6.0, IR0, which has 240."""


@dataclass(frozen=True, slots=True)
class HetGroup:
    """One het group or covalently linked set of het groups, in one place.

    Parameters
    ----------
    residues : tuple of int
        Indices of its residues in `Atoms`, in file order.
    head : int
        Residue that names it: the heaviest.
    kind, kind_reason : str
        Kind of the group, and the reason.
    unless_buried : bool
        Whether it is an additive that counts as a ligand when the protein buries it.
    subject : bool
        Whether it is an additive that the title of the entry is about.
    links : tuple of Bond
        Bonds to other groups, `first` being its own atom.
    inner : tuple of Bond
        Bonds between its residues.
    """

    residues: tuple[int, ...]
    head: int
    kind: str = "ligand"
    kind_reason: str = ""
    unless_buried: bool = False
    subject: bool = False
    links: tuple[Bond, ...] = ()
    inner: tuple[Bond, ...] = ()


@dataclass(frozen=True, slots=True)
class Classifier:
    """Classifies groups by kind.

    Parameters
    ----------
    atoms : Atoms
        Atoms of the entry.
    polymer : ndarray of bool, shape (n_residues,)
        Whether each residue is part of a polymer.
    rules : KindRules
        Reference lists.
    peptide_like : ndarray of bool, shape (n_residues,)
        Whether each residue is part of a chain that is a ligand.
    wanted : frozenset of str
        Component codes that the job names.
    title : str
        Title of the entry.
    """

    atoms: Atoms
    polymer: BoolArray
    peptide_like: BoolArray
    rules: KindRules
    wanted: frozenset[str]
    title: str

    def __call__(self, group: HetGroup) -> HetGroup:
        """Return the group with its kind."""
        if has_particles(self.atoms, group.head):
            found = KindOf("unknown", "particles of a program, not atoms")
        else:
            found = self._kind(group)
        if found.kind == "ligand" and is_unknown_atom(self.atoms, group.head, self.rules) and len(group.residues) == 1:
            found = KindOf("unknown", "a single atom of an unidentified component")
        return replace(group, **found._asdict())

    def _kind(self, group: HetGroup) -> KindOf:
        rules = self.rules
        covalent = (bond for bond in group.links if bond.kind == "covalent")
        to_polymer = [bond for bond in covalent if self.polymer[self.atoms.residue[bond.second]]]
        codes = [self._code(residue) for residue in group.residues]
        if len(codes) > 1 and (size := sum(self._size(residue) for residue in group.residues)) > LARGEST_LIGAND:
            return KindOf("polymer", f"{len(codes)} linked residues of {size} heavy atoms, not declared a polymer")
        ends = {(text(self.atoms.comp_id[bond.second]), text(self.atoms.name[bond.second])) for bond in to_polymer}
        has_sugar = any(rules.is_saccharide(code) for code in codes)
        if ends & GLYCAM_CARRIERS or ({code for code, _ in ends} - ATTACKED_BY_SUGARS and has_sugar):
            return KindOf("glycan", "a sugar linked to the polymer")
        if len(codes) == 1 and codes[0] in CAPS:
            return KindOf("polymer", "a cap of a chain end, written outside its polymer")
        if len(codes) == 1 and not rules.is_unknown(codes[0]) and self._is_ion(group.head):
            return KindOf("ion")
        roles = {rules.role(code) for code in codes}
        if roles == {LIPID} and ends & ANCHORED:
            return KindOf("modified_residue", "a lipid anchor of the polymer")
        verdicts = [
            rules.of_component(code, heavy_count(self.atoms, residue), wanted=code in self.wanted, title=self.title)
            for code, residue in zip(codes, group.residues, strict=True)
        ]
        of_head = verdicts[group.residues.index(group.head)]
        of_group = next((verdict for verdict in verdicts if verdict.kind == "ligand"), of_head)
        if of_group.kind in ("ligand", "additive") and self._is_label(to_polymer):
            return KindOf("modified_residue", "bonded only to nucleic acid, or to two polymers: a label or cross-link")
        if of_group.kind != "additive":
            return of_group
        if self.peptide_like[list(group.residues)].any():
            return KindOf("ligand")
        if of_group.unless_buried and any(bond.declared for bond in to_polymer):
            return KindOf("ligand", f"{rules.role(codes[0])}, but covalently bound")
        if len(codes) >= FEWEST_CHAINED_SUGARS and all(rules.is_saccharide(code) for code in codes):
            return KindOf("ligand", f"{rules.role(codes[0])} if free, but in a chain of {len(codes)} sugars")
        if len(codes) > 1 and roles <= MONOMERS:
            return KindOf("ligand", f"{rules.role(codes[0])} if free, but in a chain of {len(codes)}")
        return of_group

    def _code(self, residue: int) -> str:
        return text(self.atoms.comp_id[self.atoms.starts[residue]]).upper()

    def _is_label(self, to_polymer: list[Bond]) -> bool:
        """Return whether all bonds go to nucleic acid, or to two chains."""
        ends = [bond.second for bond in to_polymer]
        nucleic = [self.rules.is_nucleotide(text(self.atoms.comp_id[end])) for end in ends]
        return bool(ends) and (all(nucleic) or len({bytes(self.atoms.label_asym_id[end]) for end in ends}) > 1)

    def _size(self, residue: int) -> int:
        """Return the heavy atoms of a residue: those of its component, or more if seen in one conformer."""
        return max(self.atoms.fullest_conformer(self.atoms.at(residue)), self._defined(residue))

    def _defined(self, residue: int) -> int:
        """Return the heavy atoms of a residue's component, 0 if it is unknown."""
        component = self.rules.component(self._code(residue))
        return sum(not is_hydrogen(atom.element) for atom in component.atoms) if component else 0

    def _is_ion(self, residue: int) -> bool:
        if heavy_count(self.atoms, residue) != 1:
            return False
        component = self.rules.component(self._code(residue))
        symbol = text(self.atoms.element[self.atoms.starts[residue]])
        # CHARMM calls ions by codes of other components: POT, CLA
        if component is not None and component.origin != "user" and symbol in {one.element for one in component.atoms}:
            return self._defined(residue) == 1 and self._code(residue) not in self.rules.additives
        return is_bare_ion(self.atoms, residue)


def heavy_count(atoms: Atoms, residue: int) -> int:
    """Return the heavy atoms of a residue, those of alternates once."""
    part = atoms.at(residue)
    return len(set(atoms.name[part][atoms.heavy[part]].tolist()))


def has_particles(atoms: Atoms, residue: int) -> bool:
    """Return whether a residue consists of particles of a program instead of atoms."""
    first = atoms.starts[residue]
    return (text(atoms.comp_id[first]), text(atoms.name[first])) in PARTICLES


def is_unknown_atom(atoms: Atoms, residue: int, rules: KindRules) -> bool:
    """Return whether a residue is one atom of an unidentified component, or particles, which are bonded to nothing.

    Metals and halogens are ions.
    """
    code = text(atoms.comp_id[atoms.starts[residue]])
    if has_particles(atoms, residue):
        return True
    if heavy_count(atoms, residue) != 1:
        return False
    return rules.is_unknown(code) or (rules.component(code.upper()) is None and not is_bare_ion(atoms, residue))


def is_bare_ion(atoms: Atoms, residue: int) -> bool:
    """Return whether a residue is one atom of a metal or halogen."""
    part = atoms.at(residue)
    symbol = text(atoms.element[part.start])
    return heavy_count(atoms, residue) == 1 and (symbol in HALOGENS or is_metal(symbol))
