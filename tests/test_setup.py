"""Set-up on machines that lack something: one sentence that names the package to install."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.tools.runs import ROOT

TOOLS = ("sh", "dirname", "cat", "cksum", "tr", "cut", "rm", "mkdir", "cp", "chmod")

# Stands for an interpreter: knows its version, makes environments of copies of itself, has what the test says.
INTERPRETER = """#!/bin/sh
case "$*" in
    -V) echo 'Python {version}' ;;
    *version_info*) exit {unsupported} ;;
    *'import ensurepip'*) exit {no_venv} ;;
    *'-m venv'*) mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
    *'-m pip --version'*) [ -d .venv/lib ] ;;
    *'import freesasa'*) exit 1 ;;
    *'"CC"'*) echo {compiler} ;;
    *'get_path("include")'*) echo /nowhere ;;
    *) exit 0 ;;
esac
"""

COMPILER = """#!/bin/sh
read -r line
case "$line" in {missing}) exit 1 ;; esac
"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder with the repository's set-up files and a `bin` that holds little more than a shell."""
    (tmp_path / ".ci").mkdir()
    (tmp_path / "bin").mkdir()
    shutil.copy(ROOT / ".ci/setup.sh", tmp_path / ".ci/setup.sh")
    shutil.copy(ROOT / "requirements.lock", tmp_path / "requirements.lock")
    for name in TOOLS:
        tool = shutil.which(name)
        assert tool is not None
        (tmp_path / "bin" / name).symlink_to(tool)
    return tmp_path


def install(machine: Path, name: str, text: str) -> None:
    path = machine / "bin" / name
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def python(version: str = "3.11.2", *, supported: bool = True, venv: bool = True, compiler: str = "cc") -> str:
    return INTERPRETER.format(version=version, unsupported=int(not supported), no_venv=int(not venv), compiler=compiler)


def stopped(machine: Path, **variables: str) -> str:
    """Run set-up, which must stop, and return its sentence."""
    environment = {"PATH": str(machine / "bin"), **variables}
    run = subprocess.run(
        [str(machine / "bin/sh"), ".ci/setup.sh"],
        cwd=machine,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    lines = run.stderr.splitlines()
    assert len(lines) == 1, run.stderr
    return lines[0]


def test_no_python_at_all(machine: Path) -> None:
    assert "install the package python3" in stopped(machine)


@pytest.mark.parametrize("version", ["3.10.13", "3.14.0"])
def test_python_too_old_or_too_new(machine: Path, version: str) -> None:
    install(machine, "python3", python(version, supported=False))
    message = stopped(machine)
    assert f"Python {version} was found" in message
    assert "install the package python3" in message


def test_python_named_by_the_user_is_not_supported(machine: Path) -> None:
    install(machine, "python3.10", python("3.10.13", supported=False))
    assert "Python 3.10.13 is not supported: install" in stopped(machine, PYTHON="python3.10")


def test_no_virtual_environments(machine: Path) -> None:
    install(machine, "python3", python(venv=False))
    assert "install the package python3-venv" in stopped(machine)


def test_no_compiler(machine: Path) -> None:
    install(machine, "python3", python())
    assert "install the packages gcc and libc6-dev" in stopped(machine)


@pytest.mark.parametrize(("missing", "package"), [("*stdlib*", "libc6-dev"), ("*Python.h*", "python3-dev")])
def test_no_headers(machine: Path, missing: str, package: str) -> None:
    install(machine, "python3", python())
    install(machine, "cc", COMPILER.format(missing=missing))
    assert f"install the package {package}" in stopped(machine)


def test_supported_python_is_found_behind_an_old_one(machine: Path) -> None:
    install(machine, "python3", python("3.10.13", supported=False))
    install(machine, "python3.12", python("3.12.1", venv=False))
    assert "Python 3.12.1 cannot make virtual environments" in stopped(machine)
