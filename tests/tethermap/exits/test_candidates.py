import numpy as np
import pytest

from tests.tools.exits import candidate_of, graph_of
from tethermap.exits.candidates import find_candidates
from tethermap.exits.unseen import MissingAtoms


def leaving_groups(smiles: str) -> set[tuple[int, ...]]:
    return {tuple(sorted(one.leaving)) for one in find_candidates(graph_of(smiles)) if one.leaving}


def test_morpholine_can_leave_and_an_aryl_ring_cannot() -> None:
    groups = leaving_groups("c1ccccc1CCCCN1CCOCC1")
    assert (10, 11, 12, 13, 14, 15) in groups
    assert not any(0 in group for group in groups)


@pytest.mark.parametrize(
    ("smiles", "sizes"),
    [
        ("c1ccc2cc(ccc2c1)c1ccc(cc1)CCCCCCCCCCC", set(range(1, 10))),  # not ten atoms
        ("CCCCCC", {1, 2}),  # not half of the ligand
        ("O=C1CCCCC1", set()),  # double bonds and ring bonds are not cut
    ],
)
def test_groups_that_leave_are_small_and_on_acyclic_single_bonds(smiles: str, sizes: set[int]) -> None:
    assert {len(group) for group in leaving_groups(smiles)} == sizes


def test_two_rings_cannot_leave_together() -> None:
    groups = leaving_groups("c1ccc2cc(ccc2c1)CCCC1(CC1)C1CC1")
    assert any(len(group) == 3 for group in groups)
    assert all(len(group) <= 3 or not {13, 14, 15} <= set(group) for group in groups)


@pytest.mark.parametrize(
    ("smiles", "atom", "count"),
    [("OCCC", 3, 12), ("CCCN", 3, 12), ("CCCO", 3, 12), ("c1ccccc1O", 6, 2), ("C1CCNCC1", 3, 2), ("c1ccccc1", 0, 1),
     ("CCC", 1, 2), ("CC(=O)N", 3, 2), ("CC(=O)O", 3, 2)],
)  # fmt: skip
def test_directions_of_a_hydrogen_are_its_possible_ones(smiles: str, atom: int, count: int) -> None:
    graph = graph_of(smiles)
    directions = candidate_of(graph, atom).directions
    assert directions.shape == (count, 3)
    assert np.linalg.norm(directions, axis=1) == pytest.approx(1.0)
    away = graph.xyz[graph.near[atom][0]] - graph.xyz[atom]
    angles = np.degrees(np.arccos(directions @ away / np.linalg.norm(away)))
    assert angles == pytest.approx(np.full(count, 112.0), abs=13)


def test_methyl_turns_in_steps_of_30_degrees_at_the_tetrahedral_angle() -> None:
    graph = graph_of("OCCC")
    directions = candidate_of(graph, 3).directions
    axis = graph.xyz[3] - graph.xyz[2]
    axis /= np.linalg.norm(axis)
    assert directions @ axis == pytest.approx(np.full(12, 1 / 3), abs=1e-4)
    neighbours = np.degrees(np.arccos((directions * np.roll(directions, 1, axis=0)).sum(axis=1)))
    assert neighbours == pytest.approx(np.full(12, np.degrees(2 * np.arcsin(np.sin(np.pi / 12) * np.sqrt(8) / 3))))


@pytest.mark.parametrize(
    ("smiles", "anchor", "first", "expected"),
    [
        ("c1ccccc1CC(=O)OC", 7, 9, (6, (8,))),  # ester: =O turns along
        ("c1ccccc1OCCCC", 6, 7, (5, ())),
        ("c1ccccc1CC(C)(C)C", 7, 8, (6, (9, 10))),
        ("c1ccccc1CC(=O)NC", 9, 10, None),  # amides and esters don't rotate
        ("c1ccccc1CC(=O)OC", 9, 10, None),
        ("C1CCCCN1C(=O)C", 6, 8, None),
    ],
)
def test_group_with_an_anchor_rotates_about_its_acyclic_bond(
    smiles: str, anchor: int, first: int, expected: tuple[int, tuple[int, ...]] | None
) -> None:
    turn = candidate_of(graph_of(smiles), anchor, first).turn
    assert (turn and (turn.parent, turn.group)) == expected


def test_phenol_hydrogen_lies_in_the_plane_of_the_ring() -> None:
    graph = graph_of("c1ccccc1O")
    normal = np.linalg.svd(graph.xyz[:6] - graph.xyz[:6].mean(axis=0))[2][2]
    assert candidate_of(graph, 6).directions @ normal == pytest.approx([0.0, 0.0], abs=0.05)


def test_cut_points_to_the_atom_that_leaves() -> None:
    graph = graph_of("CCCCC")
    one = candidate_of(graph, 1, 0)
    bond = graph.xyz[0] - graph.xyz[1]
    assert one.kind == "cut"
    assert one.directions[0] == pytest.approx(bond / np.linalg.norm(bond))


@pytest.mark.parametrize(
    ("smiles", "bound", "no_exit", "still_exit"),
    [
        ("CCCCCCO", 0, [(0, ()), (1, ()), (1, (0,))], [(2, ())]),  # with the methylene next to it
        ("CCCCCC(S)O", 5, [(7, ())], []),  # oxygen or nitrogen of a reacted warhead
        ("CCCCCC(S)=N", 5, [(7, ())], []),
        ("CCCCCC(S)NC", 5, [(7, ())], []),
        ("CC1CCCCN1", 1, [], [(6, ())]),  # but not of a ring
        ("CCCCCC(C)O", 5, [(5, (6,)), (5, (7,)), (5, ())], [(1, ()), (1, (0,))]),
    ],
)
def test_group_bound_to_the_protein_has_no_exit(
    smiles: str, bound: int, no_exit: list[tuple[int, tuple[int, ...]]], still_exit: list[tuple[int, tuple[int, ...]]]
) -> None:
    found = find_candidates(graph_of(smiles), linked=frozenset({bound}))
    reasons = {(one.anchor, one.leaving): one.reason for one in found}
    assert {reasons[one] for one in no_exit} <= {"bonded_to_protein"}
    assert {reasons[one] for one in still_exit} <= {""}


def test_cut_of_the_reacted_group_gives_a_reversible_parent() -> None:
    """A reacted acrylamide: the aniline N without its acyl group, and the acyl carbon without the two that reacted."""
    found = find_candidates(graph_of("CCC(=O)Nc1ccccc1CCN"), linked=frozenset({0}))
    freed = {(one.anchor, one.leaving[0]) for one in found if one.frees_link and not one.reason}
    assert freed == {(4, 2), (2, 1), (5, 4)}


def test_candidate_next_to_an_unobserved_atom_is_incomplete() -> None:
    found = find_candidates(graph_of("CCCCCCO"), missing=MissingAtoms(frozenset({0})))
    reasons = {(one.anchor, one.leaving): one.reason for one in found}
    assert reasons[0, ()] == reasons[1, (0,)] == "incomplete"
    assert reasons[1, ()] == reasons[5, (6,)] == ""
