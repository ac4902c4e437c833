"""The words of the command `tethermap` become the settings of a job."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.standin.server import StandIn
from tethermap import __main__
from tethermap.__main__ import _parser, job_settings, main, preview_lines
from tethermap.base.config import resolve
from tethermap.base.errors import UserError
from tethermap.run.start import PROFILES
from tethermap.sources.suggestions import ARCHIVE


def words(*given: str) -> argparse.Namespace:
    return _parser().parse_args(["run", *given])


def test_ids_are_pinned_entries() -> None:
    settings = resolve(job_settings(words("4CUP", "1hpv", "--archive")))
    assert settings["filters"]["entries"] == ["4CUP", "1hpv"]
    assert (settings["target_name"], settings["source"]["kind"]) == ("4CUP 1hpv", "archive")


def test_other_words_are_the_name_of_a_target() -> None:
    settings = resolve(job_settings(words("EGFR", "--query", "EGFR kinase", "--set", "filters.max_entries=50")))
    assert (settings["target_name"], settings["search_query"]) == ("EGFR", "EGFR kinase")
    assert (settings["source"]["kind"], settings["filters"]["max_entries"]) == ("rcsb", 50)


def test_paths_are_structures_of_the_user(tmp_path: Path) -> None:
    path = tmp_path / "model.cif"
    path.write_text("data_model\n")
    settings = resolve(job_settings(words(str(path), "--target", "BAZ2B")))
    assert settings["source"]["files"] == [str(path)]
    assert (settings["target_name"], settings["search_query"]) == ("BAZ2B", "")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["model.cif"], "There is no file model.cif"),
        (["4CUP", "~nobody-here/model.cif"], "There is no file ~nobody-here/model.cif"),
        (["EGFR", "--set", "max_entries"], "give --set name=value"),
        ([str(ARCHIVE), "4CUP"], "other arguments are not"),
        (["EGFR", "--set", "=3"], "give --set name=value"),
        (["EGFR", "--set", "filters.entries=[1"], "not valid YAML"),
        (["EGFR", "--set", "filters.released_after=2021-02-29"], "impossible value: day is out of range for month"),
        (["EGFR", "--set", "filters=3", "--set", "filters.max_entries=2"], "give --set filters.NAME=VALUE"),
        (["4CUP", "--set", "filters=3"], "give --set filters.NAME=VALUE"),
        (["4CUP", "--set", "source=archive", "--archive"], "give --set source.NAME=VALUE"),
        (["EGFR", "--fasta", "missing.fasta"], "missing.fasta can't be read"),
    ],
)
def test_meaningless_words_are_refused_in_one_sentence(given: list[str], says: str) -> None:
    with pytest.raises(UserError, match=says):
        job_settings(words(*given))


def test_files_without_a_structure_are_refused(tmp_path: Path) -> None:
    page, packed = tmp_path / "model.pdb", tmp_path / "model.cif.Z"
    page.write_text("<html>not found</html>")
    packed.write_bytes(b"\x1f\x9d\x90")
    empty = tmp_path / "EGFR"
    empty.mkdir()
    (empty / "notes.txt").write_text("hinge: Met 793")
    for files, says in (
        ([page], "no structure; give an mmCIF"),
        ([packed, page], "unpack it first"),
        ([empty], "EGFR is a folder without structures.* run in another folder"),
    ):
        with pytest.raises(UserError, match=says):
            job_settings(words(*map(str, files)))
    (tmp_path / "good.pdb").write_text("HEADER\n")
    assert len(job_settings(words(str(page), str(tmp_path / "good.pdb")))["source"]["files"]) == 2


def test_wrong_smiles_is_refused_before_a_used_folder_changes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "4CUP", "--archive", "--folder", str(tmp_path / "job"), "--smiles", "LIG=C(C"]) == 2
    assert "C(C" in capsys.readouterr().err
    assert not (tmp_path / "job").exists()


@pytest.mark.parametrize(
    ("key", "name", "content", "says"),
    [
        ("affinity", "README.md", b"# Values\n", "README.md of source.affinity is no table of a known format"),
        ("affinity", "index.gz", b"\x1f\x8b\x08cut", "index.gz of source.affinity can't be read"),
        ("degraders", "made.csv", b"name,structure\n", "made.csv of source.degraders has no column smiles"),
        ("degraders", "made.sdf.gz", b"no gzip", "made.sdf.gz of source.degraders can't be read"),
    ],
)
def test_table_that_cannot_be_read_is_refused_before_the_run(
    key: str, name: str, content: bytes, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(content)
    words = ["4CUP", "--archive", "--folder", str(tmp_path / "job"), "--set", f"source.{key}={tmp_path / name}"]
    assert main(["run", *words]) == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "job").exists()


@pytest.mark.parametrize("option", [["--archive"], ["--mirror", "."]])
def test_folder_with_the_name_of_a_target_is_no_structure_of_a_mirror(
    option: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("4CUP", "BAZ2B"):
        (tmp_path / name).mkdir()
    (tmp_path / "model.cif").write_text("data_model\n")
    monkeypatch.chdir(tmp_path)
    settings = [job_settings(words(name, *option)) for name in ("4CUP", "BAZ2B")]
    assert [one["source"].get("files") for one in settings] == [None, None]
    assert settings[0]["filters"]["entries"] == ["4CUP"]
    for path in ("model.cif", "./BAZ2B"):
        with pytest.raises(UserError, match=f"{path} is a path: give PDB ids or a target with --archive or --mirror"):
            job_settings(words(path, *option))


def test_folder_of_the_user_names_the_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "model.pdb").write_text("HEADER\n")
    monkeypatch.chdir(tmp_path / "models")
    assert job_settings(words("."))["target_name"] == "models"


def test_any_setting_may_be_given_by_name() -> None:
    given = job_settings(words("4CUP", "--set", "target_name=BAZ2B", "--set", "search_query=bromodomain"))
    assert (given["target_name"], given["search_query"]) == ("BAZ2B", "bromodomain")
    named = job_settings(words("4CUP", "--set", "target_name=BAZ2B", "--target", "BAZ", "--query", "P00533"))
    assert (named["target_name"], named["search_query"]) == ("BAZ", "P00533")


@pytest.mark.parametrize("cores", ["0", "-3", "two"])
@pytest.mark.parametrize("command", ["run", "preview", "reproduce"])
def test_run_needs_a_process(command: str, cores: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "4CUP", f"--cores={cores}"])
    assert f"{cores} is no number of processes: give a whole number from 1" in capsys.readouterr().err


def test_job_has_one_source(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["run", "4CUP", "--archive", "--mirror", str(tmp_path)])
    assert "--mirror: not allowed with argument --archive" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["run", "4CUP", "--profile", "nosuch"], "no profile nosuch: give generic, kubernetes, local, slurm,"),
        (["run", "4CUP", "--folder", "{file}"], "The job folder {file} can't be written"),
        (
            ["run", "4CUP", "--unlock"],
            "--unlock is unknown: tethermap run --help lists all; options of Snakemake follow --.",
        ),
        (["preview", "4CUP", "--folder", "x"], "--folder is unknown: tethermap preview --help"),
        (["preview", "4CUP", "--smiles", "CCO"], "give --smiles CODE=SMILES"),
        (["preview", "4CUP", "--smiles", "LIG=xx"], "The definition LIG=xx can't be used: 'xx' is no SMILES"),
        (["preview", "4CUP", "--fasta", "{file}"], "--fasta {file} is empty"),
        (["preview", ""], "target_name is '': give one line of text"),
        (["run", "4CUP", "--query", "(a OR b) c"], "The query '(a OR b) c' has brackets with operators"),
    ],
)
def test_argument_that_cannot_be_used_is_one_sentence(
    given: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.write_text("\n")
    arguments = [word.format(file=file) for word in given]
    assert main([*arguments, "--archive", "--set", f"cache_dir={tmp_path}"]) == 2
    assert says.format(file=file) in capsys.readouterr().err


def test_mirror_that_does_not_exist_is_wrong_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "4CUP", "--mirror", str(tmp_path / "none")]) == 2
    assert f"--mirror {tmp_path}/none is no folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], [f"{PROFILES}/local", "--cores", str(min(4, os.cpu_count() or 1))]),
        (["--profile", "local", "--cores", "3"], [f"{PROFILES}/local", "--cores", "3"]),
        (["--profile", "slurm"], [f"{PROFILES}/slurm"]),
        (["--profile", "./local"], ["{here}/local"]),
        (["--profile=~/own", "--cores", "3"], ["{here}/own", "--cores", "3"]),
    ],
)
def test_profile_is_one_of_ours_or_a_folder(
    given: list[str], expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("local", "slurm", "own"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    commands: list[list[str]] = []
    monkeypatch.setattr(__main__, "build_dictionary", lambda: None)
    monkeypatch.setattr(__main__, "_refuse_missing_plugin", lambda _: None)
    monkeypatch.setattr(os, "execv", lambda _, command: commands.append(command))
    with pytest.raises(TypeError):  # execv does not return
        main(["run", "4CUP", "--archive", *given])
    (command,) = commands
    assert command[command.index("--profile") + 1 :] == [word.format(here=tmp_path) for word in expected]


def test_missing_plugin_of_a_profile_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(__main__, "find_spec", lambda _: None)
    (tmp_path / "config.yaml").write_text("executor: googlebatch\n")
    for profile, plugin in (("generic", "cluster-generic"), ("slurm", "slurm"), (str(tmp_path), "googlebatch")):
        assert main(["run", "4CUP", "--archive", "--folder", str(tmp_path / "job"), "--profile", profile]) == 2
        assert f"Snakemake: pip install snakemake-executor-plugin-{plugin}.\n" in capsys.readouterr().err
    assert not (tmp_path / "job").exists()


def test_profiles_can_be_read_in_any_locale() -> None:
    assert [path for path in PROFILES.glob("*/config.yaml") if not path.read_bytes().isascii()] == []


@pytest.mark.process
def test_terminal_may_lack_characters_of_the_output(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tethermap", "preview", "4CUP", "--archive", "--set", f"cache_dir={tmp_path}"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    printed = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True).stdout
    assert "1.88 ?" in printed


@pytest.mark.process
@pytest.mark.parametrize("dictionary", ["", "there"])
@pytest.mark.parametrize("folder", ["file/cache", "x" * 300])
def test_cache_that_cannot_be_written_names_the_variable(
    folder: str, dictionary: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("file", "there"):
        (tmp_path / name).touch()
    monkeypatch.setenv("TETHERMAP_COMPONENTS", str(tmp_path / dictionary) if dictionary else "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / folder))
    assert main(["run", "4CUP", "--archive", "--folder", str(tmp_path / "job")]) == 2
    assert "can't be written" in (says := capsys.readouterr().err)
    assert says.endswith(": export XDG_CACHE_HOME=/a/folder/of/yours.\n")


@pytest.mark.process
def test_preview_runs_only_the_search(
    archive: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with StandIn(archive) as standin:
        standin.use(monkeypatch)
        assert main(["preview", "4CUP", "--set", f"cache_dir={tmp_path}", "--cores", "2"]) == 0
        assert standin.count("files") == 0
    first, entry = capsys.readouterr().out.splitlines()
    assert first == "1 entry, about 0.1 MB to download, about 1 min on 2 cores"
    assert entry.startswith("4cup     1.88 Å")


def test_preview_of_many_entries_shows_the_first() -> None:
    row = {"pdb_id": "4cup", "size": None, "resolution": None, "ligands": "ZYB; MOH", "title": "BAZ2B"}
    lines = preview_lines([row] * 30, {"source": {"kind": "rcsb"}}, 1)
    assert lines[0] == "30 entries, about 10.9 MB to download, about 1 min on 1 core"
    assert lines[-1] == "... and 10 more"
    assert len(lines) == 22
    assert preview_lines([], {"source": {"kind": "rcsb"}}, 1) == ["No entries were found: a job would have no results."]


@pytest.mark.process
def test_preview_reports_the_interpretation_of_the_query(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert (
        main(["preview", "BAZ2B", "--query", "bromodomain unheard-of", "--archive", "--set", f"cache_dir={tmp_path}"])
        == 0
    )
    assert "any" in capsys.readouterr().out.splitlines()[-1]
