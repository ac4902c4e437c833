"""Directions: which exits are one, at the limits of distance and angle."""

import numpy as np
import pytest

from tethermap.answers.pockets.directions import SAME_ANGLE, SAME_PLACE, Way, directions


def way(place: tuple[float, float, float], angle: float = 0.0, *, site: int = 1, score: float = 2.0) -> Way:
    turned = np.radians(angle)
    vector = np.array([np.sin(turned), 0.0, np.cos(turned)])
    # the linker's first atom is at `place`
    return Way(site, f"C{site}", np.array(place) - 1.5 * vector, vector, 0.5, score, False, "A")


def counts(*ways: Way) -> list[int]:
    return [len(one.members) for one in directions([(k, f"s{k}", one) for k, one in enumerate(ways)])]


@pytest.mark.parametrize(("shift", "expected"), [(SAME_PLACE - 0.01, [2]), (SAME_PLACE + 0.01, [1, 1])])
def test_linkers_that_begin_near_each_other_are_one_direction(shift: float, expected: list[int]) -> None:
    assert counts(way((0, 0, 0)), way((shift, 0, 0))) == expected


@pytest.mark.parametrize(("angle", "expected"), [(SAME_ANGLE - 0.5, [2]), (SAME_ANGLE + 0.5, [1, 1])])
def test_vectors_within_the_angle_are_one_direction(angle: float, expected: list[int]) -> None:
    assert counts(way((0, 0, 0)), way((0, 0, 0), angle)) == expected


def test_best_exit_comes_first_in_any_order() -> None:
    ways = [
        (0, "a", way((3, 0, 0), score=1.0)),
        (1, "b", way((0, 0, 0), score=3.0)),
        (2, "c", way((6, 0, 0), score=2.0)),
    ]
    for order in (ways, ways[::-1]):
        found = directions(order)
        assert [[number for number, _ in one.members] for one in found] == [[1, 0], [2]]


def test_mean_and_spread_are_those_of_the_members() -> None:
    (one,) = directions([(0, "a", way((0, 0, 0), -20)), (1, "b", way((2, 0, 0), 20))])
    assert one.start == pytest.approx([1, 0, 0])
    assert one.vector == pytest.approx([0, 0, 1])
    assert one.spread == pytest.approx(20.0)


def test_no_exits_give_no_directions() -> None:
    assert directions([]) == []
