"""Packing of a component into a few hundred bytes of the index: JSON, columns of atoms and of bonds.

A single component is too short to compress well; zlib starts from the text of other components, the index's preset.
"""

import json
import re
import zlib
from collections.abc import Iterable
from typing import Any

from tethermap.components.component import Component, ComponentAtom, ComponentBond, is_hydrogen

SCALE = 50
"""Stored steps of ideal coordinates per angstrom: enough for stereo and bond lengths."""

LARGEST_PRESET = 32_000
"""Bytes of the preset text for zlib: slightly less than its window."""

_HEAD = 400
"""Bytes of a component's text with its type and formula."""

_ELEMENT = re.compile("[A-Z][a-z]?")


def preset_of(components: Iterable[Component]) -> bytes:
    """Return the text that packing starts from, made of a few dozen components of the usual kinds."""
    return "".join(map(_as_text, components)).encode("utf-8")[:LARGEST_PRESET]


def pack(component: Component, preset: bytes) -> bytes:
    """Return a component as compressed bytes; coordinates, rounded to 0.02 Å, only if all heavy atoms have them."""
    squeezer = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, preset)
    return squeezer.compress(_as_text(component).encode("utf-8")) + squeezer.flush()


def _as_text(component: Component) -> str:
    atoms = list(enumerate(component.atoms))
    bonds = sorted((max(b.first, b.second), min(b.first, b.second), b.order, b.aromatic) for b in component.bonds)
    record = (
        component.type,
        component.formula,
        component.name,
        [atom.name for _, atom in atoms],
        {index: atom.alt_name for index, atom in atoms if atom.alt_name != atom.name},
        "".join(atom.element for _, atom in atoms),
        {index: atom.charge for index, atom in atoms if atom.charge},
        [index for index, atom in atoms if atom.aromatic],
        [index for index, atom in atoms if atom.leaving],
        {index: atom.stereo for index, atom in atoms if atom.stereo != "N"},
        [[round(atom.xyz[axis] * SCALE) for _, atom in atoms if atom.xyz is not None] for axis in range(3)],
        *([bond[end] for bond in bonds] for end in (0, 1)),
        [order + 4 * aromatic for _, _, order, aromatic in bonds],
        component.synonyms,
    )
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def unpack(comp_id: str, data: bytes, preset: bytes) -> Component:
    """Return the component from the bytes of `pack`.

    >>> oxygen = ComponentAtom("O", "O", "O", 0, False, False, "N", None)
    >>> water = Component("HOH", "WATER", "NON-POLYMER", "H2 O", (oxygen,), ())
    >>> unpack("HOH", pack(water, b""), b"").name
    'WATER'
    """
    text = zlib.decompressobj(-15, zdict=preset).decompress(data)
    kind, formula, name, *lists, synonyms = json.loads(text)
    names, alt, symbols, charge, aromatic, leaving, stereo, steps, later, earlier, orders = lists
    elements = _ELEMENT.findall(symbols)
    placed = zip(*([step / SCALE for step in axis] for axis in steps), strict=True)
    places = [None] * len(names) if not steps[0] else [None if is_hydrogen(e) else next(placed) for e in elements]
    columns = (
        names,
        _filled(names, alt),
        elements,
        _filled([0] * len(names), charge),
        _filled([False] * len(names), dict.fromkeys(aromatic, True)),
        _filled([False] * len(names), dict.fromkeys(leaving, True)),
        _filled(["N"] * len(names), stereo),
        places,
    )
    ends = earlier, later, [order % 4 for order in orders], [order > 3 for order in orders]
    atoms = map(ComponentAtom._make, zip(*columns, strict=True))
    bonds = map(ComponentBond._make, zip(*ends, strict=True))
    return Component(comp_id, name, kind, formula, tuple(atoms), tuple(bonds), synonyms=tuple(synonyms))


def unpack_formula(data: bytes, preset: bytes) -> str:
    """Return the formula of a packed component, without its atoms."""
    head = zlib.decompressobj(-15, zdict=preset).decompress(data, _HEAD).decode("utf-8", "ignore")
    _, end = json.JSONDecoder().raw_decode(head, 1)
    return str(json.JSONDecoder().raw_decode(head, end + 1)[0])


def may_have_name(data: bytes, preset: bytes, name: str) -> bool:
    """Return whether the text of a packed component contains a name in quotes, in any case."""
    text = zlib.decompressobj(-15, zdict=preset).decompress(data)
    return json.dumps(name, ensure_ascii=False).upper().encode() in text.upper()


def _filled(usual: list[Any], unusual: dict[Any, Any]) -> list[Any]:
    """Return the default value for each atom, except for values given by index."""
    values = list(usual)
    for index, value in unusual.items():
        values[int(index)] = value
    return values
