"""Every command of the service's README answers as the README shows it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from service.app import ENDPOINTS
from tests.service.core import LiveService
from tests.tools.runs import ROOT
from tests.tools.service_readme import MARKER, README, Session, command_of, routes_text

TEXT = README.read_text(encoding="utf-8")
BLOCK = re.compile(r"### `(\w+) (\S+)`\n\n.*?\n\n```sh\n(.*?)\n```\n\n```(\w+)\n(.*?)\n```\n", re.DOTALL)


def form(value: Any) -> Any:
    """Return the shape of a value: keys and kinds of what they hold; lists by their first item."""
    if isinstance(value, dict):
        return {key: form(item) for key, item in value.items()}
    if isinstance(value, list):
        return [form(item) for item in value[:1]]
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__


def blocks(text: str) -> dict[tuple[str, str], tuple[str, str, str]]:
    """Return command, language and answer of each route."""
    return {(found[0], found[1]): (found[2], found[3], found[4]) for found in BLOCK.findall(text)}


def test_every_route_has_its_command() -> None:
    documented = blocks(TEXT.partition(MARKER)[2])
    assert {key: command for key, (command, _, _) in documented.items()} == {
        (endpoint.method, endpoint.plain_path): command_of(endpoint) for endpoint in ENDPOINTS
    }


def test_every_command_answers_as_shown(tmp_path: Path) -> None:
    with LiveService(tmp_path / "service", METRICS="true") as service:
        fresh = blocks(routes_text(Session(service, tmp_path)))
    documented = blocks(TEXT.partition(MARKER)[2])
    assert fresh.keys() == documented.keys()
    for key, (_, language, answer) in fresh.items():
        _, shown_language, shown_answer = documented[key]
        assert language == shown_language, key
        if language == "json":
            assert form(json.loads(answer)) == form(json.loads(shown_answer)), key
        else:
            assert answer == shown_answer, key


def test_first_commands_of_the_readme_work_as_they_stand(tmp_path: Path) -> None:
    commands = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)[1]
    with LiveService(tmp_path / "service") as service:
        here = commands.replace("http://127.0.0.1:8000", f"http://127.0.0.1:{service.port}")
        Session(service, tmp_path).run(f"set -e\n{here}")
    assert (tmp_path / "1hpv_A_478.sdf").read_text(encoding="utf-8").startswith("1hpv_A_478_200")
    for name in ("war_pdb.zip", "results.zip"):
        assert (tmp_path / name).read_bytes().startswith(b"PK")


def test_command_of_the_projects_readme_answers_as_shown(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"```bash\n(curl .*?)\n```", text)
    (answer,) = re.findall(r"```json\n(.*?)\n```", text, re.DOTALL)
    with LiveService(tmp_path / "service") as service:
        here = command.replace("http://127.0.0.1:8000", f"http://127.0.0.1:{service.port}")
        assert json.loads(Session(service, tmp_path).run(here)) == json.loads(answer)
