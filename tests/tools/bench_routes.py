"""Measure the cost of responses about a job over the complete mirror: ``make bench-routes``, two minutes."""

from __future__ import annotations

import csv
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.service.core import LiveService
from tests.tools.bench import jobs
from tests.tools.figures import Cell, Figure, Table, large_mirror, write_section
from tests.tools.runs import ROOT, rows_of, run_job
from tests.tools.slopes import cpu_seconds
from tethermap.base import tables
from tethermap.base.parquet import write_parquet

COPIES, AGAIN = 5, 20
"""Number of jobs for the first request to each route, and number of repeated requests to one of them."""

GOAL_MS, GOAL_BULK_S = 25, 0.3
FIRST_MS = {
    "overview": None,
    "page of its results": 60,
    "its table without the page": None,
    "page of one ligand": None,
    "all exits": 150,
}
"""Routes whose first request is reported, with its goal."""

ITEMS, TIMES = 500, 10
"""Ligands of one bulk request, and how often the job's ligands are in the larger one that it is sent to."""

SETTLED_SECONDS = 3
"""A listing of a folder that has just changed is not cached: repeated requests are measured after this time."""

ROUTES = {
    "overview": "/api/jobs/{job}/results",
    "files": "/api/jobs/{job}/files",
    "artifacts": "/api/jobs/{job}/artifacts",
    "structures": "/api/jobs/{job}/war-pdbs",
    "rows of results": "/api/jobs/{job}/rows?table=results",
    "rows of atoms": "/api/jobs/{job}/rows?table=atoms",
    "rows of one ligand's exits": "/api/jobs/{job}/rows?table=exits&stem={stem}",
    "exits of one entry": "/api/jobs/{job}/exit-vectors?pdb_id={entry}",
    "answers of all ligands": "/api/jobs/{job}/answers",
    "atoms of one ligand": "/api/jobs/{job}/sasa/atoms?pdb_id={entry}&chain={chain}&residue_id={residue}",
    "how to reproduce it": "/api/jobs/{job}/reproduce",
    "page of its results": "/results/{job}",
    "its table without the page": "/results/{job}/table",
    "its table as CSV": "/results/{job}/table.csv",
    "page of one ligand": "/results/{job}/instance?row={stem}",
    "its progress": "/monitor/{job}",
    "all exits": "/api/jobs/{job}/exit-vectors",
    "report": "/results/{job}/report",
}
"""Requests about a job, by their name in the table."""


@dataclass(frozen=True)
class Cost:
    """CPU of the service for one route, in milliseconds, and the bytes that it sent."""

    first: float
    again: float
    sent: int


def adopt(service: LiveService, folder: Path) -> str:
    """Let a service adopt a job; return its id."""
    command = [sys.executable, "-m", "service", "adopt", str(folder)]
    done = subprocess.run(command, check=True, cwd=ROOT, env=service.environment, capture_output=True, text=True)
    return done.stdout.split()[-1]


class Measuring:
    """A running service whose CPU is read around requests.

    Parameters
    ----------
    service : LiveService
        The service.
    """

    def __init__(self, service: LiveService) -> None:
        self.service = service

    def ask(self, path: str, body: Any = None) -> int:
        """Send a request like a browser, for gzip; return the number of bytes."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Accept-Encoding": "gzip", "Content-Type": "application/json"}
        request = urllib.request.Request(f"http://127.0.0.1:{self.service.port}{path}", data, headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return len(answer.read())

    def cost(self, path: str, jobs: Sequence[str], **names: str) -> Cost:
        """Return the cost of a route: one request to each job, and repeated requests to one of them."""
        begun = cpu_seconds(self.service.process_id)
        for job in jobs:
            sent = self.ask(path.format(job=job, **names))
        first = (cpu_seconds(self.service.process_id) - begun) / len(jobs)
        begun = cpu_seconds(self.service.process_id)
        for _ in range(AGAIN):
            self.ask(path.format(job=jobs[-1], **names))
        return Cost(1000 * first, 1000 * (cpu_seconds(self.service.process_id) - begun) / AGAIN, sent)


def copied(job: Path, folder: Path) -> Path:
    """Return a copy of a job whose files are links to those of the original."""
    return Path(shutil.copytree(job, folder, symlinks=True, copy_function=os.link))


def repeat_tables(job: Path, times: int) -> None:
    """Put all ligands of a job into its tables of exposure again and again, each time under other ids."""
    changed = (tables.RESULTS_TABLE, tables.SASA_SUMMARY, tables.SASA_ATOMS)
    for table in changed:
        path = job / table.path
        with path.open(encoding="utf-8", newline="") as stream:
            header, *rows = csv.reader(stream)
        named = [header.index(name) for name in ("pdb_id", "stem")]
        path.unlink()  # a link of a copy
        with path.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(header)
            for number in range(times):
                writer.writerows(
                    [f"{number}{cell}" if place in named else cell for place, cell in enumerate(row)] for row in rows
                )
    write_parquet(job, changed)


def bulk(measuring: Measuring, job_id: str, job: Path) -> float:
    """Return the CPU seconds of a bulk request about ligands from all parts of a job, the median of several."""
    rows = rows_of(job, tables.SASA_SUMMARY.path)
    step = len(rows) // ITEMS
    costs = []
    for offset in range(COPIES):
        items = [
            {"pdb_id": row["pdb_id"], "chain": row["Chain"], "residue_id": row["Residue_ID"]}
            for row in rows[offset::step][:ITEMS]
        ]
        begun = cpu_seconds(measuring.service.process_id)
        measuring.ask(f"/api/jobs/{job_id}/sasa/bulk", {"requests": items})
        costs.append(cpu_seconds(measuring.service.process_id) - begun)
    return statistics.median(costs)


def figures(costs: dict[str, Cost], bulk_seconds: float, ligands: int) -> list[Figure]:
    """Return the values that have goals, and the others that a reader looks for."""
    dearest = max(costs, key=lambda name: costs[name].again)
    return [
        Figure(f"slowest route, repeated ({dearest})", costs[dearest].again, "ms", "cpu", at_most=GOAL_MS),
        Figure(f"{ITEMS} ligands of {TIMES * ligands:,} in bulk", bulk_seconds, "s", "cpu", at_most=GOAL_BULK_S),
        *(
            Figure(f"{name}, first request", costs[name].first, "ms", "cpu", at_most=goal)
            for name, goal in FIRST_MS.items()
        ),
    ]


def main() -> int:
    """Measure and write the section."""
    mirror = large_mirror()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        settings = {**list(jobs(mirror).values())[-1], "cache_dir": str(folder / "cache")}
        job = run_job(folder / "job", settings).checked().job
        rows = rows_of(job, tables.RESULTS_TABLE.path)
        row = rows[len(rows) // 2]
        names = {"stem": row["stem"], "entry": row["pdb_id"], "chain": row["Chain"], "residue": row["Residue_ID"]}
        larger = copied(job, folder / "larger")
        repeat_tables(larger, TIMES)
        with LiveService(folder / "service") as service:
            measuring = Measuring(service)
            ids = [adopt(service, copied(job, folder / f"copy{number}")) for number in range(COPIES)]
            larger_id = adopt(service, copied(larger, folder / "adopted"))
            warm = adopt(service, copied(job, folder / "warm"))
            time.sleep(SETTLED_SECONDS)
            for path in ROUTES.values():  # templates are compiled and modules loaded once a process
                measuring.ask(path.format(job=warm, **names))
            costs = {name: measuring.cost(path, ids, **names) for name, path in ROUTES.items()}
            bulk_seconds = bulk(measuring, larger_id, larger)
    lines: list[list[Cell]] = [
        [name, round(cost.first, 1), round(cost.again, 1), cost.sent] for name, cost in costs.items()
    ]
    table = Table("CPU of the service by route", ("route", "first, ms", "again, ms", "bytes sent"), lines)
    note = (
        f"A job of {len(rows)} ligands over the complete mirror, requested over HTTP by a client that accepts gzip. "
        f"First: mean of {COPIES} copies of the job, requested one after the other; again: mean of {AGAIN} requests "
        "to one of them. Responses about finished jobs are cached, gzipped, in 4 MB."
    )
    write_section("routes", "make bench-routes", figures(costs, bulk_seconds, len(rows)), [table], [note])
    return 0


if __name__ == "__main__":
    sys.exit(main())
