"""Ends that were not modelled are candidates, and nothing that must not matter changes them."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.spatial.transform import Rotation

from tests.tools.components import Known, ideal_instance
from tests.tools.exits import caged, graph_of, is_open, joined, moved, reordered, same_openings, scattered, surroundings
from tethermap.components.index import ComponentIndex
from tethermap.exits.candidates import find_candidates
from tethermap.exits.evidence import Witness
from tethermap.exits.graph import LigandGraph, ligand_graph
from tethermap.exits.model import Exit
from tethermap.exits.prior import PRIOR
from tethermap.exits.rank import rank_candidates
from tethermap.exits.unseen import MissingAtoms, UnseenEnd, missing_atoms
from tethermap.instance.backbone import NO_BACKBONE
from tethermap.instance.model import Surroundings
from tethermap.matching.build import build_ligand

AMIDE = "CC(=O)NCCc1ccccc1"
ANCHORS = (0, 3, 9)
"""A methyl, which turns, an amide and an aromatic carbon."""

SUNITINIB_TAIL = ("C37", "C38", "N4", "C39", "C40", "C41", "C42")


def end_at(anchor: int) -> MissingAtoms:
    return MissingAtoms(frozenset({anchor}), (UnseenEnd(anchor, ("X1", "X2"), "amide N, alkyl leaves"),))


def unseen_of(graph: LigandGraph, around: Surroundings, anchor: int) -> Exit:
    exits = rank_candidates(graph, around, np.zeros(len(graph)), missing=end_at(anchor))
    return next(one for one in exits if one.candidate.kind == "unseen")


def test_tail_of_sunitinib_is_one_end_of_an_amide(index: ComponentIndex, known: Known) -> None:
    instance = ideal_instance(known("B49"), omit=SUNITINIB_TAIL)
    molecule = build_ligand(instance, index)
    graph = ligand_graph(molecule)
    missing = missing_atoms(instance, molecule, graph, index.get)
    (end,) = missing.ends
    assert set(end.names) == set(SUNITINIB_TAIL)
    assert end.chem_class == "amide N, alkyl leaves"
    exits = rank_candidates(graph, surroundings(), np.zeros(len(graph)), missing=missing)
    one = next(one for one in exits if one.candidate.kind == "unseen")
    assert one.rank is not None
    assert (one.closed, one.area_lost, one.prior) == (False, 0, PRIOR[end.chem_class])
    evidence = Witness(instance, molecule, graph, NO_BACKBONE).evidence(one)
    assert evidence.grade >= "C"
    assert "end_not_modelled" in evidence.reasons


@pytest.mark.parametrize(
    ("comp_id", "omit", "ends"),
    [
        ("JQ1", (), []),
        ("JQ1", ("CAC",), [("CAC",)]),
        ("JQ1", ("CAC", "CAA"), [("CAA",), ("CAC",)]),  # two missing parts are two candidates
        ("JQ1", ("OAD",), []),  # a double bond is no end
        ("B49", ("C38",), []),  # nor is a part between two modelled atoms
        ("CPT", ("CL2",), []),  # nor a ligand of a metal
    ],
)
def test_each_missing_part_on_one_single_bond_is_an_end(
    index: ComponentIndex, known: Known, comp_id: str, omit: tuple[str, ...], ends: list[tuple[str, ...]]
) -> None:
    instance = ideal_instance(known(comp_id), omit=omit)
    molecule = build_ligand(instance, index)
    missing = missing_atoms(instance, molecule, ligand_graph(molecule), index.get)
    assert sorted(end.names for end in missing.ends) == ends


def test_end_next_to_a_bond_to_the_protein_is_not_an_exit() -> None:
    graph = graph_of(AMIDE)
    found = find_candidates(graph, linked=frozenset({3}), missing=end_at(3))
    assert [one.reason for one in found if one.kind == "unseen"] == ["bonded_to_protein"]


@pytest.mark.parametrize("anchor", ANCHORS)
@pytest.mark.parametrize("seed", range(3))
def test_motion_of_the_complex_names_and_order_of_atoms_change_no_end(seed: int, anchor: int) -> None:
    graph = graph_of(AMIDE)
    around = scattered(graph, 150, seed=seed)
    turn = Rotation.random(random_state=seed).as_matrix()
    order = np.random.default_rng(seed).permutation(len(graph)).tolist()
    before = unseen_of(graph, around, anchor)
    there = unseen_of(*moved(graph, around, turn, np.array([30.0, -7.0, 12.0])), anchor)
    renamed = unseen_of(reordered(graph, order), around, order.index(anchor))
    assert before.rank == there.rank == renamed.rank
    assert same_openings(before, there)
    assert before.score == pytest.approx(renamed.score, abs=1e-3)


@settings(max_examples=15, deadline=None)
@given(
    anchor=st.sampled_from(ANCHORS), seed=st.integers(0, 1000), more=st.integers(0, 1000), n_more=st.integers(1, 120)
)
def test_more_protein_never_opens_an_end(anchor: int, seed: int, more: int, n_more: int) -> None:
    graph = graph_of(AMIDE)
    around = scattered(graph, 120, seed=seed)
    fewer = unseen_of(graph, around, anchor)
    after = unseen_of(graph, joined(around, scattered(graph, n_more, seed=more + 2000)), anchor)
    assert is_open(fewer) or not is_open(after)
    assert not fewer.closed or after.closed


def test_end_is_closed_by_protein_but_not_by_missing_atoms() -> None:
    graph = graph_of(AMIDE)
    assert is_open(unseen_of(graph, surroundings(), 3))
    assert unseen_of(graph, caged(graph), 3).closed
