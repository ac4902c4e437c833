"""`python -m tests.tools.service_readme`: write the table of routes in service/README.md; a `curl` for each route.

The text above the marker is written by hand. A test runs the commands; the responses are in the OpenAPI document.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from service.app import endpoints
from service.http.endpoint import Endpoint
from tests.service.core import LiveService
from tests.tools.programs import programs
from tests.tools.runs import ROOT

README = ROOT / "service" / "README.md"
MARKER = "<!-- From here on written by `python -m tests.tools.service_readme`. -->"

_BODY = "-H 'Content-Type: application/json' -d"

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
    "/api/jobs/{job_id}/answers": "?ligand=478&top=1",
    "/api/jobs/{job_id}/sasa/available": "?pdb_id=1hpv",
    "/api/jobs/{job_id}/sasa/atoms": "?pdb_id=1hpv&chain=A&residue_id=200&context=chain",
    "/api/jobs/{job_id}/sasa/residue_for_ligand": "?pdb_id=1hpv&chain=A&ligand=478",
    "/api/job_log/{job_id}": "?since=2&limit=2",
    "/api/indexed-jobs": "?ligand=478&sort=created_desc&limit=1",
    "/api/examples/{job_id}/files": "?kind=sdf",
    "/browse": "?protein=HIV",
    "/api/jobs/{job_id}/download": "?stem=1hpv_A_478_200",
    "/api/jobs/{job_id}/handles": "?stem=1hpv_A_478_200",
    "/api/jobs/{job_id}/protac-inputs": "?stem=1hpv_A_478_200&anchor=C3",
    "/results/{job_id}/table": "?ligand=478&sort=-exposure",
    "/results/{job_id}/table.csv": "?ligand=478&columns=entry,ligand,exposure",
    "/results/{job_id}/instance": "?row=1hpv_A_478_200&context=chain",
    "/results/{job_id}/series": "?series=S001",
    "/results/{job_id}/overlay": "?stem=1hpv_A_478_200",
    "/api/search": "?ligand=478",
    "/api/compare": "?a=exam1hpv&b=exam4cup&limit=1",
    "/compare": "?a=exam1hpv&b=exam4cup",
    "/api/degraders": "?a_smiles=CC(%3DO)%5B*%5D&b_smiles=c1ccccc1O%5B*%5D&linkers=PEG&limit=1",
    "/api/degraders/halves": "?smiles=CC(%3DO)NCCOCCOc1ccccc1&a=exam1hpv",
    "/degraders": "?a=exam1hpv",
    "/degraders/sheet.svg": "?a=exam1hpv&b=exam4cup",
}
VALUES = {
    "pdb_id": "1hpv",
    "chain": "A",
    "ligand": "478",
    "name": "1hpv_A_478_200.pdb",
    "path:path": "TARGET_RESULTS/MCS_Output/MCS_SDF/1hpv_A_478_200.sdf",
    "batch_id": "$BATCH",
    "upload_id": "$UPLOAD",
    "stem": "1hpv_A_478_200",
    "task_id": "clean_complexes",
}
OF_AN_EXAMPLE = (
    "/api/jobs/{job_id}/protac-inputs",
    "/api/jobs/{job_id}/handles",
    "/results/{job_id}/partners/{stem}",
)
"""Routes that need a run's working files, which the small job submitted here, an example's copy, does not have."""

SEND = 'curl -s "$S/api/jobs/$JOB/files/TARGET_RESULTS/WAR_PDB/1hpv_A_478_200.pdb" | curl -s'
SPECIAL = {
    ("POST", "/api/uploads"): f"""{SEND} "$S/api/uploads" -F 'files=@-;filename=model.pdb'""",
    ("POST", "/upload"): f"""{SEND} -o page.html -w '%{{http_code}}\\n' "$S/upload" -F 'files=@-;filename=model.pdb'""",
    ("DELETE", "/api/uploads/{upload_id}"): 'curl -s -X DELETE "$S/api/uploads/$UPLOAD"',
    ("POST", "/api/jobs"): SUBMIT,
    ("POST", "/api/batches"): BATCH,
    ("POST", "/api/batches/{batch_id}/cancel"): 'curl -s -X POST "$S/api/batches/$BATCH/cancel"',
    ("POST", "/api/jobs/{job_id}/cancel"): 'curl -s -X POST "$S/api/jobs/$OTHER/cancel"',
    ("POST", "/api/jobs/{job_id}/retry"): 'curl -s -X POST "$S/api/jobs/$OTHER/retry"',
    ("DELETE", "/api/jobs/{job_id}"): 'curl -s -X DELETE "$S/api/jobs/$FIRST"',
    ("POST", "/api/jobs/{job_id}/sasa/bulk"): BULK,
    ("POST", "/"): """curl -s -o page.html -w '%{http_code}\\n' "$S/" -d target_name=BAZ2B -d search_query=4CUP""",
    ("POST", "/mcp"): f"""curl -s "$S/mcp" {_BODY} '{{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}}'""",
    ("GET", "/llms.txt"): 'curl -s "$S/llms.txt" | head -n 1',
    ("POST", "/ga4gh/wes/v1/runs"): (
        """curl -s "$S/ga4gh/wes/v1/runs" -F workflow_url=tethermap -F workflow_type=SMK -F workflow_type_version=9 \\
  -F 'workflow_params={"pdb_id": "4cup"}'"""
    ),
    ("POST", "/ga4gh/wes/v1/runs/{job_id}/cancel"): 'curl -s -X POST "$S/ga4gh/wes/v1/runs/$OTHER/cancel"',
    ("POST", "/login"): """curl -s -o page.html -w '%{http_code}\\n' "$S/login" -d token=wrong""",
    ("POST", "/logout"): """curl -s -o page.html -w '%{http_code}\\n' -X POST "$S/logout\"""",
    ("GET", "/api/jobs/{job_id}/events"): """curl -sN "$S/api/jobs/$JOB/events" | grep -m 3 ^event""",
    ("GET", "/api/jobs/export"): 'curl -s "$S/api/jobs/export" | head -n 1',
    ("GET", "/static/{version}/{path:path}"): (
        """curl -s -o house.css -w '%{http_code} %{content_type}\\n' "$S/static/any/house.css\""""
    ),
    ("POST", "/monitor/{job_id}"): """curl -s -o page.html -w '%{http_code}\\n' "$S/monitor/$JOB" -d ''""",
    ("POST", "/monitor/{job_id}/retry"): (
        """curl -s -o page.html -w '%{http_code}\\n' "$S/monitor/$JOB/retry" -d ''"""
    ),
    ("GET", "/metrics"): 'curl -s "$S/metrics" | head -n 1',
    ("GET", "/open_job/{job_id}"): """curl -s -o page.html -w '%{http_code}\\n' "$S/open_job/$JOB\"""",
    ("GET", "/results/{job_id}/report"): """curl -s -o page.html -w '%{http_code}\\n' "$S/results/$JOB/report\"""",
    ("GET", "/results/{job_id}/report/{path:path}"): (
        """curl -s -o page.html -w '%{http_code}\\n' "$S/results/$JOB/report/report.html\""""
    ),
}
LATE = [
    ("POST", "/api/batches"),
    ("GET", "/api/batches/{batch_id}"),
    ("GET", "/api/batches/{batch_id}/results"),
    ("POST", "/api/batches/{batch_id}/cancel"),
    ("POST", "/api/jobs/{job_id}/cancel"),
    ("POST", "/api/jobs/{job_id}/retry"),
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
        """Return the output of a command."""
        programs("bash", "curl")
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
    special = SPECIAL.get((endpoint.method, endpoint.path))
    if special is not None:
        return special
    job = "exam1hpv" if "/examples" in endpoint.path or endpoint.path in OF_AN_EXAMPLE else "$JOB"
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


def main() -> int:
    """Write the README."""
    head = README.read_text(encoding="utf-8").partition(MARKER)[0]
    README.write_text(f"{head}{MARKER}\n\n{routes_text()}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
