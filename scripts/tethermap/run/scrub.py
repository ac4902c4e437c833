"""Texts that strangers may read, without paths, user and host of this machine."""

from __future__ import annotations

import getpass
import re
import socket
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[3]
_QUOTED = re.compile(r"""(["'])/[^"'\n]*/([^"'/\n]*)\1""")
_PATH = re.compile(r"""(?<![\w.<~/])~?/(?:[^\s"'/:,;()<>]+/)+""")
_URL = re.compile(r"(\w+://)[^\s/@]*@")


def scrubbed(text: str, job: Path) -> str:
    """Return a text in which paths of the job and of the program are relative, and others are names of files alone.

    Parameters
    ----------
    job : Path
        The job folder.

    >>> scrubbed('File "/home/jane doe/run.py", line 3: /data/x/1abc.cif is gone', Path("/jobs/a"))
    'File "run.py", line 3: 1abc.cif is gone'
    """
    for known in (job.resolve(), _ROOT):
        text = text.replace(f"{known}/", "")
    text = _PATH.sub("", _QUOTED.sub(r"\1\2\1", _URL.sub(r"\1", text)))
    for name, word in ((_user(), "user"), (socket.gethostname(), "host")):
        if len(name) > 1:
            text = re.sub(rf"\b{re.escape(name)}\b", word, text)
    return text


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a number without a name, as in containers
        return ""
