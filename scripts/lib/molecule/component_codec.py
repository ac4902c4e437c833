"""How a component is packed into a few hundred bytes of the index, and unpacked again."""

from __future__ import annotations

import sys
import zlib
from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate, groupby
from operator import sub

import numpy as np

from scripts.lib.molecule.component import Component, ComponentAtom, ComponentBond

SCALE = 50.0
"""Stored steps of ideal coordinates per angstrom: enough for stereo and bond lengths."""

_SEPARATOR = b"\x00\n"
_PRESET = "\n".join(
    [
        " ".join(f"H{i}A\tH{i}B\tH{i}C" for i in range(1, 40)),
        "\t".join(f"{e}{i:02d}" for e in "FHONC" for i in range(1, 40)),
        "\t".join(f"O{i}A\tO{i}B\tO{i}C\tO{i}P" for i in range(1, 5)),
        "O5'\tC5'\tC4'\tO4'\tC3'\tO3'\tC2'\tO2'\tC1'\tN9\tC8\tN7\tC5\tC6\tN6\tN1\tC2\tN3\tC4\tH5'A\tH4'\tOXT\tHXT",
        *("\t".join(f"{e}{i}" for i in range(1, 60)) for e in "SFONHC"),
        "ACID METHYL ETHYL PHENYL BENZYL AMINO HYDROXY CARBOXAMIDE PROPYL PIPERIDINE PYRIMIDINE",
        "1,2,3,4-tetrahydro (2S)-2-[(2R)- (3S)-3- 1-[4-(3- hydroxy amino carbonyl methyl ethyl propan phosphate",
        "sulfonamide carboxylic acid piperazin-1-yl pyridin-3-yl pyrrolidine pyrazol benzamide oxidanyl phenyl]amino}",
        "D-saccharide\tL-PEPTIDE LINKING\tNON-POLYMER\tnon-polymer",
    ]
).encode("ascii")


def pack(component: Component) -> bytes:
    """Return a component as compressed bytes.

    Parameters
    ----------
    component : Component
        At most 32,767 atoms; coordinates are kept to 0.02 Å.
    """
    atoms = component.atoms
    bonds = sorted((max(b.first, b.second), min(b.first, b.second), b.order, b.aromatic) for b in component.bonds)
    text = "\n".join(
        (
            f"{component.type}\t{component.formula}\t{component.name}",
            "\t".join(atom.name for atom in atoms),
            _sparse((i, a.alt_name) for i, a in enumerate(atoms) if a.alt_name != a.name),
            "\t".join(f"{element}{len(list(run))}" for element, run in groupby(atom.element for atom in atoms)),
            _sparse((i, str(a.charge)) for i, a in enumerate(atoms) if a.charge),
            _mask(atom.aromatic for atom in atoms),
            _mask(atom.leaving for atom in atoms),
            _sparse((i, a.stereo) for i, a in enumerate(atoms) if a.stereo != "N"),
            _mask(atom.xyz is not None for atom in atoms),
            "".join(str(order + 4 * aromatic) for _, _, order, aromatic in bonds),
        )
    )
    later, earlier = [bond[0] for bond in bonds], [bond[1] for bond in bonds]
    pieces = [text.encode("utf-8"), _SEPARATOR]
    pieces += [_integers(list(map(sub, column, [0, *column]))) for column in (later, earlier)]
    pieces += [_integers(column) for column in _steps(atoms, zip(later, earlier, strict=True))]
    squeezer = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, _PRESET)
    return squeezer.compress(b"".join(pieces)) + squeezer.flush()


def unpack(comp_id: str, data: bytes) -> Component:
    """Return the component that `pack` made bytes of."""
    raw = zlib.decompressobj(-15, zdict=_PRESET).decompress(data)
    text, _, binary = raw.partition(_SEPARATOR)
    head, names, alt, elements, charge, aromatic, leaving, stereo, placed, orders = text.decode("utf-8").split("\n")
    kind, formula, name = head.split("\t", 2)
    name_list = names.split("\t") if names else []
    count = len(name_list)
    element_list: list[str] = []
    for run in elements.split("\t") if elements else []:
        element = run.rstrip("0123456789")
        element_list += [element] * int(run[len(element) :])
    has_place = _bits(placed, count)
    columns = _columns(binary, [len(orders)] * 2 + [sum(has_place)] * 3)
    later, earlier = (list(accumulate(column)) for column in columns[:2])
    values = [int(digit) for digit in orders]
    bonds = map(ComponentBond, earlier, later, (value % 4 for value in values), (value >= 4 for value in values))
    atoms = map(
        ComponentAtom,
        name_list,
        _filled(name_list, alt),
        element_list,
        map(int, _filled(["0"] * count, charge)),
        _bits(aromatic, count),
        _bits(leaving, count),
        _filled(["N"] * count, stereo),
        _places(zip(*columns[2:], strict=True), has_place, _predictors(has_place, zip(later, earlier, strict=True))),
    )
    return Component(comp_id, name, kind, formula, tuple(atoms), tuple(bonds))


def _sparse(items: Iterable[tuple[int, str]]) -> str:
    return "\t".join(f"{index}:{value}" for index, value in items)


def _filled(values: Sequence[str], text: str) -> list[str]:
    filled = list(values)
    for item in text.split("\t") if text else []:
        index, _, value = item.partition(":")
        filled[int(index)] = value
    return filled


def _mask(flags: Iterable[bool]) -> str:
    value = sum(1 << index for index, flag in enumerate(flags) if flag)
    return f"{value:x}" if value else ""


def _bits(text: str, count: int) -> list[bool]:
    if not text:
        return [False] * count
    return [digit == "1" for digit in reversed(f"{int(text, 16):0{count}b}")]


def _integers(values: Sequence[int]) -> bytes:
    """Return integers as bytes: a width (1 or 2), then one or two bytes each."""
    small = not values or (min(values) >= -128 and max(values) <= 127)
    return b"\x01" + array("b", values).tobytes() if small else b"\x02" + _little_endian(array("h", values))


def _little_endian(values: array[int]) -> bytes:
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


def _columns(binary: bytes, lengths: Iterable[int]) -> list[list[int]]:
    columns = []
    at = 0
    for length in lengths:
        width = binary[at]
        end = at + 1 + width * length
        columns.append(np.frombuffer(binary[at + 1 : end], dtype=f"<i{width}").tolist())
        at = end
    return columns


def _predictors(has_place: Sequence[bool], bonds: Iterable[Sequence[int]]) -> list[int]:
    """Return for each placed atom an earlier one near it: bonded where possible, else the one before; -1 for none."""
    bonded = {later: earlier for later, earlier in bonds if has_place[earlier]}
    predictors = []
    previous = -1
    for index, has in enumerate(has_place):
        if has:
            predictors.append(bonded.get(index, previous))
            previous = index
    return predictors


def _steps(atoms: Sequence[ComponentAtom], bonds: Iterable[Sequence[int]]) -> list[list[int]]:
    """Return x, y and z of the placed atoms in steps, each atom's relative to its predictor's."""
    has_place = [atom.xyz is not None for atom in atoms]
    grid = {
        index: tuple(round(value * SCALE) for value in atom.xyz)
        for index, atom in enumerate(atoms)
        if atom.xyz is not None
    }
    origin = (0, 0, 0)
    near = [grid.get(index, origin) for index in _predictors(has_place, bonds)]
    return [[own[axis] - other[axis] for own, other in zip(grid.values(), near, strict=True)] for axis in range(3)]


def _places(
    steps: Iterable[tuple[int, int, int]], has_place: Sequence[bool], predictors: Iterable[int]
) -> list[tuple[float, float, float] | None]:
    grid: dict[int, tuple[int, int, int]] = {-1: (0, 0, 0)}
    places: list[tuple[float, float, float] | None] = [None] * len(has_place)
    indices = (index for index, has in enumerate(has_place) if has)
    for index, step, near in zip(indices, steps, predictors, strict=True):
        a, b, c = grid[near]
        x, y, z = step[0] + a, step[1] + b, step[2] + c
        grid[index] = x, y, z
        places[index] = (x / SCALE, y / SCALE, z / SCALE)
    return places
