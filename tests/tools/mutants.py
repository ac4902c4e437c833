"""Change constants and rules of the science on purpose: each change must make a test fail.

``python -m tests.tools.mutants`` runs all of them in a copy of the repository; ``make mutants``
is the same. A change that no test notices is listed, and the exit status is 1.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.tools.runs import ROOT, rows_of


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: the file, the old and the new text, and the tests that must fail."""

    path: str
    old: str
    new: str
    tests: str


PYTEST_FAILED_ITSELF = (2, 3, 4, 5)
"""Exit statuses of pytest that are not about the tests: interrupted, internal, usage, none collected."""

MUTANTS = [Mutant(**row) for row in rows_of(ROOT, "tests/data/mutants.csv")]


def survives(mutant: Mutant, copy: Path) -> bool:
    """Return whether the tests still pass with one change made."""
    path = copy / mutant.path
    original = path.read_text(encoding="utf-8")
    if original.count(mutant.old) != 1:
        raise ValueError(f"{mutant.path} holds {mutant.old!r} {original.count(mutant.old)} times, expected once")
    path.write_text(original.replace(mutant.old, mutant.new), encoding="utf-8")
    try:
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", mutant.tests]
        small = {key: value for key, value in os.environ.items() if key != "TETHERMAP_TEST_MIRROR"}  # these must notice
        run = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False, env=small)
    finally:
        path.write_text(original, encoding="utf-8")
    if run.returncode in PYTEST_FAILED_ITSELF:
        raise RuntimeError(f"pytest ended with {run.returncode}:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    return run.returncode == 0


def main() -> int:
    """Make all changes, one after another, and report those that no test noticed."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        for part in ("scripts", "tests", "data", "config", "service"):
            shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
        for name in (".pytest.ini", "Snakefile"):
            shutil.copy(ROOT / name, copy / name)
        survivors = 0
        for mutant in MUTANTS:
            alive = survives(mutant, copy)
            survivors += alive
            verdict = "NOT NOTICED" if alive else "noticed"
            sys.stdout.write(f"{verdict:<12} {mutant.path}: {mutant.old.strip()} -> {mutant.new.strip()}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{len(MUTANTS) - survivors} of {len(MUTANTS)} changes noticed\n")
    return 1 if survivors else 0


if __name__ == "__main__":
    raise SystemExit(main())
