"""A release of the embedded entries: partitions, views, hashes, and reruns."""

import hashlib
import json
import os
import runpy
import shutil
import signal
from collections.abc import Mapping
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import duckdb
import pytest

from scripts import release
from tests.tools.runs import ROOT
from tethermap import TethermapError

EXAMPLE = ROOT / "data/examples/exam4cup/TARGET_RESULTS/tables"


@pytest.fixture(scope="module")
def mirror(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(archive, tmp_path_factory.mktemp("mirror") / "mirror"))


@pytest.fixture(scope="module")
def released(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    assert run(folder, mirror) == 0
    return folder


def run(folder: Path, mirror: Path, *more: str) -> int:
    given = ["--mirror", str(mirror), "--cache", str(mirror.parent / "cache"), "--cores", "1", "--date", "2026-01-02"]
    return release.main([str(folder), *given, *more])


def manifest(folder: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return read


def hashes(folder: Path) -> Mapping[str, str]:
    return {row["path"]: row["sha256"] for row in manifest(folder)["files"]}


def test_every_entry_is_in_its_partition_and_every_file_in_the_manifest(released: Path, archive: Path) -> None:
    ids = {path.name[:4] for path in archive.glob("*.gz")}
    assert set(manifest(released)["partitions"]) == {entry_id[1:3] for entry_id in ids}
    assert manifest(released)["counts"]["entries"] == len(ids)
    files = {str(path.relative_to(released)): path for path in released.rglob("*") if path.is_file()}
    own = {path for path in files if not path.startswith(".work/")} - {"manifest.json"}
    assert own == set(hashes(released))
    assert all(hashlib.sha256(files[path].read_bytes()).hexdigest() == told for path, told in hashes(released).items())


def test_views_have_the_rows_of_a_job(released: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(released)
    with duckdb.connect() as database:
        database.execute(Path("views.sql").read_text(encoding="utf-8"))
        columns = "pdb_id, Warhead, anchor_atom, score, lysines"
        ours = database.execute(f"FROM Exit_Vectors SELECT {columns} WHERE pdb_id = '4cup' AND rank = 1").fetchall()
        theirs = f"FROM read_parquet('{EXAMPLE}/Exit_Vectors.parquet') SELECT {columns} WHERE rank = 1"
        assert ours == database.execute(theirs).fetchall() != []
        assert database.execute("SELECT count(DISTINCT middle) FROM Entry_Status").fetchall() == [(5,)]
        assert "sdf_path" not in database.execute("FROM Results_Display").df().columns


def test_release_of_tables_draws_nothing_and_passes_its_checks(released: Path) -> None:
    rows = duckdb.read_parquet(f"{released}/data/Results_Display/*/part.parquet").df()
    assert len(rows) == manifest(released)["counts"]["instances"]
    assert rows["sdf_available"].all()
    assert not rows[["svg_plain_path", "svg_exposed_path", "svg_exits_path"]].fillna("").any(axis=None)
    assert not rows["flags"].map(lambda flags: "checks_failed" in (flags if flags is not None else ())).any()


def test_second_run_computes_only_changed_entries(
    released: Path, mirror: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(released, tmp_path / "release"))
    (changed,) = mirror.glob("4cup*")
    (gone,) = mirror.glob("1a8o*")
    before = changed.stat()
    os.utime(changed, (0, 0))
    gone.rename(tmp_path / gone.name)
    dangling = mirror / "2abc.cif.gz"
    dangling.symlink_to(tmp_path / "missing.gz")
    (folder / ".work/partitions/a8.json").unlink()  # as if an earlier run had been stopped before it removed the tables
    try:
        assert run(folder, mirror) == 0
    finally:
        dangling.unlink()
        (tmp_path / gone.name).rename(gone)
        os.utime(changed, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert capsys.readouterr().out == "4 partitions, 1 run, 0 left\n"
    left = {path: told for path, told in hashes(released).items() if path.startswith("data/") and "=a8/" not in path}
    assert left == {path: told for path, told in hashes(folder).items() if path.startswith("data/")}
    assert not list(folder.glob("data/*/middle=a8"))


def test_partition_is_not_done_while_its_tables_are_replaced(
    released: Path, mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(released, tmp_path / "release"))
    job = {"target_name": "PDB", "search_query": "", "source": {"kind": "mirror", "mirror": str(mirror)}}
    settings = {"job": {**job, "cache_dir": str(mirror.parent / "cache")}, "outputs": "tables", "date": "2026-01-02"}

    def stopped(*_: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("shutil.copyfile", stopped)
    with pytest.raises(KeyboardInterrupt):
        release.run_partition(folder, settings, "a8", ["1a8o"], "key")
    assert release.states(folder).keys() == release.states(released).keys() - {"a8"}


def test_interruption_ends_a_release_at_once(mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that continued with half-loaded modules would record an error for each further entry."""
    others = set(active_children())

    def interrupted(*_: object) -> None:
        for process in set(active_children()) - others:
            os.kill(int(process.pid or 0), signal.SIGINT)
        raise KeyboardInterrupt

    monkeypatch.setattr("concurrent.futures.as_completed", interrupted)
    monkeypatch.setattr("sys.argv", ["release", str(tmp_path), "--mirror", str(mirror), "--cores", "1"])
    with pytest.raises(SystemExit, match="The run was interrupted: repeat the command"):
        runpy.run_path(f"{ROOT}/scripts/release.py", run_name="__main__")
    assert release.states(tmp_path) == {}


def test_missing_mirror_changes_no_release(released: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for place in ("empty", "missing"):
        with pytest.raises(TethermapError, match=rf"{place}'.*(give a folder|make it available)"):
            run(released, tmp_path / place)
    assert len(list(released.glob("data/*/*/part.parquet"))) == 5 * len(release.TABLES)


@pytest.mark.parametrize("module", ["release", "recruiters"])
def test_number_of_processes_is_checked(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", [module, str(tmp_path), "--mirror", str(tmp_path), "--cores", "0"])
    with pytest.raises(SystemExit):
        runpy.run_path(f"{ROOT}/scripts/{module}.py", run_name="__main__")
    assert "0 is no number of processes: give a whole number from 1" in capsys.readouterr().err


def test_machines_share_the_work(mirror: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few, folder = tmp_path / "mirror", tmp_path / "release"
    few.mkdir()
    for path in [*mirror.glob("4cup*"), *mirror.glob("1hpv*")]:
        shutil.copy(path, few)
    run(folder, few, "--part", "1/2")
    assert capsys.readouterr().out == "2 partitions, 1 run, 1 left\n"
    assert not (folder / "manifest.json").exists()
    run(folder, few, "--outputs", "tables")
    assert capsys.readouterr().out == "2 partitions, 1 run, 0 left\n"
    assert set(manifest(folder)["partitions"]) == {"cu", "hp"}
    assert not list(folder.rglob("*.sdf"))
