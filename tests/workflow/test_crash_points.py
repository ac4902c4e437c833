"""After the death of any part, the resumed job gives the bytes of an undisturbed one.

``make crashes`` does the same twenty times each, with nodes of a cluster too, at moments of another seed.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.cluster import VARIABLE as SLURM
from tests.tools.crash_points import CrashSite

TIMES = int(os.environ.get("TETHERMAP_TEST_CRASHES", "1"))
SEED = int(os.environ.get("TETHERMAP_TEST_SEED", "20261120"))
CRASHES = [point for point in ("snakemake", "worker", "server", "all", "service") for _ in range(TIMES)]
NODES = ["node"] * min(TIMES - 1, 3) if os.environ.get(SLURM) else []

pytestmark = pytest.mark.filterwarnings("default::ResourceWarning")


@pytest.fixture(scope="module")
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, mixed: Path) -> Iterator[CrashSite]:
    cluster = request.getfixturevalue("cluster") if NODES else None
    with CrashSite(tmp_path_factory.mktemp("site"), SEED, mixed, cluster) as made:
        yield made


@pytest.mark.parametrize("point", CRASHES + NODES)
def test_job_whose_part_was_killed_gives_the_same_bytes(site: CrashSite, point: str) -> None:
    assert site.crash(point) == [], f"seed {SEED}"
