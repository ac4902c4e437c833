"""Optional parts of the service can be switched off, and cost nothing then."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from service.app import endpoints
from service.settings import EXTRAS, USUAL_EXTRAS, Settings, SettingsError
from tests.service.core import local
from tests.test_rooms import MODULES, imported
from tests.tools.patience import patience
from tests.tools.runs import ROOT

LOADED = """
import json, sys
from service.app import create_app
from service.runs.lifecycle import build_parts
from service.settings import Settings
create_app(build_parts(Settings.from_environment({"TETHERMAP_EXTRAS": sys.argv[1], "HOME": sys.argv[2]})))
print(json.dumps(sorted(sys.modules)))
"""


@pytest.mark.parametrize(
    ("setting", "extras"),
    [
        ({}, USUAL_EXTRAS), ({"EXTRAS": ""}, USUAL_EXTRAS), ({"EXTRAS": "none"}, ()),
        ({"EXTRAS": "wes, compare"}, ("compare", "wes")), ({"WES": "true", "EXTRAS": "wes"}, ("wes",)),
        ({"WES": "true"}, (*USUAL_EXTRAS, "wes")),
    ],
)  # fmt: skip
def test_extras_are_those_of_the_settings(setting: dict[str, str], extras: tuple[str, ...]) -> None:
    environ = {"HOME": "/", **{f"TETHERMAP_{name}": value for name, value in setting.items()}}
    assert Settings.from_environment(environ).extras == extras


def test_usual_extras_are_some_and_unknown_ones_are_refused() -> None:
    assert {"degraders", "wes"}.isdisjoint(USUAL_EXTRAS)
    with pytest.raises(SettingsError, match="TETHERMAP_EXTRAS"):
        Settings.from_environment({"TETHERMAP_EXTRAS": "compare,wse", "HOME": "/"})


def modules_of(name: str) -> set[str]:
    """Return the modules below `extras`, of service and library, that an extra needs."""
    needed, new = set(), {f"service.extras.{name}"}
    while new:
        needed |= new
        new = {other for module in new for other in imported(module) if ".extras." in other} - needed
    return needed


@pytest.mark.parametrize("extras", ["none", *EXTRAS])
def test_modules_of_extras_that_are_off_are_not_imported(extras: str, tmp_path: Path) -> None:
    run = subprocess.run([sys.executable, "-c", LOADED, extras, tmp_path], cwd=ROOT, capture_output=True, text=True,
                         check=True, timeout=patience(60))  # fmt: skip
    loaded = {name for name in json.loads(run.stdout) if ".extras." in name and MODULES[name].stem != "__init__"}
    assert (f"service.extras.{extras}" in loaded) == (extras != "none")
    assert loaded <= (modules_of(extras) if extras != "none" else set())
    assert "rdkit" not in json.loads(run.stdout)


def test_service_without_extras_offers_neither_their_routes_nor_links_to_them(tmp_path: Path) -> None:
    gone = {endpoint.plain_path for endpoint in endpoints()} - {endpoint.plain_path for endpoint in endpoints(())}
    assert {"/compare", "/degraders", "/mcp", "/ga4gh/wes/v1/runs"} <= gone
    with local(tmp_path, extras=(), webhook_secret="0123456789abcdef") as http:
        assert gone.isdisjoint(http.get("/openapi.json").json()["paths"])
        assert all(http.get(path).status_code == 404 for path in gone if "{" not in path)
        assert http.get("/api/manifest").json()["features"]["webhooks"] is False
        for page in ("/", "/help"):
            assert "/compare" not in http.get(page).text
        body = {"target_name": "HIV protease", "search_query": "1HPV", "webhook": "https://example.org/x"}
        refused = http.post("/api/jobs", json=body)
        assert (refused.status_code, refused.json()["error"]["details"]["field"]) == (422, "webhook")


def test_agents_have_no_tools_of_routes_that_are_off(tmp_path: Path) -> None:
    with local(tmp_path, extras=("agents",)) as http:
        tools = http.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).json()["result"]["tools"]
        names = {tool["name"] for tool in tools}
    assert "compare" not in names
    assert {"answers", "read_file"} <= names
