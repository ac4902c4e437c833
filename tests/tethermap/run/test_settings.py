import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tethermap.base import layout
from tethermap.base.atomic import write_text
from tethermap.base.config import ConfigError, recorded, resolve
from tethermap.run.settings import record_settings, refuse_changed_settings, refuse_read_only

SETTINGS = resolve({"target_name": "EGFR", "search_query": "EGFR", "source": {"mirror": "/data/pdb"}})
CHANGED = resolve({"target_name": "EGFR", "search_query": "HER2", "source": {"mirror": "/data/pdb"}})


def use(job: Path) -> None:
    """Do the same as a run whose search succeeds."""
    record_settings(job, SETTINGS)
    write_text(job / layout.SEARCH_ENTRIES, "pdb_id\n")


def test_unused_folder_accepts_any_settings(tmp_path: Path) -> None:
    refuse_changed_settings(tmp_path, SETTINGS)
    record_settings(tmp_path, SETTINGS)
    refuse_changed_settings(tmp_path, CHANGED)


def test_used_folder_accepts_only_the_same_settings_unless_forced(tmp_path: Path) -> None:
    use(tmp_path)
    refuse_changed_settings(tmp_path, SETTINGS)
    with pytest.raises(ConfigError, match="other settings of search_query: take a new folder, or set force: true"):
        refuse_changed_settings(tmp_path, CHANGED)
    refuse_changed_settings(tmp_path, {**CHANGED, "force": True})
    moved = resolve({"target_name": "EGFR", "search_query": "EGFR", "source": {"mirror": "/other"}})
    with pytest.raises(ConfigError, match=r"source\.mirror"):
        refuse_changed_settings(tmp_path, moved)


def test_copied_folder_is_compared_by_the_recorded_configuration(tmp_path: Path) -> None:
    (tmp_path / layout.JOB_CONFIG).write_text(json.dumps(recorded(SETTINGS)))
    (tmp_path / layout.MANIFEST).write_text("{}")
    refuse_changed_settings(tmp_path, SETTINGS)
    with pytest.raises(ConfigError, match="search_query"):
        refuse_changed_settings(tmp_path, CHANGED)


@pytest.fixture
def ordinary_user() -> Iterator[None]:
    """Request rights as a user other than root: `os.access` uses the real one's."""
    user = os.getuid()
    if user == 0:
        os.setreuid(65534, -1)
    yield
    if user == 0:
        os.setreuid(0, -1)


@pytest.mark.usefixtures("ordinary_user")
def test_folder_that_cannot_be_written_is_refused_with_the_remedy(tmp_path: Path) -> None:
    job = tmp_path / "job"
    job.mkdir(mode=0o555)
    with pytest.raises(ConfigError, match="can't be written: name another one with --directory"):
        refuse_read_only(job)
