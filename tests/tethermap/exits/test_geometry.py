from dataclasses import replace

import numpy as np
import pytest

from tests.tools.exits import candidate_of, graph_of, joined, scattered, surroundings
from tethermap.exits.candidates import find_candidates, frames_of
from tethermap.exits.geometry import RAYS, REACH, ROOM_POINTS, Obstacles, Pocket, fibonacci_cap

UP = np.array([0.0, 0.0, 1.0])
FRAME = frames_of(UP[None], [(1.0, 0.0, 0.0)])[0]
PLACE = np.zeros(3)


def carbon(distance: float) -> Obstacles:
    return Obstacles(distance * UP[None], np.array([1.8]), np.zeros(1, dtype=np.int64), 1)


def share_of_free_rays(distance: float) -> float:
    lengths, stopped = carbon(distance).rays(PLACE[None], FRAME[None])
    assert np.array_equal(np.isinf(lengths), stopped == 1)
    return float(np.isinf(lengths).mean())


def test_points_are_spread_evenly_over_sphere_and_cone() -> None:
    sphere, cone = fibonacci_cap(ROOM_POINTS, np.pi), fibonacci_cap(RAYS, np.radians(60))
    assert sphere.shape == (200, 3)
    assert np.abs(sphere.mean(axis=0)).max() < 0.01
    assert cone.shape == (150, 3)
    assert cone[:, 2].min() > 0.5
    assert cone[:, 2].mean() == pytest.approx(0.75, abs=0.001)


def test_isolated_anchor_has_the_cap_of_the_geometry() -> None:
    """Sphere of 3.1 around L against one of 3.2 around an anchor 1.5 away: cos > (3.2² - 3.1² - 1.5²) / (2·3.1·1.5)."""
    free = carbon(0.0).room(1.5 * UP[None], FRAME[None]) > 0
    assert free.mean() == pytest.approx((1 - (3.2**2 - 3.1**2 - 1.5**2) / (2 * 3.1 * 1.5)) / 2, abs=0.006)


def test_atom_ahead_stops_the_rays_of_its_cap() -> None:
    """A sphere of 1.5 against 0.9 · 1.8: blocked within asin(3.12 / 8) of the axis, of a cone of 60 degrees."""
    blocked = (1 - np.cos(np.arcsin((0.9 * 1.8 + 1.5) / 8))) / (1 - np.cos(np.radians(60)))
    assert share_of_free_rays(8.0) == pytest.approx(1 - blocked, abs=0.01)


def test_rays_end_ten_angstroms_from_the_linker() -> None:
    assert share_of_free_rays(10 + 3.12 + 0.05) == 1.0
    assert share_of_free_rays(10 + 3.12 - 0.3) < 1.0


def test_atoms_beyond_reach_change_nothing_and_the_last_ones_within_do() -> None:
    graph = graph_of("CCCC")
    one = candidate_of(graph, 1, 0)
    u = one.directions[0]
    largest = 1.98  # iodine
    far = graph.xyz[1] + (REACH - 0.05) * u
    beyond = graph.xyz[1] + (REACH + 0.05) * u
    assert pytest.approx(1.5 + 10 + 1.5 + 0.9 * largest) == REACH
    alone = Pocket(graph, surroundings()).openings([one])[0].way_out["target"]
    assert Pocket(graph, surroundings(beyond, element="I")).openings([one])[0].way_out["target"] == alone
    assert Pocket(graph, surroundings(far, element="I")).openings([one])[0].clearance <= 10.0


def test_larger_contexts_only_reduce_room() -> None:
    graph = graph_of("CCOC(=O)CCN")
    more = surroundings(*scattered(graph, 80, seed=9).xyz.tolist(), context="crystal")
    for opening in Pocket(graph, joined(scattered(graph, 60), more)).openings(find_candidates(graph)):
        assert opening.room["crystal"] <= opening.room["assembly"] == opening.room["target"]
        assert opening.way_out["crystal"] <= opening.way_out["assembly"] == opening.way_out["target"]


@pytest.mark.parametrize("seed", range(3))
def test_more_protein_never_raises_room_or_way_out_of_a_direction(seed: int) -> None:
    graph = graph_of("CCOC(=O)CCN")
    few, more = scattered(graph, 100, seed=seed), scattered(graph, 100, seed=seed + 50)
    for one in find_candidates(graph):
        for direction in one.directions:
            fixed = type(one)(one.anchor, one.leaving, direction[None])
            before, after = (Pocket(graph, around).openings([fixed])[0] for around in (few, joined(few, more)))
            assert after.room["target"] <= before.room["target"]
            assert after.way_out["target"] <= before.way_out["target"]
            assert after.clearance <= before.clearance


def test_leaving_group_does_not_reduce_room() -> None:
    """The t-butyl ester has the same room as the acid without the group."""
    ester = graph_of("CCCCCC(=O)OC(C)(C)C")
    cut = Pocket(ester, surroundings()).openings([candidate_of(ester, 5, 7)])[0]
    assert cut.way_out["target"] == 1.0
    assert cut.room["target"] > 0.4


def test_undefined_context_has_no_values() -> None:
    graph = graph_of("CCCC")
    opening = Pocket(graph, replace(surroundings(), largest=2)).openings([candidate_of(graph, 1, 0)])[0]
    assert np.isnan(opening.room["crystal"])
    assert opening.room["assembly"] == opening.room["target"]


def test_ester_turns_away_from_its_deposited_obstacle() -> None:
    graph = graph_of("c1ccccc1CC(=O)OC")
    one = candidate_of(graph, 7, 9)
    blocked = surroundings(*(graph.xyz[7] + step * one.directions[0] for step in (4.2, 6.0, 8.0)))
    opening = Pocket(graph, blocked).openings([one])[0]
    fixed = Pocket(graph, blocked).openings([type(one)(one.anchor, one.leaving, one.directions)])[0]
    axis = graph.xyz[7] - graph.xyz[6]
    assert opening.torsion > 0
    assert opening.room["target"] + opening.way_out["target"] > fixed.room["target"] + fixed.way_out["target"]
    assert opening.direction @ axis == pytest.approx(one.directions[0] @ axis)


def test_torsion_is_closed_where_a_turned_atom_meets_the_protein() -> None:
    graph = graph_of("c1ccccc1CC(=O)OC")
    one = candidate_of(graph, 7, 9)
    around = [graph.xyz[7] + 3.0 * (graph.xyz[8] - graph.xyz[7]) * sign for sign in (1, -1)]
    free, blocked = (Pocket(graph, surroundings(*some)).openings([one])[0].torsions_open or 0 for some in ([], around))
    assert 1 < blocked < free <= 12
