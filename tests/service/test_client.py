"""The client and its command against a service, and their reaction to bad responses."""

import csv
import hashlib
import io
import json
import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
import zipfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import httpx2
import pytest
from packaging.requirements import Requirement

from tests.service.core import REFUSED as NOT_SEARCHED, LiveService, hold
from tests.service.lines import breaking_line
from tests.tools.patience import patience
from tests.tools.runs import ROOT, rows_of
from tethermap.base import layout
from tethermap.base.root import __version__ as version_of_service
from tethermap_client import Job, NotAnsweredError, Tethermap, TethermapError, __version__
from tethermap_client.cli import _COMMANDS, DONE, FAILED, NOT_ANSWERED, NOT_READY, REFUSED, TOO_LONG, UNAUTHORIZED, main
from tethermap_client.download import STATE

FOLDER = ROOT / "service/client"


@pytest.fixture
def run(live: LiveService, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs the command against a service; returns exit code, output, complaints."""

    def command(*words: str, url: str = live.address) -> tuple[int, str, str]:
        code = main(["--url", url, *words])
        told = capsys.readouterr()
        return code, told.out, told.err

    return command


Run = Callable[..., tuple[int, str, str]]


def test_submit_waits_downloads_and_is_the_same_job_again(run: Run, live: LiveService, tmp_path: Path) -> None:
    words = ("submit", "--target", "client", "--query", "1HPV", "--option", "max_entries=5", "--wait", "--download")
    code, out, _ = run(*words, str(tmp_path))
    assert code == DONE
    job_id = out.split()[0]
    assert out.splitlines() == [f"{job_id}  completed  client", str(tmp_path / job_id)]
    answered, told, _ = run("answers", job_id, "--top", "1")
    assert answered == DONE
    assert " 478 " in told
    assert told.split("\n")[0].split()[:6] == ["protein", "site", "Warhead", "answer_rank", "anchor_atom", "action"]
    listed = live.call("GET", f"/api/jobs/{job_id}/files")[1]["files"]
    assert len(listed) > 20
    for file in listed:
        assert (tmp_path / job_id / file["relative_path"]).stat().st_size == file["size_bytes"]
    kept = tmp_path / job_id / "Results_Display.csv"
    stamp = kept.stat().st_mtime_ns
    assert run(*words, str(tmp_path)) == (code, out, "")
    assert kept.stat().st_mtime_ns == stamp
    _, other, _ = run("submit", "--target", "client", "--query", "1HPV", "--option", "max_entries=5", "--new")
    assert other.strip() != job_id


def test_a_download_is_resumed_after_an_interruption(live: LiveService, done_job: str, tmp_path: Path) -> None:
    whole = live.http.get(f"/api/jobs/{done_job}/bundle")
    (tmp_path / f".{done_job}.zip.part").write_bytes(whole.content[:5000])
    (tmp_path / f".{done_job}.zip.etag").write_text(whole.headers["etag"])
    told: list[tuple[int, int]] = []
    with Tethermap(live.address) as service:
        folder = service.download(done_job, tmp_path, told=lambda done, total: told.append((done, total)))
    assert told[0][0] > 5000
    assert told[-1] == (len(whole.content), len(whole.content))
    assert unpacked_as(whole.content, folder.parent)
    assert [path.name for path in tmp_path.iterdir()] == [done_job]
    (tmp_path / f".{done_job}.zip.part").write_bytes(b"of an archive that is no more")
    (tmp_path / f".{done_job}.zip.etag").write_text('"old"')
    (folder / STATE).unlink()
    with Tethermap(live.address) as service:
        assert (service.download(done_job, tmp_path) / "Results_Display.csv").exists()


def test_status_answers_and_cancel(run: Run, done_job: str, queued_job: str) -> None:
    assert run("status", done_job)[:2] == (DONE, f"{done_job}  completed  Mixed\n")
    code, out, _ = run("answers", "exam1hpv", "--ligand", "478", "--top", "1")
    assert code == DONE
    assert len(out.splitlines()) >= 2
    assert out.splitlines()[0].split()[:3] == ["protein", "site", "Warhead"]
    assert {row["Warhead"] for row in json.loads(run("answers", "exam1hpv", "--format", "json")[1])} == {"478"}
    assert run("cancel", queued_job)[:2] == (DONE, f"{queued_job}  canceled  BAZ2B\n")
    assert run("status", queued_job)[0] == FAILED
    assert run("retry", queued_job)[:2] == (DONE, f"{queued_job}  queued  BAZ2B\n")
    assert run("retry", done_job)[0] == REFUSED


def test_batch_of_a_csv_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "jobs.csv"
    rows = ("target_name,search_query,max_entries,kinds", "first,1HPV,5,ligand;peptide", "second,4CUP,,")
    file.write_text("\n".join(rows), encoding="utf-8-sig")
    code, out, err = run("batch", str(file), "--wait")
    assert code == DONE, err
    assert [line.split()[1:] for line in out.splitlines()] == [["completed", "first"], ["completed", "second"]]
    assert run("batch", str(file))[1].split() == [line.split()[0] for line in out.splitlines()]
    file.write_text("target_name,search_query\na,b,c\n", encoding="utf-8")
    assert run("batch", str(file))[0] == REFUSED
    file.write_text("target_name,search_query,kinds\na,1HPV,ligand;gold\n", encoding="utf-8")
    code, _, err = run("batch", str(file))
    assert (code, "job 1: options.kinds" in err, "gold" in err) == (REFUSED, True, True)


@pytest.fixture
def failing(tmp_path: Path) -> list[str]:
    """The command that submits a job which its source refuses, and waits for its end."""
    (tmp_path / "x.fasta").write_text(str(NOT_SEARCHED["fasta"]))
    words = ["submit", "--target", "dead", "--query", "4CUP", "--fasta", str(tmp_path / "x.fasta")]
    return [*words, "--option", "sequence_search=true", "--wait"]


def test_every_exit_code_has_its_meaning(run: Run, live: LiveService, failing: list[str]) -> None:
    code, out, _ = run(*failing)
    assert (code, out.split()[1]) == (FAILED, "failed")
    code, _, err = run("submit", "--target", "x")
    assert (code, "MISSING_FIELD" in err) == (REFUSED, True)
    assert run("submit", "--pdb", "1hpv", "--option", "max_entries")[0] == REFUSED
    assert run("status", "00000000")[0] == REFUSED
    with pytest.raises(SystemExit) as stopped:
        main(["submit", "--no-such"])
    assert stopped.value.code == REFUSED
    gate = hold(live.folder, "search_entries")
    code, _, err = run("submit", "--target", "slow", "--query", "1HPV", "--wait", "--timeout", "1")
    gate.unlink()
    assert (code, "it continues" in err) == (TOO_LONG, True)


def answering(*answers: httpx2.Response | Exception) -> tuple[Tethermap, list[float]]:
    """Return a client whose service gives these answers, and the pauses that it has made."""
    left = list(answers)
    pauses: list[float] = []

    def answer(_: httpx2.Request) -> httpx2.Response:
        given = left.pop(0)
        if isinstance(given, Exception):
            raise given
        return given

    return Tethermap("http://x", transport=httpx2.MockTransport(answer), sleep=pauses.append), pauses


def refusal(status: int, code: str) -> httpx2.Response:
    return httpx2.Response(status, json={"ok": False, "error": {"code": code, "message": "No.", "details": {}}})


def archive_with(files: dict[str, str]) -> httpx2.Response:
    """Return an answer with an archive of files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return httpx2.Response(200, content=data.getvalue(), headers={"ETag": '"x"'})


def unpacked_as(content: bytes, folder: Path) -> bool:
    """Return whether all files of an archive are in a folder."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return all((folder / name).read_bytes() == archive.read(name) for name in archive.namelist())


JOB = {"job_id": "0a1b2c3d", "status": "queued", "target_name": "x"}


def test_a_busy_service_is_retried_after_the_requested_time() -> None:
    busy = httpx2.Response(503, headers={"Retry-After": "7"})
    service, pauses = answering(httpx2.ConnectError("no"), busy, httpx2.Response(200, json=JOB))
    assert service.job("0a1b2c3d") == Job.of(JOB)
    assert pauses == [0.5, 7.0]
    service, pauses = answering(*[httpx2.ConnectError("no")] * 6)
    with pytest.raises(NotAnsweredError):
        service.job("0a1b2c3d")


def test_no_answer_and_a_wrong_token_have_their_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    service, _ = answering(*[httpx2.ConnectError("no")] * 6)
    assert main(["status", "0a1b2c3d"], make=lambda *_: service) == NOT_ANSWERED
    service, _ = answering(refusal(403, "FORBIDDEN"))
    assert main(["cancel", "0a1b2c3d"], make=lambda *_: service) == UNAUTHORIZED
    assert "FORBIDDEN" in capsys.readouterr().err


def test_an_archive_writes_nowhere_else(tmp_path: Path) -> None:
    for name in ("../evil.txt", "/evil.txt", "0a1b2c3d/../evil.txt", "other/evil.txt"):
        service, _ = answering(archive_with({name: "x"}))
        with pytest.raises(TethermapError):
            service.download("0a1b2c3d", tmp_path / "out")
        assert not list(tmp_path.rglob("evil.txt"))


def test_version_is_that_of_the_service_and_httpx2_the_only_requirement() -> None:
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["dynamic"] == ["version"]
    assert __version__ == version_of_service
    assert [name.partition(">")[0] for name in project["dependencies"]] == ["httpx2"]


def test_missing_results_have_a_separate_exit_code(run: Run, queued_job: str) -> None:
    for words in (["answers"], ["exits"], ["rows", "results"]):
        code, out, err = run(words[0], queued_job, *words[1:])
        assert (code, out, "RESULTS_NOT_READY" in err) == (NOT_READY, "", True)
    assert run("status", queued_job)[:2] == (DONE, f"{queued_job}  queued  BAZ2B\n")
    for words in (["answers"], ["status"], ["rows", "results"]):
        code, out, err = run(words[0], "examegfr", *words[1:])
        assert code == NOT_READY
        assert "examegfr" in out + err


def next_second() -> None:
    """Wait until the times of the API, in whole seconds, differ from those so far."""
    time.sleep(1.01 - time.time() % 1)


def test_same_command_after_a_failed_job_makes_another(run: Run, failing: list[str], tmp_path: Path) -> None:
    ids = []
    for _ in range(3):
        code, out, _ = run(*failing)
        assert (code, out.split()[1]) == (FAILED, "failed")
        ids.append(out.split()[0])
        next_second()
    assert len(set(ids)) == 3
    rows = f"dead,4CUP,{NOT_SEARCHED['fasta']},true\nalive,1HPV,,\n"
    (tmp_path / "jobs.csv").write_text(f"target_name,search_query,fasta_seq,sequence_search\n{rows}")
    first = [line.split()[0] for line in run("batch", str(tmp_path / "jobs.csv"), "--wait")[1].splitlines()]
    next_second()
    second = run("batch", str(tmp_path / "jobs.csv"))[1].split()
    assert (second[0] != first[0], second[1]) == (True, first[1])


def test_codes_stay_text(run: Run, live: LiveService, tmp_path: Path) -> None:
    (tmp_path / "jobs.csv").write_text(
        "target_name,search_query,only_ligands,entries,max_entries\na,1HPV,478;1E8,4E10,5\n"
    )
    (job_id,) = run("batch", str(tmp_path / "jobs.csv"))[1].split()
    options = live.call("GET", f"/api/jobs/{job_id}/request")[1]["request"]["options"]
    assert (options["only_ligands"], options["entries"], options["max_entries"]) == (["478", "1E8"], ["4E10"], 5)
    job_id = run("submit", "--target", "a", "--query", "1HPV", "--option", "always_keep=478")[1].strip()
    assert live.call("GET", f"/api/jobs/{job_id}/request")[1]["request"]["options"] == {"always_keep": ["478"]}
    rows = list(csv.DictReader(io.StringIO(run("answers", "exam1hpv", "--format", "csv")[1])))
    assert {row["Warhead"] for row in rows} == {"478"}
    columns = ["Warhead", "anchor_atom"]
    shown = run("answers", "exam1hpv", "--format", "csv", "--columns", ",".join(columns))[1]
    assert next(csv.reader(io.StringIO(shown))) == columns
    code, _, err = run("answers", "exam1hpv", "--columns", "Warhed")
    assert (code, "Warhed" in err, "anchor_atom" in err) == (REFUSED, True, True)
    assert run("answers", "exam1hpv", "--ligand", "XXX", "--format", "csv")[1].startswith("Target,")


def test_folder_of_a_laboratory_follows_its_list(run: Run, live: LiveService, tmp_path: Path) -> None:
    file, folder = tmp_path / "targets.csv", tmp_path / "lab"
    file.write_text("target_name,pdb_id\nprotease,1HPV\n")
    code, out, err = run("sync", str(file), str(folder))
    assert code == DONE, err
    first = out.split()[0]
    assert (folder / first / "Results_Display.csv").is_file()
    file.write_text("target_name,pdb_id\nprotease,1HPV\nbromodomain,4CUP\n")
    out = run("sync", str(file), str(folder))[1]
    ids = [line.split()[0] for line in out.splitlines() if "completed" in line]
    assert (ids[0], len(ids)) == (first, 2)
    live.call("DELETE", f"/api/jobs/{first}")
    assert first not in run("sync", str(file), str(folder))[1]


def test_a_refused_row_or_job_is_reported_at_the_end_and_the_others_are_done(
    run: Run, done_job: str, queued_job: str, tmp_path: Path
) -> None:
    file, folder = tmp_path / "targets.csv", tmp_path / "lab"
    file.write_text("target_name,pdb_id,max_entries\nprotease,1HPV,\nwrong,12,\nmany,4CUP,0\nprotease,1HPV,\n")
    code, out, err = run("sync", str(file), str(folder))
    assert (code, out.count("completed")) == (REFUSED, 2)
    assert [line.split(":")[1].strip() for line in err.splitlines()] == ["row 2", "row 3"]
    (job,) = {line.split()[0] for line in out.splitlines() if "completed" in line}
    assert (folder / job / "Results_Display.csv").is_file()
    code, out, err = run("status", "00000000", done_job)
    assert (code, done_job in out, "00000000" in err) == (REFUSED, True, True)
    code, out, err = run("status", queued_job, done_job, "--wait", "--timeout", "0.1")
    assert (code, done_job in out, queued_job in err) == (TOO_LONG, True, True)
    code, out, err = run("cancel", done_job, queued_job)
    assert (code, f"{queued_job}  canceled" in out, done_job in err) == (REFUSED, True, True)
    service, _ = answering(refusal(401, "UNAUTHORIZED"))
    assert main(["status", "00000000", done_job], make=lambda *_: service) == UNAUTHORIZED


def test_a_sync_that_is_stopped_forgets_no_job(tmp_path: Path) -> None:
    file, synced = tmp_path / "targets.csv", tmp_path / "lab" / "jobs.csv"
    synced.parent.mkdir()
    file.write_text("pdb_id\n1HPV\n4CUP\n")
    before = [("0a1b2c3d", json.dumps({"pdb_id": "1HPV"})), ("4e5f6a7b", json.dumps({"pdb_id": "4CUP"}))]
    with synced.open("w", newline="") as stream:
        csv.writer(stream).writerows([("job_id", "request"), *before])
    service, _ = answering(httpx2.Response(200, json=JOB), *[httpx2.ConnectError("no")] * 6)
    assert main(["sync", str(file), str(synced.parent)], make=lambda *_: service) == NOT_ANSWERED
    with synced.open(newline="") as stream:
        assert [(row["job_id"], row["request"]) for row in csv.DictReader(stream)] == before


def test_files_changed_since_are_named_and_written_again_and_others_stay(
    run: Run, done_job: str, tmp_path: Path
) -> None:
    words = ("status", done_job, "--download", str(tmp_path))
    assert run(*words)[0] == DONE
    table, lost = tmp_path / done_job / "Results_Display.csv", tmp_path / done_job / "job_config.json"
    own = tmp_path / done_job / "notes.txt"
    was = table.read_bytes()
    table.write_bytes(b"another")
    lost.unlink()
    own.write_text("ours")
    code, _, err = run(*words)
    assert (code, "Results_Display.csv" in err, "job_config.json" in err) == (DONE, True, True)
    assert (table.read_bytes(), lost.is_file(), own.read_text()) == (was, True, "ours")


def test_a_file_that_the_manifest_does_not_list_so_is_refused(tmp_path: Path) -> None:
    manifest = {"files": [{"path": "a.csv", "sha256": hashlib.sha256(b"right").hexdigest()}]}
    files = {"0a1b2c3d/a.csv": "wrong", "0a1b2c3d/job_result_manifest.json": json.dumps(manifest)}
    service, _ = answering(archive_with(files))
    with pytest.raises(TethermapError, match=r"a\.csv"):
        service.download("0a1b2c3d", tmp_path)
    assert not (tmp_path / "0a1b2c3d").exists()


@pytest.mark.parametrize("pieces", [5, 40])
def test_a_download_over_a_line_that_breaks_completes(
    live: LiveService, done_job: str, tmp_path: Path, pieces: int
) -> None:
    whole = live.http.get(f"/api/jobs/{done_job}/bundle").content
    with (
        breaking_line(live.port, len(whole) // pieces) as (port, cuts),
        Tethermap(f"http://127.0.0.1:{port}", sleep=lambda _: None) as service,
    ):
        folder = service.download(done_job, tmp_path)
    assert len(cuts) >= pieces
    assert unpacked_as(whole, folder.parent)


README = (FOLDER / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs of an environment with the client, the packages that it needs and those that build it."""
    folder = tmp_path_factory.mktemp("client")
    shutil.copytree(FOLDER, folder / "source", ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "env")], check=True)
    (site,) = (folder / "env/lib").glob("python*/site-packages")
    for distribution in (*needed("httpx2"), *needed("setuptools")):
        for top in {file.parts[0] for file in distribution.files or () if file.parts[0] not in ("..", "__pycache__")}:
            (site / top).symlink_to(str(distribution.locate_file(top)))
    words = ["pip", "--python", str(folder / "env/bin/python"), "install", "-q", "--no-build-isolation", "--no-deps"]
    command = [sys.executable, "-m", *words, "--no-index", str(folder / "source")]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "env/bin"


def needed(name: str, seen: dict[str, metadata.Distribution] | None = None) -> list[metadata.Distribution]:
    """Return an installed distribution and all that it requires."""
    seen = {} if seen is None else seen
    name = name.replace("_", "-").lower()
    if name not in seen:
        seen[name] = metadata.distribution(name)
        for text in seen[name].requires or ():
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                needed(requirement.name, seen)
    return list(seen.values())


def test_every_command_of_the_readme_works_without_the_repository(
    live: LiveService, done_job: str, elsewhere: Path, tmp_path: Path
) -> None:
    (block,) = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    install, setting, submit, *others = block.splitlines()
    words = shlex.split(install)
    assert (words[:2], (ROOT / words[2] / "pyproject.toml").is_file()) == (["pip", "install"], True)
    assert re.findall(r"\b(TETHERMAP_\w+)=", setting) == ["TETHERMAP_URL", "TETHERMAP_TOKEN"]
    environment = {"PATH": str(elsewhere), "TETHERMAP_URL": live.address, "HOME": str(tmp_path)}
    missing = subprocess.run(
        [elsewhere / "python", "-c", "import tethermap"], cwd=tmp_path, env=environment, check=False
    )
    assert missing.returncode != 0
    (tmp_path / "jobs.csv").write_text("target_name,search_query,max_entries\nHIV protease,1HPV,5\n")
    shutil.copy(next((live.jobs / done_job).rglob("4cup*.pdb")), tmp_path / "model.cif")
    last = rows_of(live.jobs / done_job, layout.EXIT_VECTORS)
    place = next(row for row in last if row["pdb_id"] == "1hpv" and row["rank"])
    names = {"4e5f6a7b": "exam4cup", "1m17_A_AQ4_999": place["stem"], "C24": place["anchor_atom"]}

    def command(line: str, job_id: str) -> str:
        for name, own in {**names, "0a1b2c3d": job_id}.items():
            line = line.replace(name, own)
        done = subprocess.run(
            ["/bin/sh", "-ec", line], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
            timeout=patience(120),
        )  # fmt: skip
        assert done.returncode == DONE, (line, done.stderr)
        return done.stdout

    made = command(submit, "").split()[0]
    assert (tmp_path / "out" / made / "Results_Display.csv").is_file()
    printed = {}
    gate = None
    for line in others:
        name = line.split()[1]
        if name == "cancel":
            gate = hold(live.folder, "search_entries")
            made = command(f"{submit.partition(' --wait')[0]} --new", "").strip()
        printed[name] = command(line, made if name in ("cancel", "retry", "delete") else done_job)
        if name == "cancel":
            live.ended(made)
            assert gate is not None
            gate.unlink()
        if name == "retry":
            live.ended(made)
    assert set(printed) == _COMMANDS.keys() - {"submit"}
    assert place["stem"] in printed["tool-inputs"]
    assert (tmp_path / "degraders.sdf").stat().st_size > 1000
    assert printed["delete"] == f"{made}  deleted\n"


def test_python_example_of_the_readme_works(live: LiveService, elsewhere: Path, tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    code = code.replace("http://127.0.0.1:8000", live.address)
    done = subprocess.run(
        [elsewhere / "python", "-c", code], cwd=tmp_path, env={}, capture_output=True, text=True, check=False,
        timeout=patience(120),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert " 478 " in done.stdout
    (job,) = (tmp_path / "out").iterdir()
    assert (job / "TARGET_RESULTS" / "report.html").is_file()
