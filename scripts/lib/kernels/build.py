"""Compiles `kernels.c`."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sysconfig
from pathlib import Path

from scripts.lib.atomic import replacing
from scripts.lib.errors import UserError
from scripts.lib.kernels.library import FLAGS, SOURCE


def build(path: Path) -> None:
    """Compile the library.

    Parameters
    ----------
    path : Path
        Where it goes; appears when it is whole.

    Raises
    ------
    UserError
        If there is no compiler or it fails, with what to install.
    """
    compiler = _compiler()
    with replacing(path) as temporary:
        command = [*compiler, *FLAGS, "-o", str(temporary), str(SOURCE), "-lm"]
        try:
            run = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise UserError(
                f"the C compiler {compiler[0]}, which the measuring of exposure and exits needs, is missing:"
                " install the packages gcc and libc6-dev, with conda c-compiler."
            ) from error
        if run.returncode:
            raise UserError(f"{shlex.join(command)} failed:\n{run.stderr.strip()}")


def _compiler() -> list[str]:
    """Return the compiler that CC names, else that of Python itself where it is there, else ``cc``."""
    if named := os.environ.get("CC"):
        return shlex.split(named)
    own = (sysconfig.get_config_var("CC") or "cc").split()[0]
    return [own if shutil.which(own) else "cc"]
