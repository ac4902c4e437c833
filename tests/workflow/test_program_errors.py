"""Errors of the program in a real run: planted in every process of it, the forked ones too."""

from __future__ import annotations

import csv
import getpass
import json
import os
import re
from pathlib import Path

import pytest

from tests.tools.runs import ROOT, JobRun, run_job
from tethermap.base import layout

PLANT = """
import {module} as module

sound = module.{function}

def planted(*arguments, **named):
    if {victim!r} in repr(arguments):
        raise KeyError("planted")
    return sound(*arguments, **named)

module.{function} = planted
"""


def run(folder: Path, module: str, function: str, victim: str, **settings: object) -> JobRun:
    """Run a job of three entries with one ligand each in which a function fails where it meets one."""
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(PLANT.format(module=module, function=function, victim=victim))
    given = {
        "target_name": "Anything",
        "search_query": "4cup 1hpv 1gbt",
        "source": {"kind": "archive"},
        "cache_dir": str(folder / "cache"),
    }
    path = os.pathsep.join((str(folder), str(ROOT)))
    return run_job(folder / "job", {**given, **settings}, environment={"PYTHONPATH": path})


@pytest.mark.parametrize(
    ("step", "module", "function", "kept"),
    [
        ("match_ligands", "tethermap.matching.build", "build_ligand", False),
        ("measure_sasa", "tethermap.exposure.rows", "summary_row", False),
        ("find_series", "tethermap.series.ligands", "core_of_member", True),
    ],
)
def test_ligand_that_meets_an_error_costs_no_other(
    step: str, module: str, function: str, kept: bool, tmp_path: Path
) -> None:
    job = run(tmp_path / step, module, function, "1hpv_A_478_200").checked().job
    with (job / layout.LIGAND_STATUS).open(encoding="utf-8", newline="") as stream:
        status = {row["stem"]: row for row in csv.DictReader(stream) if row["stem"]}
    lost = status["1hpv_A_478_200"]
    assert (lost["reason"], lost["value"], lost["kept"]) == ("program_error", f"{step}: KeyError", str(kept))
    assert all(row["reason"] == "kept" for stem, row in status.items() if stem != "1hpv_A_478_200")
    manifest = json.loads((job / layout.MANIFEST).read_text(encoding="utf-8"))
    assert manifest["counts"]["instances_kept"] == len(status) - (not kept)
    assert [row["check"] for row in manifest["self_check"]["failures"]] == ["processed"]
    log = (job / layout.JOB_LOG).read_text(encoding="utf-8")
    assert log.count(f"1hpv_A_478_200: an error of this program ({step}: KeyError)") == 1


def test_log_that_a_failed_job_names_is_where_a_stranger_can_read_it(tmp_path: Path) -> None:
    ended = run(tmp_path, "tethermap.sources.search", "find_entries", "Source")
    assert ended.status
    assert any(message.endswith(f"the end of its log is in {layout.JOB_LOG}.") for message in ended.messages)
    log = (ended.job / layout.JOB_LOG).read_text(encoding="utf-8")
    assert "KeyError: 'planted'" in log
    assert "Traceback" in log
    assert not re.search(rf"(?<![\w:])/\w|\b{getpass.getuser()}\b", log.replace(str(tmp_path), "/x"))
