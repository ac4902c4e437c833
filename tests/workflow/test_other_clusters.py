"""Clusters other than Slurm: the profiles hand every step to the scheduler's own commands, here ones that run it."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from tests.tools.cluster import LocalCluster
from tests.tools.patience import wait_until
from tests.tools.runs import LOCAL, ROOT, JobRun, difference, job_of, result_files, run_job
from tests.tools.shared import shared_run

pytest.importorskip("snakemake_executor_plugin_cluster_generic")

PROFILES = ROOT / "config" / "profiles"
SETTINGS = job_of("Protease", "1hpv", resources={"mem_mb": 700, "runtime": 9})

QSUB = """
import argparse, os, subprocess, sys
parser = argparse.ArgumentParser()
for name in ("-terse", "-cwd", "-V"):
    parser.add_argument(name, action="store_true")
parser.add_argument("-j", choices=["y"])
parser.add_argument("-o", default=os.devnull)
parser.add_argument("-l", action="append", required=True)
parser.add_argument("script")
given = parser.parse_args()
with open(os.environ["ASKED"], "a") as asked:
    print(*given.l, file=asked)
log = os.path.join(given.o, "log") if os.path.isdir(given.o) else given.o
with open(log, "ab") as stream:
    started = subprocess.Popen(["sh", given.script], stdout=stream, stderr=stream, start_new_session=True)
print(started.pid)
"""
"""Grid Engine's and PBS's submission, as far as our lines use it: unknown options are refused, the script runs here."""

KUBECTL = """
import json, os, pathlib, subprocess, sys
verb, *arguments = sys.argv[1:]
states = pathlib.Path(os.environ["ASKED"]).with_suffix(".states")
states.mkdir(exist_ok=True)
if verb == "create":
    assert arguments == ["-f", "-", "-o", "jsonpath={.metadata.name}"], arguments
    job = json.load(sys.stdin)
    (container,) = job["spec"]["template"]["spec"]["containers"]
    with open(os.environ["ASKED"], "a") as asked:
        print(json.dumps(job), file=asked)
    name = job["metadata"]["name"]
    variables = {**os.environ, **{one["name"]: one["value"] for one in container["env"]}}
    command = 'if "$@"; then echo 1/ >"$STATE"; else echo /1 >"$STATE"; fi'
    subprocess.Popen(["sh", "-c", command, "sh", *container["command"]], cwd=container["workingDir"],
                     env={**variables, "STATE": str(states / name)}, start_new_session=True,
                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print(name, end="")
elif verb == "get":
    assert arguments[0] == "job" and "--ignore-not-found" in arguments, arguments
    state = states / arguments[1]
    print(f"{arguments[1]}/{state.read_text().strip() if state.exists() else '/'}", end="")
else:
    raise SystemExit(f"not expected: {sys.argv}")
"""
"""The part of kubectl that the profile uses: a Job runs here, in its folder, with its variables."""


@pytest.fixture
def scheduler(tmp_path: Path) -> dict[str, str]:
    """An environment with `qsub` and `kubectl` from above, in which `ASKED` names the file of requests."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, code in (("qsub", QSUB), ("kubectl", KUBECTL)):
        program = folder / name
        program.write_text(f"#!{sys.executable}\n{code}", encoding="utf-8")
        program.chmod(0o755)
    kube = {"TETHERMAP_KUBE_IMAGE": "python:3.12", "TETHERMAP_KUBE_CLAIM": "jobs", "TETHERMAP_KUBE_MOUNT": "/jobs"}
    return {"PATH": os.pathsep.join((str(folder), os.environ["PATH"])), "ASKED": str(tmp_path / "asked"), **kube}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> JobRun:
    """The job without a cluster."""
    return shared_run(tmp_path_factory, "one_entry", SETTINGS, *LOCAL).checked()


@pytest.mark.parametrize("profile", ["generic", "kubernetes"])
def test_steps_go_to_the_scheduler_and_give_the_same_bytes(
    profile: str, here: JobRun, scheduler: dict[str, str], tmp_path: Path
) -> None:
    arguments = ("--profile", str(PROFILES / profile), "--seconds-between-status-checks", "1", "--latency-wait", "5")
    settings = {**SETTINGS, "cache_dir": str(tmp_path / "cache")}
    there = run_job(tmp_path / "job", settings, *arguments, cores=None, environment=scheduler).checked()
    assert difference(result_files(there.job), result_files(here.job)) == []
    asked = Path(scheduler["ASKED"]).read_text(encoding="utf-8").splitlines()
    assert len(asked) >= 4
    if profile == "generic":
        assert set(asked) == {"h_vmem=700M,h_rt=0:9:0"}
        return
    for job in map(json.loads, asked):
        spec = job["spec"]["template"]["spec"]
        assert spec["volumes"] == [{"name": "jobs", "persistentVolumeClaim": {"claimName": "jobs"}}]
        (container,) = spec["containers"]
        assert (container["image"], container["resources"]["limits"]) == ("python:3.12", {"memory": "700Mi"})
        assert job["spec"]["activeDeadlineSeconds"] == 540


def submit_line(program: str) -> list[str]:
    """Return a submit command of the page of profiles as Snakemake fills it in."""
    text = (PROFILES / "README.md").read_text(encoding="utf-8")
    settings = re.findall(r"^cluster-generic-submit-cmd: .*$", text, re.MULTILINE)
    commands = [next(iter(yaml.safe_load(setting).values())) for setting in settings]
    (line,) = [command for command in commands if command.startswith(f"{program} ")]
    return shlex.split(line.format(resources=SimpleNamespace(mem_mb=700, runtime=9)))


def test_line_for_pbs_submits_a_script(scheduler: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "job.sh"
    script.write_text("true\n", encoding="utf-8")
    number = subprocess.check_output([*submit_line("qsub"), script], env={**os.environ, **scheduler}, text=True)
    assert int(number)
    asked = Path(scheduler["ASKED"]).read_text(encoding="utf-8")
    assert asked == "select=1:ncpus=1:mem=700mb walltime=0:9:0\n"


def test_line_for_slurm_submits_a_script(cluster: LocalCluster, tmp_path: Path) -> None:
    script = tmp_path / "job.sh"
    script.write_text("#!/bin/sh\ntrue\n", encoding="utf-8")
    number = subprocess.check_output([*submit_line("sbatch"), script], cwd=tmp_path, text=True)
    assert re.fullmatch(r"\d+\n", number)
    wait_until(lambda: cluster.left() == [], 30, "the script to end")
