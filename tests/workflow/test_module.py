"""Tethermap as a module of another workflow, which is outside the checkout and has its own packages and rules."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import pytest
import yaml

from tests.tools.cluster import LocalCluster
from tests.tools.patience import patience
from tests.tools.runs import LOCAL, ROOT, difference, job_of, result_files, run_job

JOBS = {
    "baz2b": job_of("BAZ2B", "BAZ2B bromodomain 4CUP"),
    "protease": job_of("HIV-1 protease", "1hpv 1a8o"),
}

OUTER = f"""
import os, sys
import pandas

before = (dict(os.environ), list(sys.path), sys.modules["pandas"])

configfile: "config.yaml"

rule all:
    input:
        "count.csv",

module first:
    snakefile: "{ROOT}/Snakefile"
    config: config["baz2b"]
    prefix: "results/baz2b"

use rule * from first as first_*

module second:
    snakefile: "{ROOT}/Snakefile"
    config: config["protease"]
    prefix: "results/protease"

use rule * from second as second_*

here = {{"{ROOT}", "{ROOT}/rules"}}  # which Snakemake adds itself
assert before == (dict(os.environ), [path for path in sys.path if path not in here], sys.modules["pandas"])

rule count:
    input:
        manifests=expand("results/{{job}}/job_result_manifest.json", job=["baz2b", "protease"]),
        tables=expand("results/{{job}}/TARGET_RESULTS/Results_Display.csv", job=["baz2b", "protease"]),
    output:
        "count.csv",
    script:
        "count.py"
"""

ON_CLUSTER = (
    *("--executor", "slurm", "--jobs", "6", "--local-cores", "1", "--latency-wait", "5"),
    *("--slurm-no-account", "--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "2"),
    *("--default-resources", "slurm_partition=main", "mem_mb=500", "runtime=10"),
)

COUNT = """
import pandas

frames = [pandas.read_csv(path, dtype=str) for path in snakemake.input.tables]
pandas.concat(frames).groupby("Target").size().to_csv(snakemake.output[0])
"""


def outer(folder: Path, *arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the outer workflow with plain Snakemake, its own environment and no configuration but its own."""
    ours = ("PYTHONPATH", "PYTHONWARNINGS", "PYTHONHASHSEED")
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    command = [sys.executable, "-m", "snakemake", *arguments]
    ended = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=patience(300), check=False
    )
    assert ended.returncode == status, ended.stderr[-4000:]
    return ended


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the outer workflow."""
    folder = tmp_path_factory.mktemp("outer")
    jobs = {name: {**job, "cache_dir": str(folder / "cache")} for name, job in JOBS.items()}
    (folder / "Snakefile").write_text(OUTER)
    (folder / "count.py").write_text(COUNT)
    (folder / "config.yaml").write_text(yaml.safe_dump(jobs))
    return folder


@pytest.fixture(scope="module")
def run(written: Path) -> Path:
    """The same, run."""
    outer(written, "--cores", "2")
    return written


@pytest.mark.parametrize("name", JOBS)
def test_job_of_a_module_gives_the_results_of_a_standalone_run(run: Path, tmp_path: Path, name: str) -> None:
    alone = run_job(tmp_path / name, JOBS[name] | {"cache_dir": str(tmp_path / "cache")}, *LOCAL).checked()
    assert difference(result_files(run / "results" / name), result_files(alone.job)) == []


def test_outer_workflow_keeps_its_target_and_computes_with_its_packages(run: Path) -> None:
    assert (run / "count.csv").read_text().splitlines()[1:] == ["BAZ2B,1", "HIV-1 protease,1"]
    assert {path.name for path in run.iterdir()} >= {"results", "cache", "count.csv"}
    assert not (run / ".work").exists()


def test_modules_on_a_cluster_give_the_same(run: Path, tmp_path: Path, cluster: LocalCluster) -> None:
    folder = tmp_path / "outer"
    shutil.copytree(run, folder, ignore=shutil.ignore_patterns("results", "cache", ".snakemake", "*.zip", "count.csv"))
    jobs = {name: {**job, "cache_dir": str(folder / "cache")} for name, job in JOBS.items()}
    (folder / "config.yaml").write_text(yaml.safe_dump(jobs))
    outer(folder, *ON_CLUSTER)
    sent = {job.rule for job in cluster.jobs(ended=True) if job.folder == folder.resolve()}
    assert sent >= {"first_clean_complexes", "second_measure_sasa", "first_find_series", "count"}
    assert not sent & {"first_search_entries", "second_build_tables", "first_finish_job"}
    for name in JOBS:
        assert difference(result_files(folder / "results" / name), result_files(run / "results" / name)) == []
    assert (folder / "count.csv").read_text() == (run / "count.csv").read_text()


def test_run_of_a_module_with_nothing_to_do_does_nothing(run: Path) -> None:
    assert "Nothing to be done" in outer(run, "--cores", "2").stderr


def test_report_shows_tables_pictures_and_configuration_of_each_job(run: Path) -> None:
    outer(run, "--report", "report.zip")
    with zipfile.ZipFile(run / "report.zip") as report:
        names = Counter(Path(name).name for name in report.namelist())
        (page,) = (report.read(name).decode() for name in report.namelist() if name == "report/report.html")
    assert {names[f"{table}.csv"] for table in ("Results_Display", "Exit_Answers", "Ligand_Status")} == {2}
    assert {"4cup_A_ZYB_2971_exits.svg", "1hpv_A_478_200_exits.svg"} <= names.keys()
    for shown in ("BAZ2B bromodomain 4CUP", "HIV-1 protease", "Ligands and their exits"):
        assert shown in page


def test_module_of_the_readme_is_planned(tmp_path: Path) -> None:
    (block,) = re.findall(
        r"^```python\n(.*?)^```", (ROOT / "config/profiles/README.md").read_text(), re.DOTALL | re.MULTILINE
    )
    (tmp_path / "Snakefile").write_text(block.replace("/path/to/tethermap", str(ROOT)))
    (comment,) = re.findall(r"# (egfr: .*)", block)
    (tmp_path / "config.yaml").write_text(comment)
    ended = outer(tmp_path, "--dry-run", "--cores", "1", "results/egfr/job_result_manifest.json")
    assert "output: results/egfr/.work/shards.json, results/egfr/search/entries.csv" in ended.stdout


def test_configuration_that_snakedeploy_copies_needs_only_a_target(tmp_path: Path) -> None:
    outside = f"""
configfile: "config/config.yaml"

module tethermap:
    snakefile:
        "{ROOT}/Snakefile"
    config:
        config

use rule * from tethermap
"""
    (tmp_path / "workflow").mkdir()
    (tmp_path / "workflow/Snakefile").write_text(outside)
    shutil.copytree(ROOT / "config", tmp_path / "config")
    ended = outer(tmp_path, "--dry-run", status=1)
    assert ended.stderr.splitlines()[-1] == (
        "Tethermap: target_name is missing: every job needs it in its configuration file."
    )
    given = "target_name=EGFR", "search_query=EGFR"
    assert "finish_job" in outer(tmp_path, "--dry-run", "--config", *given).stdout


def test_wrong_setting_of_a_module_is_reported_in_one_sentence_and_leaves_no_files(
    written: Path, tmp_path: Path
) -> None:
    for name in ("Snakefile", "count.py"):
        (tmp_path / name).write_text((written / name).read_text())
    (tmp_path / "config.yaml").write_text(yaml.safe_dump({**JOBS, "protease": {"target_nam": "x"}}))
    ended = outer(tmp_path, "--cores", "1", status=1)
    assert ended.stderr.splitlines()[-1] == "Tethermap: target_nam is not a setting: did you mean target_name?"
    assert {path.name for path in tmp_path.iterdir()} - {".snakemake"} == {"Snakefile", "count.py", "config.yaml"}
