"""A recorded job runs again by hand: its missing settings, and equal results."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.tools.styles import programs, write_style
from tethermap import reproduce
from tethermap.base import layout
from tethermap.base.config import resolve
from tethermap.base.errors import UserError
from tethermap.run_job import run_job


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    (folder / "models").mkdir()
    write_style(next(style for style in programs() if style.name == "pymol"), folder / "models")
    settings = {"target_name": "x", "search_query": "", "source": {"kind": "files", "files": str(folder / "models")}}
    run_job(folder / "job", resolve(settings))
    return folder / "job"


def test_places_missing_from_the_record_are_requested(job: Path) -> None:
    with pytest.raises(UserError, match=r"source\.kind files: give its current path"):
        reproduce.configuration(job, {})
    with pytest.raises(UserError, match="no folder of a finished job"):
        reproduce.configuration(job.parent, {})


def test_same_files_elsewhere_give_the_same_results(job: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere"
    other.mkdir()
    for path in (job.parent / "models").iterdir():
        (other / path.name).write_bytes(path.read_bytes())
    settings = resolve(reproduce.configuration(job, {"source": [str(other)]}))
    run_job(tmp_path / "again", settings)
    assert reproduce.differing(job, tmp_path / "again") == []
    (tmp_path / "again" / layout.ENTRY_STATUS).write_text("changed")
    assert reproduce.differing(job, tmp_path / "again") == [layout.ENTRY_STATUS]


def test_mirror_under_another_name_keeps_its_label(job: Path, tmp_path: Path) -> None:
    for name in (layout.JOB_CONFIG, layout.SEARCH_QUERY, layout.SEARCH_ENTRIES):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((job / name).read_bytes())
    recorded = json.loads((tmp_path / layout.JOB_CONFIG).read_text())
    recorded["source"] |= {"kind": "mirror", "mirror": "mirror", "files": None}
    (tmp_path / layout.JOB_CONFIG).write_text(json.dumps(recorded))
    query = json.loads((tmp_path / layout.SEARCH_QUERY).read_text())
    (tmp_path / layout.SEARCH_QUERY).write_text(json.dumps({**query, "source": {"kind": "mirror", "label": "divided"}}))
    for place, label in (("pdb/divided", None), ("pdb/other", "divided")):
        source = reproduce.configuration(tmp_path, {"source": [str(tmp_path / place)]})["source"]
        assert (source["mirror"], source["label"]) == (str(tmp_path / place), label)


def test_folder_of_the_rerun_is_another_one_that_can_be_written(job: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for output, says in ((tmp_path / "file", "can't be written"), (job.parent / "models/../job", "to compare with")):
        with pytest.raises(UserError, match=says):
            reproduce.main([str(job), "--source", str(job.parent / "models"), "--output", str(output)])


def test_results_are_not_read_from_the_cache_of_the_job(
    job: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 3))
    places = ["--source", str(job.parent / "models"), "--output", str(tmp_path / "again")]
    assert reproduce.main([str(job), *places]) == 3
    settings = json.loads((tmp_path / "again" / layout.WORK / "command.json").read_text())
    assert settings["result_cache_mb"] == 0


@pytest.mark.parametrize(
    ("name", "content"), [(layout.JOB_CONFIG, "{}"), (layout.JOB_CONFIG, "[]"), (layout.MANIFEST, "")]
)
def test_job_that_is_damaged_or_not_finished_is_refused_before_the_run(
    name: str, content: str, job: Path, tmp_path: Path
) -> None:
    half = Path(shutil.copytree(job, tmp_path / "half"))
    (half / name).unlink()
    if content:
        (half / name).write_text(content)
    with pytest.raises(UserError, match="is no folder of a finished job"):
        reproduce.main([str(half), "--source", str(job.parent / "models"), "--output", str(tmp_path / "again")])
    assert not (tmp_path / "again").exists()
