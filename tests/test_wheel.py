"""The installed package works outside the checkout: without a compiler, in a separate environment."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.service.core import LiveService
from tests.tools import lock
from tests.tools.patience import patience, wait_until
from tests.tools.programs import program
from tests.tools.runs import LOCAL, ROOT, difference, job_of, result_files, run_job
from tethermap.base.root import __version__

pytestmark = pytest.mark.process

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DEPLOYED = ("environment.yml", "environment.post-deploy.sh")
PACKED = ("pyproject.toml", "README.md", "LICENSE", "NOTICE", "Snakefile", *DEPLOYED, "rules", "scripts",
          "config", "data", "service")  # fmt: skip
"""Sources of a wheel."""

RUN_TIME = {".py", ".smk", ".yaml", ".csv", ".gz", ".j2", ".css", ".js", ".svg"}
"""Endings of files that a run or the service reads."""

NOT_PACKED = {"client", "node_modules", "deploy"}
MOST_BYTES = 8 << 20
SECONDS = 120


def copied(source: Path) -> Path:
    """Copy the checkout without products of the set-up."""
    source.mkdir()
    ignored = shutil.ignore_patterns("__pycache__", "node_modules", "*.so", "*.egg-info", ".snakemake")
    for name in PACKED:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, source / name, ignore=ignored)
        else:
            shutil.copy(path, source / name)
    return source


def empty_environment(folder: Path) -> Path:
    """Make an environment that has the packages of this one but Tethermap; return its folder of programs."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    site = folder / "lib" / version / "site-packages"
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    if find_spec("snakemake_executor_plugin_slurm"):  # loaded by Snakemake, and it starts `which`
        (folder / "bin" / "which").symlink_to(program("which"))
    return folder / "bin"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    source = copied(folder / "source")
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "-w", str(folder), str(source)], check=True, capture_output=True, timeout=patience(SECONDS))
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def command(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command `tethermap` of an environment that has the wheel, and of this one the packages it needs."""
    programs = empty_environment(tmp_path_factory.mktemp("venv"))
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python")]
    pip += ["install", "-q", "--no-deps", "--no-index", "--ignore-installed"]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True, timeout=patience(SECONDS))
    return programs / "tethermap"


def call(command: Path, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of the environment with nothing else on the path, neither a compiler nor a shell."""
    variables = {"PATH": str(command.parent), "HOME": str(Path.home())}
    return subprocess.run(
        [str(command), *arguments], cwd=folder, env=variables, capture_output=True, text=True, check=False,
        timeout=patience(SECONDS),
    )  # fmt: skip


@pytest.fixture(scope="module")
def job(command: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a job that the command has run."""
    folder = tmp_path_factory.mktemp("elsewhere")
    cache = f"cache_dir={folder / 'cache'}"
    done = call(command, "run", "4CUP", "--archive", "--cores", "1", "--set", cache, folder=folder)
    assert done.returncode == 0, done.stderr
    return folder / "tethermap-4cup"


def test_wheel_is_small_and_contains_the_files_of_a_run(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert wheel.stat().st_size < MOST_BYTES
    assert {f"tethermap/workflow/{name}" for name in ("Snakefile", *DEPLOYED)} <= names
    library = ROOT / "scripts"
    readmes = (library / "tethermap/extras/programs").glob("*.md")
    assert {path.relative_to(library).as_posix() for path in readmes} <= names
    for folder in ("rules", "scripts", "config", "data/archive", "data/reference", "service"):
        for path in (ROOT / folder).rglob("*.*"):
            inside = path.relative_to(ROOT)
            if path.is_file() and path.suffix in RUN_TIME and not NOT_PACKED & {*inside.parts}:
                place = path.relative_to(library) if library in path.parent.parents else inside
                packed = {place.as_posix(), f"tethermap/workflow/{place.as_posix()}"}
                assert packed & names, inside
    assert not [name for name in names if name.startswith(("tests/", "tethermap/workflow/scripts/tethermap"))]


def test_results_are_those_of_the_checkout(job: Path, tmp_path: Path) -> None:
    settings = job_of("4CUP", filters={"entries": ["4CUP"]}, cache_dir=str(tmp_path / "cache"))
    here = run_job(tmp_path / "here", settings, *LOCAL).checked().job
    assert difference(result_files(here), result_files(job)) == []


def test_recorded_job_is_reproduced(command: Path, job: Path) -> None:
    done = call(command, "reproduce", str(job), "--cores", "1", folder=job.parent)
    assert (done.returncode, done.stdout) == (0, "All result files are the same.\n"), done.stderr


def test_python_example_runs(command: Path, job: Path, tmp_path: Path) -> None:
    code = f"from tethermap import read_job; print(read_job({str(job)!r}).ligands[0].exits['rank'].iloc[0])"
    done = call(command.with_name("python"), "-c", code, folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr


def test_other_commands_answer(command: Path, tmp_path: Path) -> None:
    assert call(command, "--version", folder=tmp_path).stdout == f"{__version__}\n"
    shown = call(command, "preview", "4CUP", "--archive", folder=tmp_path)
    assert shown.stdout.startswith("1 entry, about 0.1 MB to read, about 1 min on "), shown.stderr
    checked = call(command, "doctor", folder=tmp_path).stdout
    assert "ok     loops" in checked
    service = call(command, "serve", "--help", folder=tmp_path)
    assert "reindex" in service.stdout, service.stderr


def test_service_runs(command: Path, tmp_path: Path) -> None:
    service = LiveService(tmp_path / "service")
    variables = {**service.environment, "PATH": str(command.parent)}
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen([str(command), "serve"], cwd=tmp_path, env=variables, stdout=log, stderr=log)
    try:
        wait_until(service.answers, 60, "the service to answer")
        assert service.call("GET", "/api/health")[1]["pipeline_assets_exists"] is True
        assert service.call("GET", "/api/jobs/exam4cup/results")[1]["has_results"] is True
    finally:
        process.terminate()
        process.wait(patience(20))


def test_conda_lines_of_the_readme_make_an_environment_for_our_profiles(tmp_path: Path) -> None:
    """Conda itself is not among the programs of the tests: its packages are those of this environment."""
    text = (ROOT / "config/profiles/README.md").read_text("utf-8")
    (lines,) = re.findall(r"```\nconda env create.*\n((?:.*\n)+?)```", text)
    source, programs = copied(tmp_path / "source"), empty_environment(tmp_path / "conda")
    (programs / "pip").write_text(f'#!/bin/sh\nexec {programs}/python -m pip "$@"\n', encoding="utf-8")
    (programs / "pip").chmod(0o755)
    variables = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "HOME": str(Path.home()), "PIP_QUIET": "1"}
    run = ["--snakefile", "Snakefile", "--configfile", "config/demo.yaml", "--directory", str(tmp_path / "job")]
    snakemake = shlex.join(["python", "-m", "snakemake", *run, "--cores", "1", "--profile", "config/profiles/local"])
    done = subprocess.run(
        ["sh", "-ec", f"{lines}{snakemake}"], cwd=source, env=variables, capture_output=True, text=True, check=False,
        timeout=patience(SECONDS),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "5 done" in done.stderr
    assert list((source / "scripts/tethermap/kernels").glob("_kernels*.so"))


def test_needed_packages_are_those_of_the_environment_file() -> None:
    project = PROJECT["project"]
    listed = [*project["dependencies"], *(one for extra in project["optional-dependencies"].values() for one in extra)]
    bounds = lock.bounds()
    built = {"setuptools", lock.ONLY_WITHOUT_NPM}
    assert {f"{name}{bound}" for name, bound in bounds.items() if name not in built} == set(listed)
