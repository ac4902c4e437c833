"""Damaged structure files through all stages: each ends as a status row, after any mutation."""

import gzip
import logging
import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import gemmi
import pytest

from tests.tools.fuzz.campaign import HANG_SECONDS, Campaign, kinds, outcome
from tests.tools.fuzz.case import Case, archive_bases
from tests.tools.fuzz.mutations import MUTATIONS
from tests.tools.fuzz.one_job import OneJob
from tests.tools.runs import ROOT, rows_of

CASES = 120
BATCHES = 6
"""So many tests share the cases, so that workers can share them."""

ONCE_WRONG = rows_of(ROOT, "tests/data/fuzz_cases.csv")
"""Cases that were wrong once, whether their file is in the mirror only, and the fault."""


@pytest.fixture
def job(tmp_path: Path) -> Iterator[OneJob]:
    """A job folder, with suppressed logs: the files are bad on purpose."""
    logging.disable(logging.CRITICAL)
    yield OneJob(tmp_path / "job")
    logging.disable(logging.NOTSET)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("batch", range(BATCHES))
def test_damaged_files_end_as_status_rows(batch: int, job: OneJob) -> None:
    bases = archive_bases()
    wrong = {}
    for number in range(batch, CASES, BATCHES):
        case = Case.number(number, bases)
        _, _, found = outcome(job, case.content(bases))
        if found:
            wrong[str(case)] = found
    assert not wrong


@pytest.mark.parametrize("text", [row["case"] for row in ONCE_WRONG if not row["mirror"]])
def test_file_that_was_a_problem_once_ends_as_a_status_row(text: str, job: OneJob) -> None:
    reason, _, wrong = outcome(job, Case.of(text).content(archive_bases()))
    assert reason
    assert not wrong


@pytest.mark.parametrize("text", [row["case"] for row in ONCE_WRONG if row["mirror"]])
def test_file_of_the_mirror_that_was_a_problem_once_ends_as_a_status_row(text: str, job: OneJob, mirror: Path) -> None:
    case = Case.of(text)
    path = next(mirror.glob(f"{case.base}.*"))
    before = time.process_time()
    reason, _, wrong = outcome(job, case.content({case.base: gzip.decompress(path.read_bytes())}))
    assert reason
    assert not wrong
    assert time.process_time() - before < HANG_SECONDS


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
        reason, instances, wrong = outcome(job, content.encode())
        assert (reason, instances > 0, wrong) == ("kept", True, ())


def test_undamaged_files_have_nothing_wrong(job: OneJob) -> None:
    found = {name: outcome(job, content) for name, content in archive_bases().items()}
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


def test_campaign_detects_crash_and_hang_and_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tests.tools.fuzz.campaign as module

    class Stub:
        """Stands for the job: one file crashes the process, one takes for ever."""

        def __init__(self, folder: Path) -> None:
            self.folder = folder

        def run(self, content: bytes) -> object:
            if b"crash" in content:
                os.kill(os.getpid(), signal.SIGKILL)
            while b"hang" in content:
                pass
            raise KeyError("told")

    monkeypatch.setattr(module, "HANG_SECONDS", 0.3)
    monkeypatch.setattr("tests.tools.fuzz.one_job.OneJob", Stub)
    contents = {0: b"crash", 1: b"fine", 2: b"hang", 3: b"fine"}
    monkeypatch.setattr(Case, "content", lambda self, _: contents[self.seed])
    campaign = Campaign({"4cup": b""}, tmp_path / "record.jsonl")
    found = campaign.run(4, 1)
    assert [result.wrong[0].partition(":")[0] for result in found] == ["crash", "raised", "hang", "raised"]
    assert [len(results) for _, results in kinds(found)] == [2, 1, 1]
    assert campaign.run(4, 2) == found
