"""Arrays made once from RDKit's data, at set-up or at first use, and mapped from files next to the component index."""

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import rdkit

from tethermap.base.atomic import replacing
from tethermap.base.component_index import default_index

_log = logging.getLogger(__name__)


def prepared(name: str, make: Callable[[], npt.NDArray[Any]], *, again: bool = False) -> npt.NDArray[Any]:
    """Return the array of a file that is written if it is missing, or `again`; its name contains RDKit's version."""
    path = default_index().with_name(f"{name}-{rdkit.__version__}.npy")
    try:
        if again or not path.is_file():
            with replacing(path) as temporary, temporary.open("wb") as stream:
                np.save(stream, make())
        return np.asarray(np.load(path, mmap_mode="r"))
    except OSError as error:  # a cache that can't be written
        _log.warning("%s could not be written: %s", path.name, error)
        return make()
