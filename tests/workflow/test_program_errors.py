"""Errors of the program in a real run: planted in every process of it, the forked ones too."""

import getpass
import json
import os
import re
from pathlib import Path

from tests.tools.runs import ROOT, JobRun, job_of, rows_of, run_job
from tethermap.base import layout

PLANT = """
def plant(module, function, victim):
    sound = getattr(module, function)

    def planted(*arguments, **named):
        if victim in repr(arguments):
            raise KeyError("planted")
        return sound(*arguments, **named)

    setattr(module, function, planted)
"""


def run(folder: Path, *plants: tuple[str, str, str]) -> JobRun:
    """Run a job of four ligands in which functions fail where they meet one: `(module, function, victim)`."""
    folder.mkdir(exist_ok=True)
    calls = "".join(f"\nimport {module}\nplant({module}, {name!r}, {victim!r})\n" for module, name, victim in plants)
    (folder / "sitecustomize.py").write_text(PLANT + calls)
    settings = job_of("Anything", "4cup 1hpv 1gbt 4zhl", cache_dir=str(folder / "cache"))
    path = os.pathsep.join((str(folder), str(ROOT)))
    return run_job(folder / "job", settings, environment={"PYTHONPATH": path})


def test_ligands_with_an_error_do_not_affect_others(tmp_path: Path) -> None:
    steps = {
        "1hpv": ("match_ligands", "tethermap.matching.build", "build_ligand"),
        "4cup": ("measure_sasa", "tethermap.exposure.rows", "summary_row"),
        "1gbt": ("find_cores", "tethermap.series.ligands", "core_of_member"),
    }
    plants = [(module, name, f"{entry}_A_") for entry, (_, module, name) in steps.items()]
    job = run(tmp_path, *plants).checked().job
    status = {row["stem"]: row for row in rows_of(job, layout.LIGAND_STATUS) if row["stem"]}
    log = (job / layout.JOB_LOG).read_text(encoding="utf-8")
    failed = {row["pdb_id"].lower(): row for row in status.values() if row["reason"] != "kept"}
    assert set(failed) == set(steps)
    assert [row["pdb_id"] for row in status.values() if row["reason"] == "kept"] == ["4zhl"]
    for entry, (step, *_) in steps.items():
        row = failed[entry]
        assert (row["reason"], row["value"]) == ("program_error", f"{step}: KeyError")
        assert row["kept"] == str(step == "find_cores")
        assert log.count(f"{row['stem']}: an error of this program ({step}: KeyError)") == 1
    manifest = json.loads((job / layout.MANIFEST).read_text(encoding="utf-8"))
    assert manifest["counts"]["instances_kept"] == len(status) - 2
    assert [row["check"] for row in manifest["self_check"]["failures"]] == ["processed"] * 3


def test_log_that_a_failed_job_names_is_where_a_stranger_can_read_it(tmp_path: Path) -> None:
    ended = run(tmp_path, ("tethermap.sources.search", "find_entries", "Source"))
    assert ended.status
    assert any(message.endswith(f"the end of its log is in {layout.JOB_LOG}.") for message in ended.messages)
    log = (ended.job / layout.JOB_LOG).read_text(encoding="utf-8")
    assert "KeyError: 'planted'" in log
    assert "Traceback" in log
    assert not re.search(rf"(?<![\w:])/\w|\b{getpass.getuser()}\b", log.replace(str(tmp_path), "/x"))
