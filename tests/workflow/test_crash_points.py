"""After the death of any part, the resumed job gives the bytes of an undisturbed one.

``make crashes`` does the same twenty times each, and with nodes of a cluster.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.crash_points import CrashSite

pytestmark = pytest.mark.filterwarnings("default::ResourceWarning")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, mixed: Path) -> Iterator[CrashSite]:
    with CrashSite(tmp_path_factory.mktemp("site"), seed=20261120, of_service=mixed) as made:
        yield made


@pytest.mark.parametrize("point", ["snakemake", "worker", "server", "all", "service"])
def test_job_whose_part_was_killed_gives_the_same_bytes(site: CrashSite, point: str) -> None:
    assert site.crash(point) == []
