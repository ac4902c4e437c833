"""Agreement of a job's result files with one another: areas and exits in tables, SDF files, depictions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np
from rdkit import Chem

from tethermap.base import layout, tables
from tethermap.base.arrays import FloatArray
from tethermap.base.contexts import CONTEXTS, area_column
from tethermap.base.tables import Row, split_cell
from tethermap.exposure.rows import SDF_LISTS

MAX_SHIFT = 0.001 + 1e-6
"""Largest difference of coordinates and areas that counts as equal."""

LARGEST_ANGLE = float(np.radians(2.0))
"""The largest angle between a vector and the bond that it replaces."""

FIELDS = 5
"""Sites that the SDF and the depiction show."""

_ARROW = re.compile(r'<g class="exit exit-\d+" data-site-rank="(\d+)" data-rank="\d+" data-index="(\d+)"')


@dataclass(frozen=True)
class Sdf:
    """Heavy atoms of a molecule in its SDF: coordinates, bonds, data fields and atom property lists."""

    xyz: FloatArray
    bonds: list[tuple[int, int]]
    properties: dict[str, str]
    lists: dict[str, tuple[str, ...]]

    @classmethod
    def read(cls, path: Path) -> Sdf:
        """Read the one molecule of a file."""
        supplier = Chem.SDMolSupplier(str(path), sanitize=False, removeHs=False)
        supplier.SetProcessPropertyLists(False)
        (mol,) = supplier
        heavy = [atom.GetIdx() for atom in mol.GetAtoms() if atom.GetAtomicNum() != 1]
        place = {index: k for k, index in enumerate(heavy)}
        ends = ((bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in mol.GetBonds())
        properties = mol.GetPropsAsDict(autoConvertStrings=False)
        lists = {}
        for name, text in properties.items():
            if re.match(r"atom\.[idb]?prop\.", name):
                values = re.sub(r"^\[.*?\]", "", text).split()
                lists[name.split(".", 2)[2]] = tuple(values[k] for k in heavy) if len(values) > max(heavy) else ()
        return cls(
            np.asarray(mol.GetConformer().GetPositions())[heavy],
            [(place[i], place[j]) for i, j in ends if i in place and j in place],
            properties,
            lists,
        )


def disagreements(job: Path) -> list[str]:
    """Return the differences between the files of a finished job."""
    exits = _by_stem(job / layout.EXIT_VECTORS, tables.EXIT_VECTORS)
    found = []
    for stem, atoms in _by_stem(job / layout.SASA_ATOMS, tables.SASA_ATOMS).items():
        sdf = Sdf.read(job / layout.ligand_sdf(stem))
        depiction = (job / layout.ligand_svg(stem, "exits")).read_text(encoding="utf-8")
        problems = (*_areas(sdf, atoms), *_exits(exits.get(stem, []), sdf, depiction))
        found += [f"{stem}: {problem}" for problem in problems]
    return found


def _by_stem(path: Path, table: tables.Table) -> dict[str, list[Row]]:
    return {str(stem): list(rows) for stem, rows in groupby(tables.read_table(path, table), lambda row: row["stem"])}


def _areas(sdf: Sdf, atoms: Sequence[Row]) -> Iterator[str]:
    """Yield lists of the SDF that are not those of the table, and areas that grow from context to context."""
    for name, column in SDF_LISTS.items():
        values = sdf.lists.get(name, ())
        if len(values) != len(atoms) or not all(map(_same, values, (row[column] for row in atoms))):
            yield f"{name} of the SDF differs"
    columns = ["SASA_free_A2", *map(area_column, CONTEXTS)]
    for row in atoms:
        areas = [float(value) for column in columns if (value := row[column]) is not None]
        if any(later > earlier + 1e-6 for earlier, later in pairwise(areas)):
            yield f"the area of {row['exact_atom']} grows"


def _same(text: str, value: object) -> bool:
    if isinstance(value, int | float):
        return text != "n/a" and abs(float(text) - value) <= MAX_SHIFT
    return text == ("n/a" if value in (None, "") else str(value))


def _exits(rows: Sequence[Row], sdf: Sdf, depiction: str) -> Iterator[str]:
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
    for row in ranked:
        yield from _direction(row, sdf, names)
    best: dict[int, Row] = {}
    for row in ranked:
        best.setdefault(int(row["site_rank"] or 0), row)
    first = {site: best[site] for site in sorted(best) if site <= FIELDS}
    yield from _fields(first, sdf)
    arrows = {int(site): int(index) for site, index in _ARROW.findall(unescape(depiction))}
    if arrows != {site: int(row["sdf_index"] or 0) for site, row in first.items()}:
        yield "arrows of the depiction differ"


def _direction(row: Row, sdf: Sdf, names: tuple[str, ...]) -> Iterator[str]:
    """Report a vector that is not a unit vector, or a group that is not bonded to its anchor."""
    vector = np.array([float(row[f"vector_{axis}"] or 0) for axis in "xyz"])
    anchor = int(row["sdf_index"] or 0)
    if abs(np.linalg.norm(vector) - 1) > 0.001:
        yield f"vector of {row['anchor_atom']} is no unit vector"
    if names[anchor : anchor + 1] != (str(row["anchor_atom"]).replace(" ", "_"),):
        yield f"atom {anchor} of the SDF is not {row['anchor_atom']}"
        return
    leaving = split_cell(row["leaving_atoms"])
    if leaving and row["kind"] != "unseen":  # with unobserved leaving atoms
        near = [b if a == anchor else a for a, b in sdf.bonds if anchor in (a, b)]
        left = [sdf.xyz[k] - sdf.xyz[anchor] for k in near if names[k] == leaving[0].replace(" ", "_")]
        axes = [sdf.xyz[anchor] - sdf.xyz[k] for k in near] if row["torsion_deg"] else []
        if not left:
            yield f"{leaving[0]} is not bonded to {row['anchor_atom']}"
        elif not any(_points(bond, vector, axes) for bond in left):
            yield f"vector of {row['anchor_atom']} does not point to {leaving[0]}"


def _points(bond: FloatArray, vector: FloatArray, axes: Sequence[FloatArray]) -> bool:
    """Return whether a vector is a bond's direction, or makes the same angle with one of the axes it turns about."""
    if not bond.any():  # two atoms in one place have no direction
        return True
    axes = [axis for axis in axes if axis.any()]
    if not axes:
        return _angle(bond, vector) <= LARGEST_ANGLE
    return any(abs(_angle(bond, axis) - _angle(vector, axis)) <= LARGEST_ANGLE for axis in axes)


def _angle(one: FloatArray, other: FloatArray) -> float:
    """Return the angle between two vectors in radians."""
    cosine = one @ other / (np.linalg.norm(one) * np.linalg.norm(other))
    return float(np.arccos(np.clip(cosine, -1.0, 1.0)))


def _fields(first: dict[int, Row], sdf: Sdf) -> Iterator[str]:
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
