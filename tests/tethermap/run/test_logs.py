import errno
import getpass
import logging
import re
import sqlite3
import warnings
from pathlib import Path

import duckdb
import pytest

from tethermap.base import layout
from tethermap.base.errors import UserError
from tethermap.run.logs import failed_step_log, logged_to, read_error, unrecorded_error

LOG = ".work/logs/measure_sasa/0.log"


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_messages_and_warnings_of_the_block_are_in_the_log(job: Path) -> None:
    with warnings.catch_warnings(action="always"), logged_to(LOG):
        logging.getLogger("tethermap.x").info("3 atoms")
        warnings.warn("take care", stacklevel=1)
    text = (job / LOG).read_text()
    assert "tethermap.x: 3 atoms" in text
    assert "take care" in text
    assert read_error(job) == {}


@pytest.mark.parametrize("cluster", [False, True])
def test_log_of_a_rerun_is_new_but_keeps_its_content_on_a_cluster(
    job: Path, monkeypatch: pytest.MonkeyPatch, cluster: bool
) -> None:
    before = "begun\n--- on the cluster, job 18\ncanceled\n"
    (job / LOG).parent.mkdir(parents=True)
    (job / LOG).write_text(before)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    if cluster:
        monkeypatch.setenv("SLURM_JOB_ID", "18")
    with logged_to(LOG):
        pass
    assert (job / LOG).read_text().startswith(f"{before * cluster}20")


def test_users_error_ends_the_script_with_one_sentence(job: Path) -> None:
    with pytest.raises(SystemExit) as caught, logged_to(LOG):
        raise UserError("The mirror x does not exist: set source.mirror.", "input")
    assert caught.value.code == 1
    assert "Traceback" not in (job / LOG).read_text()
    assert read_error(job) == {
        "message": "The mirror x does not exist: set source.mirror.", "step": "measure_sasa", "kind": "input",
    }  # fmt: skip
    assert failed_step_log(job) == ""


@pytest.mark.parametrize(("log", "step"), [(LOG, "measure_sasa"), (".work/logs/find_series.log", "find_series")])
def test_program_error_is_raised_again_and_leaves_its_traceback_without_private_paths(
    job: Path, log: str, step: str
) -> None:
    secret = f"/home/{getpass.getuser()}/my data/1abc.cif"
    with pytest.raises(FileNotFoundError), logged_to(log):
        raise FileNotFoundError(errno.ENOENT, "No such file", secret)
    assert "Traceback" in (job / log).read_text()
    error, text = read_error(job), failed_step_log(job)
    assert (error["kind"], error["step"]) == ("pipeline", step)
    assert error["message"].endswith("(FileNotFoundError: [Errno 2] No such file: '1abc.cif'); the end of its log is in"
                                     f" {layout.JOB_LOG}.")  # fmt: skip
    assert text.startswith(f"--- the end of {log}\n")
    assert 'File "tests/tethermap/run/test_logs.py", line' in text
    for told in (error["message"], text):
        assert not re.search(rf"(?<!\w)/\w|{re.escape(str(job))}|\b{getpass.getuser()}\b|my data", told)


def test_run_without_a_reason_reports_snakemakes_message(job: Path) -> None:
    missing = (
        f'MissingOutputException in rule find_series in file "{job}/ligands.smk", line 24:\n'
        f"Job 4 completed successfully, but some output files are missing:\n  {job}/TARGET_RESULTS/x.csv\n"
    )
    said = ["Exiting because a job execution failed. Look above for error messages", missing]
    message = unrecorded_error(job, "find_series", said)["message"]
    assert message == (
        "Snakemake stopped at find_series: Job 4 completed successfully, but some output files are missing:"
        f" TARGET_RESULTS/x.csv; the end of its log is in {layout.JOB_LOG}."
    )
    assert read_error(job)["message"] == message


@pytest.mark.parametrize("said", [[], ["WorkflowError:\nAt least one job did not complete successfully."]])
def test_run_without_a_message_reports_the_step(job: Path, said: list[str]) -> None:
    message = unrecorded_error(job, "find_series", said)["message"]
    assert message.startswith("Snakemake stopped at find_series: no reason was given;")
    assert "memory" not in message


@pytest.mark.parametrize("folder", ["", "results/egfr"], ids=["run", "module"])
@pytest.mark.parametrize(("path", "disk"), [("TARGET_RESULTS/x", "job folder"), ("/cache/x", "structure cache")])
def test_full_disk_is_one_sentence_in_the_folder_of_the_job(job: Path, folder: str, path: str, disk: str) -> None:
    with pytest.raises(SystemExit), logged_to(Path(folder, LOG), Path(folder)):
        raise OSError(errno.ENOSPC, "No space left on device", str(Path(folder, path)))
    assert (job / folder / LOG).is_file()
    error = read_error(job / folder)
    assert error["kind"] == "disk_full"
    assert f"The disk of the {disk} is full" in error["message"]
    assert not folder or read_error(job) == {}


@pytest.mark.parametrize(
    "error",
    [
        duckdb.IOException('IO Error: Could not write file "x.parquet": No space left on device'),
        sqlite3.OperationalError("database or disk is full"),
        OSError(errno.EDQUOT, "Disk quota exceeded"),
    ],
)
def test_full_disk_is_recognized_in_errors_of_libraries(job: Path, error: Exception) -> None:
    with pytest.raises(SystemExit), logged_to(LOG):
        raise error
    assert read_error(job)["kind"] == "disk_full"


def test_full_disk_met_by_snakemake_is_named_when_there_is_room_again(job: Path) -> None:
    said = ["OSError: [Errno 28] No space left on device: '.snakemake/metadata/x'"]
    assert unrecorded_error(job, "find_series", said)["kind"] == "disk_full"
