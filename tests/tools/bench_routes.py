"""Measure the cost of responses about a job over the complete mirror: ``make bench-routes``, two minutes."""

import csv
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

from tests.service.core import LiveService
from tests.tools.bench import whole_mirror
from tests.tools.figures import Figure, Section, Table, measure_section
from tests.tools.runs import ROOT, rows_of, run_job
from tests.tools.slopes import spent
from tethermap.base import tables
from tethermap.base.parquet import write_parquet

COPIES, AGAIN = 5, 20
"""Number of jobs for the first request to each route, and number of repeated requests to one of them."""

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


Cost = tuple[float, float, int]
"""CPU of the service for a first and a repeated request in milliseconds, and the bytes that it sent."""


def adopt(service: LiveService, folder: Path) -> str:
    """Let a service adopt a job; return its id."""
    command = [sys.executable, "-m", "service", "adopt", str(folder)]
    done = subprocess.run(command, check=True, cwd=ROOT, env=service.environment, capture_output=True, text=True)
    return done.stdout.split()[-1]


def ask(service: LiveService, path: str, body: Any = None) -> int:
    """Send a request like a browser, for gzip; return the number of bytes."""
    headers = {"Accept-Encoding": "gzip", "Connection": "close"}
    answer = service.http.request("POST" if body else "GET", path, json=body, headers=headers)
    return answer.num_bytes_downloaded


def cost(service: LiveService, path: str, jobs: Sequence[str], **names: str) -> Cost:
    """Return the cost of a route: one request to each job, and repeated requests to one of them."""
    paths = [path.format(job=job, **names) for job in jobs]
    sent: list[int] = []
    first = spent(lambda: sent.extend(ask(service, path) for path in paths), service.process_id)
    again = spent(lambda: [ask(service, paths[-1]) for _ in range(AGAIN)], service.process_id)
    return 1000 * first / len(jobs), 1000 * again / AGAIN, sent[-1]


def copied(job: Path, folder: Path) -> Path:
    """Return a copy of a job whose files are links to those of the original."""
    return Path(shutil.copytree(job, folder, symlinks=True, copy_function=os.link))


def repeat_tables(job: Path, times: int) -> None:
    """Put all ligands of a job into its tables of exposure again and again, each time under other ids."""
    changed = (tables.RESULTS_TABLE, tables.SASA_SUMMARY, tables.SASA_ATOMS)
    for table in changed:
        rows = rows_of(job, table.path)
        (job / table.path).unlink()  # a link of a copy
        with (job / table.path).open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0], lineterminator="\n")
            writer.writeheader()
            for number in range(times):
                named = ((f"{number}{row['pdb_id']}", f"{number}{row['stem']}", row) for row in rows)
                writer.writerows({**row, "pdb_id": entry, "stem": stem} for entry, stem, row in named)
    write_parquet(job, changed)


def bulk(service: LiveService, job_id: str, job: Path) -> float:
    """Return the CPU seconds of a bulk request about ligands from all parts of a job, the median of several."""
    rows = rows_of(job, tables.SASA_SUMMARY.path)
    step = len(rows) // ITEMS
    costs = []
    for offset in range(COPIES):
        items = [
            {"pdb_id": row["pdb_id"], "chain": row["Chain"], "residue_id": row["Residue_ID"]}
            for row in rows[offset::step][:ITEMS]
        ]
        request = partial(ask, service, f"/api/jobs/{job_id}/sasa/bulk", {"requests": items})
        costs.append(spent(request, service.process_id))
    return statistics.median(costs)


def measure(folder: Path) -> Section:
    """Measure all routes, each with the copies of a job."""
    settings = {**whole_mirror(), "cache_dir": str(folder / "cache")}
    job = run_job(folder / "job", settings).checked().job
    rows = rows_of(job, tables.RESULTS_TABLE.path)
    row = rows[len(rows) // 2]
    names = {"stem": row["stem"], "entry": row["pdb_id"], "chain": row["Chain"], "residue": row["Residue_ID"]}
    larger = copied(job, folder / "larger")
    repeat_tables(larger, TIMES)
    with LiveService(folder / "service") as service:
        ids = [adopt(service, copied(job, folder / f"copy{number}")) for number in range(COPIES)]
        larger_id = adopt(service, copied(larger, folder / "adopted"))
        warm = adopt(service, copied(job, folder / "warm"))
        time.sleep(SETTLED_SECONDS)
        for path in ROUTES.values():  # templates are compiled and modules loaded once a process
            ask(service, path.format(job=warm, **names))
        costs = {name: cost(service, path, ids, **names) for name, path in ROUTES.items()}
        bulk_seconds = bulk(service, larger_id, larger)
    lines = [(name, round(first, 1), round(again, 1), sent) for name, (first, again, sent) in costs.items()]
    table = Table("CPU of the service by route", ("route", "first, ms", "again, ms", "bytes sent"), lines)
    slowest, again = max(((name, again) for name, (_, again, _) in costs.items()), key=itemgetter(1))
    figures = [
        Figure(f"slowest route, repeated ({slowest})", again, "ms", "cpu", at_most=25),
        Figure(f"{ITEMS} ligands of {TIMES * len(rows):,} in bulk", bulk_seconds, "s", "cpu", at_most=0.3),
        *(
            Figure(f"{name}, first request", costs[name][0], "ms", "cpu", at_most=most)
            for name, most in FIRST_MS.items()
        ),
    ]
    note = (
        f"A job of {len(rows)} ligands over the complete mirror, requested over HTTP by a client that accepts gzip. "
        f"First: mean of {COPIES} copies of the job, requested one after the other; again: mean of {AGAIN} requests "
        "to one of them. Responses about finished jobs are cached, gzipped, in 4 MB."
    )
    return figures, [table], [note]


if __name__ == "__main__":
    measure_section("routes", "make bench-routes", measure)
