"""The compiled loops: an extension module, and the message if it was not built."""

import numpy as np
import pytest

from tethermap.base.errors import UserError
from tethermap.kernels import MODULE, compiler, library
from tethermap.kernels.spheres import Spheres


def test_missing_library_is_named_with_its_build_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "MODULE", f"{MODULE}_not_built")
    library.loaded.cache_clear()
    with pytest.raises(UserError, match="make setup builds it"):
        Spheres(np.zeros((1, 3)), np.ones(1), np.zeros(1, dtype=int), 1).areas(1, 10)


def test_extension_module_names_its_compiler() -> None:
    assert compiler()


@pytest.mark.parametrize(("atoms", "levels"), [(2, [0]), (1, [-1]), (1, [1]), (1, [256])])
def test_atoms_without_place_radius_and_level_are_refused(atoms: int, levels: list[int]) -> None:
    with pytest.raises(ValueError, match="level"):
        Spheres(np.zeros((atoms, 3)), np.ones(atoms), np.array(levels), 1)
