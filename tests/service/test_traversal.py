"""Paths that try to leave the job folder, in many spellings, raw over a socket on every path route."""

import json
import socket

import pytest

from tests.service.core import LiveService
from tests.tools.patience import patience

SPELLINGS = [
    "../job_record.json", "..%2fjob_record.json", "%2e%2e/job_record.json", "%2e%2e%2fjob_record.json",
    "..%5cjob_record.json", "..\\job_record.json", "%252e%252e%252fjob_record.json", "....//job_record.json",
    "..;/job_record.json", "%c0%ae%c0%ae/job_record.json", "%c0%af..%c0%afetc/passwd", "%e0%80%ae%e0%80%ae/x",
    "/etc/passwd", "//etc/passwd", "%2fetc%2fpasswd", "%2Fetc/passwd", "///etc/passwd", "file:///etc/passwd",
    "TARGET_RESULTS/../job_record.json", "TARGET_RESULTS/..%2f..%2f..%2f..%2fetc/passwd",
    "TARGET_RESULTS/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "TARGET_RESULTS/./../job_record.json",
    "TARGET_RESULTS//../job_record.json", "TARGET_RESULTS/WAR_PDB/../../job_record.json", ".work/events.jsonl",
    ".service/config.json", ".service%2fconfig.json", "%2eservice/config.json", ".snakemake/log/x.log",
    "job_record.json", "job_record.json%00.csv", "%00", "TARGET_RESULTS/%00.csv", "TARGET_RESULTS/a%0a.csv",
    "TARGET_RESULTS/a%0d%0aSet-Cookie:x=1.csv", "TARGET_RESULTS/Contacts.csv%20", "TARGET_RESULTS/Contacts.csv.",
    "TARGET_RESULTS/Contacts.csv::$DATA", "C:%5cWindows%5cwin.ini", "~/x.csv", "~root/.bashrc", "%7e/x.txt",
    "\xc0\xae\xc0\xae/passwd", "..%u2216etc", "%ef%bc%8e%ef%bc%8e/job_record.json", "..%00/job_record.json",
    "TARGET_RESULTS/" + "../" * 40 + "etc/passwd", "TARGET_RESULTS/" + "a/" * 600 + "x.csv",
]  # fmt: skip

ROUTES = [
    "/api/jobs/{job}/files/{x}", "/api/examples/exam1hpv/files/{x}", "/api/jobs/exam1hpv/files/{x}",
    "/api/pdb/{job}/{x}.pdb", "/api/svg/{job}/{x}/A/478", "/api/svg/{job}/1hpv/{x}", "/api/svg-plain/{job}/1hpv/A/{x}",
    "/api/svg-interactions/{job}/{x}/A/478",
    "/api/sdf/{job}/{x}/478", "/api/protein/{job}/1hpv/{x}", "/api/ligand_props/{job}/{x}",
    "/api/ligand_chain/{job}/{x}/478", "/api/sasa_overlay/{job}/{x}/A/478", "/api/sasa_atommap/{job}/1hpv/{x}/478",
    "/api/jobs/{x}", "/api/jobs/{x}/files", "/api/jobs/{x}/bundle", "/api/batches/{x}", "/api/examples/{x}",
    "/results/{x}", "/monitor/{x}", "/open_job/{x}", "/examples/{x}", "/api/jobs/{job}/files?folder={x}",
    "/api/jobs/{job}/artifacts?kind={x}", "/{x}",
]  # fmt: skip

SECRETS = (b"root:", b'"sequence"', b"[extensions]", b'"cache_dir": "/', b"run_started")


def raw(port: int, targets: list[str]) -> list[tuple[int, bytes]]:
    """Send request lines unchanged over one connection each; return status and body."""
    answers = []
    for target in targets:
        with socket.create_connection(("127.0.0.1", port), timeout=patience(10)) as connection:
            line = f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            connection.sendall(line.encode("latin-1"))
            data = b""
            while block := connection.recv(1 << 16):
                data += block
        head, _, body = data.partition(b"\r\n\r\n")
        answers.append((int(head.split()[1]), body))
    return answers


@pytest.mark.parametrize("route", ROUTES)
def test_no_spelling_leaves_the_job_folder(live: LiveService, done_job: str, route: str) -> None:
    targets = [route.replace("{job}", done_job).replace("{x}", spelling) for spelling in SPELLINGS]
    harmless = ("ligand_props", "ligand_chain", "sasa_overlay", "sasa_atommap", "?folder=")
    for target, (status, body) in zip(targets, raw(live.port, targets), strict=True):
        assert status in (400, 404) or (status == 200 and any(name in route for name in harmless)), (target, status)
        assert not any(secret in body for secret in SECRETS), target
        if status == 404 and target.startswith("/api/") and b"HTTP request" not in body:
            assert json.loads(body)["ok"] is False, target
    assert live.call("GET", "/api/health")[0] == 200
