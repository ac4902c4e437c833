from pathlib import Path
from typing import Any

import pytest

from tethermap.run.cluster_errors import ClusterErrors
from tethermap.run.logs import LOG_IS_IN_JOB_LOG, read_error, record_error

RULE_LOG = ".work/logs/clean_complexes/0.log"
CLUSTER_LOG = ".work/logs/clean_complexes/0.cluster.log"
ADVICE = "For further error details see the cluster/cloud log and the log files of the involved rule(s)."
FAILED = "SLURM-job '25' failed, SLURM status is: '{}'. Detailed failure reason unavailable. "
TIME = "slurmstepd-n1: error: *** JOB 25 ON n1 CANCELLED AT 2026-11-20T19:44:26 DUE TO TIME LIMIT ***\n"
EXIT = "srun: error: n1: task 0: Exited with exit code 1\n"
KILLED = "Command 'set -euo pipefail;  python x.py' died with <Signals.SIGKILL: 9>.\n"


def record(job: Path, state: str, written: str | None, number: str | None = "25") -> dict[str, Any]:
    """Return the fields of the engine's record of a failed Slurm job, and let the cluster have written its log."""
    path = job / ".snakemake" / "slurm_logs" / "25.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    if written is not None:
        path.write_text(written)
    aux = {} if number is None else {"external_jobid": number}
    message = FAILED.format(state) + ADVICE
    return {"rule_name": "clean_complexes", "rule_msg": message, "log": [RULE_LOG, str(path)], "aux": aux}


def kept(job: Path, *records: dict[str, Any]) -> dict[str, str]:
    errors = ClusterErrors()
    for one in records:
        errors.keep(one, job)
    return read_error(job)


@pytest.mark.parametrize(
    ("state", "written", "reason"),
    [
        ("TIMEOUT", EXIT + TIME, "TIMEOUT (JOB 25 ON n1 CANCELLED AT 2026-11-20T19:44:26 DUE TO TIME LIMIT)"),
        ("FAILED", KILLED + EXIT, "FAILED (its script was ended by SIGKILL)"),
        ("FAILED", EXIT, "FAILED (n1: task 0: Exited with exit code 1)"),
        ("NODE_FAIL", "", "NODE_FAIL"),
        ("NODE_FAIL", None, "NODE_FAIL"),
    ],
)
def test_error_reports_the_end_of_the_job_on_the_cluster(
    tmp_path: Path, state: str, written: str | None, reason: str
) -> None:
    error = kept(tmp_path, record(tmp_path, state, written))
    said = f"clean_complexes failed on the cluster: job 25 ended as {reason}; {LOG_IS_IN_JOB_LOG}."
    assert error == {"message": said, "step": "clean_complexes", "kind": "pipeline", "log": CLUSTER_LOG}


def test_log_of_the_cluster_begins_with_the_end_of_that_of_the_step(tmp_path: Path) -> None:
    (tmp_path / RULE_LOG).parent.mkdir(parents=True)
    (tmp_path / RULE_LOG).write_text("begun\n")
    kept(tmp_path, record(tmp_path, "TIMEOUT", TIME))
    text = (tmp_path / CLUSTER_LOG).read_text()
    assert (tmp_path / RULE_LOG).read_text() == "begun\n"
    assert text.startswith("begun\n--- on the cluster, job 25\nSLURM-job '25' failed")
    assert text.endswith(TIME)


def test_end_of_a_long_log_is_kept_in_whole_lines(tmp_path: Path) -> None:
    kept(tmp_path, record(tmp_path, "FAILED", "".join(f"line {number}\n" for number in range(9000)) + EXIT))
    lines = (tmp_path / CLUSTER_LOG).read_text().splitlines()
    assert lines[2].startswith("line ")
    assert len("\n".join(lines)) < 20_000


def test_log_of_the_cluster_that_cannot_be_read_does_not_cost_the_reason(tmp_path: Path) -> None:
    (tmp_path / ".snakemake" / "slurm_logs" / "25.log").mkdir(parents=True)
    assert "ended as NODE_FAIL" in kept(tmp_path, record(tmp_path, "NODE_FAIL", None))["message"]


def test_messages_of_the_script_are_unchanged(tmp_path: Path) -> None:
    record_error("The mirror is gone.", step="clean_complexes", kind="input", job=tmp_path)
    assert kept(tmp_path, record(tmp_path, "FAILED", EXIT))["message"] == "The mirror is gone."
    assert not (tmp_path / CLUSTER_LOG).exists()


def test_second_attempt_replaces_the_reason_of_the_first_and_of_other_steps(tmp_path: Path) -> None:
    record_error("Tried again since.", step="match_ligands", kind="pipeline", job=tmp_path)
    error = kept(tmp_path, record(tmp_path, "NODE_FAIL", ""), record(tmp_path, "TIMEOUT", TIME))
    assert "TIMEOUT" in error["message"]


def test_job_that_the_cluster_refuses_is_reported_with_its_reason(tmp_path: Path) -> None:
    refused = record(tmp_path, "", None, number=None)
    said = (
        "SLURM sbatch failed. The error message was 'sbatch: error: invalid partition'.\n    sbatch call:\n  sbatch x "
    )
    refused |= {"rule_msg": said + ADVICE, "log": [RULE_LOG]}
    assert kept(tmp_path, refused)["message"] == (
        "clean_complexes could not be handed to the cluster: "
        "SLURM sbatch failed. The error message was 'sbatch: error: invalid partition'."
    )


@pytest.mark.parametrize("message", [None, "", "Command died"])
def test_failure_on_this_machine_is_not_one_of_a_cluster(tmp_path: Path, message: str | None) -> None:
    assert kept(tmp_path, {"rule_name": "clean_complexes", "rule_msg": message, "log": [RULE_LOG]}) == {}
