"""Map each observed atom to an atom of the component: by name, else by the graph."""

from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import combinations

import numpy as np
from rdkit import Chem, rdBase
from rdkit.Chem import rdDistGeom

from tethermap.base.arrays import FloatArray, IntArray
from tethermap.base.tables import by_key
from tethermap.components.component_cif import AROMATIC_ORDER
from tethermap.matching.partial import Mapping, observed_bonds, residue_graph
from tethermap.matching.residue import ObservedResidue
from tethermap.molecule.geometry import bonds_are_sane, bonds_are_strained, near_pairs, sane_pairs
from tethermap.molecule.neutral import neutralised
from tethermap.molecule.stereo import assign_stereo, set_coordinates
from tethermap.molecule.template import Template, assemble, sanitise

_Ranked = tuple[tuple[int, float], Mapping]
"""Rank of a mapping, the best first, and the mapping."""

MOST_MATCHES = 4_000
"""Maximum number of graph matches; a symmetric molecule has many equivalent ones."""

MOST_LABELLINGS = 200
"""Maximum number of placements of bond orders compared as molecules, those with most equal names first."""

SMALLEST_SHARE = 0.5
"""Share of a component's heavy atoms that must be observed for a graph match to count."""

CLEAR_RATIO = 1.3
CLEAR_GAP = 0.02
"""Geometry decides between two molecules only when the deviation of distances (r.m.s., in
angstroms) from the ideal ones is this many times, and by this much, larger for the second."""


def map_by_name(
    residue: ObservedResidue, shape: Template, names: Sequence[str], *, strained: bool = False
) -> Mapping | None:
    """Return the mapping by equal names, None unless it explains every atom.

    Parameters
    ----------
    names : sequence of str
        Names of the template's atoms: the present ones, or the alternative ones; never a mixture.
    strained : bool
        Whether a few bonds of impossible length are accepted.

    >>> carbonyl = Template(
    ...     names=("C", "O"), elements=("C", "O"), charges=(0, 0), hydrogens=(2, 0), leaving=(False, False),
    ...     bonds=((0, 1, 2),), xyz=(None, None), counts_hydrogens=True,
    ... )
    >>> xyz = np.array([[0.0, 0.0, 0.0], [1.2, 0.0, 0.0]])
    >>> observed = ObservedResidue("FOR", (0, 1), ("O", "C"), ("O", "C"), (0, 0), xyz, frozenset(), (0, 0))
    >>> map_by_name(observed, carbonyl, carbonyl.names)
    (1, 0)
    """
    number = {name: k for k, name in enumerate(names)}
    mapping = tuple(number[name] for name in residue.names if name in number)
    if residue.has_duplicates or len(number) < len(names) or len(mapping) < len(residue):
        return None
    if any(element != shape.elements[k] for element, k in zip(residue.elements, mapping, strict=True)):
        return None
    hold = bonds_are_strained if strained else bonds_are_sane
    return mapping if hold(residue.xyz, residue.elements, observed_bonds(shape, mapping)) else None


def map_by_graph(
    residue: ObservedResidue, shape: Template, *, strained: bool = False, trusted: bool = False
) -> Mapping | None:
    """Return the mapping by the pattern of bonds, None unless it leads to a single molecule.

    Observed atoms must form part of the template's skeleton; bond orders are ignored.
    If several mappings give different molecules, the geometry decides if it is clear.
    Among mappings that give the same molecule, prefer the one with most equal names, then with missing atoms among the
    leaving ones, then with distances closest to the ideal ones.

    Parameters
    ----------
    strained : bool
        Whether bonds of the template that are broken in the coordinates are accepted.
    trusted : bool
        Whether the template is the user's definition. Its names may be those of another program, therefore distances
        precede them where these are clear; if all atoms were observed, any mapping gives this molecule.
    """
    wanted = sum(not leaves for leaves in shape.leaving)
    if not len(residue) or len(residue) < SMALLEST_SHARE * wanted:
        return None
    matches = _graph_matches(residue, shape, strained=strained)
    if not len(matches):
        return None
    agreement = _agreement(residue, shape, matches)
    deviation = _deviation(residue.xyz, shape, matches, _ideal_distances(shape, trusted=trusted))
    best_first = np.lexsort((deviation, -agreement))
    _, distinct = np.unique(_labellings(shape, matches)[best_first], axis=0, return_index=True)
    labellings: list[_Ranked] = sorted(
        ((-int(agreement[k]), float(deviation[k])), tuple(matches[k].tolist())) for k in best_first[distinct]
    )
    if trusted and len(residue) == len(shape):
        return min((deviation, unequal, mapping) for (unequal, deviation), mapping in labellings)[2]
    if trusted:
        closest = min(deviation for (_, deviation), _ in labellings)
        labellings = [ranked for ranked in labellings if not _is_clear(closest, ranked[0][1])]
    by_molecule = by_key((_smiles(residue, shape, ranked[1]), ranked) for ranked in labellings[:MOST_LABELLINGS])
    if len(by_molecule) < 2:  # the first one is the best
        return next((ranked[0][1] for ranked in by_molecule.values()), None)
    (best, smiles), (second, _), *_ = sorted(
        (min(deviation for (_, deviation), _ in ranked), smiles) for smiles, ranked in by_molecule.items()
    )
    if not _is_clear(best, second):
        return None
    return min(by_molecule[smiles], key=lambda ranked: (ranked[0][1], ranked[1]))[1]


def _graph_matches(residue: ObservedResidue, shape: Template, *, strained: bool) -> IntArray:
    """Return the atom of the template that each observed atom may be, shape (n_matches, n_observed)."""
    none = np.zeros((0, len(residue)), dtype=np.int64)
    pairs = near_pairs(residue.xyz, residue.elements)
    if len(residue) > 1 and len(pairs) < len(residue) - 3:
        return none
    pattern = assemble(residue.elements, [0] * len(residue), [(a, b, 1) for a, b in pairs], [0] * len(residue))
    skeleton = assemble(shape.elements, [0] * len(shape), [(a, b, 1) for a, b, _ in shape.bonds], [0] * len(shape))
    for mol in (pattern, skeleton):
        mol.UpdatePropertyCache(strict=False)
    found = skeleton.GetSubstructMatches(pattern, uniquify=False, maxMatches=MOST_MATCHES)
    matches = np.array(found, dtype=np.int64).reshape(-1, len(residue))
    if strained or not shape.bonds:
        return matches
    first, second = _ends(matches, np.array(shape.bonds)[:, :2], len(shape))
    unobserved = (first < 0) | (second < 0)
    fits = unobserved | sane_pairs(residue.xyz, residue.elements)[first, second]
    return matches[np.flatnonzero(fits.all(axis=1))]


def _ends(matches: IntArray, pairs: IntArray, n_atoms: int) -> IntArray:
    """Return the observed atoms of pairs of a template's atoms, -1 for none, shape (2, n_matches, n_pairs)."""
    observed = np.full((len(matches), n_atoms), -1, dtype=np.int64)
    np.put_along_axis(observed, matches, np.arange(matches.shape[1])[None, :], axis=1)
    return np.stack([observed[:, pairs[:, 0]], observed[:, pairs[:, 1]]])


def _labellings(shape: Template, matches: IntArray) -> IntArray:
    """Return orders of bonds, charges and hydrogens of the observed atoms as numbers, shape (n_matches, n_numbers)."""
    of_atoms = [np.array(values)[matches] for values in (shape.charges, shape.hydrogens)]
    if not shape.bonds:
        return np.concatenate(of_atoms, axis=1)
    bonds = np.array(shape.bonds)
    first, second = np.sort(_ends(matches, bonds[:, :2], len(shape)), axis=0)
    numbers = ((first * matches.shape[1]) + second) * (AROMATIC_ORDER + 1) + bonds[:, 2]
    return np.concatenate([np.sort(np.where(first < 0, -1, numbers), axis=1), *of_atoms], axis=1)


def _agreement(residue: ObservedResidue, shape: Template, matches: IntArray) -> IntArray:
    """Return the numbers of equal names, and of leaving atoms that were not observed, shape (n_matches,)."""
    equal = np.array(residue.names)[None, :] == np.array(shape.names)[matches]
    leaving = np.array(shape.leaving, dtype=bool)
    total: IntArray = equal.sum(axis=1) + leaving.sum() - leaving[matches].sum(axis=1)
    return total


def _deviation(xyz: FloatArray, shape: Template, matches: IntArray, ideal: FloatArray) -> FloatArray:
    """Return deviations of distances over one and two bonds from ideal ones, r.m.s. in angstroms, shape (n_matches,).

    A mapping to an atom without ideal distances deviates by 0.
    """
    over = by_key(((a, b) if a < b else (b, a), -1) for a, b, _ in shape.bonds)
    near = by_key((end, other) for a, b, _ in shape.bonds for end, other in ((a, b), (b, a)))
    for middle, ends in near.items():
        for pair in combinations(sorted(ends), 2):
            over.setdefault(pair, []).append(middle)
    if not over:
        return np.zeros(len(matches))
    pairs = np.array(list(over))
    first, second = _ends(matches, pairs, len(shape))
    observed = np.ones((len(matches), len(shape) + 1), dtype=bool)  # the last is no atom, of pairs that are bonds
    observed[:, :-1] = False
    np.put_along_axis(observed, matches, values=True, axis=1)
    between = np.stack([observed[:, middles].any(axis=1) for middles in over.values()], axis=1)
    counted = (first >= 0) & (second >= 0) & between
    measured = np.linalg.norm(xyz[:, None] - xyz, axis=2)[first, second]
    squares = np.where(counted, measured - ideal[pairs[:, 0], pairs[:, 1]], 0.0) ** 2
    deviation = np.sqrt(squares.sum(axis=1) / np.maximum(counted.sum(axis=1), 1))
    return np.where(np.isnan(np.diag(ideal)[matches]).any(axis=1), 0.0, deviation)


@lru_cache(maxsize=256)
def _ideal_distances(shape: Template, *, trusted: bool) -> FloatArray:
    """Return the distances of ideal coordinates, nan if there are none; for a trusted template then those of RDKit."""
    places = np.array([place or (np.nan,) * 3 for place in shape.xyz])
    distances: FloatArray = np.linalg.norm(places[:, None] - places, axis=2)
    if not (trusted and np.isnan(places).any()):  # a SMILES without stereo has no coordinates
        return distances
    mol, passed = sanitise(assemble(shape.elements, shape.charges, shape.bonds, shape.hydrogens))
    if not passed:
        return distances
    with rdBase.BlockLogs(), suppress(ValueError, RuntimeError):
        bounds = rdDistGeom.GetMoleculeBoundsMatrix(mol)
        distances = (np.triu(bounds) + np.triu(bounds).T + np.tril(bounds) + np.tril(bounds).T) / 2
    return distances


def _is_clear(best: float, second: float) -> bool:
    return second > CLEAR_RATIO * best and second - best > CLEAR_GAP


def _smiles(residue: ObservedResidue, shape: Template, mapping: Mapping) -> str:
    """Return the neutral molecule that a mapping gives, as SMILES with stereo from the coordinates."""
    graph = residue_graph(residue, None, shape, mapping, "matched")
    mol, passed = sanitise(assemble(graph.elements, graph.charges, graph.bonds, graph.hydrogens))
    if passed:
        mol = Chem.RWMol(neutralised(mol))
        row_of = {index: position for position, index in enumerate(residue.atom_index)}
        set_coordinates(mol, residue.xyz[[row_of[index] for index in graph.atom_index]])
        assign_stereo(mol)
    return str(Chem.MolToSmiles(mol))
