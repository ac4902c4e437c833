"""The commands of the README work as they stand there."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.tools.runs import ROOT, run_job
from tethermap.base import layout
from tethermap.base.tables import SASA_SUMMARY, read_table

pytestmark = pytest.mark.process

README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(language: str, number: int = 0) -> str:
    """Return a code block of the README."""
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return found[number]


def test_first_commands_are_targets_of_the_makefile() -> None:
    for line in block("sh").splitlines():
        command = shlex.split(line, comments=True)
        assert command[0] == "make"
        subprocess.run([*command, "--dry-run"], cwd=ROOT, check=True, capture_output=True)


@pytest.fixture(scope="module")
def baz2b(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the README's job, run by the README's command."""
    command = shlex.split(block("sh", 1))
    options = dict(zip(command[1::2], command[2::2], strict=True))
    assert options.keys() == {"--snakefile", "--configfile", "--directory", "--cores"}
    folder = tmp_path_factory.mktemp("readme")
    settings = {**yaml.safe_load(block("yaml")), "cache_dir": str(folder / "cache")}
    return run_job(folder / "baz2b", settings, cores=int(options["--cores"])).checked().job


def test_job_of_the_readme_runs_with_the_command_of_the_readme(baz2b: Path) -> None:
    assert "4cup" in (baz2b / layout.RESULTS_DISPLAY).read_text(encoding="utf-8")


def test_result_folder_is_as_the_readme_shows_it(baz2b: Path) -> None:
    shown = set(re.findall(r"^ *([\w.-]+[\w/]*)", README.split("## A result folder")[1].split("```")[1], re.MULTILINE))
    top = {path.name + ("/" if path.is_dir() else "") for path in baz2b.iterdir()} - {".snakemake/"}
    results = {path.name + ("/" if path.is_dir() else "") for path in (baz2b / layout.RESULTS).iterdir()}
    assert {name for name in shown if name.endswith("/") or "." in name} >= {
        name for name in top | results if name != "logs/"
    }


def test_areas_of_amprenavir_are_those_of_the_example() -> None:
    (row,) = read_table(ROOT / "data/examples/exam1hpv" / layout.SASA_SUMMARY, SASA_SUMMARY)
    areas = [float(str(row[f"SASA_{name}_A2"])) for name in ("free", "chain", "target")]
    told = re.search(r"of its (\d+) Å² one chain alone leaves (\d+) Å² exposed, the dimer (\d+) Å²", README)
    assert told is not None
    assert [f"{area:.0f}" for area in areas] == list(told.groups())


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#]+)\)", README))
def test_links_of_the_readme_lead_somewhere(link: str) -> None:
    assert (ROOT / link).exists()
