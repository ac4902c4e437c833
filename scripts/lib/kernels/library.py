"""The compiled loops of `kernels.c`: built at set-up into the Python environment, called with NumPy arrays.

The file's name holds a digest of its source, so that a library is never used with another version of it.
"""

from __future__ import annotations

import ctypes
import hashlib
import platform
import sysconfig
from functools import lru_cache
from pathlib import Path

import numpy as np

from scripts.lib.errors import UserError

SOURCE = Path(__file__).with_name("kernels.c")

FLAGS = ("-std=c99", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-shared")
"""Nothing here lets the compiler change a result: sums keep their order, products are not contracted into them."""


def library_path() -> Path:
    """Return where the library of this source lies, built or not: beside the packages of the environment."""
    content = SOURCE.read_bytes() + " ".join((*FLAGS, platform.system(), platform.machine())).encode()
    digest = hashlib.sha256(content).hexdigest()[:16]
    return Path(sysconfig.get_path("platlib")) / f"tethermap-kernels-{digest}.so"


@lru_cache(maxsize=1)
def loaded() -> ctypes.CDLL:
    """Return the library of this source.

    Raises
    ------
    UserError
        If it was not built.
    """
    path = library_path()
    if not path.is_file():
        raise UserError(
            f"the compiled part of this version, {path}, is not there: make setup builds it, in an environment of"
            " your own python -m scripts.build_kernels",
            kind="pipeline",
        )
    library = ctypes.CDLL(str(path))
    size, pointer, real = ctypes.c_int64, ctypes.c_void_p, ctypes.c_double
    atoms = (size, pointer, pointer, pointer)
    grid = (size, pointer, pointer, size, pointer)
    library.lee_richards.argtypes = (size, *atoms, size, size, pointer)
    library.covered_points.argtypes = (*grid, real, *atoms, pointer, size, pointer)
    library.ray_lengths.argtypes = (*grid, real, real, real, *atoms, pointer, size, pointer, pointer)
    return library


def call(function: str, *arguments: float | np.ndarray | None) -> int:
    """Call a function of `kernels.c`, return what it returns; arrays are contiguous and of the types it names.

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
