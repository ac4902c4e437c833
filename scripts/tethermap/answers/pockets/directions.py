"""Exits of many structures in one frame: which of them leave the pocket in one direction."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.exits.limits import BOND
from tethermap.exits.words import OPEN_FROM
from tethermap.molecule.record import AtomKey

SAME_PLACE = 4.0
"""Largest distance between the linkers' first atoms of one direction, in angstroms: two to three bonds (house rule)."""

SAME_ANGLE = 45.0
"""Largest angle between the vectors of one direction, in degrees: about twice the error of a vector (house rule)."""


AHEAD = 3.0
"""The residue nearest to a point this far ahead of the linker's first atom marks an exit, in angstroms."""


class CopyExit(NamedTuple):
    """One ranked exit of one copy of a ligand; figures and texts as in `tables.EXIT_VECTORS`.

    `site` is the rank of its site, `anchor` and `atoms` are the anchor and its equivalents; `place` is the anchor in
    angstroms, `vector` the unit vector to the linker's first atom. `residues` are those that the leaving atoms touch.
    """

    site: int
    anchor: str
    atoms: frozenset[AtomKey]
    kind: str
    leaving: str
    chem_class: str
    room: float
    way_out: float
    score: float
    evidence: str
    place: Sequence[float]
    vector: Sequence[float]
    reasons: str = ""
    frees_link: bool = False
    area_lost: float = 0.0
    hbonds_lost: int = 0
    residues: str = ""

    @property
    def is_open(self) -> bool:
        """Whether there is room and a way out."""
        return self.room >= OPEN_FROM and self.way_out >= OPEN_FROM

    @property
    def ahead(self) -> list[float]:
        """A point on the way out, in angstroms; its nearest residue marks the exit."""
        return [at + (BOND + AHEAD) * step for at, step in zip(self.place, self.vector, strict=True)]


class Way(NamedTuple):
    """An exit in the frame of several copies.

    `number` and `stem` name its copy; `start` is the linker's first atom in angstroms, `vector` a unit vector.
    """

    number: int
    stem: str
    exit: CopyExit
    start: FloatArray
    vector: FloatArray


def way_of(number: int, stem: str, exit_: CopyExit, rotation: FloatArray, translation: FloatArray) -> Way:
    """Return an exit in another frame: a rotation of shape (3, 3), a translation of shape (3,) in angstroms."""
    vector = rotation @ (np.array(exit_.vector) / np.linalg.norm(exit_.vector))
    return Way(number, stem, exit_, rotation @ exit_.place + translation + BOND * vector, vector)


def directions(ways: Iterable[Way]) -> list[list[Way]]:
    """Return the exits of each direction, the direction of the best exit first.

    Exits are processed by score, the best first, then by stem and site. Each joins the first direction
    whose leader, its first exit, is within `SAME_PLACE` and `SAME_ANGLE`; else it leads a new one.

    >>> up, back = np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, -1.0])
    >>> exits = [CopyExit(1, "N1", frozenset(), "H", "", "", 0.4, 0.5, score, "A", up, up) for score in (2.1, 2.8, 1.0)]
    >>> ways = [Way(k, "", exits[k], up, vector) for k, vector in enumerate((up, up, back))]
    >>> [[way.number for way in direction] for direction in directions(ways)]
    [[1, 0], [2]]
    """
    ordered = sorted(ways, key=lambda way: (-round(way.exit.score, 3), way.stem, way.exit.site))
    starts, vectors = np.zeros((len(ordered), 3)), np.zeros((len(ordered), 3))
    members: list[list[Way]] = []
    least = float(np.cos(np.radians(SAME_ANGLE)))
    for way in ordered:
        count = len(members)
        near = np.linalg.norm(starts[:count] - way.start, axis=1) <= SAME_PLACE
        joined = np.flatnonzero(near & (vectors[:count] @ way.vector >= least))
        if len(joined):
            members[int(joined[0])].append(way)
        else:
            starts[count], vectors[count] = way.start, way.vector
            members.append([way])
    return members
