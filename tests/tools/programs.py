"""Programs that are not in the lock: a test that needs one which is not installed is skipped, naming it."""

import os
import shutil
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


def programs(*names: str) -> None:
    """Skip the test if one of several programs is not installed."""
    for name in names:
        program(name)
