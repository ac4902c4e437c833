"""Packing of a component into a few hundred bytes of the index: JSON, columns of atoms and of bonds.

A single component is too short to compress well; zlib starts from the text of other components, the index's preset.
"""

import json
import zlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from tethermap.components.component import Component, ComponentAtom, ComponentBond, is_hydrogen

SCALE = 50
"""Stored steps of ideal coordinates per angstrom: enough for stereo and bond lengths."""

LARGEST_PRESET = 32_000
"""Bytes of the preset text for zlib: slightly less than its window."""

_HEAD = 400
"""Bytes of a component's text with its type and formula."""


def preset_of(components: Iterable[Component]) -> bytes:
    """Return the text that packing starts from, made of a few dozen components of the usual kinds."""
    return "".join(map(_as_text, components)).encode("utf-8")[:LARGEST_PRESET]


def pack(component: Component, preset: bytes) -> bytes:
    """Return a component as compressed bytes; coordinates, rounded to 0.02 Å, only if all heavy atoms have them."""
    squeezer = _squeezer(preset).copy()
    return bytes(squeezer.compress(_as_text(component).encode("utf-8")) + squeezer.flush())


@lru_cache(1)
def _squeezer(preset: bytes) -> Any:
    """Return a compressor that has read the preset. Level 9 makes the index 3 % smaller, in four times the CPU time."""
    return zlib.compressobj(6, zlib.DEFLATED, -15, zdict=preset)


def _as_text(component: Component) -> str:
    """Return a component as JSON: columns compress better than rows, and 0 stands for the usual values."""
    atoms = [
        (a.name, 0 if a.alt_name == a.name else a.alt_name, a.element, a.charge, int(a.aromatic), int(a.leaving),
         0 if a.stereo == "N" else a.stereo)
        for a in component.atoms
    ]  # fmt: skip
    steps = [[round(value * SCALE) for value in atom.xyz] for atom in component.atoms if atom.xyz is not None]
    bonds = sorted((max(b[:2]), min(b[:2]), b.order + 4 * b.aromatic) for b in component.bonds)
    columns = [list(zip(*rows, strict=True)) for rows in (atoms, steps, bonds)]
    record = (component.type, component.formula, component.name, *columns, component.synonyms)
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def unpack(comp_id: str, data: bytes, preset: bytes) -> Component:
    """Return the component from the bytes of `pack`.

    >>> oxygen = ComponentAtom("O", "O", "O", 0, False, False, "N", None)
    >>> water = Component("HOH", "WATER", "NON-POLYMER", "H2 O", (oxygen,), ())
    >>> unpack("HOH", pack(water, b""), b"").name
    'WATER'
    """
    text = zlib.decompressobj(-15, zdict=preset).decompress(data)
    kind, formula, name, columns, steps, bond_columns, synonyms = json.loads(text)
    placed = ((x / SCALE, y / SCALE, z / SCALE) for x, y, z in zip(*steps, strict=True))
    atoms = tuple(
        ComponentAtom(
            atom_name, alt_name or atom_name, element, charge, bool(aromatic), bool(leaving), stereo or "N",
            next(placed) if steps and not is_hydrogen(element) else None,
        )
        for atom_name, alt_name, element, charge, aromatic, leaving, stereo in zip(*columns, strict=True)
    )  # fmt: skip
    bonds = (ComponentBond(low, high, order % 4, order > 3) for high, low, order in zip(*bond_columns, strict=True))
    return Component(comp_id, name, kind, formula, atoms, tuple(bonds), synonyms=tuple(synonyms))


def unpack_formula(data: bytes, preset: bytes) -> str:
    """Return the formula of a packed component, without its atoms."""
    head = zlib.decompressobj(-15, zdict=preset).decompress(data, _HEAD).decode("utf-8", "ignore")
    _, end = json.JSONDecoder().raw_decode(head, 1)
    return str(json.JSONDecoder().raw_decode(head, end + 1)[0])


def may_have_name(data: bytes, preset: bytes, name: str) -> bool:
    """Return whether the text of a packed component contains a name in quotes, in any case."""
    text = zlib.decompressobj(-15, zdict=preset).decompress(data)
    return json.dumps(name, ensure_ascii=False).upper().encode() in text.upper()
