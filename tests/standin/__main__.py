"""``python -m tests.standin <folder> [port]``: serve a folder's entries and print the variables to set."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

from tests.standin import StandIn


def main(arguments: list[str]) -> None:
    """Serve until interrupted."""
    with StandIn(Path(arguments[0]), port=int(arguments[1]) if len(arguments) > 1 else 0) as standin:
        for name, value in standin.environment.items():
            sys.stdout.write(f"export {name}={value}\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1:])
