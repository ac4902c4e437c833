"""Scripts are forked in runs with our profile, and Snakemake is unchanged in others."""

import time
from pathlib import Path

import pytest

from tests.tools.crash_points import script_servers
from tests.tools.runs import LOCAL, RunningJob, job_of
from tethermap.run.warm_scripts import AVAILABLE

pytestmark = [pytest.mark.process, pytest.mark.skipif(not AVAILABLE, reason="scripts are forked on Linux alone")]


@pytest.mark.parametrize(("arguments", "forks"), [((), False), (LOCAL, True), (("--logger", "tethermap"), False)])
def test_scripts_are_forked_only_if_the_profile_enables_it(
    tmp_path: Path, arguments: tuple[str, ...], forks: bool
) -> None:
    run = RunningJob(tmp_path / "job", job_of("BAZ2B", "4CUP"), "--until", "search_entries", *arguments)
    seen = False
    while not run.ended:
        seen = seen or bool(script_servers(run.pid))
        time.sleep(0.05)
    run.wait().checked()
    assert seen == forks
