"""Record the responses of all reading routes about a job, and compare them: ``python -m tests.tools.route_bodies``.

Run it in the checkout of an earlier commit with ``--record``, then in this one with ``--compare``, over the same job.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from urllib.parse import urlencode

from starlette.testclient import TestClient

from service.app import create_app
from service.jobs.outcome import record_of_folder
from service.jobs.record import RECORD
from service.runs.lifecycle import build_parts
from tests.service import test_old_jobs as routes
from tests.service.core import settings_in
from tests.standin.pipeline import COMMAND
from tests.tools.runs import ROOT
from tethermap.base import layout, tables

JOB = "aaaaaaaa"
INSTANCES = 7
"""Number of ligands with separate requests."""
BULK = 50

VARYING = (
    "/api/health",
    "/api/manifest",
    "/openapi.json",
    "/metrics",
    "/events",
    "/api-docs",
    "/status",
    "/server-info",
    "/?from=",
)
"""Routes whose responses contain times or are not about a job."""


def rows_of(job: Path, table: tables.Table) -> list[dict[str, str]]:
    """Return the rows of a table as text; none if the job lacks it."""
    if not (job / table.path).is_file():
        return []
    with (job / table.path).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def questions(job: Path) -> Iterator[str]:
    """Yield the addresses: every route for some ligands, every column of every table as filter and sort."""
    results = rows_of(job, tables.RESULTS_TABLE)
    for row in results[:: max(1, len(results) // INSTANCES)]:
        stem, instance = row["stem"], {"pdb_id": row["pdb_id"], "chain": row["Chain"], "ligand": row["Warhead"]}
        routes.VALUES.update(**instance, name=f"{stem}.pdb", stem=stem, **{"path:path": f"{layout.MCS_SDF}/{stem}.sdf"})
        for url in routes.urls(JOB, "C1"):
            if JOB in url:
                yield url.replace("4cup_A_ZYB_2971", stem).replace("ligand=ZYB", f"ligand={row['Warhead']}")
        for query in (instance, {**instance, "top": 2}, {**instance, "residue_id": row["Residue_ID"]}):
            yield f"/api/jobs/{JOB}/exit-vectors?{urlencode(query)}"
        yield f"/api/jobs/{JOB}/answers?{urlencode({'ligand': row['Warhead'].lower(), 'top': 1})}"
        yield f"/api/jobs/{JOB}/sasa/atoms?{urlencode({**instance, 'residue_id': row['Residue_ID']})}"
        for route in ("svg", "sdf", "sasa_overlay", "sasa_atommap"):
            yield f"/api/{route}/{JOB}/{row['pdb_id']}/{row['Chain']}/{row['Warhead']}"
        yield f"/api/ligand_props/{JOB}/{row['Warhead']}"
    operators = cycle(["", "__gte", "__lte", "__contains"])
    for name, table in tables.TABLES.items():
        rows = rows_of(job, table)
        for place, column in enumerate(rows[0] if rows else ()):
            value = rows[place * 7 % len(rows)][column]
            yield f"/api/jobs/{JOB}/rows?{urlencode({'table': name, 'limit': 40, column + next(operators): value})}"
            order = {"sort": f"-{column}" if place % 2 else column, "limit": 60, "offset": 5}
            form = "csv" if place % 3 else "json"
            yield f"/api/jobs/{JOB}/rows?{urlencode({'table': name, **order, 'format': form})}"


def recorded(job: Path) -> dict[str, list[object]]:
    """Return status, media type and hash of the body of each answer."""
    answers: dict[str, list[object]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "jobs").mkdir()
        (folder / "jobs" / JOB).symlink_to(job)
        record = record_of_folder(job, JOB, "cli", sequence=1)
        (job / RECORD).write_text(json.dumps(record.to_dict()), encoding="utf-8")
        (folder / "jobs" / JOB).unlink()
        job.rename(folder / "jobs" / JOB)
        try:
            settings = settings_in(folder, examples_dirs=(ROOT / "data/examples",))
            app = create_app(build_parts(settings, snakemake=COMMAND))
            with TestClient(app, "http://localhost", raise_server_exceptions=False) as client:
                client.get(f"/api/jobs/{JOB}")
                begun = time.process_time()
                for url in dict.fromkeys(questions(folder / "jobs" / JOB)):
                    if not any(part in url for part in VARYING):
                        answer = client.get(url)
                        kind = answer.headers.get("content-type")
                        answers[url] = [answer.status_code, kind, _hash(answer.content, answer.headers)]
                rows = rows_of(folder / "jobs" / JOB, tables.SASA_SUMMARY)
                items = [
                    {"pdb_id": row["pdb_id"], "chain": row["Chain"], "residue_id": row["Residue_ID"]}
                    for row in rows[:: max(1, len(rows) // BULK)]
                ]
                answer = client.post(f"/api/jobs/{JOB}/sasa/bulk", json={"requests": items})
                answers["bulk"] = [answer.status_code, "", _hash(answer.content, answer.headers)]
                sys.stderr.write(f"{len(answers)} answers, {time.process_time() - begun:.1f} s CPU\n")
        finally:
            (folder / "jobs" / JOB).rename(job)
    return answers


def _hash(body: bytes, headers: object) -> str:
    request_id = headers["x-request-id"].encode()  # type: ignore[index] # in the body of an error
    return hashlib.sha256(body.replace(request_id, b"")).hexdigest()


def main() -> int:
    """Record or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("job", type=Path, help="job folder, which gets a record of the service")
    parser.add_argument("--record", type=Path)
    parser.add_argument("--compare", type=Path)
    given = parser.parse_args()
    answers = recorded(given.job)
    if given.record:
        given.record.write_text(json.dumps(answers, indent=1), encoding="utf-8")
        return 0
    before = json.loads(given.compare.read_text(encoding="utf-8"))
    differing = [url for url in answers.keys() | before.keys() if answers.get(url) != before.get(url)]
    for url in sorted(differing):
        sys.stdout.write(f"{url} {before.get(url)} {answers.get(url)}\n")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
