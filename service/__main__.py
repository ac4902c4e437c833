"""`python -m service`: the server, and the operator's commands.

The commands work while the service runs, which then carries them out, and while it doesn't.
"""

import argparse
import asyncio
import gc
import logging
import os
import shutil
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn

from service.allocator import limit_arenas
from service.connections import BACKLOG, TimedProtocol, Waiting, raise_descriptor_limit
from service.jobs.store import JobsFolderBusyError
from service.logs import configure_logging
from service.runs.housekeeping import ask
from service.runs.lifecycle import Parts, build_parts
from service.settings import Settings, SettingsError

GRACE_SECONDS = 2
"""Time in seconds that open connections, such as downloads, may continue after the service was asked to stop."""

_COLLECT_AFTER = 20_000
"""New objects after which circles are looked for: a page makes as many several times over, and hardly a circle."""


class Server(uvicorn.Server):
    """uvicorn's server, which notifies the service of the shutdown before it waits for connections.

    Parameters
    ----------
    config : uvicorn.Config
        The server's configuration.
    parts : Parts
        The service.
    """

    def __init__(self, config: uvicorn.Config, parts: Parts) -> None:
        super().__init__(config)
        self._parts = parts
        self._loop: asyncio.AbstractEventLoop | None = None

    async def serve(self, sockets: Any = None) -> None:
        """Serve until a signal stops it."""
        self._loop = asyncio.get_running_loop()
        await super().serve(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End event streams and begin to stop runs; then exit like uvicorn."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._parts.queue.begin_stopping)
        super().handle_exit(sig, frame)


def serve(settings: Settings) -> int:
    """Run the service until a signal stops it."""
    from service.app import create_app

    limit_arenas()
    TimedProtocol.waiting = Waiting(raise_descriptor_limit())
    parts = build_parts(settings)
    try:
        parts.store.open()
    except OSError as error:
        raise SettingsError(f"TETHERMAP_JOBS_DIR is not usable: {error.filename}: {error.strerror}.") from None
    config = uvicorn.Config(
        create_app(parts),
        host=settings.host,
        port=settings.port,
        workers=1,
        http=TimedProtocol,
        backlog=BACKLOG,
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    server = Server(config, parts)
    parts.on_failure = lambda: setattr(server, "should_exit", True)
    gc.freeze()  # loaded modules live forever: the garbage collector need not check them
    gc.set_threshold(_COLLECT_AFTER)
    try:
        _check_address(settings.host, settings.port)
        server.run()
    finally:
        parts.store.close()
    return 0 if server.started and not parts.failed else 1


def _check_address(host: str, port: int) -> None:
    """Refuse an address at which no server can listen, before any job starts."""
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        raise SettingsError(
            f"The service can't listen on {host}, port {port} ({error.strerror}):"
            " set TETHERMAP_PORT or TETHERMAP_HOST, or stop the other program."
        ) from None


async def operate(settings: Settings, command: str, argument: str) -> dict[str, Any]:
    """Carry out an operator's command here, no service running, or have the running one do it."""
    parts = build_parts(settings)
    try:
        parts.store.open()
    except JobsFolderBusyError:
        return await asyncio.to_thread(ask, parts.store.requests, command, argument)
    async with parts.running(serving=False):
        return await parts.housekeeping.do(command, argument)


def export(settings: Settings, target: Path | None) -> int:
    """Write the index as CSV, to a file or to standard output."""
    answer = asyncio.run(operate(settings, "export", ""))
    if not answer["ok"]:
        return _tell(answer)
    made = Path(answer["message"])
    if target is not None:
        shutil.copyfile(made, target)
        return 0
    with made.open("rb") as data:
        shutil.copyfileobj(data, sys.stdout.buffer)
    sys.stdout.buffer.flush()
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Execute the command line; return the exit status."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    configure_logging(verbose=chosen.command is None)
    try:
        settings = Settings.from_environment(os.environ)
    except SettingsError as error:
        parser.exit(2, f"Tethermap: {error}\n")
    try:
        if chosen.command is None:
            return serve(settings)
        if chosen.command == "export":
            return export(settings, chosen.file)
        argument = str(chosen.folder.resolve()) if chosen.command == "adopt" else getattr(chosen, "job_id", "")
        return _tell(asyncio.run(operate(settings, chosen.command, argument)))
    except (JobsFolderBusyError, SettingsError, OSError) as error:
        logging.getLogger(__name__).debug("", exc_info=error)
        parser.exit(1, f"Tethermap: {error}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tethermap serve", description="Without a command: run the service. Settings are TETHERMAP_* variables."
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    commands.add_parser("reindex", help="read all job folders again into the index")
    exporting = commands.add_parser("export", help="write the index as CSV")
    exporting.add_argument("file", nargs="?", type=Path, help="the output file; default: standard output")
    adopting = commands.add_parser("adopt", help="adopt a copy of a job folder made on the command line")
    adopting.add_argument("folder", type=Path)
    canceling = commands.add_parser("cancel", help="cancel a job")
    canceling.add_argument("job_id")
    commands.add_parser("prune", help="remove finished jobs beyond KEEP_DAYS and MAX_JOBS_BYTES now")
    return parser


def _tell(answer: dict[str, Any]) -> int:
    stream = sys.stdout if answer["ok"] else sys.stderr
    stream.write(f"{answer['message']}\n" if answer["ok"] else f"Tethermap: {answer['message']}\n")
    return 0 if answer["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
