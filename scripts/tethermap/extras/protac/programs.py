"""The supported programs that model degraders, and the limits of inputs on demand."""

from __future__ import annotations

import re
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tethermap.extras.protac.program import Program

_FOLDER = "tethermap.extras.programs"

_ORDER = (
    "prosettac", "protac_ternary", "deepternary", "p4ward", "af3", "boltz", "chai", "protenix", "difflinker",
    "diffprotacs",
)  # fmt: skip
"""Programs in the order of their files; others follow by name."""


def names() -> tuple[str, ...]:
    """Return the names of all programs: the modules of `tethermap.extras.programs`, without importing them."""
    found = {module.name for module in iter_modules(import_module(_FOLDER).__path__)}
    return tuple(sorted(found, key=lambda name: (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)))


def tools() -> tuple[str, ...]:
    """Return all inputs that can be made: for programs, each with its folder, and exits and fragments as JSON files."""
    return *names(), "json"


def program(name: str) -> Program:
    """Import a program."""
    found: Program = import_module(f"{_FOLDER}.{name}").PROGRAM
    return found


MOST_SMILES = 1000
"""Longest SMILES of a degrader that is accepted."""

MOST_ATOMS, MOST_RINGS = 150, 30
"""Most heavy atoms and rings of half a degrader; a complete one may have twice the number."""

_ATOM = re.compile(r"\[[^\]]*\]?|Br|Cl|[BCNOPSFIbcnopsa*]")
_RING_BOND = re.compile(r"%\(\d+\)|%\d\d|\d")


def smiles_size(smiles: str) -> tuple[int, int]:
    """Return about how many atoms and rings a SMILES has, without building the molecule.

    >>> smiles_size("[*]Nc1ccc2ccccc2c1"), smiles_size("C%10CC%10Cl")
    ((12, 2), (4, 1))
    """
    outside = re.sub(r"\[[^\]]*\]?", "", smiles)
    return len(_ATOM.findall(smiles)), len(_RING_BOND.findall(outside)) // 2


FORMATS = ("json", "csv", "sdf")
"""Formats of designed degraders."""

LINKER_CLASSES = (
    *("alkyl", "PEG", "PEG acid", "alkyl ether", "amide", "diamide", "urea", "carbamate", "amine"),
    *("saturated ring", "triazole", "alkyne", "aryl"),
)
"""Classes of the linkers of the list."""

MOST_DEGRADERS = 1000
"""Most molecules of one answer."""
MOST_MADE = 8000
"""Most molecules made for one request, which takes some ten seconds; a response has a part of them."""
