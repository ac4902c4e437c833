from __future__ import annotations

import importlib.metadata
import re
import sys

import pytest
from packaging.specifiers import SpecifierSet

from tests.tools import lock


@pytest.mark.parametrize(("package", "bound"), lock.bounds().items())
def test_locked_version_is_within_the_bounds_of_the_environment(package: str, bound: str) -> None:
    versions = lock.locked()[package]
    assert len(versions) == 1
    assert all(version in SpecifierSet(bound) for version in versions)


def test_lock_names_no_place_on_the_network_or_disk() -> None:
    text = lock.LOCK.read_text(encoding="utf-8")
    assert not re.search(r"://|--index|--find-links|\.whl|\.tar|(^|\s)/", text, re.MULTILINE)


def test_every_locked_package_has_hashes() -> None:
    blocks = re.split(r"\n(?=\S)", lock.LOCK.read_text(encoding="utf-8").removeprefix(lock.HEADER))
    assert all("--hash=sha256:" in block for block in blocks)


def test_running_packages_are_the_locked_ones() -> None:
    locked = lock.locked()
    assert {name: {importlib.metadata.version(name)} for name in lock.bounds()} == {
        name: locked[name] for name in lock.bounds()
    }


def test_running_python_is_a_supported_one() -> None:
    assert "{}.{}".format(*sys.version_info) in SpecifierSet(lock.python_bounds())
