"""One job over all 397 entries of the large mirror, made once for all workers: every check of the mirror reads it."""

import os
from pathlib import Path

import pytest

from tests.tools.cleaning import Find, Sample, job_samples
from tests.tools.runs import LOCAL, JobRun, Row, job_of, rows_of
from tests.tools.shared import shared_run
from tethermap.base import layout
from tethermap.components.index import ComponentIndex


@pytest.fixture(scope="session")
def whole(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> JobRun:
    """The job; each entry is searched, downloaded, cleaned, matched, measured and checked once."""
    entries = sorted({path.name.split(".")[0] for path in mirror.glob("*.gz")})
    tables = Path(os.environ.get("TETHERMAP_TEST_AFFINITY", "")) / "affinity.csv"
    settings = job_of("every entry", source=mirror, filters={"entries": entries}, protac_inputs={"exits": 1})
    settings["source"]["affinity"] = str(tables) if tables.is_file() else None
    return shared_run(tmp_path_factory, "whole", settings, *LOCAL).checked()


@pytest.fixture(scope="session")
def files(mirror: Path) -> dict[str, Path]:
    """The file that the mirror source takes for each entry: mmCIF where there is one."""
    listed = sorted(mirror.glob("*.gz"), reverse=True)
    return {path.name.split(".")[0]: path for path in listed}


@pytest.fixture(scope="session")
def kept(whole: JobRun) -> list[Row]:
    return rows_of(whole.job, layout.RESULTS_DISPLAY)


@pytest.fixture(scope="session")
def samples(whole: JobRun) -> list[Sample]:
    """All instances, those in small complexes first."""
    return sorted(job_samples(whole.job), key=lambda one: (len(one.pdb or "") or 10**9, one.instance.stem))


@pytest.fixture(scope="session")
def find(component_index: Path) -> Find:
    return ComponentIndex(component_index).get
