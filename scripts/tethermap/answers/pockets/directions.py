"""Exits of many structures in one frame: which of them leave the pocket in one direction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.exits.limits import BOND

SAME_PLACE = 4.0
"""Largest distance between the linkers' first atoms of one direction, in angstroms: two to three bonds (house rule)."""

SAME_ANGLE = 45.0
"""Largest angle between the vectors of one direction, in degrees: about twice the error of a vector (house rule)."""


@dataclass(frozen=True, eq=False)
class Way:
    """One exit of one instance.

    Parameters
    ----------
    site : int
        Rank of its site.
    anchor : str
        Name of the anchor.
    place, vector : ndarray of float, shape (3,)
        The anchor in angstroms, and the unit vector to the linker's first atom.
    way_out, score : float
        F and the score.
    closed : bool
        Whether there is no room or no way out.
    evidence : str
        Grade of the evidence.
    """

    site: int
    anchor: str
    place: FloatArray
    vector: FloatArray
    way_out: float
    score: float
    closed: bool
    evidence: str

    def moved(self, rotation: FloatArray, translation: FloatArray) -> Way:
        """Return the exit in another frame: a rotation of shape (3, 3), a translation of shape (3,) in angstroms."""
        return Way(
            self.site, self.anchor, rotation @ self.place + translation, rotation @ self.vector,
            self.way_out, self.score, self.closed, self.evidence,
        )  # fmt: skip

    @property
    def start(self) -> FloatArray:
        """The linker's first atom in angstroms, shape (3,)."""
        start: FloatArray = self.place + BOND * self.vector
        return start


@dataclass(frozen=True, eq=False)
class Direction:
    """Exits of one direction, near its leader in position and angle, as (position in the input, exit)."""

    members: tuple[tuple[int, Way], ...]

    @property
    def start(self) -> FloatArray:
        """Mean place of the linkers' first atoms in angstroms, shape (3,)."""
        mean: FloatArray = np.mean([way.start for _, way in self.members], axis=0)
        return mean

    @property
    def vector(self) -> FloatArray:
        """Mean direction, a unit vector of shape (3,)."""
        total = np.sum([way.vector for _, way in self.members], axis=0)
        mean: FloatArray = total / np.linalg.norm(total)
        return mean

    @property
    def spread(self) -> float:
        """Largest angle between a member and the mean direction, in degrees."""
        cosines = np.array([way.vector for _, way in self.members]) @ self.vector
        return float(np.degrees(np.arccos(np.clip(cosines.min(), -1.0, 1.0))))


def directions(ways: Sequence[tuple[int, str, Way]]) -> list[Direction]:
    """Return the directions of the given exits, the direction of the best exit first.

    Exits are processed by score, the best first, then by stem and site. Each joins the first direction
    whose leader, its first exit, is within `SAME_PLACE` and `SAME_ANGLE`; else it leads a new one.

    Parameters
    ----------
    ways : sequence of (int, str, Way)
        Number of the instance, its stem, and the exit in the common frame.

    >>> up, back = np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, -1.0])
    >>> ways = [
    ...     (number, stem, Way(1, "N1", np.zeros(3), vector, 0.5, score, closed=False, evidence="A"))
    ...     for number, stem, vector, score in [(0, "a", up, 2.1), (1, "b", up, 2.8), (2, "c", back, 1.0)]
    ... ]
    >>> [[number for number, _ in direction.members] for direction in directions(ways)]
    [[1, 0], [2]]
    """
    ordered = sorted(ways, key=lambda item: (-round(item[2].score, 3), item[1], item[2].site))
    starts, vectors = np.zeros((len(ordered), 3)), np.zeros((len(ordered), 3))
    members: list[list[tuple[int, Way]]] = []
    least = float(np.cos(np.radians(SAME_ANGLE)))
    for number, _, way in ordered:
        count = len(members)
        near = np.linalg.norm(starts[:count] - way.start, axis=1) <= SAME_PLACE
        joined = np.flatnonzero(near & (vectors[:count] @ way.vector >= least))
        if len(joined):
            members[int(joined[0])].append((number, way))
        else:
            starts[count], vectors[count] = way.start, way.vector
            members.append([(number, way)])
    return [Direction(tuple(part)) for part in members]
