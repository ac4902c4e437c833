"""A service with a real nginx and TLS in front, with config/deploy/nginx.conf."""

import contextlib
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.service.core import LiveService, free_port
from tests.tools.patience import wait_until
from tests.tools.programs import program, self_signed
from tests.tools.runs import ROOT

SITE = ROOT / "config/deploy/nginx.conf"

_MAIN = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{ worker_connections 256; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {site}
}}
"""


@dataclass(frozen=True, slots=True)
class Proxied:
    """A service for outside clients: its address with the path, and the trust store of its certificate."""

    address: str
    context: ssl.SSLContext
    service: LiveService


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory, mixed: Path) -> Iterator[Proxied]:
    """A private service below /tethermap/ with one finished job and two tokens, and nginx and TLS in front."""
    nginx, folder = program("nginx"), tmp_path_factory.mktemp("proxied")
    shutil.copytree(mixed, folder / "jobs" / mixed.name)
    certificate, key = self_signed(folder, "lab.example")
    tokens = "ann:ann-secret,operator:operator-secret"
    settings = {"ROOT_PATH": "/tethermap", "ALLOWED_HOSTS": "lab.example", "API_TOKENS": tokens, "PRIVATE": "true"}
    with LiveService(folder, quick=True, **settings) as service:
        port = free_port()
        changes = {"443 ssl": f"127.0.0.1:{port} ssl", "127.0.0.1:8000": f"127.0.0.1:{service.port}",
                   "/etc/ssl/certs/lab.example.pem": str(certificate),
                   "/etc/ssl/private/lab.example.key": str(key)}  # fmt: skip
        site = SITE.read_text(encoding="utf-8")
        for was, now in changes.items():
            assert was in site
            site = site.replace(was, now)
        configuration = folder / "nginx.conf"
        configuration.write_text(_MAIN.format(folder=folder, site=site), encoding="utf-8")
        with subprocess.Popen(
            [nginx, "-p", str(folder), "-e", str(folder / "nginx.log"), "-c", str(configuration)]
        ) as proxy:
            try:
                wait_until(lambda: _answers(port), 20, "nginx to answer")
                context = ssl.create_default_context(cafile=str(certificate))
                yield Proxied(f"https://127.0.0.1:{port}/tethermap/", context, service)
            finally:
                proxy.terminate()


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False
