import importlib.metadata
import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from tests.tools import lock

ADDED_LOCKS = [folder / lock.LOCK.name for folder in lock.ADDED.values()]
ENVIRONMENTS = [lock.ENVIRONMENT, *(folder / lock.ENVIRONMENT.name for folder in lock.ADDED.values())]
LOCKS = pytest.mark.parametrize("path", [lock.LOCK, *ADDED_LOCKS, lock.NPM_LOCK], ids=str)
BOUNDS = {name: bound for path in ENVIRONMENTS for name, bound in lock.bounds(path).items()}
LOCKED = {name: versions for path in (lock.LOCK, *ADDED_LOCKS) for name, versions in lock.locked(path).items()}
ASSETS = lock.NPM_LOCK.parent


@pytest.mark.parametrize(("package", "bound"), BOUNDS.items())
def test_locked_version_is_within_the_bounds_of_the_environment(package: str, bound: str) -> None:
    versions = {**LOCKED, **lock.locked(lock.NPM_LOCK)}[package]
    assert len(versions) == 1
    assert all(version in SpecifierSet(bound) for version in versions)


@LOCKS
def test_lock_names_no_place_on_the_network_or_disk(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"://|--index|--find-links|\.whl|\.tar|(^|\s)/", text, re.MULTILINE)


@LOCKS
def test_every_locked_package_has_hashes(path: Path) -> None:
    blocks = [block for block in re.split(r"\n(?=\S)", path.read_text(encoding="utf-8")) if not block.startswith("#")]
    assert blocks
    assert all("--hash=sha256:" in block for block in blocks)


def test_running_packages_are_the_locked_ones() -> None:
    names = BOUNDS.keys() - {lock.ONLY_WITHOUT_NPM}
    if importlib.util.find_spec("snakemake_executor_plugin_slurm") is None:
        names -= lock.bounds(lock.ADDED["Slurm clusters"] / lock.ENVIRONMENT.name).keys()
    assert {name: {importlib.metadata.version(name)} for name in names} == {name: LOCKED[name] for name in names}


@pytest.mark.parametrize("path", ADDED_LOCKS, ids=str)
def test_added_lock_repeats_no_package_of_the_main_lock(path: Path) -> None:
    assert lock.locked(path)
    assert not lock.locked().keys() & lock.locked(path).keys()


def test_asset_lock_has_a_hash_for_each_package_and_names_no_registry() -> None:
    packages = json.loads((ASSETS / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    asked = json.loads((ASSETS / "package.json").read_text(encoding="utf-8"))
    assert packages.pop("")["dependencies"] == asked["dependencies"]
    assert {f"node_modules/{name}" for name in asked["dependencies"]} <= packages.keys()
    assert all(package["integrity"].startswith("sha512-") for package in packages.values())
    assert not any("resolved" in package for package in packages.values())


def test_running_python_is_a_supported_one() -> None:
    assert "{}.{}".format(*sys.version_info) in SpecifierSet(lock.python_bounds())
