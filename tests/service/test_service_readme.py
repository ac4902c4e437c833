"""The READMEs of the service are true: their commands run, their tables match the code."""

import json
import os
import re
import signal
import subprocess
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from service.settings import PREFIX, VARIABLES, Settings
from tests.service.core import LiveService
from tests.tools.patience import patience, wait_until
from tests.tools.programs import programs
from tests.tools.runs import ROOT
from tests.tools.service_readme import MARKER, README, Session, answers, command_of, routes_text

pytestmark = pytest.mark.process

TEXT = README.read_text(encoding="utf-8")
SETTINGS = (ROOT / "config/deploy/README.md").read_text(encoding="utf-8")


def test_table_of_routes_is_that_of_the_service() -> None:
    assert TEXT.partition(MARKER)[2].strip() == routes_text().strip()


def test_command_of_every_route_answers_well(tmp_path: Path) -> None:
    with LiveService(tmp_path / "service", quick=True, METRICS="true") as service:
        for endpoint, text in answers(Session(service, tmp_path)):
            command = command_of(endpoint)
            if "http_code" in command:
                assert text.startswith(("2", "3")), (command, text)
            elif text.startswith("{"):
                assert json.loads(text).get("ok", True), (command, text)
            else:
                assert text.strip(), command


@contextmanager
def made_to_serve(folder: Path, command: str) -> Iterator[int]:
    """Run the README's command that starts the service, in a checkout with its own folders; yield the port."""
    programs("bash", "make")
    service = LiveService(folder)
    service.environment.pop("TETHERMAP_SOURCE")  # the command's own
    folder.mkdir()
    with (folder / "service.log").open("wb") as log:
        process = subprocess.Popen(
            ["bash", "-c", command],
            cwd=ROOT, env=service.environment, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    try:
        wait_until(service.answers, 60, "the service to answer")
        yield service.port
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(patience(20))


def test_first_commands_of_the_readme_work(tmp_path: Path) -> None:
    programs("bash", "curl", "grep", "sed")
    serve, flow = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)[:2]
    assert serve.split() == ["make", "serve", *serve.split()[2:]]
    assert """-d '{"target_name": "HIV protease", "search_query": "1HPV"}'""" in flow
    with made_to_serve(tmp_path / "service", serve) as port:
        here = flow.replace("http://127.0.0.1:8000", f"http://127.0.0.1:{port}")
        environment = {"PATH": "/usr/bin:/bin"}
        ran = subprocess.run(
            ["bash", "-c", f"set -e\n{here}"],
            check=True, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=patience(60),
        )  # fmt: skip
    decoder = json.JSONDecoder()
    results, end = decoder.raw_decode(ran.stdout)
    atoms, _ = decoder.raw_decode(ran.stdout[end:].lstrip())
    assert (results["status"], results["has_results"], results["counts"]["war_pdb"]) == ("completed", True, 1)
    assert (atoms["key"], atoms["ligand"], len(atoms["atoms"])) == ("1hpv|A|200", "478", 35)
    assert (tmp_path / "1hpv_A_478.sdf").read_text(encoding="utf-8").startswith("1hpv_A_478_200")
    job_id = results["job_id"]
    for name, member in (
        ("war_pdb.zip", f"{job_id}_WAR_PDB/TARGET_RESULTS/WAR_PDB/1hpv_A_478_200.pdb"),
        ("results.zip", f"{job_id}/TARGET_RESULTS/report.html"),
    ):
        with zipfile.ZipFile(tmp_path / name) as archive:
            assert archive.testzip() is None
            assert member in archive.namelist()


def test_readme_has_a_row_for_every_setting_with_its_default() -> None:
    rows = re.findall(r"^\| `([A-Z_]+)` \| (.*?) \| ", SETTINGS, re.MULTILINE)
    assert sorted(f"{PREFIX}{name}" for name, _ in rows) == sorted(VARIABLES)
    home = {"HOME": "/home/user"}
    default = Settings.from_environment(home)
    for name, shown in rows:
        value = getattr(default, name.lower())
        if shown == "none":
            assert not value, name
        elif not isinstance(value, Path):
            assert Settings.from_environment({**home, f"{PREFIX}{name}": shown.strip("`")}) == default, name


def test_query_of_the_readme_reads_tables_of_all_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    (query,) = re.findall(r"```sql\n(.*?)```", TEXT, re.DOTALL)
    monkeypatch.chdir(ROOT / "data" / "examples")
    with duckdb.connect() as connection:
        rows = connection.sql(query).fetchall()
    assert {(ligand, instances) for ligand, instances, _ in rows} >= {("478", 1), ("ZYB", 1), ("GBS", 1)}


def test_command_of_the_projects_readme_answers_as_shown(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"```bash\n(curl .*?)\n```", text)
    (answer,) = re.findall(r"```json\n(.*?)\n```", text, re.DOTALL)
    with LiveService(tmp_path / "service", quick=True) as service:
        here = command.replace("http://127.0.0.1:8000", service.address)
        assert json.loads(Session(service, tmp_path).run(here)) == json.loads(answer)
