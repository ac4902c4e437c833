"""Structures of a client: their content, faults with reasons, lifetime."""

import gzip
import io
import tarfile
import tracemalloc
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest

from service.jobs.uploads import UploadStore
from service.settings import UPLOADS
from tests.service.core import local
from tests.service.test_contract import assert_error
from tests.tools.styles import SMILES, programs

MODEL = next(style for style in programs() if style.name == "openmm")
GOOD = ("model.pdb", MODEL.text.encode())


def send(http: httpx2.Client, *files: tuple[str, bytes]) -> httpx2.Response:
    return http.post("/api/uploads", files=[("files", (name, io.BytesIO(data))) for name, data in files])


@pytest.fixture
def http(tmp_path: Path) -> Iterator[httpx2.Client]:
    with local(tmp_path, max_upload_file_bytes=400_000, max_upload_files=3) as client:
        yield client


def test_upload_lists_the_content_of_its_files_and_exists_until_it_is_removed(http: httpx2.Client) -> None:
    answer = send(http, GOOD, ("codes.csv", f"UNL,{SMILES}\n".encode()))
    assert answer.status_code == 201
    body = answer.json()
    assert answer.headers["location"] == f"/api/uploads/{body['upload_id']}"
    by_name = {file["name"]: file for file in body["files"]}
    assert by_name["model.pdb"]["kind"] == "structure"
    assert by_name["model.pdb"]["entry_id"] == "model"
    assert by_name["model.pdb"]["size_bytes"] == len(MODEL.text)
    assert "ligand UNL B1: 11 heavy atoms" in by_name["model.pdb"]["notes"]
    assert by_name["codes.csv"]["notes"] == ["defines UNL"]
    assert http.get(answer.headers["location"]).json() == body
    assert http.delete(answer.headers["location"]).json()["deleted"] is True
    assert_error(http.get(answer.headers["location"]), 404, "NOT_FOUND")


def test_address_of_an_upload_has_the_path_of_the_proxy(tmp_path: Path) -> None:
    with local(tmp_path, root_path="/lab") as client:
        answer = send(client, GOOD)
        assert answer.headers["location"] == f"/lab/api/uploads/{answer.json()['upload_id']}"


@pytest.mark.parametrize(
    ("name", "data", "status", "code"),
    [
        ("..pdb", b"x", 422, "INVALID_FIELD"),
        ("model.pdb", b"no structure", 422, "INVALID_FIELD"),
        ("model.pdb.gz", b"no gzip", 422, "INVALID_FIELD"),
        ("model.pdb", b"x" * 400_001, 413, "PAYLOAD_TOO_LARGE"),
        ("model.pdb.gz", gzip.compress(b"x" * 5_000_000), 413, "PAYLOAD_TOO_LARGE"),
    ],
)
def test_file_that_cannot_be_used_is_named_and_nothing_is_kept(
    http: httpx2.Client, tmp_path: Path, name: str, data: bytes, status: int, code: str
) -> None:
    assert_error(send(http, (name, data)), status, code, field="files", file=name)
    assert not list(tmp_path.rglob(f"{UPLOADS}/*"))


def test_all_files_without_known_content_are_named_and_nothing_is_kept(http: httpx2.Client, tmp_path: Path) -> None:
    wrong = {"model.exe": b"x", "pose.mae": b"x", "ligand.sdf": b"garbage"}
    details = assert_error(send(http, *wrong.items()), 422, "INVALID_FIELD")
    assert {file["name"]: bool(file["reason"]) for file in details["files"]} == dict.fromkeys(wrong, True)
    assert (details["field"], details["file"]) == ("files", details["files"][0]["name"])
    message = send(http, ("model.pdb", b"hello\n")).json()["error"]["message"]
    assert message.startswith("model.pdb: The file is not a structure: ")
    assert message.endswith(" of file (begins with 'hello').")
    reasons = {file["name"]: file["reason"] for file in details["files"]}
    assert reasons["pose.mae"].endswith("a format of one program; export it as PDB or mmCIF, ligands as SDF")
    assert not list(tmp_path.rglob(f"{UPLOADS}/*"))


def test_unreadable_file_is_refused_next_to_a_good_one(http: httpx2.Client) -> None:
    answer = send(http, GOOD, ("pose.pdb", b"ATOM      1  N   PRO A   1  \n"))
    details = assert_error(answer, 422, "INVALID_FIELD")
    assert details["files"] == [
        {"name": "pose.pdb", "reason": "molecule 1: its columns are not those of the PDB format; write it as SDF"}
    ]


def test_upload_reports_where_a_smiles_is_needed_and_where_one_is_not_used(http: httpx2.Client) -> None:
    alone = send(http, GOOD).json()["files"][0]
    assert "bonds of UNL come from distances: add a table with its SMILES (UNL,SMILES)" in alone["notes"]
    (ligand,) = alone["ligands"]
    assert (ligand["comp_id"], ligand["bond_source"], ligand["bonds_from"]) == ("UNL", "perceived", "distances")
    assert ligand["svg"].startswith("<svg ")
    table = ("codes.csv", f"UNL,{SMILES}\n".encode())
    (certain,) = send(http, GOOD, table).json()["files"][1]["ligands"]
    assert certain["bonds_from"] == "your file"
    other = send(http, GOOD, ("codes.csv", f"LIG,{SMILES}\n".encode())).json()["files"]
    assert other[0]["notes"] == ["defines LIG", "no structure here has it; the ligands here: UNL"]


def test_forms_without_files_or_with_too_many_and_other_bodies_are_refused(http: httpx2.Client) -> None:
    assert_error(http.post("/api/uploads", files={"other": ("x.pdb", b"x")}), 400, "MISSING_FIELD")
    assert_error(http.post("/api/uploads", json={}), 415, "UNSUPPORTED_MEDIA_TYPE")
    assert_error(send(http, *((f"{k}.pdb", b"x") for k in range(4))), 422, "INVALID_FIELD")
    broken = http.post("/api/uploads", content=b"x", headers={"Content-Type": "multipart/form-data"})
    assert_error(broken, 422, "INVALID_FIELD")


def test_form_that_was_cut_off_is_refused(http: httpx2.Client) -> None:
    whole = http.build_request("POST", "/api/uploads", files=[("files", GOOD), ("files", ("other.pdb", GOOD[1]))])
    content, media = whole.read(), {"Content-Type": whole.headers["content-type"]}
    assert len(http.post("/api/uploads", content=content, headers=media).json()["files"]) == 2
    for cut in (4, 40):  # the end of the last boundary, and of the last file
        answer = http.post("/api/uploads", content=content[:-cut], headers=media)
        assert "cut off" in assert_error(answer, 422, "INVALID_FIELD", field="files")["reason"]


def test_names_are_labels_and_never_paths(http: httpx2.Client, tmp_path: Path) -> None:
    answer = send(http, ("a/../../model.pdb", MODEL.text.encode()))
    assert [file["name"] for file in answer.json()["files"]] == ["model.pdb"]
    (quoted,) = send(http, ('my "best" pose\'s (1).pdb', MODEL.text.encode())).json()["files"]
    assert (quoted["name"], quoted["entry_id"]) == ('my "best" pose\'s (1).pdb', "my-best-pose-s-1")
    assert [path.name for path in tmp_path.rglob("model.pdb")] == ["model.pdb"]


@pytest.mark.parametrize("upload_id", ["upload_0123456789abcdef", "..", "upload_0123456789ABCDEF"])
def test_job_with_a_missing_upload_is_refused(http: httpx2.Client, upload_id: str) -> None:
    answer = http.post("/api/jobs", json={"target_name": "x", "structures": upload_id})
    assert_error(answer, 422, "INVALID_FIELD", field="structures")
    jobs = [{"target_name": "x", "search_query": "1HPV"}, {"target_name": "x", "structures": upload_id}]
    details = assert_error(http.post("/api/batches", json={"jobs": jobs}), 422, "INVALID_FIELD", field="jobs")
    assert [(item["index"], item["field"]) for item in details["items"]] == [(1, "structures")]


def test_dry_run_over_an_upload_needs_no_query_and_names_its_entries(http: httpx2.Client) -> None:
    upload_id = send(http, GOOD).json()["upload_id"]
    answer = http.post("/api/jobs?dry_run=true", json={"target_name": "BAZ2B", "structures": upload_id})
    assert [entry["pdb_id"] for entry in answer.json()["entries"]] == ["model"]
    asked = {"target_name": "BAZ2B", "structures": upload_id, "pdb_id": "model"}
    assert http.post("/api/jobs?dry_run=true", json=asked).json()["total"] == 1


def test_files_of_the_page_are_taken_without_scripts(http: httpx2.Client) -> None:
    shown = http.post("/upload", files={"files": GOOD})
    assert shown.status_code == 200
    assert "ligand UNL B1: 11 heavy atoms" in shown.text
    assert 'name="structures" id="structures" value="upload_' in shown.text
    refused = http.post("/upload", files={"files": ("model.mae", b"x")})
    assert (refused.status_code, "Not submitted" in refused.text) == (422, True)


BOMB = gzip.compress(bytes(5_000_000))


def _zip(**files: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


def _npz(entries: int, size: int) -> bytes:
    return _zip(**{f"pae{number}.npy": bytes(size) for number in range(entries)})


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("model.cif.gz", gzip.compress(b"data_x") + BOMB),
        ("model.cif.gz", gzip.compress(bytes(50_000)) * 100),
        ("model.cif", gzip.compress(b"data_x") + BOMB),
        *((f"x.{kind}.gz", gzip.compress(bytes(1)) + BOMB) for kind in ("xml", "json", "map")),
        ("pae_model.npz", _npz(10, 500_000)),
        ("pae_model.npz.gz", gzip.compress(_npz(10, 500_000))),
        ("models.zip", _zip(**{"model.cif.gz": BOMB})),
    ],
)
def test_limit_of_unpacked_sizes_counts_all_members_and_entries(http: httpx2.Client, name: str, data: bytes) -> None:
    """The limit is ten times that of a file, 4 MB here."""
    assert_error(send(http, (name, data)), 413, "PAYLOAD_TOO_LARGE", file=name, maximum=4_000_000)


@pytest.mark.parametrize("name", ["models.zip", "models.tar"])
def test_archive_that_ends_early_is_named(http: httpx2.Client, name: str) -> None:
    """The announced size of its file is larger than the archive, or differs from the real one."""
    member = tarfile.TarInfo("model.pdb")
    member.size = 1 << 40
    whole = _zip(**{"model.pdb": GOOD[1]})
    entry = whole.index(b"PK\x01\x02") + 24
    data = {"models.tar": member.tobuf() + bytes(1024), "models.zip": whole[:entry] + bytes(4) + whole[entry + 4 :]}
    answer = send(http, (name, data[name]))
    assert_error(answer, 422, "INVALID_FIELD", file=name)
    assert f"{name} can't be used: a damaged archive" in answer.json()["error"]["message"]


def test_files_of_one_upload_have_one_limit_together(tmp_path: Path) -> None:
    with local(tmp_path, max_upload_file_bytes=400_000, max_upload_bytes=500_000) as client:
        packed = gzip.compress(bytes(3_000_000))
        both = send(client, ("a.cif.gz", packed), ("b.cif.gz", packed))
        assert_error(both, 413, "PAYLOAD_TOO_LARGE", maximum=5_000_000)
        assert not list((tmp_path / "jobs").rglob("*.gz"))


def test_upload_of_650_kilobytes_that_unpacks_to_640_mebibytes_is_refused_in_little_memory(tmp_path: Path) -> None:
    bomb = gzip.compress(b"data_x") + gzip.compress(bytes(64 << 20), 9) * 10
    with local(tmp_path) as client:
        tracemalloc.start()
        try:
            assert_error(send(client, ("model.cif.gz", bomb)), 413, "PAYLOAD_TOO_LARGE", maximum=500 << 20)
            assert tracemalloc.get_traced_memory()[1] < 32 << 20
        finally:
            tracemalloc.stop()


def test_form_without_scripts_sends_files_and_job_together_and_stops_where_they_are_refused(
    http: httpx2.Client,
) -> None:
    asked = {"target_name": "BAZ2B", "task": "submit", "max_entries": "7"}
    model = {"files": GOOD}
    sent = http.post("/upload", data=asked, files=model, follow_redirects=False)
    assert sent.status_code == 303
    request = http.get(f"/api/jobs/{sent.headers['location'][-8:]}").json()["request"]
    assert (request["structures"][:7], request["options"]) == ("upload_", {"max_entries": 7})
    refused = http.post("/upload", data=asked, files={"files": ("pose <b>.mae", b"x")}, follow_redirects=False)
    assert refused.status_code == 422
    assert 'name="refused" form="job-form" value="pose &lt;b&gt;.mae"' in refused.text
    assert 'value="BAZ2B"' in refused.text
    for path in ("/", "/upload"):
        again = {**asked, "refused": "pose <b>.mae"}
        sends = {"files": ("", b"")} if path == "/upload" else None
        assert http.post(path, data=again, files=sends, follow_redirects=False).status_code == 422
        chosen = http.post(path, data={**again, "without_files": "true"}, files=sends, follow_redirects=False)
        assert chosen.status_code == 303
        request = http.get(f"/api/jobs/{chosen.headers['location'][-8:]}").json()["request"]
        assert "structures" not in request
    mended = {**asked, "refused": "pose.mae"}
    assert http.post("/upload", data=mended, files=model, follow_redirects=False).status_code == 303


def test_expired_uploads_are_removed_if_no_job_uses_them(http: httpx2.Client) -> None:
    upload_id = send(http, GOOD).json()["upload_id"]
    store: UploadStore = http.app.state.shared.uploads  # type: ignore[attr-defined]
    later = datetime.now(UTC) + timedelta(hours=25)
    store.prune({upload_id}, later)
    assert store.get(upload_id).upload_id == upload_id
    store.prune((), datetime.now(UTC))
    assert store.get(upload_id).upload_id == upload_id
    store.prune((), later)
    assert_error(http.get(f"/api/uploads/{upload_id}"), 404, "NOT_FOUND")
