"""Deployment of the service: with nginx in front, in a container's folders, backed up and restored."""

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from tests.service.core import ANN, LiveService, free_port
from tests.service.proxy import Proxied
from tests.tools.patience import patience, wait_until
from tests.tools.programs import program, programs
from tests.tools.runs import ROOT, result_files

pytestmark = pytest.mark.process


def test_every_address_behind_the_proxy_has_its_prefix(proxied: Proxied, done_job: str) -> None:
    with httpx2.Client(base_url=proxied.address, verify=proxied.context, headers=ANN, timeout=patience(30)) as http:
        submitted = http.post("api/jobs", json={"target_name": "HIV protease", "search_query": "1HPV"})
        assert submitted.status_code == 202, submitted.text
        assert submitted.headers["location"].startswith("/tethermap/api/jobs/")
        bodies = [submitted.json()]
        paths = ("jobs/{}", "jobs/{}/results", "jobs/{}/files?limit=1", "examples", "examples/exam1hpv", "manifest",
                 "indexed-jobs?limit=1&offset=1", "compare?a=exam1hpv&b=exam4cup&limit=1")  # fmt: skip
        bodies += [http.get(f"api/{path.format(done_job)}").json() for path in paths]
        for address in set(re.findall(r'"(/[^"\s]*)"', json.dumps([*bodies[:-3], *bodies[-2:]]))):
            assert address.startswith("/tethermap/"), address
        for address in ("results_url", "files_url", "status_url", "events_url"):
            assert http.get(bodies[0][address].removeprefix("/tethermap/")).status_code in (200, 202), address
        assert bodies[-3]["docs_urls"]["openapi"] == "/tethermap/openapi.json"
        assert http.get("openapi.json").json()["servers"] == [{"url": "/tethermap"}]
        assert "/tethermap/api/indexed-jobs?" in http.get("api/indexed-jobs?limit=1").headers["link"]
        pages = ("", "browse", "examples", "compare", "api-docs", f"results/{done_job}", "login", "examples/exam1hpv")
        for path in pages:
            page = http.get(path)
            assert page.status_code == 200, path
            linked = re.findall(r'\s(?:href|src|action|data-(?:here|base|waiting))="(/[^"]*)"', page.text)
            assert linked
            assert [address for address in linked if not address.startswith("/tethermap/")] == [], path
            assert [address for address in linked if address.startswith("/tethermap/tethermap")] == [], path
        moved = http.get(f"open_job/{done_job}", follow_redirects=False)
        assert moved.headers["location"] == f"/tethermap/results/{done_job}"


def test_a_session_with_the_proxy_is_limited_to_tls_and_its_path(proxied: Proxied) -> None:
    with httpx2.Client(base_url=proxied.address, verify=proxied.context, timeout=patience(30)) as http:
        assert http.get("browse").status_code == 401
        given = http.post("login", data={"token": "ann-secret", "next": "/browse"}, follow_redirects=False)
        assert given.headers["location"] == "/tethermap/browse"
        assert "secure" in given.headers["set-cookie"].lower()
        assert "path=/tethermap/" in given.headers["set-cookie"].lower()
        assert http.get("browse").status_code == 200
        assert http.get("browse", headers={"Host": "evil.example"}).status_code == 421
        assert http.post("logout", headers={"Origin": "https://evil.example"}).status_code == 401


def test_one_address_takes_not_all_connections_of_the_proxy(proxied: Proxied) -> None:
    """Heads without bodies from one address; another one from the network is answered at once."""
    port = int(proxied.address.split(":")[2].partition("/")[0])
    head = "POST /tethermap/login HTTP/1.1\r\nHost: lab.example\r\nContent-Length: 9\r\n"
    head += "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
    with contextlib.ExitStack() as opened:
        stalled = []
        for _ in range(120):
            plain = socket.create_connection(("127.0.0.1", port), timeout=patience(5))
            stalled.append(opened.enter_context(proxied.context.wrap_socket(plain, server_hostname="lab.example")))
            stalled[-1].sendall(head.encode())
        transport = httpx2.HTTPTransport(verify=proxied.context, local_address="127.0.0.2")
        with httpx2.Client(base_url=proxied.address, transport=transport, headers=ANN, timeout=patience(10)) as http:
            answer = http.post("api/jobs", json={"target_name": "HIV protease", "search_query": "1HPV"})
            assert answer.status_code == 202, answer.text
            assert answer.elapsed.total_seconds() < patience(3)
        assert stalled[-1].recv(64).startswith(b"HTTP/1.1 429 ")


def test_a_restored_backup_gives_the_same_bytes(tmp_path: Path, mixed: Path) -> None:
    programs("tar")
    text = (ROOT / "config/deploy/README.md").read_text(encoding="utf-8")
    (backup, restore) = re.findall(r"```sh\n((?:tar|mkdir) .*?)\n```", text, re.DOTALL)
    (tmp_path / "first/jobs").mkdir(parents=True)
    shutil.copytree(mixed, tmp_path / "first/jobs" / mixed.name)
    asked = [f"/api/jobs/{mixed.name}/{path}" for path in ("bundle", "war-pdbs.zip", "files", "results", "rows")]
    listing = "/api/indexed-jobs"
    places = {"PATH": os.environ["PATH"], "BACKUP": str(tmp_path / "tethermap.tar")}

    def read(service: LiveService, path: str) -> bytes:
        return service.http.get(path).raise_for_status().content

    with LiveService(tmp_path / "first", quick=True) as service:
        batch = service.call("POST", "/api/batches", {"jobs": [{"pdb_id": "4cup"}]})[1]
        service.ended(batch["jobs"][0]["job_id"])
        before = [read(service, path) for path in asked]
        jobs = json.loads(read(service, listing))["jobs"]
        service.terminate()
    environment = {**places, "TETHERMAP_JOBS_DIR": str(tmp_path / "first/jobs")}
    subprocess.run(["sh", "-ec", backup], env=environment, check=True)
    kept = result_files(tmp_path / "first/jobs")
    environment["TETHERMAP_JOBS_DIR"] = str(tmp_path / "second/jobs")
    subprocess.run(["sh", "-ec", restore], env=environment, check=True)
    assert result_files(tmp_path / "second/jobs") == kept
    with LiveService(tmp_path / "second", quick=True) as service:
        assert [read(service, path) for path in asked] == before
        assert json.loads(read(service, listing))["jobs"] == jobs
        assert service.call("GET", f"/api/batches/{batch['batch_id']}")[1]["status"] == "completed"


def boxed(read: list[Path], data: Path) -> list[str]:
    """Return a command prefix that restricts writing to a folder and /tmp, and drops privileges; empty if none is
    available."""
    everything = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--cap-drop", "ALL"]
    if not shutil.which("bwrap") or subprocess.run([*everything, "true"], capture_output=True, check=False).returncode:
        return []
    folders = [part for path in read for part in ("--ro-bind", str(path), str(path))]
    return [*everything, "--die-with-parent", "--tmpfs", "/tmp", *folders, "--bind", str(data), str(data)]


def test_the_image_has_all_that_a_job_needs_and_is_not_written_to(tmp_path: Path, component_index: Path) -> None:
    git = program("git")
    if not (ROOT / ".git").exists():
        pytest.skip("a source archive: git does not know what the image holds")
    lines = (ROOT / ".ci/Containerfile").read_text(encoding="utf-8").splitlines()
    tree = tmp_path / "opt"
    tree.mkdir()
    for line in lines:  # files of COPY, from git: no cache, no results
        if line.startswith("COPY "):
            for name in line.split()[1:-1]:
                listed = subprocess.run([git, "ls-files", name], cwd=ROOT, capture_output=True, text=True, check=True)
                assert listed.stdout, name
                for file in listed.stdout.splitlines():
                    (tree / file).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(ROOT / file, tree / file)
    subprocess.run(["sh", "-n", ".ci/setup.sh"], cwd=tree, check=True)
    needed = re.search(r"cat (requirements\.lock .*?) \| cksum", (tree / ".ci/setup.sh").read_text())
    assert needed
    assert [name for name in needed[1].split() if not list(tree.glob(name))] == []
    (tree / ".venv").symlink_to(Path(sys.prefix))
    for built in ROOT.glob("scripts/tethermap/kernels/*.so"):
        shutil.copy(built, tree / "scripts/tethermap/kernels" / built.name)
    image = dict(re.findall(r"(\w+)=(\S+)", " ".join(line for line in lines if line.startswith("ENV "))))
    assert image.pop("TETHERMAP_COMPONENTS").startswith("/opt/tethermap/.venv/")
    data = tmp_path / "data"
    data.mkdir()
    variables = {name: value.replace("/data", str(data)) for name, value in image.items()}
    port = free_port()
    variables |= {"TETHERMAP_PORT": str(port), "TETHERMAP_SOURCE": "archive", "TETHERMAP_API_TOKENS": "ann:secret",
                  "PATH": os.environ["PATH"], "PYTHONPATH": f"{tree}:{tree}/scripts", "TMPDIR": "/tmp",
                  "TETHERMAP_COMPONENTS": str(component_index)}  # fmt: skip
    subprocess.run([sys.executable, "-m", "compileall", "-q", "scripts", "service"], cwd=tree, check=True)
    before = result_files(tree)
    command = [*boxed([tree, component_index.parent], data), *json.loads(lines[-1].removeprefix("CMD "))]
    check = json.loads(re.sub(r"^.*? CMD ", "", lines[-2]).replace("8000", str(port)))
    log = (tmp_path / "log").open("wb")
    with log, subprocess.Popen(command, cwd=tree, env=variables, stdout=log, stderr=log) as service:
        try:
            healthy = lambda: subprocess.run(check, cwd=tree, capture_output=True, check=False).returncode == 0  # noqa: E731
            wait_until(healthy, 30, "the container's health check")
            with httpx2.Client(base_url=f"http://127.0.0.1:{port}", headers={"Authorization": "Bearer secret"}) as http:
                job = http.post("/api/jobs", json={"pdb_id": "1hpv"}).json()["status_url"]
                wait_until(lambda: http.get(job).json()["status"] in ("completed", "failed"), 60, "the job to end")
                assert http.get(job).json()["has_results"], http.get(job).text
        finally:
            service.terminate()
    assert result_files(tree) == before


def test_the_unit_and_the_image_start_the_same_service() -> None:
    unit = (ROOT / "config/deploy/tethermap.service").read_text(encoding="utf-8")
    assert "ExecStart=/opt/tethermap/.venv/bin/python -m service" in unit
    assert "User=tethermap" in unit
    assert "USER tethermap" in (ROOT / ".ci/Containerfile").read_text(encoding="utf-8")


def test_systemd_understands_the_unit_and_finds_it_little_exposed(tmp_path: Path) -> None:
    programs("systemd-analyze")
    text = (ROOT / "config/deploy/tethermap.service").read_text(encoding="utf-8")
    unit = tmp_path / "tethermap.service"
    unit.write_text(
        text.replace("/opt/tethermap/.venv/bin/python", sys.executable).replace("/opt/tethermap", str(ROOT))
    )
    for command in (["verify", "--man=no"], ["security", "--offline=true", "--threshold=20", "--no-pager"]):
        told = subprocess.run(["systemd-analyze", *command, str(unit)], capture_output=True, text=True, check=False)
        assert (told.returncode, told.stderr) == (0, ""), told.stdout + told.stderr
