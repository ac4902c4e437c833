"""Misbehaving runs: processes without output, that ignore signals or leave their group."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from service.jobs.record import CONFIG, RECORD, SERVICE_FOLDER
from service.runs import processes
from service.runs.config import child_environment, pipeline_config, snakemake_command
from service.runs.ending import judge
from service.runs.runner import RUN_LOG, Runner, RunState, read_state
from service.runs.supervisor import note_cancel
from service.settings import cluster_executor
from tests.service.core import NOTHING, ended, living, outcome, reason, running, settings_in, submission, until
from tests.tools.crash_points import script_processes
from tests.tools.patience import patience, wait_until
from tests.tools.runs import ROOT

pytestmark = pytest.mark.process

SILENT = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)\n"
ESCAPING = (
    "import subprocess, sys, time\n"
    f"code = {SILENT!r}\n"
    "subprocess.Popen([sys.executable, '-c', code], start_new_session=True)\n"
    "time.sleep(600)\n"
)


def at_work(folder: Path) -> list[int]:
    """Return the scripts of a job that are running: steps end sooner than its progress is read."""
    state = read_state(folder)
    return script_processes(state.pid) if state and state.pid else []


def script(folder: Path, code: str) -> tuple[str, ...]:
    path = folder / "snakemake.py"
    path.write_text(code)
    return (sys.executable, str(path))


@pytest.mark.parametrize(("code", "count"), [(SILENT, 1), (ESCAPING, 2)], ids=["ignores SIGTERM", "leaves its session"])
async def test_cancel_ends_every_process(
    tmp_path: Path, code: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.runs.runner.TERM_SECONDS", 1.0)
    async with running(settings_in(tmp_path), snakemake=script(tmp_path, code)) as parts:
        job = await parts.queue.submit(submission(NOTHING))
        path = parts.store.folder(job.job_id)
        await until(lambda: len(living(path)) >= count)
        await asyncio.sleep(0.3)
        await parts.queue.cancel(job.job_id)
        assert (await ended(parts, job.job_id, 15)).status == "canceled"
        assert living(path) == []


async def test_time_limit_applies_to_a_silent_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.runs.runner.TERM_SECONDS", 0.5)
    settings = settings_in(tmp_path, job_timeout_s=0.5)
    record = await outcome(settings, snakemake=script(tmp_path, SILENT))
    kind, message = reason(record)
    assert (record.status, kind, "0.5 seconds" in message) == ("failed", "timeout", True)
    assert living(settings.jobs_dir / record.job_id) == []


async def test_a_clean_cancel_of_the_real_snakemake_needs_no_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.runs.runner.TERM_SECONDS", 300.0)  # so that only a clean end comes in time
    async with running(settings_in(tmp_path), real=True) as parts:
        job = await parts.queue.submit(submission())
        await until(lambda: at_work(parts.store.folder(job.job_id)))
        record, changed = await parts.queue.cancel(job.job_id)
        assert (record.status, changed) == ("running", True)
        record = await ended(parts, job.job_id, 60)
        assert (record.status, record.error, record.has_results) == ("canceled", None, False)
        assert living(parts.store.folder(job.job_id)) == []
        again = await parts.queue.cancel(job.job_id)
        assert (again[0].status, again[1]) == ("canceled", False)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("whole_group", [True, False])
async def test_a_run_ended_from_outside_is_queued_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, whole_group: bool
) -> None:
    """The message of the real Snakemake counts as an interruption."""
    async with running(settings_in(tmp_path), real=True) as parts:
        job = await parts.queue.submit(submission())
        await until(lambda: at_work(parts.store.folder(job.job_id)))
        state = read_state(parts.store.folder(job.job_id))
        assert state is not None
        assert state.pid is not None
        (os.killpg if whole_group else os.kill)(state.pid, number)
        monkeypatch.setattr(parts.queue, "_launchable", lambda _: False)
        await until(lambda: (one := parts.store.get(job.job_id)) and (one.attempt == 2 or one.final), 60)
        await parts.queue.cancel(job.job_id)
        record = await ended(parts, job.job_id)
    assert (record.status, record.attempt) == ("canceled", 2)


@pytest.mark.parametrize("command", [("/no/such/snakemake",), (__file__,)], ids=["missing", "no program"])
async def test_missing_snakemake_is_named(tmp_path: Path, command: tuple[str, ...]) -> None:
    record = await outcome(settings_in(tmp_path), snakemake=command)
    kind, message = reason(record)
    assert (record.status, kind, "Snakemake could not be started" in message) == ("failed", "pipeline", True)


async def test_snakemake_that_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    record = await outcome(settings_in(tmp_path), real=True)
    assert reason(record)[1] == "Snakemake is not installed in the service's environment."


@pytest.mark.parametrize(
    ("log", "status", "kind"),
    [
        ("OSError: [Errno 28] No space left on device", 1, "disk_full"),
        ("Command 'x' died with <Signals.SIGKILL: 9>.", 1, "interrupted"),
        ("Will exit after finishing currently running jobs (scheduler).", 1, "interrupted"),
        ("", -9, "interrupted"), ("", None, "interrupted"), ("anything else", 1, "pipeline"),
    ],
)  # fmt: skip
def test_endings_without_a_recorded_reason(tmp_path: Path, log: str, status: int | None, kind: str) -> None:
    (tmp_path / ".service").mkdir()
    (tmp_path / RUN_LOG).write_text(log)
    ending = judge(tmp_path, status, "")
    assert reason(ending)[0] == kind
    assert (ending.status is None) == (kind == "interrupted")


@pytest.mark.parametrize("by_psutil", [False, True])
def test_a_reused_process_number_is_not_taken_for_the_run(monkeypatch: pytest.MonkeyPatch, *, by_psutil: bool) -> None:
    monkeypatch.setattr(processes, "_LINUX", not by_psutil)
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True) as stranger:
        one = processes.process(stranger.pid)
        assert one is not None
        assert processes.members("0" * 32, stranger.pid, "an earlier start") == []
        assert processes.members("0" * 32, stranger.pid, one.start) == [one]
        stranger.kill()
    assert processes.process(stranger.pid) is None


@pytest.mark.parametrize("by_psutil", [False, True])
def test_process_is_found_by_its_mark_and_has_its_age(monkeypatch: pytest.MonkeyPatch, *, by_psutil: bool) -> None:
    monkeypatch.setattr(processes, "_LINUX", not by_psutil)
    marked = {**os.environ, processes.RUN_VARIABLE: "f" * 32}
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], env=marked) as child:
        one = processes.process(child.pid)
        assert one is not None
        wait_until(lambda: processes.members("f" * 32, None, None) == [one], 5, "the new program to have its mark")
        assert 0 <= processes.age_seconds(one) < patience(5)
        child.kill()


async def test_a_lock_left_by_a_killed_run_is_removed(tmp_path: Path) -> None:
    """Snakemake starts no step in a locked folder."""
    async with running(settings_in(tmp_path), real=True) as parts:
        job = await parts.queue.submit(submission())
        path = parts.store.folder(job.job_id)
        await until(lambda: list((path / ".snakemake/locks").glob("*")))
        await until((path / ".work/logs/search_entries.log").exists)
        processes.send(living(path), signal.SIGKILL)
        await until(lambda: (one := parts.store.get(job.job_id)) and one.attempt == 2 and at_work(path), 60)
        await parts.queue.cancel(job.job_id)
        assert (await ended(parts, job.job_id)).status == "canceled"


def test_command_and_environment_contain_no_secret(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, profile=ROOT / "config/profiles/slurm", cores_per_job=3)
    environment = child_environment(settings, {"TETHERMAP_API_TOKENS": "secret", "TETHERMAP_RCSB_DATA_URL": "u"})
    assert "secret" not in environment.values()
    assert environment["TETHERMAP_RCSB_DATA_URL"] == "u"
    command = snakemake_command(settings, tmp_path, tmp_path / CONFIG)
    assert command[command.index("--local-cores") + 1] == "3"
    assert cluster_executor(settings.profile) == "slurm"
    assert not cluster_executor(ROOT / "config/profiles/local")


def test_jobs_read_all_tables_but_no_descriptions_in_the_folders_of_the_service(tmp_path: Path) -> None:
    tables = tmp_path / "tables"
    tables.mkdir()
    settings = settings_in(tmp_path, affinity=tables)
    assert pipeline_config({}, settings)["source"]["affinity"] is None
    for name in ("b.csv", "a.csv", "README.md", "LICENSE", ".listing"):
        (tables / name).touch()
    found = [str(tables / name) for name in ("a.csv", "b.csv")]
    assert pipeline_config({"source": {"predicted": True}}, settings)["source"]["affinity"] == found
    assert "affinity" not in pipeline_config({}, settings_in(tmp_path))["source"]
    assert pipeline_config({}, settings_in(tmp_path, degraders=tables))["source"]["degraders"] == found


def test_children_get_a_cache_folder_that_can_be_written(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root can write everywhere")
    (tmp_path / "locked").mkdir(mode=0o500)
    settings = settings_in(tmp_path)
    environment = child_environment(settings, {"XDG_CACHE_HOME": str(tmp_path / "locked")})
    assert environment["XDG_CACHE_HOME"] == str(settings.cache_dir / "xdg")


def test_the_end_of_a_run_removes_its_half_written_files_and_none_of_the_service(tmp_path: Path) -> None:
    own = {f".{RECORD}.0a1b2c3d.part", f"{SERVICE_FOLDER}/.cancel.json.0a1b2c3d.part"}
    of_run = {".Results_Display.csv.7.0a1b.part", "TARGET_RESULTS/.Contacts.csv.7.0a1b.part", ".work/shards/0/.a.part"}
    for name in own | of_run:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    asyncio.run(Runner(settings_in(tmp_path)).end_processes(tmp_path, RunState("0" * 32)))
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob(".*.part")} == own


async def test_a_cancel_that_meets_the_end_of_its_run_leaves_the_job_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = tmp_path / "end"
    code = f"import pathlib, time\nwhile not pathlib.Path({str(end)!r}).exists():\n    time.sleep(0.02)\n"
    saving, canceled = threading.Event(), threading.Event()
    synchronise = os.fsync

    def held(descriptor: int) -> None:
        if end.exists() and RECORD in Path(f"/proc/self/fd/{descriptor}").readlink().name:
            saving.set()
            assert canceled.wait(patience(20))
        synchronise(descriptor)

    def late(folder: Path) -> None:
        note_cancel(folder)
        end.touch()
        assert saving.wait(patience(20))

    async with running(settings_in(tmp_path), snakemake=script(tmp_path, code)) as parts:
        job = await parts.queue.submit(submission(NOTHING))
        await until(lambda: living(parts.store.folder(job.job_id)))
        supervisor = parts.queue._supervisors[job.job_id]
        monkeypatch.setattr("os.fsync", held)
        monkeypatch.setattr("service.runs.queue.note_cancel", late)
        await parts.queue.cancel(job.job_id)
        if supervisor._stopping is not None:
            await supervisor._stopping
        canceled.set()
        record = await ended(parts, job.job_id, 10)
        assert (record.status, supervisor._stopping) == ("failed", None)
        assert parts.store.read(job.job_id) == record
