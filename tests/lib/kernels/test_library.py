"""The compiled part: built once for its source, missed with a sentence that says what to do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scripts.lib.errors import UserError
from scripts.lib.kernels import build, library
from scripts.lib.kernels.spheres import Spheres


def test_library_that_was_not_built_is_missed_with_what_builds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "FLAGS", ("-O0",))  # of which nobody made one
    library.loaded.cache_clear()
    with pytest.raises(UserError, match="make setup builds it"):
        Spheres(np.zeros((1, 3)), np.ones(1), np.zeros(1, dtype=int), 1).areas(1, 10)


def test_missing_compiler_is_named_with_the_packages_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(UserError, match=r"no-such-compiler.* install the packages gcc and libc6-dev"):
        build.build(tmp_path / "library.so")
    assert list(tmp_path.iterdir()) == []


def test_source_that_does_not_compile_leaves_no_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = tmp_path / "kernels.c"
    source.write_text("int lee_richards(")
    monkeypatch.setattr(build, "SOURCE", source)
    with pytest.raises(UserError, match=r"kernels\.c.* failed"):
        build.build(tmp_path / "library.so")
    assert list(tmp_path.iterdir()) == [source]


@pytest.mark.parametrize(("atoms", "levels"), [(2, [0]), (1, [-1]), (1, [1]), (1, [256])])
def test_atoms_without_place_radius_and_level_are_refused(atoms: int, levels: list[int]) -> None:
    with pytest.raises(ValueError, match="level"):
        Spheres(np.zeros((atoms, 3)), np.ones(atoms), np.array(levels), 1)
