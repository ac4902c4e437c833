"""Directions: which exits are one, at the limits of distance and angle."""

import numpy as np
import pytest

from tests.tethermap.answers.pockets.test_groups import an_exit
from tethermap.answers.pockets.directions import SAME_ANGLE, SAME_PLACE, Way, directions


def way(place: tuple[float, float, float], angle: float = 0.0, *, number: int = 0, score: float = 2.0) -> Way:
    turned = np.radians(angle)
    vector = np.array([np.sin(turned), 0.0, np.cos(turned)])
    return Way(number, f"s{number}", an_exit(score=score), np.array(place), vector)


@pytest.mark.parametrize(("shift", "expected"), [(SAME_PLACE - 0.01, [2]), (SAME_PLACE + 0.01, [1, 1])])
def test_linkers_that_begin_near_each_other_are_one_direction(shift: float, expected: list[int]) -> None:
    assert [len(one) for one in directions([way((0, 0, 0)), way((shift, 0, 0), number=1)])] == expected


@pytest.mark.parametrize(("angle", "expected"), [(SAME_ANGLE - 0.5, [2]), (SAME_ANGLE + 0.5, [1, 1])])
def test_vectors_within_the_angle_are_one_direction(angle: float, expected: list[int]) -> None:
    assert [len(one) for one in directions([way((0, 0, 0)), way((0, 0, 0), angle, number=1)])] == expected


def test_best_exit_comes_first_in_any_order() -> None:
    ways = [
        way((3 * k, 0, 0), number=number, score=score) for k, number, score in ((1, 0, 1.0), (0, 1, 3.0), (2, 2, 2.0))
    ]
    for order in (ways, ways[::-1], []):
        assert [[one.number for one in direction] for direction in directions(order)] == (
            [[1, 0], [2]] if order else []
        )
