"""Data that many tests read in place: the large mirror, the embedded archive, the component index."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, settings

from tests.tools.cluster import VARIABLE as SLURM, LocalCluster, local_cluster
from tests.tools.runs import ROOT, JobRun, run_job
from tests.tools.shared import shared, shared_run

# A busy machine is not an error of the code: the run time of a property test has no meaning.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


LONGEST_FIRST = (
    *("mirror/test_entries", "workflow/test_slurm", "service/test_resources", "workflow/test_module"),
    *("service/test_cluster", "test_readme", "mirror/test_targets", "workflow/test_foreign_files"),
    *("workflow/test_crash_points", "service/test_crashes", "workflow/test_own_files", "workflow/test_bad_input"),
    *("workflow/test_determinism", "service/test_reproduce", "service/test_strangers", "browser/test_results"),
    *("service/test_openapi", "test_fuzz"),
)
"""Modules that take longest: each is one worker's, and begun last it would leave the others idle at the end."""


OF_PROCESSES = frozenset({"cluster", "demo", "job_runner", "live", "mixed", "playwright", "start", "whole"})
"""Fixtures that start processes: tests with one of them, or in a module with this `pytestmark`, are not fast tests."""

WORKFLOW = ROOT / "tests" / "workflow"
"""Tests of runs, which start processes themselves."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest modules first, the others stay in their order; mark what starts processes."""
    places = {ROOT / f"tests/{name}.py": place for place, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))
    for item in items:
        if item.path.parent == WORKFLOW or OF_PROCESSES & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.process)


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> Iterator[None]:
    """Let what is started here be interrupted even where the tests run in the background, deaf to Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _folder(variable: str) -> Any:
    """Return a fixture: the folder that a variable names."""

    @pytest.fixture(scope="session")
    def folder() -> Path:
        if not (path := os.environ.get(variable)):
            pytest.skip(f"{variable} is not set")
        return Path(path)

    return folder


mirror = _folder("TETHERMAP_TEST_MIRROR")
"""Folder of the large mirror of real entries, `<id>.cif.gz` and `<id>.pdb.gz`."""

rcsb_recordings = _folder("TETHERMAP_TEST_RCSB_API")
"""Folder of recorded answers and schemas of the RCSB services."""

validation_reports = _folder("TETHERMAP_TEST_VALIDATION")
"""Folder of validation reports of entries of the mirror, in the archive's layout."""

ternary = _folder("TETHERMAP_TEST_TERNARY")
"""Folder of ternary complexes with known halves."""

affinities = _folder("TETHERMAP_TEST_AFFINITY")
"""Folder of measured affinities of ligands in the large mirror."""


@pytest.fixture(scope="session")
def archive() -> Path:
    """Folder of the embedded archive."""
    return ROOT / "data" / "archive"


@pytest.fixture(scope="session")
def component_index() -> Path:
    """The component index that set-up has built, or a new one."""
    from tethermap.base.component_index import default_index

    path = default_index()
    if not path.is_file():
        subprocess.run([sys.executable, "-m", "scripts.build_component_index"], cwd=ROOT, check=True)
    return path


@pytest.fixture(scope="session")
def demo_settings() -> dict[str, Any]:
    """The configuration of `make demo`."""
    settings: dict[str, Any] = yaml.safe_load((ROOT / "config/demo.yaml").read_text(encoding="utf-8"))
    return settings


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory, demo_settings: dict[str, Any]) -> JobRun:
    """The demo job as the plain command runs it: without profile, without logger, without PYTHONPATH."""
    return shared_run(tmp_path_factory, "demo", demo_settings)


@pytest.fixture(scope="session")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a job of three ligands that a service has run with the real Snakemake; to be copied."""
    from tests.service.core import MIXED, LiveService

    def make(folder: Path) -> str:
        with LiveService(folder / "service") as service:
            job_id = service.completed(MIXED)
            service.terminate()
        return str(service.jobs / job_id)

    return Path(shared(tmp_path_factory, "mixed", make)[1])


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """A Slurm cluster of three nodes, to which the environment points."""
    if not os.environ.get(SLURM):
        pytest.skip(f"{SLURM} is not set: nothing was run on a cluster")
    with tempfile.TemporaryDirectory(prefix="slurm") as folder, local_cluster(Path(folder) / "c") as running:
        yield running


@pytest.fixture
def job_runner(tmp_path: Path) -> Callable[..., JobRun]:
    """Run a job in a separate folder: ``job_runner(settings, *arguments, name="job", cores=2)``."""

    def run(settings: dict[str, Any], *arguments: str, name: str = "job", **options: Any) -> JobRun:
        return run_job(tmp_path / name, {"cache_dir": str(tmp_path / "cache"), **settings}, *arguments, **options)

    return run
