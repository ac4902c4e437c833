"""The door for Python: one call over a model, a finished job as objects and data frames."""

from __future__ import annotations

import doctest
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import tethermap
from tests.tools.runs import ROOT
from tests.tools.styles import SMILES, programs, write_style
from tethermap import Job, TethermapError, analyse, analysis, job, read_job
from tethermap.base import layout

EXAMPLE = ROOT / "data" / "examples" / "exam4cup"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_style(next(style for style in programs() if style.name == "pymol"), tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def made(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Job:
    return analyse(model, smiles={"LIG": SMILES}, target="BAZ2B", folder=tmp_path_factory.mktemp("job"))


def test_model_with_a_smiles_gives_molecule_exposure_and_exits(made: Job) -> None:
    (ligand,) = made
    assert (ligand.name, ligand.row["bond_source"]) == ("LIG", "user")
    assert ligand.molecule.GetNumAtoms() > len(ligand.exposure) == 11
    names = [ligand.molecule.GetAtomWithIdx(k).GetSymbol() for k in range(11)]
    assert ligand.exposure["element"].to_list() == names
    assert ligand.exits["rank"].iloc[0] == 1
    assert ligand._repr_svg_().startswith("<svg")
    assert ligand.pdb.count("HETATM") == 11
    assert made[ligand.stem] is ligand
    assert "LIG" in made._repr_html_()


def test_codes_and_numbers_of_tables_have_their_types() -> None:
    finished = read_job(ROOT / "data" / "examples" / "exam1hpv")
    row = finished.results.iloc[0]
    assert (row["Warhead"], row["Residue_ID"]) == ("478", "200")
    assert bool(row["sdf_available"])
    assert finished.table("atoms")["relative_sasa"].dtype == "Float64"
    assert not finished.left_out["kept"].any()


@pytest.mark.parametrize(("call", "message"), [
    (read_job, "is no folder of a finished job"),
    (lambda _: read_job(EXAMPLE).table("nothing"), "There is no table 'nothing'"),
    (lambda folder: analyse(folder / "missing.pdb"), "does not exist"),
    (lambda folder: analyse(folder, filterz={}), "filterz is not a setting"),
])  # fmt: skip
def test_what_cannot_be_done_is_one_sentence(call: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(TethermapError, match=message):
        call(tmp_path)


def test_three_dimensions_say_what_is_missing(made: Job) -> None:
    if "py3Dmol" in sys.modules:
        pytest.skip("py3Dmol is here")
    with pytest.raises(TethermapError, match="pip install py3Dmol"):
        made.ligands[0].view()


def test_result_files_are_those_of_a_job(made: Job) -> None:
    manifest = json.loads((made.folder / layout.MANIFEST).read_text())
    assert manifest["has_results"] is True
    assert manifest["self_check"]["passed"] is True


@pytest.mark.parametrize("module", [analysis, job], ids=["analysis", "job"])
def test_examples_give_what_they_say(module: Any) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted
    assert not outcome.failed


def test_notebook_runs(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tethermap", tethermap)
    cells = json.loads((ROOT / "tests" / "data" / "tethermap.ipynb").read_text())["cells"]
    names: dict[str, Any] = {"MODEL": model, "FOLDER": tmp_path / "job"}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert len(names["again"]) == 1
