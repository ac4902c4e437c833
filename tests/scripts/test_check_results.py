from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tools.parts import change, rows_of_part
from tests.tools.small_job import SmallJob, small_job
from tethermap.base import layout
from tethermap.selfcheck.outcome import CHECKS


def failures(job: SmallJob) -> set[tuple[str, str]]:
    """Run the checks and return (stem, check) of those that fail."""

    job.run("check_results")
    rows = rows_of_part(job.path, "0", "check_results/checks")
    return {(str(row["stem"]), str(row["check"])) for row in rows if row["passed"] is not True}


@pytest.fixture
def job(tmp_path: Path) -> SmallJob:
    return small_job(tmp_path)


STEM = "2abc_B_017_-3"


def test_correct_output_passes_every_check(job: SmallJob) -> None:
    assert failures(job) == set()
    rows = rows_of_part(job.path, "0", "check_results/checks")
    assert {row["check"] for row in rows} == CHECKS.keys() - {"entry_rows"}  # this one concerns the complete job
    assert sum(row["check"] == "bonds" for row in rows) == 5


def test_the_list_of_files_is_made_from_the_disk(job: SmallJob) -> None:
    failures(job)
    files = rows_of_part(job.path, "0", "check_results/files")
    inputs = [path for path in (job.path / layout.PROTAC_FOLDER).rglob("*") if path.is_file()]
    assert len(files) == 5 * 7 + len(inputs)
    assert len(inputs) > 5 * 10
    assert [row["path"] for row in files] == sorted(str(row["path"]) for row in files)
    assert all((job.path / str(row["path"])).stat().st_size == row["bytes"] for row in files)


def test_a_missing_depiction_is_reported(job: SmallJob) -> None:
    (job.path / layout.ligand_svg(STEM, "plain")).unlink()
    assert failures(job) == {(STEM, "files")}


SDF, COMPLEX = layout.ligand_sdf(STEM), layout.war_pdb(STEM)


@pytest.mark.parametrize(
    ("path", "change", "checks"),
    [
        (SDF, lambda text: text.replace("2.0000    1.3500", "2.0000    1.3520"), {"same_atoms"}),
        (SDF, lambda text: text.replace(" O   0", " S   0", 1), {"same_atoms"}),
        (SDF, lambda text: text[:100], {"same_atoms"}),
        (COMPLEX, lambda text: text.replace("1.350", "1.352"), {"same_atoms"}),
        (COMPLEX, lambda text: text.partition("\n")[2], {"same_atoms"}),
        (f"{layout.protac_inputs(STEM)}/prosettac/Protac_params_1.txt", lambda text: text + "\n", set()),
    ],
    ids=[
        "atom moved in the SDF",
        "element",
        "SDF cut off",
        "atom moved in the complex",
        "atom missing",
        "tool's input",
    ],
)
def test_changed_file_is_reported(job: SmallJob, path: str, change: Callable[[str], str], checks: set[str]) -> None:
    before = (job.path / path).read_text(encoding="utf-8")
    after = change(before)
    assert after != before
    (job.path / path).write_text(after, encoding="utf-8")
    assert failures(job) == {(STEM, check) for check in {"files", *checks}}


def test_areas_that_do_not_add_up_are_reported(job: SmallJob) -> None:
    change(job.path, "0", "measure_sasa/sasa_summary", lambda text: text.replace(",123.462,", ",123.562,", 1))
    assert {check for _, check in failures(job)} == {"sasa_sums"}


def test_an_accepted_instance_without_its_row_is_reported(job: SmallJob) -> None:
    def without(text: str) -> str:
        return "".join(line for line in text.splitlines(keepends=True) if STEM not in line)

    change(job.path, "0", "clean_complexes/ligand_status", without)
    assert failures(job) == {("2abc", "status_rows")}
