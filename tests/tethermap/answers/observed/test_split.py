"""The walk from the half bound by one protein to the other half, with made-up areas."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tests.tools.exits import graph_of, reordered
from tethermap.answers.observed.split import ObservedExit, observed_exit, path_between
from tethermap.exits.graph import ring_systems

DEGRADER = "c1ccc2ccccc2c1CC(=O)NCCOCCOCCNC(=O)c1ccc2ccccc2c1"
"""A naphthylacetic amide (atoms 0 to 12 with its acid), a linker, a naphthoic amide."""


def split(smiles: str, first: int, second: int, *, order: list[int] | None = None) -> ObservedExit:
    """Return the exit of the first atoms, which the own protein covers; the partner covers from `second` on."""
    graph = graph_of(smiles)
    count = len(graph)
    free = np.full(count, 20.0)
    own = np.where(np.arange(count) < first, 15.0, 0.0)
    other = np.where(np.arange(count) >= second, 15.0, 0.0)
    if order is not None:
        graph, free, own, other = reordered(graph, order), free[order], own[order], other[order]
    found = observed_exit(graph, free, own, other)
    assert found is not None
    return found


def test_exit_is_the_bond_from_the_amide_into_the_linker() -> None:
    found = split(DEGRADER, 13, 25)
    assert (found.anchor, found.linker_atom, found.alternatives) == (13, 14, ((11, 13),))
    assert found.clear
    assert not found.weak
    assert found.half == frozenset(range(14))


def test_ring_at_the_attachment_gives_a_range() -> None:
    """A piperazine that either side could own: the exit beyond it, and the one before it."""
    found = split("c1ccc2ccccc2c1N1CCN(CC1)CCOCCOCCNC(=O)c1ccc2ccccc2c1", 16, 24)
    assert (found.anchor, found.linker_atom) == (13, 16)
    assert (9, 10) in found.alternatives
    assert not found.clear


def test_order_of_atoms_changes_nothing() -> None:
    plain = split(DEGRADER, 13, 25)
    order = list(np.random.default_rng(5).permutation(len(graph_of(DEGRADER))))
    found = split(DEGRADER, 13, 25, order=order)
    assert (order[found.anchor], order[found.linker_atom]) == (plain.anchor, plain.linker_atom)
    assert {order[k] for k in found.half} == plain.half


@pytest.mark.parametrize("smiles", ["c1ccccc1Cc1ccccc1", "c1ccccc1-c1ccccc1", DEGRADER])
@pytest.mark.parametrize("order", ["as written", "reversed"])
def test_partner_of_a_protein_that_covers_the_whole_ligand_has_the_last_ring(smiles: str, order: str) -> None:
    graph = graph_of(smiles)
    free, own, other = (np.full(len(graph), area) for area in (30.0, 20.0, 10.0))
    first = sorted(ring_systems(graph)[0 if order == "as written" else -1])
    own[first] += 2
    found = observed_exit(graph, free, own, other)
    assert found is not None
    assert found.weak or smiles == DEGRADER
    assert set(first) <= found.half < set(range(len(graph)))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(["c1ccccc1Cc1ccccc1", "c1ccccc1-c1ccccc1", "C1CCN1CC1CCC1", DEGRADER]), st.data())
def test_any_areas_give_an_exit_that_cuts_the_ligand_in_two(smiles: str, data: st.DataObject) -> None:
    graph = graph_of(smiles)
    count = len(graph)
    areas = st.lists(st.sampled_from([0.0, 0.5, 10.0, 30.0]), min_size=count, max_size=count)
    free, own, other = (np.array(data.draw(areas)) for _ in range(3))
    found = observed_exit(graph, free, own, other)
    for anchor, linker in found.bonds if found else ():
        assert linker in graph.near[anchor]
        assert (anchor, linker) not in graph.ring_bonds


@pytest.mark.parametrize("smiles", ["CCCCCCCC", "c1ccccc1CCCC"])
def test_ligand_with_fewer_than_two_ring_systems_is_not_split(smiles: str) -> None:
    graph = graph_of(smiles)
    areas = np.ones(len(graph))
    assert observed_exit(graph, areas, areas, areas) is None


def test_path_blocks_include_their_substituents() -> None:
    graph = graph_of("c1ccccc1C(C)(C)CC1CCCCC1")
    first, last = ring_systems(graph)
    steps = path_between(graph, first, last)
    assert [(len(step.atoms), step.is_ring) for step in steps] == [(6, True), (3, False), (1, False), (6, True)]
    assert [step.enters for step in steps] == [None, (5, 6), (6, 9), (9, 10)]
