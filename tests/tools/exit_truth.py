"""Attachment atoms derived from the component dictionary: degraders in it contain smaller components.

A degrader is sought among components of `FEWEST_ATOMS` heavy atoms or more with a ligand of an E3 ligase in them. A
smaller component is a parent of one if, after the smallest change that the search of exits knows (a hydrogen or a group
leaves), it is a substructure in which exactly one atom is bonded to a large piece, and the ligand of the ligase is
completely on one side: in that piece, or in the core next to a piece with a ring. (Large inhibitors of the ligases
contain smaller ones too; these are not degraders.) That atom is accepted; sets of accepted atoms are lower
bounds, because published linkers do not cover all suitable atoms.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from rdkit import Chem, rdBase

from tests.tools.components import component_codes
from tethermap.answers.observed.contained import FEWEST_CORE, DegraderLibrary
from tethermap.base.component_index import default_index
from tethermap.components.component import is_hydrogen
from tethermap.components.index import ComponentIndex
from tethermap.molecule.dictionary import dictionary_molecule

MOTIFS = {
    "VHL": "[OX2]C1CC(C(=O)N[CX4]c2ccccc2)N(C=O)C1",
    "cereblon": "O=C1CCC([#6,#7])C(=O)N1",
    "IAP": "[CH3][NX3;H1][CX4]([CH3])C(=O)N[CX4]",
    "MDM2, imidazoline": "Clc1ccc(cc1)C1N=C(c)N(C=O)C1c1ccc(Cl)cc1",
    "MDM2, spirooxindole": "O=C1Nc2cc(Cl)ccc2C1(C)C",
}
"""Ligands of E3 ligases that degraders recruit."""

FEWEST_ATOMS = 38
MOST_ATOMS = 110
HIGH_CORE = 18


@dataclass(frozen=True)
class Pair:
    """A parent and a degrader that contains it: the names of the parent's atoms that carry the rest."""

    parent: str
    degrader: str
    atoms: frozenset[str]
    high: bool


@dataclass(frozen=True)
class Truth:
    """Derived truth: pairs, and the number of components that contain a ligand of a ligase."""

    pairs: tuple[Pair, ...]
    n_with_motif: int

    def accepted(self) -> dict[str, frozenset[str]]:
        """Return the accepted atoms of each parent by its code."""
        found: dict[str, frozenset[str]] = defaultdict(frozenset)
        for pair in self.pairs:
            found[pair.parent] |= pair.atoms
        return dict(found)


def _is_halved(mol: Chem.Mol, recruits: list[frozenset[int]], core: frozenset[int], piece: frozenset[int]) -> bool:
    """Return whether a core and its substituent are a ligase's ligand and another one with a ring, in any order."""
    rings = mol.GetRingInfo().AtomRings()
    return any(atoms <= piece for atoms in recruits) or (
        any(atoms <= core for atoms in recruits) and any(piece.issuperset(ring) for ring in rings)
    )


def derived_truth(among: Collection[str] | None = None) -> Truth:
    """Return the truth from the installed dictionary; all of it takes a few minutes.

    Parameters
    ----------
    among : collection of str or None
        Codes of the components to look at; None for all.
    """
    rdBase.DisableLog("rdApp.*")
    motifs = [Chem.MolFromSmarts(smarts) for smarts in MOTIFS.values()]
    degraders: dict[str, tuple[Chem.Mol, list[frozenset[int]]]] = {}
    smaller: dict[str, Chem.Mol] = {}
    for code, mol in _components(among):
        if mol.GetNumAtoms() >= FEWEST_ATOMS:
            recruits = [frozenset(match) for motif in motifs for match in mol.GetSubstructMatches(motif)]
            if recruits:
                degraders[code] = mol, recruits
        smaller[code] = mol
    codes = list(degraders)
    library = DegraderLibrary(lambda number, core, piece: _is_halved(*degraders[codes[number]], core, piece))
    for mol, _ in degraders.values():
        library.add(mol)
    pairs = [
        Pair(
            code,
            codes[one.number],
            frozenset(mol.GetAtomWithIdx(k).GetProp("name") for k in one.anchors),
            one.is_whole and mol.GetNumAtoms() - len(one.leaving) >= HIGH_CORE,
        )
        for code, mol in smaller.items()
        for one in library.containing(mol)
    ]
    return Truth(tuple(pairs), len(degraders))


def _components(among: Collection[str] | None) -> Iterator[tuple[str, Chem.Mol]]:
    """Yield the heavy atoms of the dictionary's components that RDKit accepts."""
    codes = [code for code in component_codes() if among is None or code in among]
    for first in range(0, len(codes), 1000):  # an index caches all components that it returned
        with closing(ComponentIndex(default_index())) as index:
            for code in codes[first : first + 1000]:
                component = index.get(code)
                if component is None or "PEPTIDE" in component.type.upper() or "NA LINKING" in component.type.upper():
                    continue
                n_heavy = sum(not is_hydrogen(atom.element) for atom in component.atoms)
                if FEWEST_CORE <= n_heavy <= MOST_ATOMS:
                    mol = dictionary_molecule(component, neutral=True)
                    if mol is not None and mol.GetBoolProp("sanitised"):
                        yield code, mol


def interval(values: dict[str, list[float]]) -> tuple[float, float]:
    """Return the 95 % interval of a mean over all values when groups of them are drawn with replacement.

    Parameters
    ----------
    values : dict of str to list of float
        Values of the ligands of each target.
    """
    groups = list(values.values())
    if not groups:
        return float("nan"), float("nan")
    random = np.random.default_rng(1)
    sums, sizes = np.array([sum(group) for group in groups]), np.array([len(group) for group in groups])
    drawn = random.integers(0, len(groups), (2000, len(groups)))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)
