"""The compiled loops of `kernels.c`, an extension module that pip builds, called with NumPy arrays."""

import ctypes
from functools import lru_cache
from importlib import import_module

import numpy as np

from tethermap.base.errors import UserError
from tethermap.kernels import MODULE


@lru_cache(maxsize=1)
def loaded() -> ctypes.CDLL:
    """Return the library.

    Raises
    ------
    UserError
        If it was not built.
    """
    try:
        path = import_module(MODULE).__file__
    except ImportError as error:
        raise UserError(
            f"the compiled part, {MODULE}, can't be loaded ({error}): make setup builds it, in an environment of your"
            " own pip install --no-deps --no-build-isolation -e .",
            kind="pipeline",
        ) from error
    library = ctypes.CDLL(path)
    size, pointer, real = ctypes.c_int64, ctypes.c_void_p, ctypes.c_double
    atoms = (size, pointer, pointer, pointer)
    grid = (size, pointer, pointer, size, pointer)
    library.lee_richards.argtypes = (size, *atoms, size, size, pointer)
    library.covered_points.argtypes = (*grid, real, *atoms, pointer, size, pointer)
    library.ray_lengths.argtypes = (*grid, real, real, real, *atoms, pointer, size, pointer, pointer)
    return library


def call(function: str, *arguments: float | np.ndarray | None) -> int:
    """Call a function of `kernels.c` and return its result; arrays are contiguous and of the types that it declares.

    Raises
    ------
    UserError
        If the library was not built.
    MemoryError
        If there is not enough memory.
    """
    plain = (value.ctypes.data if isinstance(value, np.ndarray) else value for value in arguments)
    returned: int = getattr(loaded(), function)(*plain)
    if returned < 0:
        raise MemoryError
    return returned
