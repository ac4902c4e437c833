"""The inputs for programs that model degraders of the embedded entries, read back by other readers."""

import shutil
from pathlib import Path

import pytest

from tests.tools.protac_reading import problems_of_job
from tests.tools.runs import LOCAL, JobRun, by_stem, rows_of, run_job, settings_in
from tethermap.base import layout
from tethermap.base.tables import PROTAC_INPUTS, read_table
from tethermap.extras.protac.on_demand import RequestedAnchor, inputs_of_anchor
from tethermap.extras.protac.programs import names, program


@pytest.fixture(scope="module")
def job(demo: JobRun, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo job, with inputs requested after its end."""
    used = shutil.copytree(demo.checked().job, tmp_path_factory.mktemp("asked") / "job")
    settings = {**settings_in(demo.job), "protac_inputs": {"exits": 3}, "force": True}
    return run_job(Path(used), settings, *LOCAL).checked().job


def test_job_writes_no_inputs_by_default(demo: JobRun) -> None:
    folder = demo.checked().job / layout.PROTAC_FOLDER
    assert [path.name for path in folder.iterdir()] == ["index.csv"]
    assert list(read_table(folder / "index.csv", PROTAC_INPUTS)) == []


def test_rule_that_makes_them_has_left_a_log(job: Path) -> None:
    assert (job / layout.RULE_LOGS / "write_protac_inputs" / "0.log").is_file()


def test_each_anchor_is_one_atom_in_all_files_of_the_embedded_entries(job: Path) -> None:
    assert list(problems_of_job(job)) == []


def test_inputs_on_demand_are_those_of_the_job(job: Path) -> None:
    """Except files about all sites: the JSON and the texts."""
    rows = [row for row in read_table(job / layout.PROTAC_INPUTS, PROTAC_INPUTS) if row["site_rank"] == 2]
    assert len(rows) >= 2
    with_sites = [name for name in names() if program(name).site]
    for row in rows:
        folder = job / layout.protac_inputs(str(row["stem"]))
        files = inputs_of_anchor(RequestedAnchor(job, str(row["stem"]), str(row["anchor_atom"])), with_sites)
        assert sum(path.partition(".")[0].endswith("_2") for path in files) == 5
        for path, text in files.items():
            assert text == (folder / path).read_text(encoding="utf-8") or path.endswith("README.txt")


def test_index_lists_each_ligand_and_its_three_best_sites(job: Path) -> None:
    listed = by_stem(rows_of(job, layout.PROTAC_INPUTS))
    assert {"4cup_A_ZYB_2971", "1hpv_A_478_200"} <= listed.keys()
    assert all([row["site_rank"] for row in rows] == ["1", "2", "3"][: len(rows)] for rows in listed.values())


def test_readmes_have_three_lines_and_a_covalent_ligand_is_marked(job: Path) -> None:
    readmes = sorted((job / layout.PROTAC_FOLDER).rglob("README.txt"))
    assert len(readmes) == 4 * len({path.relative_to(job / layout.PROTAC_FOLDER).parts[0] for path in readmes})
    assert {len(path.read_text(encoding="utf-8").splitlines()) for path in readmes} == {3}
    covalent = next(path for path in readmes if "1gbt" in path.parent.name)
    assert "covalently bound to OG of SER 195" in covalent.read_text(encoding="utf-8")
