"""Files and archives: ranges, tags, HEAD, byte identity, forbidden files."""

import hashlib
import io
import json
import os
import socket
import struct
import time
import zipfile
from pathlib import Path

import httpx2
import pytest

from service.errors import FileNotFound, InvalidPath
from service.jobs.artifacts import KINDS, kind_of, list_artifacts, resolve_artifact, safe_parts
from tests.service.core import LiveService
from tests.service.test_contract import assert_error

UNHASHED = {
    *("job_config.json", "logs/job.log", "ro-crate-metadata.json", "search/query.json", "job_result_manifest.json")
}
SDF = "TARGET_RESULTS/MCS_Output/MCS_SDF/1hpv_A_478_200.sdf"


def test_listing_has_the_hashes_of_the_manifest_and_the_files_have_these_hashes(
    http: httpx2.Client, done_job: str
) -> None:
    listing = http.get(f"/api/jobs/{done_job}/files").json()
    assert listing["total"] == listing["count"] == len(listing["files"])
    assert [(f["kind"], f["relative_path"]) for f in listing["files"]] == sorted(
        (f["kind"], f["relative_path"]) for f in listing["files"]
    )
    for entry in listing["files"]:
        content = http.get(entry["download_url"]).content
        assert len(content) == entry["size_bytes"]
        assert (entry["sha256"] is None) == (entry["relative_path"] in UNHASHED)
        assert entry["sha256"] in (None, hashlib.sha256(content).hexdigest())


def test_pages_of_a_listing_fit_together(http: httpx2.Client, done_job: str) -> None:
    whole = http.get(f"/api/jobs/{done_job}/files").json()["files"]
    url, seen = f"/api/jobs/{done_job}/files?limit=7", []
    while url:
        answer = http.get(url)
        seen += answer.json()["files"]
        url = answer.json()["next"]
        assert (f'<{url}>; rel="next"' in answer.headers.get("link", "")) == (url is not None)
    assert seen == whole
    assert http.get(f"/api/jobs/{done_job}/files?limit=5000").json()["limit"] == 2000
    assert http.get(f"/api/jobs/{done_job}/files?limit={'9' * 40}").json()["limit"] == 2000


def test_folder_and_kind_filter_by_whole_parts_in_any_case(http: httpx2.Client, done_job: str) -> None:
    base = f"/api/jobs/{done_job}/artifacts"
    folders = {"target_results/war_pdb": 3, "target_results/war": 0, "WAR_PDB": 3, "war_pdb/": 3}
    assert {name: http.get(f"{base}?folder={name}").json()["total"] for name in folders} == folders
    assert http.get(f"{base}?folder=MCS_Output/MCS_SDF&kind=sdf").json()["total"] == 3
    body = http.get(f"{base}?kind=sdf").json()
    assert {entry["kind"] for entry in body["files"]} == {"sdf"}
    assert body["kinds"]["war_pdb"] == http.get(f"/api/jobs/{done_job}/war-pdbs").json()["total"] == 3
    assert sum(body["folders"].values()) == sum(body["kinds"].values())


def test_bare_names_stand_for_tables_of_the_results(http: httpx2.Client, done_job: str) -> None:
    for name in ("Ligand_Metadata.csv", "Resolved_SASA_Summary.csv"):
        short, long = (http.get(f"/api/jobs/{done_job}/files/{path}") for path in (name, f"TARGET_RESULTS/{name}"))
        assert short.content == long.content
        assert short.headers["content-type"] == "text/csv; charset=utf-8"
        assert short.headers["content-disposition"] == f"attachment; filename=\"{name}\"; filename*=UTF-8''{name}"


RANGES = [
    ("bytes=0-9", 206, 0, 10),
    ("Bytes=0-9", 206, 0, 10),  # RFC 9110, 14.1
    ("bytes=10-", 206, 10, None),
    ("bytes=-7", 206, -7, None),
    ("bytes=0-99999999", 206, 0, None),
    ("bytes=-99999999", 206, 0, None),
    ("bytes=5-2", 200, 0, None),
    ("bytes=a-b", 200, 0, None),
    ("lines=0-9", 200, 0, None),
    ("bytes=0-1,5-6", 200, 0, None),
]


@pytest.mark.parametrize(("header", "status", "start", "end"), RANGES)
def test_range(http: httpx2.Client, done_job: str, header: str, status: int, start: int, end: int | None) -> None:
    url = f"/api/jobs/{done_job}/files/{SDF}"
    whole = http.get(url).content
    part = http.get(url, headers={"Range": header})
    assert (part.status_code, part.content) == (status, whole[start:end])
    assert int(part.headers["content-length"]) == len(part.content)
    assert ("content-range" in part.headers) == (status == 206)
    head = http.head(url, headers={"Range": header})
    assert (head.status_code, head.content, head.headers["content-length"]) == (
        status, b"", part.headers["content-length"],
    )  # fmt: skip


def test_range_after_the_end_is_416_and_if_range_of_another_version_sends_all(
    http: httpx2.Client, done_job: str
) -> None:
    url = f"/api/jobs/{done_job}/files/{SDF}"
    whole = http.get(url)
    for header in ("bytes=99999999-", "bytes=-0"):
        answer = http.get(url, headers={"Range": header})
        assert_error(answer, 416, "RANGE_NOT_SATISFIABLE")
        assert answer.headers["content-range"] == f"bytes */{len(whole.content)}"
    old = http.get(url, headers={"Range": "bytes=0-3", "If-Range": '"old"'})
    assert (old.status_code, old.content) == (200, whole.content)
    for condition in (whole.headers["etag"], whole.headers["last-modified"]):
        same = http.get(url, headers={"Range": "bytes=0-3", "If-Range": condition})
        assert (same.status_code, same.content) == (206, whole.content[:4])


TAGGED = [
    "/api/jobs/{job}", "/api/jobs/{job}/files", "/api/jobs/{job}/artifacts", "/api/jobs/{job}/war-pdbs",
    "/api/jobs/{job}/results", "/api/jobs/{job}/rows", f"/api/jobs/{{job}}/files/{SDF}", "/api/jobs/{job}/bundle",
    "/api/jobs/{job}/war-pdbs.zip", "/api/svg/{job}/1hpv/A/478", "/api/svg/{job}/1hpv/A/478?context=chain",
    "/api/protein/{job}/1hpv/A", "/api/examples", "/openapi.json", "/api/indexed-jobs",
]  # fmt: skip


@pytest.mark.parametrize("path", TAGGED)
def test_unchanged_is_304_and_head_equals_get(http: httpx2.Client, done_job: str, path: str) -> None:
    url = path.format(job=done_job)
    answer = http.get(url)
    assert answer.status_code == 200
    tag = answer.headers["etag"]
    strong = tag.removeprefix("W/")
    for condition in (tag, strong, f'"x", W/{strong}', "*"):
        same = http.get(url, headers={"If-None-Match": condition})
        assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", tag)
        assert same.headers.get("vary") == answer.headers.get("vary")
    assert http.get(url, headers={"If-None-Match": '"x"'}).status_code == 200
    head = http.head(url)
    assert (head.status_code, head.content) == (200, b"")
    for name in ("etag", "content-type", "content-length"):
        assert head.headers[name] == answer.headers[name]


def test_files_have_the_general_type_on_request(http: httpx2.Client, done_job: str) -> None:
    for path, own in (
        (f"/api/jobs/{done_job}/bundle", "application/zip"),
        (f"/api/sdf/{done_job}/1hpv/478", "chemical/x-mdl-sdfile"),
        (f"/api/jobs/{done_job}/files/Results_Display.csv", "text/csv; charset=utf-8"),
    ):
        usual = http.get(path)
        asked = http.get(path, headers={"Accept": "application/octet-stream"})
        types = (usual.headers["content-type"], asked.headers["content-type"])
        assert types == (own, own if own.startswith("text") else "application/octet-stream")
        assert asked.content == usual.content
        assert own.startswith("text") or "Accept" in usual.headers["vary"]


def test_svg_and_html_files_can_run_nothing(http: httpx2.Client, done_job: str) -> None:
    for path in ("TARGET_RESULTS/report.html", "TARGET_RESULTS/MCS_Output/MCS_SVG/1hpv_A_478_200_plain.svg"):
        answer = http.get(f"/api/jobs/{done_job}/files/{path}")
        policy = answer.headers["content-security-policy"]
        assert "sandbox" in policy
        assert "script-src" not in policy
        assert "default-src 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in http.get(f"/api/svg/{done_job}/1hpv/478").headers["content-security-policy"]


@pytest.mark.parametrize(
    ("path", "name"),
    [("bundle", "{job}_results.zip"), ("download", "{job}.zip"), ("war-pdbs.zip", "{job}_WAR_PDB.zip")],
)
def test_archive_is_whole_of_known_length_and_the_same_each_time(
    http: httpx2.Client, done_job: str, path: str, name: str
) -> None:
    url = f"/api/jobs/{done_job}/{path}"
    first, second = http.get(url), http.get(url)
    assert first.content == second.content
    assert int(first.headers["content-length"]) == len(first.content)
    assert f'filename="{name.format(job=done_job)}"' in first.headers["content-disposition"]
    folder = f"{done_job}_WAR_PDB" if path == "war-pdbs.zip" else done_job
    listing = http.get(f"/api/jobs/{done_job}/files" + ("?kind=war_pdb" if path == "war-pdbs.zip" else "")).json()
    with zipfile.ZipFile(io.BytesIO(first.content)) as archive:
        assert archive.testzip() is None
        assert set(archive.namelist()) == {f"{folder}/{entry['relative_path']}" for entry in listing["files"]}


@pytest.mark.parametrize("path", ["bundle", "download", "war-pdbs.zip"])
def test_any_part_of_an_archive_can_be_downloaded_separately(http: httpx2.Client, done_job: str, path: str) -> None:
    url = f"/api/jobs/{done_job}/{path}"
    whole = http.get(url)
    length, tag = len(whole.content), whole.headers["etag"]
    for start in (0, 1, length // 3, length // 2, length - 1):
        for end in {start, min(length - 1, start + 1000), length - 1}:
            asked = {"Range": f"bytes={start}-{end}", "If-Range": tag}
            part = http.get(url, headers=asked)
            assert (part.status_code, part.content) == (206, whole.content[start : end + 1])
            assert part.headers["content-range"] == f"bytes {start}-{end}/{length}"
            head = http.head(url, headers=asked)
            assert (head.status_code, head.headers["content-length"]) == (206, str(end + 1 - start))
    changed = http.get(url, headers={"Range": "bytes=5-", "If-Range": '"old"'})
    assert (changed.status_code, changed.content) == (200, whole.content)
    assert_error(http.get(url, headers={"Range": f"bytes={length}-"}), 416, "RANGE_NOT_SATISFIABLE")


@pytest.mark.parametrize("path", ["protein/{job}/1hpv/A", "svg-interactions/{job}/1hpv/478", "jobs/{job}/bundle"])
def test_files_made_for_a_request_have_ranges_and_a_date(http: httpx2.Client, done_job: str, path: str) -> None:
    url = f"/api/{path.format(job=done_job)}"
    whole = http.get(url, headers={"Accept-Encoding": "identity"})
    date = whole.headers["last-modified"]
    for condition in (date, whole.headers["etag"]):
        part = http.get(url, headers={"Range": "bytes=2-5", "If-Range": condition})
        assert (part.status_code, part.content) == (206, whole.content[2:6])
    assert http.get(url, headers={"If-Modified-Since": date}).status_code == 304
    assert_error(http.get(url, headers={"Range": f"bytes={len(whole.content)}-"}), 416, "RANGE_NOT_SATISFIABLE")


def test_export_is_304_until_a_job_changes(http: httpx2.Client, live: LiveService) -> None:
    url = "/api/jobs/export"

    def condition() -> dict[str, str]:
        return {"If-None-Match": http.get(url).headers["etag"]}

    asked = next(asked for _ in range(20) if http.get(url, headers=(asked := condition())).status_code == 304)
    assert "content-length" not in http.head(url).headers
    live.submit({"target_name": "x", "search_query": "4CUP"})
    assert http.get(url, headers=asked).status_code == 200


def test_archive_of_nothing_is_valid_and_empty(http: httpx2.Client, failed_job: str) -> None:
    answer = http.get(f"/api/jobs/{failed_job}/war-pdbs.zip")
    assert int(answer.headers["content-length"]) == len(answer.content)
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.namelist() == []


def test_prepared_bundle_of_an_example_is_served_if_it_exists(tmp_path: Path) -> None:
    from service.results.bundles import public_bundle

    assert public_bundle(tmp_path, "exam1hpv") is None
    prepared = tmp_path / "bundles" / "exam1hpv_public_results.zip"
    prepared.parent.mkdir()
    prepared.write_bytes(b"PK")
    found = public_bundle(tmp_path, "exam1hpv")
    assert found is not None
    assert (found.relative, found.size) == ("bundles/exam1hpv_public_results.zip", 2)


SEEN = {
    "TARGET_RESULTS/WAR_PDB/a.pdb": "war_pdb", "TARGET_RESULTS/WAR_PDB/a.cif": "other",
    "TARGET_RESULTS/WAR_PDB/b.CIF": "war_pdb", "TARGET_RESULTS/Results_Display.csv": "table",
    "TARGET_RESULTS/Contacts.csv": "csv", "TARGET_RESULTS/Target_Table/x.csv": "table", "TARGET_RESULTS/x.TSV": "table",
    "TARGET_RESULTS/y.parquet": "table", "TARGET_RESULTS/p.png": "other", "TARGET_RESULTS/other.pdb": "pdb",
    "TARGET_RESULTS/é ü%20.csv": "csv", "search/entries.csv": "csv", "logs/job.log": "log",
    "job_config.json": "manifest", "job_result_manifest.json": "manifest",
}  # fmt: skip
HIDDEN = (
    *("TARGET_RESULTS/.hidden.csv", "TARGET_RESULTS/.dir/a.csv", "TARGET_RESULTS/a.py", "TARGET_RESULTS/noextension"),
    *("logs/other.log", ".work/events.log", "job_record.json", "secret.csv"),
)


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A job folder with files of all sorts, some of them traps."""
    folder = tmp_path / "job"
    for name in (*SEEN, *HIDDEN):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "passwd.txt").write_text("secret")
    (folder / "TARGET_RESULTS/link.txt").symlink_to(outside / "passwd.txt")
    (folder / "TARGET_RESULTS/linked").symlink_to(outside)
    (folder / "TARGET_RESULTS/inner.csv").symlink_to(folder / "job_record.json")
    (folder / "TARGET_RESULTS/loop.csv").symlink_to(folder / "TARGET_RESULTS/loop.csv")
    (folder / "TARGET_RESULTS/good.csv").symlink_to(folder / "TARGET_RESULTS/Contacts.csv")
    os.mkfifo(folder / "TARGET_RESULTS/pipe.txt")
    (folder / "TARGET_RESULTS/folder.csv").mkdir()
    return folder


def test_only_safe_files_are_listed_and_served(job: Path) -> None:
    listed = {artifact.relative: artifact.kind for artifact in list_artifacts(job).artifacts}
    assert listed == {**SEEN, "TARGET_RESULTS/good.csv": "csv"}
    for path in job.rglob("*"):
        relative = path.relative_to(job).as_posix()
        if relative in listed:
            assert resolve_artifact(job, relative).relative == relative
        else:
            with pytest.raises(FileNotFound):
                resolve_artifact(job, relative)


def test_download_url_is_encoded_except_for_slashes(job: Path) -> None:
    url = resolve_artifact(job, "TARGET_RESULTS/é ü%20.csv").url("/api/jobs/x/files")
    assert url == "/api/jobs/x/files/TARGET_RESULTS/%C3%A9%20%C3%BC%2520.csv"


def test_kinds_are_those_of_the_contract_and_a_lone_mmcif_is_a_structure(job: Path) -> None:
    assert kind_of(job, "TARGET_RESULTS/report.HTM") == "html"
    assert kind_of(job, "TARGET_RESULTS/a.txt") == "log"
    assert kind_of(job, "TARGET_RESULTS/a_chain_similarity_1.csv") == "table"
    assert set(list_artifacts(job).counts()) == set(KINDS)


@pytest.mark.parametrize(
    "path", ["", "/", "a//b", "./a", "a/..", "..", "a\\b", "a\x00", "a\nb", "a\x7f", "\x85", "a" * 2000]
)
def test_path_that_is_not_plain_and_relative_is_refused(path: str) -> None:
    with pytest.raises(InvalidPath):
        safe_parts(path)


def test_files_of_an_example_are_in_its_own_namespace(http: httpx2.Client) -> None:
    for base in ("/api/examples/exam1hpv", "/api/jobs/exam1hpv"):
        listing = http.get(f"{base}/files?kind=sdf").json()
        assert all(entry["download_url"].startswith(f"{base}/files/") for entry in listing["files"])
        assert http.get(listing["files"][0]["download_url"]).status_code == 200


def test_no_answer_names_a_place_of_the_server(http: httpx2.Client, live: LiveService, done_job: str) -> None:
    names = ["", "/results", "/reproduce", "/bundle", "/files", "/rows?table=entries"]
    job = [f"/api/jobs/{done_job}{name}" for name in names]
    for path in [*job, f"/api/job_log/{done_job}", "/api/manifest", "/api/health", "/openapi.json", "/api-docs"]:
        content = http.get(path).content
        for place in (str(live.folder), str(Path.home()) + "/", os.uname().nodename):
            assert place.encode() not in content, (path, place)


def test_manifest_lists_every_route(http: httpx2.Client) -> None:
    from service.app import endpoints

    groups = http.get("/api/manifest").json()["active_endpoint_groups"]
    listed = {(route["method"], route["path"]) for group in groups for route in group["routes"]}
    assert listed == {(endpoint.method, endpoint.plain_path) for endpoint in endpoints()}


def test_clients_that_disconnect_are_not_errors_in_the_log(live: LiveService, done_job: str) -> None:
    log = live.folder / "service.log"
    begun = log.stat().st_size
    half = b'{"target_name": '
    asked = [
        f"GET /api/jobs/{done_job}/bundle HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(),
        f"GET /api/jobs/{done_job}/rows?table=contacts HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(),
        b"POST /api/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n"
        + half,
    ]
    for _ in range(5):
        for request in asked:
            with socket.create_connection(("127.0.0.1", live.port)) as client:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # leave with a reset
                client.sendall(request)
                client.recv(1 if request.startswith(b"GET") else 0)
    assert live.answers()
    time.sleep(1)
    lines = [json.loads(line) for line in log.read_bytes()[begun:].decode().splitlines() if line.startswith("{")]
    assert [line for line in lines if line["level"] in ("warning", "error")] == []
