"""A component as a graph of heavy atoms, and molecules made from parts of it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rdkit import Chem

from tethermap.base.elements import atomic_number
from tethermap.components.component import Component, is_hydrogen
from tethermap.components.component_cif import AROMATIC_ORDER

_BOND_TYPES = {
    1: Chem.BondType.SINGLE,
    2: Chem.BondType.DOUBLE,
    3: Chem.BondType.TRIPLE,
    AROMATIC_ORDER: Chem.BondType.AROMATIC,
}
_LENIENT = Chem.SanitizeFlags.SANITIZE_ALL ^ (
    Chem.SanitizeFlags.SANITIZE_PROPERTIES
    | Chem.SanitizeFlags.SANITIZE_KEKULIZE
    | Chem.SanitizeFlags.SANITIZE_SETAROMATICITY
)


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """The heavy atoms of a component, numbered in dictionary order.

    Parameters
    ----------
    names, elements : tuple of str
        Atom names and element symbols.
    charges, hydrogens : tuple of int
        Formal charge and number of hydrogens of each atom.
    leaving : tuple of bool
        Whether the atom leaves when the component is linked.
    bonds : tuple of (int, int, int)
        Atoms and order of each bond; order 4 is aromatic or delocalised.
    xyz : tuple
        Ideal coordinates, None if unknown.
    counts_hydrogens : bool
        Whether `hydrogens` means something: not for a user's or an entry's list of heavy atoms only.
    """

    names: tuple[str, ...]
    elements: tuple[str, ...]
    charges: tuple[int, ...]
    hydrogens: tuple[int, ...]
    leaving: tuple[bool, ...]
    bonds: tuple[tuple[int, int, int], ...]
    xyz: tuple[tuple[float, float, float] | None, ...]
    counts_hydrogens: bool

    def __len__(self) -> int:
        return len(self.names)


@lru_cache(maxsize=1024)
def template(component: Component) -> Template:
    """Return the heavy-atom graph of a component."""
    heavy = [index for index, atom in enumerate(component.atoms) if not is_hydrogen(atom.element)]
    number = {index: k for k, index in enumerate(heavy)}
    atoms = [component.atoms[index] for index in heavy]
    bonds, hydrogens = bonds_within(((bond.first, bond.second, bond.order) for bond in component.bonds), number)
    return Template(
        names=tuple(atom.name for atom in atoms),
        elements=tuple(atom.element for atom in atoms),
        charges=tuple(atom.charge for atom in atoms),
        hydrogens=tuple(hydrogens[k] for k in range(len(heavy))),
        leaving=tuple(atom.leaving for atom in atoms),
        bonds=tuple(sorted(bonds)),
        xyz=tuple(atom.xyz for atom in atoms),
        counts_hydrogens=component.origin in ("index", "network") or bool(hydrogens),
    )


def bonds_within(
    bonds: Iterable[tuple[int, int, int]], number: Mapping[int, int]
) -> tuple[list[tuple[int, int, int]], Counter[int]]:
    """Return the bonds between some atoms, and the hydrogens that fill the valences towards the others.

    Parameters
    ----------
    bonds : iterable of (int, int, int)
        Atoms and order.
    number : mapping of int to int
        Numbers of the atoms in the results.

    >>> bonds_within([(0, 1, 1), (1, 2, 2)], {0: 1, 1: 0})
    ([(0, 1, 1)], Counter({0: 2}))
    """
    inner: list[tuple[int, int, int]] = []
    filled: Counter[int] = Counter()
    for first, second, order in bonds:
        ends = [number[end] for end in (first, second) if end in number]
        if len(ends) == 2:
            inner.append((min(ends), max(ends), order))
        elif ends:
            filled[ends[0]] += order if order < AROMATIC_ORDER else 1
    return inner, filled


def assemble(
    elements: Sequence[str],
    charges: Sequence[int],
    bonds: Sequence[tuple[int, int, int]],
    hydrogens: Sequence[int | None] | None,
) -> Chem.RWMol:
    """Return atoms and bonds as a molecule that is not sanitised yet.

    Parameters
    ----------
    elements, charges : sequence
        Element of each atom; an element unknown to RDKit becomes a dummy atom.
    bonds : sequence of (int, int, int)
        Atoms and order, 4 for aromatic.
    hydrogens : sequence of int, or None
        Number of hydrogens on each atom; None, for one atom or all, lets RDKit's valence model
        decide.
    """
    mol = Chem.RWMol()
    for k, (element, charge) in enumerate(zip(elements, charges, strict=True)):
        atom = Chem.Atom(atomic_number(element))
        atom.SetFormalCharge(charge)
        if hydrogens is not None and (count := hydrogens[k]) is not None:
            fix_hydrogens(atom, count)
        mol.AddAtom(atom)
    for first, second, order in bonds:
        number = mol.AddBond(first, second, _BOND_TYPES[order]) - 1
        if order == AROMATIC_ORDER:
            for part in (mol.GetAtomWithIdx(first), mol.GetAtomWithIdx(second), mol.GetBondWithIdx(number)):
                part.SetIsAromatic(True)
    return mol


def fix_hydrogens(atom: Chem.Atom, count: int) -> None:
    """Give an atom a number of hydrogens that RDKit does not change."""
    atom.SetNoImplicit(True)
    atom.SetNumExplicitHs(count)


@lru_cache(maxsize=512)
def checked(
    elements: tuple[str, ...],
    charges: tuple[int, ...],
    bonds: tuple[tuple[int, int, int], ...],
    hydrogens: tuple[int | None, ...] | None,
) -> tuple[Chem.RWMol, bool]:
    """Return the molecule of `assemble` after `sanitise`, one for a component and its copies: don't change it."""
    return sanitise(assemble(elements, charges, bonds, hydrogens))


def sanitise(mol: Chem.RWMol) -> tuple[Chem.RWMol, bool]:
    """Sanitise an assembled molecule, and return whether it passed all of RDKit's checks.

    If a molecule fails with its own hydrogen counts, RDKit's valence model is tried; if that fails too, it is prepared
    for drawing and substructure search only.

    Parameters
    ----------
    mol : Chem.RWMol
        From `assemble`; it is not changed.
    """
    for implicit in (False, True):
        variant = Chem.RWMol(mol)
        for atom in variant.GetAtoms() if implicit else ():
            atom.SetNoImplicit(False)
            atom.SetNumExplicitHs(0)
        if Chem.SanitizeMol(variant, catchErrors=True) == Chem.SanitizeFlags.SANITIZE_NONE:
            return variant, True
    lenient = Chem.RWMol(mol)
    lenient.UpdatePropertyCache(strict=False)
    Chem.SanitizeMol(lenient, _LENIENT, catchErrors=True)
    return lenient, False
