"""Result files of the shipped examples agree; the two readers find planted differences."""

import shutil
from pathlib import Path

import pytest

from tests.tools.agreement import disagreements
from tests.tools.protac_reading import problems_of_job
from tests.tools.runs import ROOT
from tethermap.base import layout

EXAMPLES = ROOT / "data/examples"
STEM = "4cup_A_ZYB_2971"
SDF, SVG, INPUTS = layout.ligand_sdf(STEM), layout.ligand_svg(STEM, "exits"), layout.protac_inputs(STEM)


def problems(job: Path) -> list[str]:
    """Return the disagreements of all files of a job, including inputs of other programs if there are any."""
    has_inputs = any((job / layout.PROTAC_FOLDER).glob("*/exits.json"))
    return [*disagreements(job), *(problems_of_job(job) if has_inputs else ())]


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("exam*")))
def test_files_of_an_example_agree(name: str) -> None:
    assert problems(EXAMPLES / name) == []


@pytest.mark.parametrize(
    ("path", "old", "new", "words"),
    [
        (SDF, "sdf_index=", "sdf_index=1", "exit_1 of the SDF differs"),
        (SDF, ">  <exit_1>", ">  <exit_9>", "fields of the SDF and sites differ"),
        (SVG, 'data-rank="1"', 'data-rank="x"', "arrows of the depiction differ"),
        (layout.EXIT_VECTORS, "ZYB,2971,1,", "ZYB,2971,,", "neither rank nor reason"),
        (f"{INPUTS}/exits.json", '"sdf_index": 10, "pdb', '"sdf_index": 9, "pdb', "exit 1 has another anchor"),
        (
            f"{INPUTS}/exits.json",
            '"pdb_serial": 9',
            '"pdb_serial": 8',
            "in the JSON and ('C', '1960', 'C') in the complex",
        ),
        (f"{INPUTS}/deepternary/lig2_mask_1.pdb", "HETATM    2", "HETATM   99", "the atoms of the mask differ"),
    ],
)
def test_planted_difference_is_found(tmp_path: Path, path: str, old: str, new: str, words: str) -> None:
    job = shutil.copytree(EXAMPLES / "exam4cup", tmp_path / "job")
    text = (job / path).read_text(encoding="utf-8")
    assert old in text
    (job / path).write_text(text.replace(old, new, 1), encoding="utf-8")
    assert any(words in found for found in problems(job))
