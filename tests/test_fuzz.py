"""Damaged structure files through all stages: each ends as a status row, after any mutation."""

from __future__ import annotations

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
from tests.tools.fuzz.mutation import MUTATIONS
from tests.tools.fuzz.one_job import OneJob

CASES = 120
BATCHES = 6
"""So many tests share the cases, so that workers can share them."""

FOUND = {
    "4cup far_atoms+alternates 69": "a scattered chain had more crystal images than memory has room for",
    "1hpv swapped_fields+far_atoms 237": "the same with a box of 80 TiB",
    "made renamed_tags+odd_numbers 70": "an occupancy of -1e308 lost atoms of the ligand",
    "4cup damaged_crystal+lost_tag 17": "a flat cell divided by zero",
    "1gbt atoms_in_one_place 92": "FreeSASA gave no area for atoms in one place",
    "4cup swapped_fields+odd_names 192": "an atom of unknown element ended the step of the molecules",
    "1hpv repeated_lines+shuffled_lines 343": "a molecule without ring information ended the step of the areas",
    "1hpv random_bytes+odd_names+scaled_coordinates 199": "all atoms in one place took minutes",
    "made repeated_atoms 160": "atoms repeated elsewhere were two residues of one name",
    "made repeated_atoms 224": "the same with an atom in the middle of the polymer",
    "1hpv repeated_atoms+small_cell+shuffled_lines 290": "a ligand in pieces all over the file",
    "1hpv lost_atoms+repeated_lines+one_residue 294": "residues of polymer and ligand of one name",
    "1hpv renamed_tags+odd_names 3341": "symmetry that packs images into each other took minutes",
    "4cup damaged_crystal 3153": "an origin of the cell far away overflowed",
    "made damaged_crystal 3795": "an operator of the assembly was no motion",
    "made flipped_bits+lost_lines 1378": "a name that is not ASCII",
    "1gbt odd_names 2117": "a name of 200 letters ended the step",
    "4cup lost_tag 691": "residues had no number",
    "made flipped_bits 2642": "a zero byte cut a line",
    "made renamed_tags 2777": "damaged record names were read by one reader and not by the other",
    "made odd_numbers+odd_numbers 3862": "a residue number that is none",
    "1hpv swapped_fields+empty_loop 3206": "the same with letters behind a digit",
    "1hpv swapped_fields 4164": "the entry's id where later files have the element",
    "made shifted_columns 493": "shifted columns were read as other coordinates",
    "made damaged_categories 6143": "half a character at the end of a name of an operator",
    "1gbt swapped_fields 8221": "charges of several digits in the one column of a PDB file",
    "1hpv atoms_in_one_place 4147": "a ligand in 32 pieces was looked for in its parent for ever",
    "4cup damaged_crystal 1088": "an angle of a cell that no program reads again",
    "made odd_names 7139": "an atom's name with a blank in a list of names",
    "made atoms_in_one_place+repeated_atoms 7943": "a repeated atom in the place of others was two atoms",
    "made odd_numbers+empty_loop+lost_bytes 8551": "a coordinate with letters behind its point",
    "made flipped_bits+shuffled_lines 8760": "an element that is none",
    "made odd_names 9625": "the same with a letter that is no element's",
}
"""Cases that were wrong once, and why."""

FOUND_IN_MIRROR = {
    "6zrt swapped_fields+odd_names 1468": "a linked set of thousands of atoms was drawn for minutes",
    "1o1z repeated_categories 6651": "the same with a whole protein that was no polymer any more",
    "6xqs swapped_fields 6579": "the same with few atoms seen of many residues",
    "1hii swapped_fields 2187": "names that say nothing of elements where the elements stand",
    "1pfe alternates+atoms_in_one_place 3696": "a bond of no length in the self-check",
    "7c8u repeated_lines+damaged_categories 2414": "a zero byte swallowed the next line",
    "6lu7 swapped_fields+other_line_ends+odd_numbers 2784": "a coordinate with two points",
    "1cbs swapped_fields 5576": "HETATM in place of an element was helium",
    "4qqc repeated_atoms+odd_names 6499": "a repeated atom of another element was left out by one reader alone",
    "2wkz damaged_categories+scaled_coordinates 1311": "half a letter in a sequence ended the step",
    "1cbs odd_names+lost_lines 5125": "an author's name that is no code beside one that is",
    "1stp odd_numbers 9607": "a residue number beyond 32 bits",
    "1hvr damaged_crystal 4881": "the rotations of a huge cell overflowed",
}
"""Cases of files that are not embedded."""


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


@pytest.mark.parametrize("text", FOUND)
def test_file_that_was_a_problem_once_ends_as_a_status_row(text: str, job: OneJob) -> None:
    reason, _, wrong = outcome(job, Case.of(text).content(archive_bases()))
    assert reason
    assert not wrong


@pytest.mark.parametrize("text", FOUND_IN_MIRROR)
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
