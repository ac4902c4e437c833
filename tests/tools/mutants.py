"""Change constants and rules of the science on purpose: each change must make a test fail.

``python -m tests.tools.mutants`` runs all of them in a copy of the repository; ``make mutants``
is the same. A change that no test notices is listed, and the exit status is 1.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.tools.runs import ROOT


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: the file, the old and the new text, and the tests that must fail."""

    path: str
    old: str
    new: str
    tests: str


EXPOSURE = "tests/tethermap/exposure"
RADII = "tests/tethermap/exposure/test_radii.py"
RADII_TABLE = "data/reference/radii.csv"
PLACEMENT = "tests/tethermap/complex/test_placement.py"
KINDS = "tests/tethermap/instance/test_kinds.py"
CONFORMER = "tests/tethermap/instance/test_conformer.py"
BONDS = "tests/tethermap/instance/test_bonds.py"
CONTEXT = "tests/tethermap/complex/test_context.py"
SEQUENCE = "tests/tethermap/entry/test_sequence.py"
TARGET = "tests/tethermap/entry/test_target.py"
EXITS = "tests/tethermap/exits"
LIB = "scripts/tethermap"
POCKETS = "tests/tethermap/answers/pockets"

PYTEST_FAILED_ITSELF = (2, 3, 4, 5)
"""Exit statuses of pytest that are not about the tests: interrupted, internal, usage, none collected."""

MUTANTS = (
    # radii and exposure
    Mutant(RADII_TABLE, "C,sp3,1.88", "C,sp3,1.87", RADII),
    Mutant(RADII_TABLE, 'C,"sp2 or sp, no hydrogen",1.61', 'C,"sp2 or sp, no hydrogen",1.76', RADII),
    Mutant(RADII_TABLE, 'O,"one neighbour, no hydrogen",1.42', 'O,"one neighbour, no hydrogen",1.46', RADII),
    Mutant(f"{LIB}/exposure/engines.py", "radii + probe_radius", "radii + 1.3", f"{EXPOSURE}/test_sasa.py"),
    Mutant(f"{LIB}/exposure/sasa.py", "neighbourhood.context + 1", "neighbourhood.context", f"{EXPOSURE}/test_sasa.py"),
    Mutant(f"{LIB}/exposure/sasa.py", "return 1.0 - relative_sasa", "return relative_sasa", f"{EXPOSURE}/test_sasa.py"),
    Mutant(f"{LIB}/base/contexts.py", "EXPOSED_ABOVE = 0.1", "EXPOSED_ABOVE = 1.0", f"{EXPOSURE}/test_rows.py"),
    # conformers
    Mutant(f"{LIB}/instance/conformer.py", "if by_mean else (total, mean)", "if by_mean else (mean, total)", CONFORMER),
    Mutant(f"{LIB}/instance/conformer.py", "or key > best:", "or key >= best:", CONFORMER),
    Mutant(
        f"{LIB}/instance/conformer.py",
        "if label and (labels == label).any() else best",
        "if label else best",
        CONFORMER,
    ),
    # kinds
    Mutant(f"{LIB}/instance/kinds.py", "FEWEST_BURIED_ATOMS = 5", "FEWEST_BURIED_ATOMS = 4", KINDS),
    Mutant(f"{LIB}/instance/kinds.py", "        if wanted:", "        if wanted and heavy_atoms > 20:", KINDS),
    Mutant(f"{LIB}/instance/kinds.py", "CHAINED_SUGARS = 3", "CHAINED_SUGARS = 2", "tests/tethermap/instance"),
    Mutant(f"{LIB}/instance/peptides.py", "LONGEST_PEPTIDE = 15", "LONGEST_PEPTIDE = 16", "tests/tethermap/instance"),
    Mutant(f"{LIB}/instance/peptides.py", "SHORTEST_PARTNER = 30", "SHORTEST_PARTNER = 29", "tests/tethermap/instance"),
    # bonds between residues
    Mutant(f"{LIB}/instance/bonds.py", "LONGEST_BOND = 1.15", "LONGEST_BOND = 1.12", BONDS),
    Mutant(f"{LIB}/instance/bonds.py", "LONGEST_JOIN = 1.10", "LONGEST_JOIN = 1.14", BONDS),
    Mutant(f"{LIB}/instance/bonds.py", "SHORTEST_BOND = 0.85", "SHORTEST_BOND = 0.6", BONDS),
    Mutant(f"{LIB}/instance/bonds.py", "SHORTEST_TO_NUCLEOPHILE = 0.75", "SHORTEST_TO_NUCLEOPHILE = 0.6", BONDS),
    Mutant(f"{LIB}/instance/bonds.py", "MOST_BONDS_OF_A_PAIR = 2", "MOST_BONDS_OF_A_PAIR = 9", BONDS),
    # contexts
    Mutant(f"{LIB}/complex/limits.py", "KEPT_WITHIN = 5.0", "KEPT_WITHIN = 5.6", CONTEXT),
    Mutant(f"{LIB}/complex/limits.py", "METAL_REACH = 2.8", "METAL_REACH = 3.0", CONTEXT),
    Mutant(f"{LIB}/complex/context.py", "OVERLAP = 1.0", "OVERLAP = 0.0", CONTEXT),
    Mutant(
        f"{LIB}/complex/context.py",
        "return TARGET if beside or body.asym in self._targets else ASSEMBLY",
        "return TARGET",
        CONTEXT,
    ),
    Mutant(
        f"{LIB}/complex/context.py",
        "near.sort(key=lambda chain: chain[0])",
        "near.sort(key=lambda chain: -chain[0])",
        CONTEXT,
    ),
    Mutant(
        f"{LIB}/complex/placement.py", 'CRYSTAL_METHODS = ("X-RAY", "NEUTRON")', 'CRYSTAL_METHODS = ("",)', PLACEMENT
    ),
    # target chains
    Mutant(f"{LIB}/entry/sequence.py", "FEWEST_ALIGNED = 30", "FEWEST_ALIGNED = 29", SEQUENCE),
    Mutant(f"{LIB}/entry/sequence.py", "aligner.end_gap_score = 0.0", "aligner.end_gap_score = -11.0", SEQUENCE),
    Mutant(
        f"{LIB}/entry/sequence.py",
        "len(pairs) / min(len(query), len(chain))",
        "len(pairs) / max(len(query), len(chain))",
        SEQUENCE,
    ),
    Mutant(f"{LIB}/entry/sequence.py", '(ours != b"X")', '(ours != b"?")', SEQUENCE),
    Mutant(f"{LIB}/entry/sequence.py", "match.identity >= min_identity", "match.identity >= 0.5", TARGET),
    Mutant(f"{LIB}/entry/target.py", "words <= _words", "words & _words", TARGET),
    # molecules
    Mutant(f"{LIB}/molecule/geometry.py", "LONGEST = 1.35", "LONGEST = 9.0", "tests/tethermap/matching"),
    Mutant(f"{LIB}/molecule/geometry.py", "SHORTEST = 0.6", "SHORTEST = 0.1", "tests/tethermap/matching"),
    # exits
    Mutant(f"{LIB}/exits/limits.py", "LARGEST_LEAVING = 9", "LARGEST_LEAVING = 8", f"{EXITS}/test_candidates.py"),
    Mutant(f"{LIB}/exits/candidates.py", "not 2 * len(side) < len(graph)", "False", f"{EXITS}/test_candidates.py"),
    Mutant(f"{LIB}/exits/torsions.py", "TORSIONS = 12", "TORSIONS = 6", EXITS),
    Mutant(f"{LIB}/exits/limits.py", "RAY_END = 0.5, 10.0", "RAY_END = 0.5, 8.0", f"{EXITS}/test_geometry.py"),
    Mutant(f"{LIB}/exits/geometry.py", "SOFTNESS = 1.5, 0.9", "SOFTNESS = 1.5, 1.0", f"{EXITS}/test_geometry.py"),
    Mutant(f"{LIB}/exits/geometry.py", "np.radians(60.0)", "np.radians(45.0)", f"{EXITS}/test_geometry.py"),
    Mutant(f"{LIB}/exits/limits.py", "LINKER_RADIUS = 1.7", "LINKER_RADIUS = 1.5", EXITS),
    Mutant(
        f"{LIB}/exits/geometry.py",
        "away[rows, [*candidate.leaving, *poses.group]] = True",
        "away[rows, []] = True",
        EXITS,
    ),
    Mutant(
        f"{LIB}/exits/poses.py",
        "frames_of(candidate.directions, graph.offsets(anchor))",
        "frames_of(candidate.directions, np.eye(3).tolist())",
        EXITS,
    ),
    Mutant("data/reference/exit_classes.csv", "other N-H,0.1,", "other N-H,0.15,", f"{EXITS}/test_prior.py"),
    Mutant(f"{LIB}/exits/limits.py", "PRIOR_WEIGHT = 2.0", "PRIOR_WEIGHT = 1.0", f"{EXITS}/test_rank.py"),
    Mutant(f"{LIB}/exits/limits.py", "AREA_WEIGHT = 0.003", "AREA_WEIGHT = 0.0", f"{EXITS}/test_rank.py"),
    Mutant(f"{LIB}/exits/rank.py", "HBOND_WITHIN = 3.4", "HBOND_WITHIN = 3.6", f"{EXITS}/test_rank.py"),
    Mutant(f"{LIB}/exits/sites.py", "END_SUBSTITUENTS = 4", "END_SUBSTITUENTS = 5", f"{EXITS}/test_sites.py"),
    Mutant(f"{LIB}/exits/sites.py", "LONGEST_CHAIN = 6", "LONGEST_CHAIN = 7", f"{EXITS}/test_sites.py"),
    Mutant(
        f"{LIB}/exits/evidence.py",
        "GAP_WITHIN, BESIDE_WAY = 10.0",
        "GAP_WITHIN, BESIDE_WAY = 12.0",
        f"{EXITS}/test_evidence.py",
    ),
    Mutant(
        f"{LIB}/exits/limits.py",
        "MOBILE, VERY_MOBILE = 2.0",
        "MOBILE, VERY_MOBILE = 2.5",
        f"{EXITS}/test_evidence.py",
    ),
    Mutant(
        f"{LIB}/answers/pockets/limits.py",
        "LONGEST_PAIR = 2.0",
        "LONGEST_PAIR = 9.0",
        POCKETS,
    ),
    Mutant(f"{LIB}/answers/pockets/limits.py", "COVERAGE = 0.6", "COVERAGE = 0.5", POCKETS),
    Mutant(f"{LIB}/answers/pockets/directions.py", "SAME_ANGLE))", "2 * SAME_ANGLE))", POCKETS),
    Mutant(
        f"{LIB}/answers/pockets/limits.py",
        "LEAST_OVERLAP = 0.5",
        "LEAST_OVERLAP = 0.3",
        POCKETS,
    ),
    # contacts and lysines
    Mutant(f"{LIB}/complex/lysines.py", "REACH = 30.0", "REACH = 20.0", "tests/tethermap/complex"),
    Mutant(
        f"{LIB}/complex/limits.py", "HBOND_MAX = 3.5", "HBOND_MAX = 4.5", "tests/tethermap/complex/test_contacts.py"
    ),
    Mutant(
        f"{LIB}/complex/limits.py", "IONIC_MAX = 4.0", "IONIC_MAX = 6.0", "tests/tethermap/complex/test_contacts.py"
    ),
)


def survives(mutant: Mutant, copy: Path) -> bool:
    """Return whether the tests still pass with one change made."""
    path = copy / mutant.path
    original = path.read_text(encoding="utf-8")
    if original.count(mutant.old) != 1:
        raise ValueError(f"{mutant.path} holds {mutant.old!r} {original.count(mutant.old)} times, expected once")
    path.write_text(original.replace(mutant.old, mutant.new), encoding="utf-8")
    try:
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", mutant.tests]
        run = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False, env=_environment())
    finally:
        path.write_text(original, encoding="utf-8")
    if run.returncode in PYTEST_FAILED_ITSELF:
        raise RuntimeError(f"pytest ended with {run.returncode}:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    return run.returncode == 0


def _environment() -> dict[str, str]:
    """Return the environment without the large mirror: the small tests must notice."""
    return {key: value for key, value in os.environ.items() if key != "TETHERMAP_TEST_MIRROR"}


def main() -> int:
    """Make all changes, one after another, and report those that no test noticed."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        for part in ("scripts", "tests", "data", "config", "service"):
            if (ROOT / part).is_dir():
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
