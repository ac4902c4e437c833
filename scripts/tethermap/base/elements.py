"""Properties of chemical elements from gemmi's tables: metals, halogens, covalent radii, masses, numbers.

Symbols are spelled as in ``Cl``; deuterium is ``D``, an unknown element ``X``.
"""

from collections.abc import Sequence
from functools import lru_cache

import gemmi
import numpy as np
import numpy.typing as npt

from tethermap.base.arrays import BoolArray, FloatArray

Elements = Sequence[str] | npt.NDArray[np.str_] | npt.NDArray[np.bytes_]

HALOGENS = frozenset({"F", "Cl", "Br", "I"})

SYMBOLS = frozenset(gemmi.Element(number).name for number in range(1, 119)) | {"D"}
"""Symbols of all elements."""


@lru_cache(maxsize=256)
def is_metal(element: str) -> bool:
    """Return whether an element is a metal: boron, silicon, arsenic and selenium are not.

    >>> is_metal("Zn"), is_metal("Se")
    (True, False)
    """
    return bool(gemmi.Element(element).is_metal)


@lru_cache(maxsize=256)
def covalent_radius(element: str) -> float:
    """Return the covalent radius of an element in angstroms (Cordero 2008, doi:10.1039/b801115j)."""
    return float(gemmi.Element(element).covalent_r)


@lru_cache(maxsize=256)
def mass(element: str) -> float:
    """Return the mean atomic mass of an element in daltons."""
    return float(gemmi.Element(element).weight)


@lru_cache(maxsize=256)
def atomic_number(element: str) -> int:
    """Return the atomic number of an element; 0 for an unknown symbol."""
    return int(gemmi.Element(element).atomic_number)


def covalent_radii(elements: Elements) -> FloatArray:
    """Return covalent radii in angstroms, shape (n_atoms,)."""
    return np.array([covalent_radius(symbol) for symbol in _symbols(elements)], dtype=np.float64)


def are_metals(elements: Elements) -> BoolArray:
    """Return which elements are metals, shape (n_atoms,)."""
    return np.array([is_metal(symbol) for symbol in _symbols(elements)], dtype=np.bool_)


def _symbols(elements: Elements) -> Sequence[str]:
    if not isinstance(elements, np.ndarray):
        return elements
    symbols: list[str] = elements.astype(np.str_).tolist()
    return symbols
