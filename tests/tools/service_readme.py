"""`python -m tests.tools.service_readme`: write the routes of service/README.md from a running service's answers.

What stands above the marker is written by hand; what follows is one `curl` with its answer for
every route. A test runs the commands again and compares.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from service.app import ENDPOINTS
from service.endpoint import Endpoint
from tests.service.core import LiveService
from tests.tools.runs import ROOT

README = ROOT / "service" / "README.md"
MARKER = "<!-- From here on written by `python -m tests.tools.service_readme`. -->"

_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")
_SHOWN = {"JOB": "0a1b2c3d", "FIRST": "c8d9e0f1", "OTHER": "4e5f6a7b", "BATCH": "batch_0a1b2c3d"}
_DISK = re.compile(r'("disk_free_bytes": ?)\d+')
_BODY = "-H 'Content-Type: application/json' -d"
_LONG = 90
_DEEP = 2
_WIDTH = 118

SUBMIT = f"""curl -s "$S/api/jobs" {_BODY} '{{"target_name": "HIV protease", "search_query": "1HPV"}}'"""
BATCH = f"""curl -s "$S/api/batches" {_BODY} '{{"jobs": [
  {{"target_name": "BAZ2B", "search_query": "4CUP"}},
  {{"target_name": "Trypsin", "search_query": "1GBT"}}], "delay_seconds": 30}}'"""
BULK = f"""curl -s "$S/api/jobs/$JOB/sasa/bulk" {_BODY} \\
  '{{"requests": [{{"pdb_id": "1hpv", "chain": "A", "residue_id": "200"}}]}}'"""

QUERIES = {
    "/api/jobs/{job_id}/rows": "?table=atoms&pdb_id=1HPV&Exposure_A2__gte=10&sort=-Exposure_A2&limit=1",
    "/api/jobs/{job_id}/files": "?kind=war_pdb",
    "/api/jobs/{job_id}/artifacts": "?folder=TARGET_RESULTS/WAR_PDB",
    "/api/jobs/{job_id}/exit-vectors": "?pdb_id=1hpv&ligand=478&top=3",
    "/api/jobs/{job_id}/sasa/available": "?pdb_id=1hpv",
    "/api/jobs/{job_id}/sasa/atoms": "?pdb_id=1hpv&chain=A&residue_id=200&context=chain",
    "/api/jobs/{job_id}/sasa/residue_for_ligand": "?pdb_id=1hpv&chain=A&ligand=478",
    "/api/job_log/{job_id}": "?since=2&limit=2",
    "/api/indexed-jobs": "?ligand=478&sort=created_desc&limit=1",
    "/api/examples/{job_id}/files": "?kind=sdf",
    "/browse": "?protein=HIV",
    "/api/jobs/{job_id}/download": "?stem=1hpv_A_478_200",
    "/results/{job_id}/table": "?ligand=478&sort=-exposure",
    "/results/{job_id}/table.csv": "?ligand=478&columns=entry,ligand,exposure",
    "/results/{job_id}/instance": "?row=1hpv_A_478_200&context=chain",
    "/results/{job_id}/series": "?series=S001",
    "/api/compare": "?a=$JOB&b=exam4cup&limit=1",
    "/compare": "?a=$JOB&b=exam4cup",
}
VALUES = {
    "pdb_id": "1hpv",
    "chain": "A",
    "ligand": "478",
    "name": "1hpv_A_478_200.pdb",
    "path:path": "TARGET_RESULTS/MCS_Output/MCS_SDF/1hpv_A_478_200.sdf",
    "batch_id": "$BATCH",
    "stem": "1hpv_A_478_200",
}
SPECIAL = {
    ("POST", "/api/jobs"): SUBMIT,
    ("POST", "/api/batches"): BATCH,
    ("POST", "/api/batches/{batch_id}/cancel"): 'curl -s -X POST "$S/api/batches/$BATCH/cancel"',
    ("POST", "/api/jobs/{job_id}/cancel"): 'curl -s -X POST "$S/api/jobs/$OTHER/cancel"',
    ("DELETE", "/api/jobs/{job_id}"): 'curl -s -X DELETE "$S/api/jobs/$OTHER"',
    ("POST", "/api/jobs/{job_id}/sasa/bulk"): BULK,
    ("POST", "/"): """curl -s -o page.html -w '%{http_code}\\n' "$S/" -d target_name=BAZ2B -d search_query=4CUP""",
    ("GET", "/api/jobs/{job_id}/events"): """curl -sN "$S/api/jobs/$JOB/events" | grep -m 3 ^event""",
    ("GET", "/api/jobs/export"): 'curl -s "$S/api/jobs/export" | head -n 1',
    ("GET", "/static/{version}/{path:path}"): (
        """curl -s -o house.css -w '%{http_code} %{content_type}\\n' "$S/static/any/house.css\""""
    ),
    ("POST", "/api/form"): 'curl -s "$S/api/form" -d target_name=BAZ2B -d search_query=4CUP',
    ("POST", "/monitor/{job_id}"): """curl -s -o page.html -w '%{http_code}\\n' "$S/monitor/$JOB" -d ''""",
    ("GET", "/metrics"): 'curl -s "$S/metrics" | head -n 1',
    ("GET", "/open_job/{job_id}"): """curl -s -o page.html -w '%{http_code}\\n' "$S/open_job/$JOB\"""",
}
LATE = [
    ("POST", "/api/batches"),
    ("GET", "/api/batches/{batch_id}"),
    ("GET", "/api/batches/{batch_id}/results"),
    ("POST", "/api/batches/{batch_id}/cancel"),
    ("POST", "/api/jobs/{job_id}/cancel"),
    ("DELETE", "/api/jobs/{job_id}"),
]
"""Run in this order, after all others: they need a job that waits."""


@dataclass
class Session:
    """Runs the commands of the README against a service, and remembers the ids of their answers."""

    service: LiveService
    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    def run(self, command: str) -> str:
        """Return what a command prints."""
        environment = {"PATH": "/usr/bin:/bin", "S": f"http://127.0.0.1:{self.service.port}", **self.variables}
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
        if key == ("POST", "/api/batches"):
            batch = json.loads(text)
            first, other = (job["job_id"] for job in batch["jobs"])
            self.variables |= {"BATCH": batch["batch_id"], "FIRST": first, "OTHER": other}
            self.service.ended(batch["jobs"][0]["job_id"], 120)
        return text


def command_of(endpoint: Endpoint) -> str:
    """Return the command that shows a route."""
    special = SPECIAL.get((endpoint.method, endpoint.path))
    if special is not None:
        return special
    job = "exam1hpv" if "/examples" in endpoint.path else "$JOB"
    path = endpoint.path.replace("{job_id}", job)
    for name, value in VALUES.items():
        path = path.replace(f"{{{name}}}", value)
    url = f'"$S{path}{QUERIES.get(endpoint.path, "")}"'
    answers = endpoint.answers.get(200, "")
    first = answers if isinstance(answers, str) else answers[0]
    if "/" in first:
        suffix = {"application/zip": "zip", "text/html; charset=utf-8": "html"}.get(first, "txt")
        return f"curl -s -o answer.{suffix} -w '%{{http_code}} %{{content_type}}\\n' {url}"
    return f"curl -s {url}"


def answers(session: Session) -> Iterator[tuple[Endpoint, str]]:
    """Yield every route with its answer, in the order in which they are run."""
    by_key = {(endpoint.method, endpoint.path): endpoint for endpoint in ENDPOINTS}
    yield by_key["POST", "/api/jobs"], session.answer(by_key["POST", "/api/jobs"])
    for key, endpoint in by_key.items():
        if key not in LATE and key not in (("POST", "/api/jobs"), ("POST", "/")):
            yield endpoint, session.answer(endpoint)
    for key in [*LATE, ("POST", "/")]:
        yield by_key[key], session.answer(by_key[key])


def shown(text: str, variables: Mapping[str, str]) -> tuple[str, str]:
    """Return an answer as the README shows it: shortened, with ids and times that stay the same; and its language."""
    for name, value in variables.items():
        text = text.replace(value, _SHOWN[name])
    text = _DISK.sub(r"\g<1>80000000000", _TIME.sub("2026-05-30T10:00:00Z", text))
    try:
        value = json.loads(text)
    except ValueError:
        return "text", text.rstrip("\n")
    return "json", _pretty(_short(value))


def _pretty(value: Any, indent: str = "") -> str:
    """Return JSON in which what fits on a line stands on one."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(line) <= _WIDTH or not isinstance(value, dict | list):
        return line
    deeper = indent + " "
    if isinstance(value, list):
        inner = [deeper + _pretty(item, deeper) for item in value]
        return "[\n" + ",\n".join(inner) + f"\n{indent}]"
    lines, current = [], ""
    for key, item in value.items():
        part = f"{json.dumps(key, ensure_ascii=False)}: {_pretty(item, deeper)}"
        if current and ("\n" in part or "\n" in current or len(deeper + current) + len(part) > _WIDTH):
            lines.append(deeper + current)
            current = part
        else:
            current = f"{current}, {part}" if current else part
    return "{\n" + ",\n".join([*lines, deeper + current]) + f"\n{indent}}}"


def _short(value: Any, depth: int = 0) -> Any:
    if isinstance(value, dict):
        if depth > _DEEP:
            return {"…": "…"}
        return {key: _short(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_short(item, depth + 1) for item in value[:1]] + (["…"] if len(value) > 1 else [])
    if isinstance(value, str) and len(value) > _LONG:
        return value[:_LONG] + "…"
    return value


def routes_text(session: Session) -> str:
    """Return the part of the README that is made: all routes by group."""
    found = {(endpoint.method, endpoint.path): text for endpoint, text in answers(session)}
    lines: list[str] = []
    for group in dict.fromkeys(endpoint.group for endpoint in ENDPOINTS):
        lines += [f"## {group}", ""]
        for endpoint in (one for one in ENDPOINTS if one.group == group):
            language, text = shown(found[endpoint.method, endpoint.path], session.variables)
            lines += [f"### `{endpoint.method} {endpoint.plain_path}`", "", endpoint.note, ""]
            lines += ["```sh", command_of(endpoint), "```", "", f"```{language}", text, "```", ""]
    return "\n".join(lines)


def main() -> int:
    """Write the README."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with LiveService(folder / "service", METRICS="true") as service:
            text = routes_text(Session(service, folder))
    head = README.read_text(encoding="utf-8").partition(MARKER)[0]
    README.write_text(f"{head}{MARKER}\n\n{text}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
