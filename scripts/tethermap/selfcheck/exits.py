"""The check of exits: table, SDF and depiction tell the same, and point where the atoms are."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from html import unescape
from operator import mul

from tethermap.base.tables import Row, split_cell
from tethermap.selfcheck.outcome import CheckOutcome
from tethermap.selfcheck.sdf_file import SdfLigand

LARGEST_ANGLE = math.radians(2.0)
LEAST_COSINE = math.cos(LARGEST_ANGLE)
"""The largest angle between a vector and the bond that it replaces."""

Vector = Sequence[float]
"""Three numbers in angstroms: for so few an array costs ten times what they do."""

FIELDS = 5
"""Sites that the SDF and the depiction show."""

EXIT_COLUMNS = frozenset(
    {
        *(
            "rank",
            "reason",
            "site_rank",
            "score",
            "sdf_index",
            "anchor_atom",
            "anchor_equivalents",
            "leaving_atoms",
            "kind",
        ),
        *("vector_x", "vector_y", "vector_z", "torsion_deg"),
    }
)
"""Columns of the table that are looked at."""

_ARROW = re.compile(r'<g class="exit exit-\d+" data-site-rank="(\d+)" data-rank="\d+" data-index="(\d+)"')


def exits_agree(rows: Sequence[Row], sdf: SdfLigand, depiction: str) -> CheckOutcome:
    """Compare the exits of one instance in the table with its SDF and its depiction.

    Parameters
    ----------
    sdf : SdfLigand
        As read from the SDF.
    depiction : str
        Text of the SVG with arrows.
    """
    problems = list(_problems(rows, sdf, depiction))
    return CheckOutcome.of("exits", problems, most=5)


def _problems(rows: Sequence[Row], sdf: SdfLigand, depiction: str) -> Iterator[str]:
    if any((row["rank"] is None) == (row["reason"] == "") for row in rows):
        yield "a candidate with neither rank nor reason, or with both"
    ranked = [row for row in rows if row["rank"] is not None]
    if [row["rank"] for row in ranked] != list(range(1, len(ranked) + 1)):
        yield "ranks are not 1, 2, 3 and so on"
    names = sdf.lists.get("name", ())
    ranks = sdf.lists.get("exit_rank", ())
    expected = {int(row["sdf_index"] or 0): str(row["rank"]) for row in ranked}
    n_alike = sum(len(split_cell(row["anchor_equivalents"])) for row in ranked)
    if len(ranks) != len(names) or any(ranks[k] != rank for k, rank in expected.items() if k < len(ranks)):
        yield "exit_rank of the SDF differs"
    elif sum(rank != "n/a" for rank in ranks) != len(expected) + n_alike:
        yield "exit_rank of the SDF names other atoms"
    bonds: list[tuple[int, int]] = sdf.bonds.tolist()
    xyz: list[Vector] = sdf.xyz.tolist()
    for row in ranked:
        yield from _direction(row, xyz, names, bonds)
    best: dict[int, Row] = {}
    for row in ranked:
        best.setdefault(int(row["site_rank"] or 0), row)
    first = {site: best[site] for site in sorted(best) if site <= FIELDS}
    yield from _fields(first, sdf)
    arrows = {int(site): int(index) for site, index in _ARROW.findall(unescape(depiction))}
    if arrows != {site: int(row["sdf_index"] or 0) for site, row in first.items()}:
        yield "arrows of the depiction differ"


def _direction(row: Row, xyz: Sequence[Vector], names: tuple[str, ...], bonds: list[tuple[int, int]]) -> Iterator[str]:
    """Tell a vector that is no unit vector, or a group that is not bonded where it leaves."""
    vector = [float(row[f"vector_{axis}"] or 0) for axis in "xyz"]
    anchor = int(row["sdf_index"] or 0)
    if abs(math.hypot(*vector) - 1) > 0.001:
        yield f"vector of {row['anchor_atom']} is no unit vector"
    if names[anchor : anchor + 1] != (str(row["anchor_atom"]).replace(" ", "_"),):
        yield f"atom {anchor} of the SDF is not {row['anchor_atom']}"
        return
    if row["kind"] != "unseen" and (leaving := split_cell(row["leaving_atoms"])):
        near = [b if a == anchor else a for a, b in bonds if anchor in (a, b)]
        left = [_between(xyz[anchor], xyz[k]) for k in near if names[k] == leaving[0].replace(" ", "_")]
        axes = [_between(xyz[k], xyz[anchor]) for k in near] if row["torsion_deg"] else []
        if not left:
            yield f"{leaving[0]} is not bonded to {row['anchor_atom']}"
        elif not any(_points(bond, vector, axes) for bond in left):
            yield f"vector of {row['anchor_atom']} does not point to {leaving[0]}"


def _points(bond: Vector, vector: Vector, axes: Sequence[Vector]) -> bool:
    """Return whether a vector is a bond's direction, or makes the same angle with one of the axes it turns about."""
    length = math.hypot(*bond)
    if not length:  # two atoms in one place have no direction
        return True
    unit = [part / length for part in bond]
    axes = [axis for axis in axes if any(axis)]
    if not axes:
        return _dot(unit, vector) >= LEAST_COSINE
    return any(abs(_angle(unit, axis) - _angle(vector, axis)) <= LARGEST_ANGLE for axis in axes)


def _between(begin: Vector, end: Vector) -> Vector:
    return [b - a for a, b in zip(begin, end, strict=True)]


def _dot(one: Vector, other: Vector) -> float:
    return float(sum(map(mul, one, other)))


def _angle(unit: Vector, axis: Vector) -> float:
    """Return the angle between a unit vector and an axis, in radians."""
    return math.acos(min(max(_dot(unit, axis) / math.hypot(*axis), -1.0), 1.0))


def _fields(first: dict[int, Row], sdf: SdfLigand) -> Iterator[str]:
    fields = {name for name in sdf.properties if re.fullmatch(r"exit_\d+", name)}
    if fields != {f"exit_{site}" for site in first}:
        yield "fields of the SDF and sites differ"
        return
    for site, row in first.items():
        words = dict(word.split("=", 1) for word in sdf.properties[f"exit_{site}"].split())
        leaving = ",".join(name.replace(" ", "_") for name in split_cell(row["leaving_atoms"])) or "H"
        if (int(words["sdf_index"]), words["leaving"]) != (row["sdf_index"], leaving):
            yield f"exit_{site} of the SDF differs"
        if abs(float(words["score"]) - float(row["score"] or 0)) > 0.0002:
            yield f"score of exit_{site} in the SDF differs"
