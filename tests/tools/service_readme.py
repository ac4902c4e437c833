"""`python -m tests.tools.service_readme`: write the table of routes in service/README.md; a `curl` for each route.

The text above the marker is written by hand. A test runs the commands; the responses are in the OpenAPI document.
"""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from service.app import endpoints
from service.http.endpoint import Endpoint
from tests.service.core import LiveService
from tests.tools.programs import programs
from tests.tools.runs import ROOT

README = ROOT / "service" / "README.md"
MARKER = "<!-- From here on written by `python -m tests.tools.service_readme`. -->"

COMMANDS: dict[str, Any] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
QUERIES: dict[str, str] = COMMANDS["queries"]
VALUES: dict[str, str] = COMMANDS["values"]
LATE = [tuple(key.split(" ")) for key in COMMANDS["late"]]


@dataclass
class Session:
    """Runs the commands of the README against a service, and remembers the ids of their answers."""

    service: LiveService
    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    def run(self, command: str) -> str:
        """Return the output of a command."""
        programs("bash", "curl")
        environment = {"PATH": "/usr/bin:/bin", "S": self.service.address, **self.variables}
        ended = subprocess.run(
            ["bash", "-c", command], check=True, cwd=self.folder, env=environment, capture_output=True, text=True
        )
        return ended.stdout

    def answer(self, endpoint: Endpoint) -> str:
        """Run the command of a route and return its answer."""
        text = self.run(command_of(endpoint))
        key = (endpoint.method, endpoint.path)
        if key == ("POST", "/api/jobs"):
            self.variables["JOB"] = json.loads(text)["job_id"]
            self.service.ended(self.variables["JOB"], 120)
        if key == ("POST", "/api/uploads"):
            self.variables["UPLOAD"] = json.loads(text)["upload_id"]
        if key == ("POST", "/api/batches"):
            batch = json.loads(text)
            first, other = (job["job_id"] for job in batch["jobs"])
            self.variables |= {"BATCH": batch["batch_id"], "FIRST": first, "OTHER": other}
            self.service.ended(batch["jobs"][0]["job_id"], 120)
        return text


def command_of(endpoint: Endpoint) -> str:
    """Return the command that shows a route."""
    special: str | None = COMMANDS["commands"].get(f"{endpoint.method} {endpoint.path}")
    if special is not None:
        return special
    job = "exam1hpv" if "/examples" in endpoint.path or endpoint.path in COMMANDS["of_an_example"] else "$JOB"
    path = endpoint.path.replace("{job_id}", job)
    for name, value in VALUES.items():
        path = path.replace(f"{{{name}}}", value)
    url = f'"$S{path}{QUERIES.get(endpoint.path, "")}"'
    answers = endpoint.answers.get(200, "")
    first = answers[0] if isinstance(answers, tuple) else answers
    if isinstance(first, str) and "/" in first:
        suffix = {"application/zip": "zip", "text/html; charset=utf-8": "html"}.get(first, "txt")
        return f"curl -s -o answer.{suffix} -w '%{{http_code}} %{{content_type}}\\n' {url}"
    return f"curl -s {url}"


def answers(session: Session) -> Iterator[tuple[Endpoint, str]]:
    """Yield every route with its answer, in the order in which they are run."""
    by_key = {(endpoint.method, endpoint.path): endpoint for endpoint in endpoints()}
    yield by_key["POST", "/api/jobs"], session.answer(by_key["POST", "/api/jobs"])
    for key, endpoint in by_key.items():
        if key not in LATE and key not in (("POST", "/api/jobs"), ("POST", "/")):
            yield endpoint, session.answer(endpoint)
    for key in [*LATE, ("POST", "/")]:
        yield by_key[key], session.answer(by_key[key])


def routes_text() -> str:
    """Return the generated part of the README: a table of all routes by group."""
    groups: dict[str, dict[str, list[str]]] = {}
    for endpoint in endpoints():
        groups.setdefault(endpoint.group, {}).setdefault(endpoint.plain_path, []).append(endpoint.method)
    lines = ["| group | routes, `GET` unless a method is given |", "|---|---|"]
    for group, paths in groups.items():
        named = {path: "" if methods == ["GET"] else f"{'/'.join(methods)} " for path, methods in paths.items()}
        lines.append(f"| {group} | {', '.join(f'`{methods}{path}`' for path, methods in named.items())} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    head = README.read_text(encoding="utf-8").partition(MARKER)[0]
    README.write_text(f"{head}{MARKER}\n\n{routes_text()}", encoding="utf-8")
