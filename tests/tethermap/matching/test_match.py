"""Mappings of observed atoms: when names count, when the graph decides, and the edges of geometry."""

import numpy as np
import pytest

from tests.tools.components import Known, component_of, ideal_instance
from tethermap.base.elements import covalent_radius
from tethermap.components.component import Component
from tethermap.matching import match
from tethermap.matching.match import map_by_graph
from tethermap.matching.residue import ObservedResidue, observed_residues
from tethermap.molecule import geometry
from tethermap.molecule.geometry import bonds_are_sane, near_pairs
from tethermap.molecule.template import template

CARBONS = 2 * covalent_radius("C")


def _observed(component: Component, **options: object) -> ObservedResidue:
    (residue,) = observed_residues(ideal_instance(component, **options), {})  # type: ignore[arg-type]
    return residue


@pytest.mark.parametrize(("length", "sane"), [(0.59, False), (0.61, True), (1.0, True), (1.34, True), (1.36, False)])
def test_bond_length_decides_between_fixed_multiples_of_the_radii(length: float, sane: bool) -> None:
    xyz = np.array([[0, 0, 0], [length * CARBONS, 0, 0]])
    assert bonds_are_sane(xyz, ["C", "C"], [(0, 1, 1)]) is sane


def test_only_a_bond_to_a_metal_may_be_open() -> None:
    xyz = np.array([[0.0, 0, 0], [3.5, 0, 0]])
    assert bonds_are_sane(xyz, ["Fe", "N"], [(0, 1, 1)])
    assert not bonds_are_sane(xyz, ["C", "N"], [(0, 1, 1)])
    assert geometry.open_metal_bonds(xyz, ["Fe", "N"], [(0, 1, 1)]) == {(0, 1)}


@pytest.mark.parametrize(("length", "bonded"), [(1.24, True), (1.26, False)])
def test_atoms_are_connected_up_to_a_multiple_of_the_radii(length: float, bonded: bool) -> None:
    xyz = np.array([[0, 0, 0], [length * CARBONS, 0, 0]])
    assert bool(near_pairs(xyz, ["C", "C"])) is bonded


def test_long_side_of_a_triangle_is_not_a_bond() -> None:
    bent = np.array([[0.0, 0, 0], [1.3, 0.95, 0], [-1.3, 0.95, 0]])  # P–O–P with the phosphorus atoms 2.6 Å apart
    assert [*near_pairs(bent, ["O", "P", "P"])] == [(0, 1), (0, 2)]


def test_three_membered_ring_keeps_its_bonds() -> None:
    ring = 1.51 / np.sqrt(3) * np.array([[1, 0, 0], [-0.5, np.sqrt(0.75), 0], [-0.5, -np.sqrt(0.75), 0]])
    assert len(near_pairs(ring, ["C", "C", "C"])) == 3


def test_graph_match_needs_half_of_the_component(known: Known) -> None:
    shape = template(known("STI"))
    small = _observed(known("STI"), omit=shape.names[: len(shape) // 2 + 1])
    assert len(small) < match.SMALLEST_SHARE * len(shape)
    assert map_by_graph(small, shape) is None


def test_molecule_with_another_skeleton_does_not_match(known: Known) -> None:
    assert map_by_graph(_observed(known("478")), template(known("STI"))) is None


def _fluorinated_chain(*lengths: float) -> Component:
    """A zigzag of five carbons with given bond lengths, double bond first, and a fluorine on the third."""
    turns = [(np.cos(np.pi / 6), (-1) ** k * np.sin(np.pi / 6), 0.0) for k in range(4)]
    places = np.cumsum([(0.0, 0.0, 0.0), *(np.array(lengths)[:, None] * turns)], axis=0).tolist()
    places.append([*places[2][:2], 1.38])
    names = ("C1", "C2", "C3", "C4", "C5", "F1")
    atoms = [(name, name[0], (x, y, z)) for name, (x, y, z) in zip(names, places, strict=True)]
    bonds = [("C1", "C2", 2), ("C2", "C3", 1), ("C3", "C4", 1), ("C4", "C5", 1), ("C3", "F1", 1)]
    return component_of("CHF", atoms, bonds)


def test_geometry_breaks_a_tie_of_bond_orders_when_it_is_clear() -> None:
    """But-1-ene read from the other end, with a substituent that makes the ends differ."""
    definition = _fluorinated_chain(1.34, 1.53, 1.53, 1.53)
    residue = _observed(definition, renamed={f"C{k}": f"X{k}" for k in range(1, 6)})
    mapping = map_by_graph(residue, template(definition))
    assert mapping is not None
    order = {name: template(definition).names[k] for name, k in zip(residue.names, mapping, strict=True)}
    assert order["X1"] == "C1"


def test_unresolved_tie_is_not_a_match() -> None:
    """All bonds are equally long, so the end with the double bond is unknown."""
    shape = template(_fluorinated_chain(1.34, 1.53, 1.53, 1.53))
    vague = _observed(_fluorinated_chain(1.47, 1.47, 1.47, 1.47), renamed={f"C{k}": f"X{k}" for k in range(1, 6)})
    assert map_by_graph(vague, shape) is None


# at least 1.3 times, and at least 0.02 Å more
@pytest.mark.parametrize(
    ("best", "second", "clear"),
    [(0.10, 0.20, True), (0.10, 0.129, False), (0.10, 0.131, True), (0.01, 0.029, False), (0.01, 0.031, True)],
)
def test_geometry_is_clear_by_ratio_and_by_gap(best: float, second: float, clear: bool) -> None:
    assert match._is_clear(best, second) is clear


@pytest.mark.parametrize(
    ("worst", "strained"), [(1.36, True), (1.79, True), (1.81, False), (0.41, True), (0.39, False)]
)
def test_one_impossible_bond_of_many_is_strain_up_to_a_limit(worst: float, strained: bool) -> None:
    xyz = np.array([[CARBONS * k, 0.0, 0.0] for k in range(12)])
    xyz[-1, 0] = xyz[-2, 0] + worst * CARBONS
    bonds = [(k, k + 1, 1) for k in range(11)]
    assert geometry.bonds_are_strained(xyz, ["C"] * 12, bonds) is strained
    assert not bonds_are_sane(xyz, ["C"] * 12, bonds)


@pytest.mark.parametrize(("count", "strained"), [(0, True), (1, True), (2, False)])
def test_strain_is_a_tenth_of_the_bonds_at_most(count: int, strained: bool) -> None:
    lengths = [CARBONS * (1.5 if k < count else 1.0) for k in range(11)]
    xyz = np.array([[x, 0.0, 0.0] for x in np.cumsum([0.0, *lengths])])
    bonds = [(k, k + 1, 1) for k in range(11)]
    assert geometry.bonds_are_strained(xyz, ["C"] * 12, bonds) is strained
