"""Run programs in separate processes with a time limit."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping, Sequence

from service.settings import REPOSITORY


async def output_of(
    command: Sequence[str], seconds: float, environment: Mapping[str, str] | None = None, *, with_errors: bool = False
) -> tuple[int | None, bytes, bytes]:
    """Run a command in a separate session and return its exit status, output and, if requested, error output.

    Its processes are killed at the time limit, or if the request is canceled.

    Raises
    ------
    TimeoutError
        If it runs longer than the time limit.
    """
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE if with_errors else asyncio.subprocess.DEVNULL,
        cwd=REPOSITORY,
        env=environment,
        start_new_session=True,
    )
    try:
        output, errors = await asyncio.wait_for(process.communicate(), seconds)
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    return process.returncode, output, errors or b""
