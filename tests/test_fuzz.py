"""Damaged structure files through all stages: each ends as a status row, after any mutation.

A crash, a hang or a lack of memory ends the worker of the test, which pytest names.
"""

import gzip
import logging
import os
import re
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import gemmi
import psutil
import pytest

from tests.tools.fuzz.case import Case, archive_bases, mirror_bases
from tests.tools.fuzz.mutations import MUTATIONS
from tests.tools.fuzz.one_job import OneJob
from tests.tools.patience import patience, slowness
from tests.tools.runs import ROOT, rows_of

WANTED = os.environ.get("TETHERMAP_TEST_DAMAGED")
CASES = int(WANTED or 120)
HANG_SECONDS = 10.0
"""CPU time on a quiet machine after which a case hangs."""

MOST_BYTES = 1500 << 20
"""Address space of a case beyond that of the process before it."""

ONCE_WRONG = rows_of(ROOT, "tests/data/fuzz_cases.csv")
"""Cases that were wrong once, whether their file is in the mirror only, and the fault."""


@pytest.fixture(scope="module", autouse=True)
def loaded(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All modules are imported before memory is limited."""
    OneJob(tmp_path_factory.mktemp("loaded") / "job").run(archive_bases()["made"])


@pytest.fixture(scope="module")
def bases() -> dict[str, bytes]:
    """The files to damage: the embedded archive and, in a campaign, small files of the mirror if it is available."""
    mirror = os.environ.get("TETHERMAP_TEST_MIRROR") if WANTED else None
    return {**(mirror_bases(Path(mirror)) if mirror else {}), **archive_bases()}


@pytest.fixture
def job(tmp_path: Path) -> Iterator[OneJob]:
    """A job folder, with limits of memory and time, and with suppressed logs: the files are bad on purpose."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    logging.disable(logging.CRITICAL)
    resource.setrlimit(resource.RLIMIT_AS, (psutil.Process().memory_info().vms + MOST_BYTES, before[1]))
    signal.setitimer(signal.ITIMER_PROF, HANG_SECONDS * slowness())
    signal.setitimer(signal.ITIMER_REAL, patience(120))
    yield OneJob(tmp_path / "job")
    for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL):
        signal.setitimer(timer, 0)
    resource.setrlimit(resource.RLIMIT_AS, before)
    logging.disable(logging.NOTSET)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("number", range(CASES))
def test_damaged_file_ends_as_a_status_row(number: int, job: OneJob, bases: dict[str, bytes]) -> None:
    case = Case.number(number, bases)
    assert not job.run(case.content(bases)).wrong, case


@pytest.mark.parametrize("text", [row["case"] for row in ONCE_WRONG if not row["mirror"]])
def test_file_that_was_a_problem_once_ends_as_a_status_row(text: str, job: OneJob) -> None:
    reason, _, wrong = job.run(Case.of(text).content(archive_bases()))
    assert reason
    assert not wrong


@pytest.mark.parametrize("text", [row["case"] for row in ONCE_WRONG if row["mirror"]])
def test_file_of_the_mirror_that_was_a_problem_once_ends_as_a_status_row(text: str, job: OneJob, mirror: Path) -> None:
    case = Case.of(text)
    path = next(mirror.glob(f"{case.base}.*"))
    reason, _, wrong = job.run(case.content({case.base: gzip.decompress(path.read_bytes())}))
    assert reason
    assert not wrong


@pytest.mark.parametrize("before", ["", "x"])
def test_header_with_characters_outside_ascii_has_nothing_wrong(before: str, job: OneJob) -> None:
    """Columns of PDB files end in the middle of them, in one case or the other."""
    text = before + 60 * "\u00e9"
    mmcif, pdb = (archive_bases()[name].decode() for name in ("1gbt", "1hpv"))
    block = gemmi.cif.read_string(mmcif)[0]
    for tag in ("_struct.title", "_struct_keywords.pdbx_keywords", "_struct_ref.pdbx_db_accession"):
        block.find_values(tag)[0] = gemmi.cif.quote(text)
    titled = re.sub("(?m)^((?:TITLE |COMPND|DBREF )....).*", lambda line: f"{line[1]}{text}"[:80], pdb)
    for content in (block.as_string(), titled):
        reason, instances, wrong = job.run(content.encode())
        assert (reason, instances > 0, wrong) == ("kept", True, ())


def test_undamaged_files_have_nothing_wrong(job: OneJob) -> None:
    found = {name: job.run(content) for name, content in archive_bases().items()}
    assert not any(wrong for _, _, wrong in found.values())
    assert {name for name, (_, instances, _) in found.items() if instances} == {"1gbt", "1hpv", "4cup", "4zhl", "made"}


def test_each_mutation_changes_files_and_is_the_same_each_time() -> None:
    bases = archive_bases()
    for name in MUTATIONS:
        made = [Case(base, (name,), seed).content(bases) for base in ("4cup", "1hpv") for seed in range(4)]
        again = [Case(base, (name,), seed).content(bases) for base in ("4cup", "1hpv") for seed in range(4)]
        assert made == again
        assert any(content not in (bases["4cup"], bases["1hpv"]) for content in made), name


def test_a_case_is_the_text_that_names_it() -> None:
    case = Case.number(7, archive_bases())
    assert Case.of(str(case)) == case
