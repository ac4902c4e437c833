"""Map each observed atom to an atom of the component: by name, else by the graph."""

from collections.abc import Iterator, Sequence

import numpy as np
from rdkit import Chem

from tethermap.base.arrays import FloatArray
from tethermap.base.tables import by_key
from tethermap.matching.partial import Mapping, observed_bonds, residue_graph
from tethermap.matching.residue import ObservedResidue
from tethermap.molecule.geometry import bonds_are_sane, bonds_are_strained, near_pairs
from tethermap.molecule.neutral import neutralised
from tethermap.molecule.stereo import assign_stereo, set_coordinates
from tethermap.molecule.template import Template, assemble, sanitise

_Ranked = tuple[tuple[int, float], Mapping]
"""Rank of a mapping, the best first, and the mapping."""

MOST_MATCHES = 2_000
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
    residue: ObservedResidue, shape: Template, *, strained: bool = False, named: bool = True
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
    named : bool
        Whether the template's names are known; if not, distances precede them where these are clear.
    """
    wanted = sum(not leaves for leaves in shape.leaving)
    if not len(residue) or len(residue) < SMALLEST_SHARE * wanted:
        return None
    by_labelling: dict[tuple[object, ...], _Ranked] = {}
    for mapping in _graph_matches(residue, shape, strained=strained):
        bonds = sorted((min(a, b), max(a, b), order) for a, b, order in observed_bonds(shape, mapping))
        label = tuple(bonds), tuple((shape.charges[k], shape.hydrogens[k]) for k in mapping)
        rank = -_agreement(residue, shape, mapping), _deviation(residue.xyz, shape, mapping)
        if label not in by_labelling or rank < by_labelling[label][0]:
            by_labelling[label] = rank, mapping
    labellings = sorted(by_labelling.values())
    if not named and labellings:
        closest = min(deviation for (_, deviation), _ in labellings)
        labellings = [ranked for ranked in labellings if not _is_clear(closest, ranked[0][1])]
    best_first = labellings[:MOST_LABELLINGS]
    by_molecule = by_key((_smiles(residue, shape, ranked[1]), ranked) for ranked in best_first)
    if len(by_molecule) < 2:  # the first one is the best
        return next((ranked[0][1] for ranked in by_molecule.values()), None)
    (best, smiles), (second, _), *_ = sorted(
        (min(deviation for (_, deviation), _ in ranked), smiles) for smiles, ranked in by_molecule.items()
    )
    if not _is_clear(best, second):
        return None
    return min(by_molecule[smiles], key=lambda ranked: (ranked[0][1], ranked[1]))[1]


def _graph_matches(residue: ObservedResidue, shape: Template, *, strained: bool) -> Iterator[Mapping]:
    pairs = near_pairs(residue.xyz, residue.elements)
    if len(residue) > 1 and len(pairs) < len(residue) - 3:
        return
    pattern = assemble(residue.elements, [0] * len(residue), [(a, b, 1) for a, b in pairs], [0] * len(residue))
    skeleton = assemble(shape.elements, [0] * len(shape), [(a, b, 1) for a, b, _ in shape.bonds], [0] * len(shape))
    for mol in (pattern, skeleton):
        mol.UpdatePropertyCache(strict=False)
    for match in skeleton.GetSubstructMatches(pattern, uniquify=False, maxMatches=MOST_MATCHES):
        extra = [bond for bond in observed_bonds(shape, match) if (min(bond[:2]), max(bond[:2])) not in pairs]
        if not extra or strained or bonds_are_sane(residue.xyz, residue.elements, extra):
            yield match


def _agreement(residue: ObservedResidue, shape: Template, mapping: Mapping) -> int:
    """Return the number of equal names, and of leaving atoms that were not observed."""
    equal = sum(name == shape.names[k] for name, k in zip(residue.names, mapping, strict=True))
    observed = set(mapping)
    return equal + sum(leaves and k not in observed for k, leaves in enumerate(shape.leaving))


def _deviation(xyz: FloatArray, shape: Template, mapping: Mapping) -> float:
    """Return the deviation of distances over one and two bonds from ideal values (r.m.s., in angstroms)."""
    if any(shape.xyz[k] is None for k in mapping):
        return 0.0
    bonds = [(a, b) for a, b, _ in observed_bonds(shape, mapping)]
    pairs = {(min(a, b), max(a, b)) for a, b in bonds}
    for ends in by_key([*bonds, *((b, a) for a, b in bonds)]).values():
        pairs.update((min(a, b), max(a, b)) for a in ends for b in ends if a != b)
    if not pairs:
        return 0.0
    first, second = np.array(sorted(pairs)).T
    ideal = np.array([shape.xyz[k] for k in mapping], dtype=np.float64)
    measured, expected = (np.linalg.norm(points[first] - points[second], axis=1) for points in (xyz, ideal))
    return float(np.sqrt(np.mean((measured - expected) ** 2)))


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
