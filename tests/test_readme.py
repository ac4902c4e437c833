"""The commands of the READMEs work."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gemmi
import pytest
import yaml

from tests.standin.server import StandIn
from tests.tools.cluster import LocalCluster
from tests.tools.patience import patience
from tests.tools.programs import program
from tests.tools.runs import ROOT, rows_of, run_job
from tests.tools.styles import programs, write_style
from tethermap.base import layout
from tethermap.base.component_index import default_index
from tethermap.base.config import resolve
from tethermap.base.root import __version__

pytestmark = pytest.mark.process

README = (ROOT / "README.md").read_text(encoding="utf-8")
SCRIPTS = (ROOT / "scripts" / "README.md").read_text(encoding="utf-8")
ALL = sorted(path for folder in (".", "config", "data", "scripts", "service", "tests") for path in (
    (ROOT / folder).glob("README.md") if folder == "." else (ROOT / folder).rglob("README.md")
) if "node_modules" not in path.parts)  # fmt: skip

RUN_BY = {
    "README.md": (
        "tests/test_wheel.py::command",
        *("tests/test_readme.py::worked",) * 2,
        "tests/test_readme.py::test_command_for_a_cluster_runs_there",
        "tests/test_readme.py::test_python_example_runs",
        *("tests/test_readme.py::baz2b",) * 2,
        *("tests/service/test_service_readme.py::test_command_of_the_projects_readme_answers_as_shown",) * 2,
    ),
    "config/README.md": ("tests/test_readme.py::test_configurations_of_the_settings_page_are_valid",),
    "config/profiles/README.md": (
        "tests/workflow/test_module.py::test_module_of_the_readme_is_planned",
        "tests/workflow/test_other_clusters.py::test_line_for_pbs_submits_a_script",
        "tests/test_readme.py::test_variables_of_the_page_of_profiles_can_be_set",
        "tests/test_wheel.py::test_conda_lines_of_the_readme_make_an_environment_for_our_profiles",
    ),
    "config/deploy/README.md": ("tests/service/test_deploy.py::test_a_restored_backup_gives_the_same_bytes",) * 2,
    "scripts/README.md": ("tests/test_readme.py::test_examples_of_reading_tables_run",) * 2,
    "service/README.md": (
        *("tests/service/test_service_readme.py::test_first_commands_of_the_readme_work",) * 2,
        "tests/service/test_service_readme.py::test_query_of_the_readme_reads_tables_of_all_jobs",
    ),
    "service/client/README.md": (
        "tests/service/test_client.py::test_every_command_of_the_readme_works_without_the_repository",
        "tests/service/test_client.py::test_python_example_of_the_readme_works",
    ),
    "tests/README.md": ("tests/test_readme.py::test_commands_are_targets_of_the_makefile",),
}
"""Fixture or test that runs each code block."""


def blocks(text: str, language: str = r"\w*") -> list[str]:
    """Return the code blocks of a text, in order."""
    found: list[str] = re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return found


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_code_block_is_run_by_a_test(path: Path) -> None:
    name = path.relative_to(ROOT).as_posix()
    runnable = [one for one in blocks(path.read_text(encoding="utf-8")) if not one.startswith("TARGET_RESULTS/\n")]
    assert len(runnable) == len(RUN_BY.get(name, ())), runnable
    for runner in filter(None, RUN_BY.get(name, ())):
        file, _, function = runner.partition("::")
        assert f"def {function}(" in (ROOT / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["README.md", "service/README.md"])
def test_page_has_at_most_eight_kilobytes(name: str) -> None:
    assert len((ROOT / name).read_bytes()) <= 8_000


def test_first_screen_answers_the_first_questions() -> None:
    sentence = README.split("\n\n")[1]
    assert all(word in sentence for word in ("ligand", "linker", "degrader"))
    first = README.partition("## What you get")[0]
    questions = ("Where do I attach a linker?", "My own structure?", "On our cluster?")
    assert all(question in first for question in questions)
    assert first.count("\n") < 45
    assert "_exits.svg" in first


@pytest.mark.parametrize("path", [ROOT / "README.md", ROOT / "tests" / "README.md"], ids=["README", "tests"])
def test_commands_are_targets_of_the_makefile(path: Path) -> None:
    lines = [line for block in blocks(path.read_text(encoding="utf-8"), "sh") for line in block.splitlines()]
    commands = [shlex.split(line, comments=True) for line in lines if line.startswith("make ")]
    assert commands
    for command in commands:
        subprocess.run([program("make"), *command[1:], "--dry-run"], cwd=ROOT, check=True, capture_output=True)


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment whose `tethermap` is this checkout's, with a separate cache."""
    folder = tmp_path_factory.mktemp("bin")
    script = folder / "tethermap"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tethermap "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    path = os.pathsep.join((str(folder), os.environ["PATH"]))
    changed = {"PATH": path, "PYTHONPATH": str(ROOT / "scripts"), "TETHERMAP_COMPONENTS": str(default_index())}
    return {**os.environ, **changed, "XDG_CACHE_HOME": str(folder / "cache")}


def run_lines(text: str, folder: Path, environment: dict[str, str]) -> str:
    """Run the lines of a block in a folder and return their output."""
    done = subprocess.run(
        ["sh", "-ec", text], cwd=folder, env=environment, capture_output=True, text=True, check=False,
        timeout=patience(120),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def worked(
    archive: Path, shell: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, list[str]]]:
    """Folder in which the first commands were run, with a stand-in of RCSB PDB, and the output of each block."""
    folder = tmp_path_factory.mktemp("first")
    style = write_style(next(style for style in programs() if style.name == "pymol"), tmp_path_factory.mktemp("made"))
    model = gemmi.read_structure(str(style))
    model.setup_entities()
    model.make_mmcif_document().write_file(str(folder / "model.cif"))
    installed, *commands = blocks(README, "sh")
    _, run = installed.splitlines()
    with StandIn(archive) as standin:
        environment = {**shell, **standin.environment}
        yield folder, [run_lines(text, folder, environment) for text in (run, *commands[:2])]


def test_first_commands_leave_results(worked: tuple[Path, list[str]]) -> None:
    folder, printed = worked
    assert printed[1].startswith("1 entry, about 0.1 MB to download, about 1 min on ")
    for job in ("tethermap-4cup", "tethermap-baz2b", "tethermap-model-cif"):
        assert (folder / job / layout.REPORT).is_file(), job
    assert "LIG" in (folder / "tethermap-model-cif" / layout.EXIT_ANSWERS).read_text(encoding="utf-8")


def test_python_example_runs(worked: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = blocks(README, "python")
    monkeypatch.chdir(worked[0])
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["job"].ligands[0].name == "LIG"


def test_command_for_a_cluster_runs_there(
    cluster: LocalCluster, archive: Path, shell: dict[str, str], tmp_path: Path
) -> None:
    pytest.importorskip("snakemake_executor_plugin_slurm")
    command = blocks(README, "sh")[3]
    assert "--profile slurm" in command
    own = {name: shell[name] for name in ("PYTHONPATH", "TETHERMAP_COMPONENTS", "XDG_CACHE_HOME")}
    own["PATH"] = os.pathsep.join((shell["PATH"].partition(os.pathsep)[0], os.environ["PATH"]))  # the cluster's now
    with StandIn(archive) as standin:
        run_lines(command, tmp_path, {**os.environ, **own, **standin.environment})
    assert cluster.jobs(ended=True, folder=tmp_path / "tethermap-baz2b")


@pytest.fixture(scope="module")
def baz2b(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the README's job, run by the README's command."""
    command = shlex.split(blocks(README, "sh")[4].splitlines()[1])
    options = dict(zip(command[1::2], command[2::2], strict=True))
    assert options.keys() == {"--snakefile", "--configfile", "--directory", "--cores"}
    folder = tmp_path_factory.mktemp("readme")
    settings = {**yaml.safe_load(blocks(README, "yaml")[0]), "cache_dir": str(folder / "cache")}
    return run_job(folder / "baz2b", settings, cores=int(options["--cores"])).checked().job


def test_job_of_the_readme_runs_with_the_command_of_the_readme(baz2b: Path) -> None:
    assert "4cup" in (baz2b / layout.RESULTS_DISPLAY).read_text(encoding="utf-8")


def test_result_folder_has_the_shown_files(baz2b: Path) -> None:
    shown = set(re.findall(r"^ *([\w.-]+[\w/]*)", SCRIPTS.split("## A result folder")[1].split("```")[1], re.MULTILINE))
    top = {path.name + ("/" if path.is_dir() else "") for path in baz2b.iterdir()} - {".snakemake/"}
    results = {path.name + ("/" if path.is_dir() else "") for path in (baz2b / layout.RESULTS).iterdir()}
    assert {name for name in shown if name.endswith("/") or "." in name} >= (top | results) - {"logs/"}


@pytest.mark.parametrize("number", [0, 1], ids=["DuckDB", "pandas"])
def test_examples_of_reading_tables_run(baz2b: Path, number: int) -> None:
    code = blocks(SCRIPTS, "python")[number]
    assert "results/baz2b" in code
    names: dict[str, Any] = {}
    exec(code.replace("results/baz2b", str(baz2b)), names)
    rows = names["answers"] if "answers" in names else names["exits"]
    assert {"Warhead", "anchor_atom"} <= set(rows.columns)
    assert len(rows)


def test_areas_of_amprenavir_are_those_of_the_example() -> None:
    (row,) = rows_of(ROOT / "data/examples/exam1hpv", layout.SASA_SUMMARY)
    areas = [float(row[f"SASA_{name}_A2"]) for name in ("free", "chain", "target")]
    told = re.search(r"of its (\d+) Å² a single chain leaves (\d+) Å² exposed, the dimer (\d+) Å²", SCRIPTS)
    assert told is not None
    assert [f"{area:.0f}" for area in areas] == list(told.groups())


SETTINGS = (ROOT / "config" / "README.md").read_text(encoding="utf-8")
PROFILES = (ROOT / "config" / "profiles" / "README.md").read_text(encoding="utf-8")


def test_configurations_of_the_settings_page_are_valid() -> None:
    assert resolve(yaml.safe_load(blocks(SETTINGS, "yaml")[0]))["source"]["kind"] == "mirror"


def test_variables_of_the_page_of_profiles_can_be_set(tmp_path: Path) -> None:
    text = next(one for one in blocks(PROFILES, "sh") if "TETHERMAP_KUBE_IMAGE" in one)
    printed = run_lines(f"{text}\nenv", tmp_path, {"PATH": os.environ["PATH"]})
    profile = (ROOT / "config/profiles/kubernetes/submit.py").read_text(encoding="utf-8")
    for name in ("TETHERMAP_KUBE_IMAGE", "TETHERMAP_KUBE_CLAIM", "TETHERMAP_KUBE_MOUNT"):
        assert f"{name}=" in printed
        assert name in profile


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)(?:#[\w-]+)?\)", path.read_text(encoding="utf-8")):
        if "://" not in link:
            assert (path.parent / link).exists(), link


CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_changelog_has_the_sections_of_keep_a_changelog_in_their_order() -> None:
    order = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
    for version in re.split(r"^## ", CHANGES, flags=re.MULTILINE)[1:]:
        assert re.match(r"\[(Unreleased\]|\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d)\n", version)
        sections = re.findall(r"^### (.*)$", version, re.MULTILINE)
        assert sections == [name for name in order if name in sections]


def test_version_is_that_of_the_changelog_and_of_the_citation() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    version, date = re.findall(r"^## \[(\d.*)\] - (.*)$", CHANGES, re.MULTILINE)[0]
    assert (version, date) == (__version__, str(citation["date-released"]))
    assert citation["version"] == __version__


def test_changelog_has_no_duplicate_lines() -> None:
    entries = re.findall(r"^- .*?(?=^- |^#|\Z)", CHANGES, re.DOTALL | re.MULTILINE)
    words = [set(re.findall(r"[\w/.]{4,}", entry.lower())) for entry in entries]
    alike = [(entries[m], entries[n]) for n in range(len(entries)) for m in range(n)
             if len(words[m] & words[n]) >= 0.9 * min(len(words[m]), len(words[n])) > 2]  # fmt: skip
    assert alike == []
