"""Each fault of an installation gives one line that names the setting to change."""

import http.server
import re
import shutil
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.service.disks import small_disk
from tests.standin.server import StandIn
from tests.tools.programs import self_signed
from tethermap import doctor
from tethermap.base.errors import UserError
from tethermap.base.root import __version__
from tethermap.doctor import Finding
from tethermap.run.http import CERTIFICATES, HttpClient, HttpError, RequestLimits

PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No proxy, certificates of the system, a cache folder of the test."""
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name in CERTIFICATES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def faults(check: Callable[[], Iterator[Finding]]) -> list[str]:
    return [finding.says for finding in doctor.findings("", check) if finding.state == "FAULT"]


def test_sound_installation_has_no_faults(
    archive: Path, component_index: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TETHERMAP_COMPONENTS", str(component_index))
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr(doctor, "_LEAST_FREE", 0)
    with StandIn(archive) as standin:
        standin.use(monkeypatch)
        assert doctor.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0].strip() for line in lines].count("ok") >= 10
    assert not [line for line in lines if line.startswith("FAULT")]


def test_versions_of_the_loops_are_named() -> None:
    ((part, state, says),) = doctor.check_loops()
    assert (part, state) == ("loops", "ok")
    assert re.fullmatch(rf"Tethermap {__version__}, Python 3\.\d+\.\d+\S*, compiler \S.*", says)


def test_dead_proxy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://user:secret@127.0.0.1:9")
    (says,) = faults(doctor.check_proxy)
    assert says.startswith("HTTPS_PROXY=http://127.0.0.1:9 does not answer (Connection refused): correct it, or unset")
    assert "secret" not in says


def test_socks_proxy_without_its_package_gets_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1080")
    monkeypatch.setattr("tethermap.run.http.find_spec", lambda _: None)
    assert faults(doctor.check_proxy) == [
        "The proxy 127.0.0.1:1080 speaks SOCKS, which needs a package: pip install socksio"
    ]
    with pytest.raises(UserError, match="pip install socksio"):
        HttpClient()
    assert faults(doctor.check_services) == []  # no repeated line


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 outside all trust stores, and its key."""
    return self_signed(tmp_path, "localhost")


@pytest.fixture
def secure(certificate: tuple[Path, Path]) -> Iterator[str]:
    """Address of a server with that certificate, which answers all requests with 404."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield f"https://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_certificate_that_is_not_trusted_names_the_variable(secure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TETHERMAP_RCSB_DATA_URL", secure)
    says = next(says for says in faults(doctor.check_services) if secure.removeprefix("https://") in says)
    assert says.endswith("set SSL_CERT_FILE to a file with the certificates of your network)")


@pytest.mark.parametrize("name", CERTIFICATES)
def test_certificates_are_read_from_each_variable(
    name: str, secure: str, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(HttpError, match="set SSL_CERT_FILE"):
        HttpClient(RequestLimits(attempts=1)).request(f"{secure}/x")
    monkeypatch.setenv(name, str(certificate[0]))
    assert HttpClient(RequestLimits(attempts=1)).request(f"{secure}/x").status == 501
    assert [finding.says for finding in doctor.check_certificates()] == [f"from {name}"]
    monkeypatch.setenv(name, "/nowhere.pem")
    assert faults(doctor.check_certificates) == [
        f"{name} names no file of certificates (No such file or directory): correct it, or unset {name}."
    ]


def test_services_out_of_reach_name_the_variable_of_their_address(
    monkeypatch: pytest.MonkeyPatch, archive: Path
) -> None:
    with StandIn(archive) as standin:
        standin.use(monkeypatch)
        monkeypatch.setenv("TETHERMAP_PDBE_FILES_URL", f"{standin.url}/elsewhere")
        standin.fault("files", "status", status=503)
        found = faults(doctor.check_services)
    assert len(found) == 2
    assert "HTTP 503" in found[0]
    assert "TETHERMAP_RCSB_FILES_URL" in found[0]
    assert found[1].endswith("answers HTTP 404: correct TETHERMAP_PDBE_FILES_URL or request access")


def test_full_disk_is_reported_with_another_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with small_disk(tmp_path / "small", 1 << 20) as folder:
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
        says = faults(doctor.check_disk)[0]
    assert says == "1 MB free for the cache: free some, or export XDG_CACHE_HOME=/a/larger/disk"


def test_cache_that_is_not_a_folder_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    (says,) = faults(doctor.check_cache)
    assert "can't be written and locked" in says
    assert "export XDG_CACHE_HOME=" in says


def test_checks_end_with_faults_if_there_is_no_folder_to_look_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TETHERMAP_COMPONENTS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", f"/{'x' * 300}")
    assert "File name too long" in faults(doctor.check_dictionary)[0]
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr("pathlib.Path.home", no_home)
    for check in (doctor.check_dictionary, doctor.check_cache, doctor.check_disk):
        assert faults(check) == ["This user has no home folder: export HOME=/a/folder/of/yours."]


def no_home() -> Path:
    raise RuntimeError("Could not determine home directory.")


def test_damaged_files_of_the_cache_are_named(
    component_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache" / "tethermap"
    folder.mkdir(parents=True)
    damaged = folder / "mirror.sqlite"
    damaged.write_bytes(b"not a database, " * 100)
    assert faults(doctor.check_cache) == [f"{damaged} is damaged: rm '{damaged}'"]
    index = folder / "index.sqlite"
    index.write_bytes(component_index.read_bytes()[:100_000])
    monkeypatch.setenv("TETHERMAP_COMPONENTS", str(index))
    (says,) = faults(doctor.check_dictionary)
    assert says.endswith(f"rm '{index}'")


def programs(folder: Path, monkeypatch: pytest.MonkeyPatch, **scripts: str) -> None:
    """Put stand-ins of a cluster's commands on the path, and nothing else."""
    for name, script in scripts.items():
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(doctor, "find_spec", lambda name: name)


def slurm() -> str:
    (finding,) = doctor.check_slurm()
    return f"{finding.state}: {finding.says}"


def test_slurm_is_reported_as_missing_without_and_with_accounting(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    programs(tmp_path, monkeypatch)
    assert slurm().startswith("note: no sbatch here")
    programs(tmp_path, monkeypatch, sbatch="", squeue="exit 1", sinfo="echo main; echo gpu; echo main", sacct="exit 1")
    assert slurm() == "FAULT: squeue does not answer (status 1): ask who runs the cluster"
    programs(tmp_path, monkeypatch, squeue="")
    assert slurm() == (
        "ok: without accounting: keep slurm-status-command: squeue; set slurm_partition in config/profiles/slurm to "
        "one of main, gpu"
    )
    programs(tmp_path, monkeypatch, sacct="")
    assert slurm().startswith("ok: with accounting")
    monkeypatch.setattr(doctor, "find_spec", lambda _: None)
    assert slurm() == "note: Snakemake's plugin is missing: pip install snakemake-executor-plugin-slurm"


def test_optional_programs_are_not_faults(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    programs(tmp_path, monkeypatch)
    assert [finding.state for finding in doctor.check_programs()] == ["note", "ok"]
    assert shutil.which("obabel") is None


@pytest.mark.usefixtures("cluster")
def test_real_cluster_without_accounting_is_recognised() -> None:
    pytest.importorskip("snakemake_executor_plugin_slurm")
    assert slurm() == (
        "ok: without accounting: keep slurm-status-command: squeue; set slurm_partition in config/profiles/slurm to "
        "one of main"
    )
