"""Programs that are not in the lock: a test that needs one which is not installed is skipped, naming it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def program(name: str) -> str:
    """Return the path of a program on the PATH or in a nearby sbin; skip the test if it is not installed."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    beside = [str(Path(folder).with_name("sbin")) for folder in folders if Path(folder).name == "bin"]
    path = shutil.which(name, path=os.pathsep.join([*folders, *beside]))
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def self_signed(folder: Path, name: str) -> tuple[Path, Path]:
    """Return a certificate of a name and 127.0.0.1 outside all trust stores, and its key; skip without ``openssl``."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    command = [program("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name},IP:127.0.0.1"]
    command += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key


def programs(*names: str) -> None:
    """Skip the test if one of several programs is not installed."""
    for name in names:
        program(name)
