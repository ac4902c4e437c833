"""Inputs for programs that model degraders, requested for a finished job."""

import json
import zipfile
from pathlib import Path

import pytest

from scripts.protac_inputs import main
from tests.tools.parts import rows_of_part
from tests.tools.small_job import small_job
from tethermap.extras.protac.on_demand import NoInputsError, RequestedAnchor, inputs_of_anchor
from tethermap.extras.protac.programs import tools

STEM = "2abc_B_017_-3"


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_job(tmp_path_factory.mktemp("job"), n_shards=2).path


def _anchors(job: Path) -> list[str]:
    rows = [row for shard in "01" for row in rows_of_part(job, shard, "measure_sasa/exits")]
    return [str(row["anchor_atom"]) for row in rows if row["stem"] == STEM and row["rank"]]


def test_every_ranked_anchor_has_inputs_for_itself(job: Path, tmp_path: Path) -> None:
    anchors = _anchors(job)
    assert len(anchors) > 2
    for anchor in anchors:
        main(RequestedAnchor(job, STEM, anchor), tools(), tmp_path / anchor)
        exits = json.loads((tmp_path / anchor / "exits.json").read_text(encoding="utf-8"))["exits"]
        (chosen,) = (one for one in exits if "files" in one)
        assert chosen["anchor"]["name"] == anchor
        assert (tmp_path / anchor / chosen["files"]["prosettac"]["head"]).is_file()


@pytest.mark.parametrize(
    ("tool", "paths"),
    [
        ("json", {"exits.json", "fragments.json"}),
        ("deepternary", {"README.txt", "target_ligand.pdb", "deepternary/README.txt", "deepternary/lig2_mask_1.pdb"}),
    ],
)
def test_zip_contains_the_files_of_one_tool(job: Path, tmp_path: Path, tool: str, paths: set[str]) -> None:
    main(RequestedAnchor(job, STEM, _anchors(job)[0]), [tool], tmp_path / "inputs.zip")
    with zipfile.ZipFile(tmp_path / "inputs.zip") as archive:
        assert set(archive.namelist()) - {"target.pdb"} == paths


@pytest.mark.parametrize(
    ("stem", "anchor", "tool", "told"),
    [
        ("9xyz_A_LIG_1", "C1", "json", "no ligand 9xyz_A_LIG_1"),
        (STEM, "ZZ9", "json", "no atom that a linker could leave from"),
        (STEM, "C1", "docking", "give one of prosettac"),
    ],
)
def test_impossible_inputs_are_explained_in_a_sentence(job: Path, stem: str, anchor: str, tool: str, told: str) -> None:
    with pytest.raises(NoInputsError, match=told):
        inputs_of_anchor(RequestedAnchor(job, stem, anchor), [tool])


def test_folder_without_working_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoInputsError, match="no longer exist"):
        inputs_of_anchor(RequestedAnchor(tmp_path, STEM, "C1"))
