"""Jobs whose steps run on a Slurm cluster: canceled, interrupted and stopped, nothing of them goes on there.

Needs ``TETHERMAP_TEST_SLURM``, a script that starts (``start``), describes (``env``) and stops (``stop``) a cluster.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.lifecycle import Parts
from service.runner import read_state
from service.settings import Settings
from tests.service.core import ended, living, running, settings_in, submission, until
from tests.tools.runs import ROOT


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Run a cluster of one node, to which the environment points."""
    script = os.environ.get("TETHERMAP_TEST_SLURM")
    if not script:
        pytest.skip("TETHERMAP_TEST_SLURM is not set")
    folder = tmp_path_factory.mktemp("slurm")
    with pytest.MonkeyPatch.context() as patched:
        for name, value in (("DIR", str(folder)), ("NODES", "1"), ("PORT", "17451")):
            patched.setenv(f"LOCAL_SLURM_{name}", value)
        started = subprocess.run([script, "start"], capture_output=True, text=True, check=False)
        if started.returncode:
            pytest.skip(f"no cluster can be started here: {started.stderr[-200:]}")
        lines = subprocess.run([script, "env"], capture_output=True, text=True, check=True).stdout
        shell = subprocess.run(["bash", "-c", f"{lines}\nenv"], capture_output=True, text=True, check=True).stdout
        for name, value in re.findall(r"^(SLURM_\w+|PATH)=(.*)$", shell, re.MULTILINE):
            patched.setenv(name, value)
        yield
        subprocess.run([script, "stop"], capture_output=True, check=False)


def submitted() -> list[str]:
    """Return the jobs that the cluster has."""
    listed = subprocess.run(["squeue", "--noheader", "--format=%i"], capture_output=True, text=True, check=True)
    return listed.stdout.split()


def on_cluster(folder: Path) -> Settings:
    return settings_in(folder, profile=ROOT / "config" / "profiles" / "slurm")


async def begun(parts: Parts) -> tuple[str, Path]:
    job = await parts.queue.submit(submission())
    await until(submitted, 50)
    return job.job_id, parts.store.folder(job.job_id)


@pytest.mark.usefixtures("cluster")
def test_cancel_leaves_nothing_on_the_cluster(tmp_path: Path) -> None:
    async def run() -> None:
        async with running(on_cluster(tmp_path)) as parts:
            job_id, folder = await begun(parts)
            await parts.queue.cancel(job_id)
            assert (await ended(parts, job_id, 40)).status == "canceled"
            assert (submitted(), living(folder)) == ([], [])

    asyncio.run(run())


@pytest.mark.usefixtures("cluster")
def test_interruption_and_end_of_the_service_leave_nothing_on_the_cluster(tmp_path: Path) -> None:
    async def run() -> None:
        async with running(on_cluster(tmp_path)) as parts:
            job_id, folder = await begun(parts)
            first = submitted()
            state = read_state(folder)
            assert state is not None
            assert state.pid is not None
            os.kill(state.pid, signal.SIGKILL)
            await until(lambda: (record := parts.store.get(job_id)) and record.attempt == 2, 40)
            assert not set(first) & set(submitted())
            await until(submitted, 50)
        assert (submitted(), living(folder)) == ([], [])

    asyncio.run(run())
