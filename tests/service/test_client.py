"""The client and its command against a service, and what they do when it answers badly."""

from __future__ import annotations

import ast
import io
import json
import re
import shlex
import sys
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from tests.service.core import REFUSED as NOT_SEARCHED
from tests.service.core import LiveService, hold
from tests.tools.runs import ROOT
from tethermap.base.version import __version__ as version_of_service
from tethermap_client import Job, NotAnsweredError, Tethermap, TethermapError, __version__
from tethermap_client.cli import _ANSWER_COLUMNS, DONE, FAILED, NOT_ANSWERED, REFUSED, TOO_LONG, UNAUTHORIZED, main

FOLDER = ROOT / "service/client"


@pytest.fixture
def run(live: LiveService, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs the command against a service; returns exit code, output, complaints."""

    def command(*words: str, url: str = f"http://127.0.0.1:{live.port}") -> tuple[int, str, str]:
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
    assert told.split("\n")[0].split() == [*_ANSWER_COLUMNS]
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


def test_a_download_goes_on_where_it_was_stopped(live: LiveService, done_job: str, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{live.port}"
    whole = httpx2.get(f"{url}/api/jobs/{done_job}/bundle")
    (tmp_path / f".{done_job}.zip.part").write_bytes(whole.content[:5000])
    (tmp_path / f".{done_job}.zip.etag").write_text(whole.headers["etag"])
    told: list[tuple[int, int]] = []
    with Tethermap(url) as service:
        folder = service.download(done_job, tmp_path, told=lambda done, total: told.append((done, total)))
    assert told[0][0] > 5000
    assert told[-1] == (len(whole.content), len(whole.content))
    with zipfile.ZipFile(io.BytesIO(whole.content)) as archive:
        for name in archive.namelist():
            assert (folder.parent / name).read_bytes() == archive.read(name)
    assert [path.name for path in tmp_path.iterdir()] == [done_job]
    (tmp_path / f".{done_job}.zip.part").write_bytes(b"of an archive that is no more")
    (tmp_path / f".{done_job}.zip.etag").write_text('"old"')
    (folder / ".tethermap-etag").unlink()
    with Tethermap(url) as service:
        assert (service.download(done_job, tmp_path) / "Results_Display.csv").exists()


def test_status_answers_and_cancel(run: Run, done_job: str, queued_job: str) -> None:
    assert run("status", done_job)[:2] == (DONE, f"{done_job}  completed  Mixed\n")
    code, out, _ = run("answers", "exam1hpv", "--ligand", "478", "--top", "1")
    assert code == DONE
    assert len(out.splitlines()) >= 2
    assert out.splitlines()[0].split()[:2] == ["Target", "Warhead"]
    rows = json.loads(run("answers", "exam1hpv", "--format", "json")[1])
    assert {row["Warhead"] for row in rows} == {"478"}
    assert run("answers", "exam1hpv", "--format", "csv")[1].startswith("Target,")
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


def test_every_exit_code_says_what_happened(run: Run, live: LiveService, monkeypatch: pytest.MonkeyPatch) -> None:
    sequence = NOT_SEARCHED["fasta"]
    monkeypatch.setattr("pathlib.Path.read_text", lambda *_, **__: sequence)
    words = ("--target", "x", "--query", "4CUP", "--fasta", "x", "--option", "sequence_search=true")
    code, out, _ = run("submit", *words, "--wait")
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
    assert (code, "it goes on" in err) == (TOO_LONG, True)


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


JOB = {"job_id": "0a1b2c3d", "status": "queued", "target_name": "x"}


def test_a_busy_service_is_asked_again_when_it_says() -> None:
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
    error = {"ok": False, "error": {"code": "FORBIDDEN", "message": "Another's.", "details": {}}, "request_id": "x"}
    service, _ = answering(httpx2.Response(403, json=error))
    assert main(["cancel", "0a1b2c3d"], make=lambda *_: service) == UNAUTHORIZED
    assert "FORBIDDEN" in capsys.readouterr().err


def test_an_archive_writes_nowhere_else(tmp_path: Path) -> None:
    for name in ("../evil.txt", "/evil.txt", "0a1b2c3d/../evil.txt", "other/evil.txt"):
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as archive:
            archive.writestr(name, "x")
        service, _ = answering(httpx2.Response(200, content=data.getvalue(), headers={"ETag": '"x"'}))
        with pytest.raises(TethermapError):
            service.download("0a1b2c3d", tmp_path / "out")
        assert not list(tmp_path.rglob("evil.txt"))


def test_the_client_needs_nothing_of_the_service() -> None:
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == __version__ == version_of_service
    assert [name.partition(">")[0] for name in project["dependencies"]] == ["httpx2"]
    imported = set()
    for path in (FOLDER / "tethermap_client").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(str(node.module).partition(".")[0])
    assert imported - set(sys.stdlib_module_names) == {"httpx2", "tethermap_client"}


README = (FOLDER / "README.md").read_text(encoding="utf-8")


def test_commands_of_the_readme_work(
    live: LiveService, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder that `pip install` gets is read by the build backend elsewhere in this module."""
    (block,) = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    install, setting, submit, *others = [shlex.split(line, comments=True) for line in block.splitlines()]
    assert (install[:2], (ROOT / install[2] / "pyproject.toml").is_file()) == (["pip", "install"], True)
    assert [word.partition("=")[0] for word in setting[1:]] == ["TETHERMAP_URL", "TETHERMAP_TOKEN"]
    monkeypatch.setenv("TETHERMAP_URL", f"http://127.0.0.1:{live.port}")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jobs.csv").write_text("target_name,search_query,max_entries\nHIV protease,1HPV,5\n")

    def command(words: list[str]) -> str:
        assert words[0] == "tethermap-client"
        assert main(words[1:]) == DONE, words
        return capsys.readouterr().out

    done = command(submit).split()[0]
    gate = hold(live.folder, "search_entries")
    running = command([*submit[: submit.index("--wait")], "--new"]).strip()
    assert [words[1] for words in others] == ["status", "answers", "batch", "cancel", "retry"]
    for words in (others[3], *others[:3], others[4]):  # before the batch, which waits for its end, the gate is opened
        job_id = running if words[1] in ("cancel", "retry") else done
        command([job_id if word == "0a1b2c3d" else word for word in words])
        if words[1] == "cancel":
            live.ended(running)
            gate.unlink()


def test_python_example_of_the_readme_works(live: LiveService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(code.replace("http://127.0.0.1:8000", f"http://127.0.0.1:{live.port}"), {})
    (job,) = (tmp_path / "out").iterdir()
    assert (job / "TARGET_RESULTS" / "report.html").is_file()
