"""A user's folder, and the source that opens it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tethermap.sources.files import FilesSource


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    return folder


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[Path], FilesSource]:
    return lambda folder: FilesSource([folder], tmp_path / "cache").open()
