"""The door for Python: one call over a model, a finished job as objects and data frames."""

import errno
import gc
import json
import pickle
import sys
import types
from pathlib import Path
from typing import Any, Self

import pytest

import tethermap
from tests.standin.server import StandIn
from tests.tools.runs import ROOT, difference, result_files
from tests.tools.styles import SMILES, programs, write_style
from tethermap import Job, TethermapError, analyse, analysis, job, read_job
from tethermap.base import layout, tables

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
    assert pickle.loads(pickle.dumps(made))[ligand.stem].sdf == ligand.sdf
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
    (lambda _: analyse(""), "structures is empty: give structure files"),
    (lambda folder: analyse(folder, cores=0), "cores is 0: give a whole number from 1"),
    (lambda folder: analyse(folder, smiles="CCO"), "smiles is 'CCO': give SMILES"),  # type: ignore[arg-type]
    (lambda folder: analyse(folder, smiles=["CCO"]), r"smiles is \['CCO'\]: give SMILES"),  # type: ignore[arg-type]
    (lambda folder: analyse(folder, cores="two"), "cores is 'two': give a whole number"),  # type: ignore[arg-type]
    (lambda folder: analyse([folder, ""]), r"structures has .* '']: give structure files"),
    (lambda folder: analyse(folder, source="archive"), "source is 'archive': give a section of settings"),
    (lambda _: read_job(EXAMPLE).ligands[0].drawing("big"), "no drawing 'big': give one of plain, exposed, exits"),
    (lambda folder: analyse(folder, smiles={"LIG": "c1cc"}), "The definition LIG=c1cc can't be used"),
    (lambda folder: analyse(folder, folder=Path("/proc/nothing")), "The folder /proc/nothing can't be written"),
])  # fmt: skip
def test_impossible_request_is_one_sentence(call: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(TethermapError, match=message):
        call(tmp_path)


def test_three_dimensions_name_the_missing_package(made: Job) -> None:
    if "py3Dmol" in sys.modules:
        pytest.skip("py3Dmol is here")
    with pytest.raises(TethermapError, match="pip install py3Dmol"):
        made.ligands[0].view()


def test_missing_ligand_error_names_the_existing_ones(made: Job) -> None:
    with pytest.raises(KeyError, match=f"'4cup' is no ligand of this job, which has {made.ligands[0].stem}"):
        made["4cup"]


def test_pdb_id_is_fetched_and_an_unknown_word_is_not_a_file(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StandIn(archive) as standin:
        standin.use(monkeypatch)
        fetched = analyse("4CUP", cache_dir=str(tmp_path), folder=tmp_path / "job")
        assert standin.count("files", "4cup") == 1
    assert [ligand.name for ligand in fetched] == ["ZYB"]
    with pytest.raises(TethermapError, match=r"no-model.*does not exist"):
        analyse("no-model")
    with pytest.raises(TethermapError, match="analyse them in two calls"):
        analyse(["4CUP", tmp_path])


def test_temporary_folder_is_deleted_with_the_last_reference(model: Path) -> None:
    gc.disable()  # worker processes may end before it runs
    try:
        finished = analyse(model, smiles={"LIG": SMILES})
        folder, ligand = finished.folder, finished.ligands[0]
        del finished
        assert ligand.sdf
        del ligand
        assert not folder.exists()
    finally:
        gc.enable()


def test_refused_call_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(TethermapError, match="give structure files"):
        analyse([" "])
    assert list(tmp_path.iterdir()) == []


def test_folder_in_the_home_and_settings_without_value(
    model: Path, component_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TETHERMAP_COMPONENTS", str(component_index))
    finished = analyse(model, folder="~/job", filters=None, source={"predicted": True})
    assert finished.folder == tmp_path / "job"
    assert json.loads((finished.folder / layout.JOB_CONFIG).read_text())["source"]["predicted"]


def test_full_disk_is_one_sentence(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(analysis, "run_job", fill)
    with pytest.raises(TethermapError, match="The disk of the job folder is full: free some space"):
        analyse(model)


def test_definition_of_an_unused_code_is_a_warning(model: Path) -> None:
    for smiles in (SMILES, f"{SMILES},1"):
        with pytest.warns(UserWarning, match=r"No structure has the ligand LOG; ligands: LIG\."):
            analyse(model, smiles={"LOG": smiles})


def test_definition_that_does_not_fit_is_a_warning(model: Path) -> None:
    with pytest.warns(UserWarning, match=r"The given definition of LIG does not fit its atoms and is not used \(1 of"):
        analyse(model, smiles={"LIG": "CCO"})


def test_other_definitions_are_refused_in_a_used_folder(made: Job, model: Path) -> None:
    with pytest.raises(TethermapError, match=r"used with other settings of source\.components"):
        analyse(model, smiles={"LIG": "CCO"}, target="BAZ2B", folder=made.folder)


def test_shares_in_words_and_tables_are_of_surface(made: Job) -> None:
    (ligand,) = made
    assert f"{1 - ligand.buried:.0%} of its surface exposed" in repr(ligand)
    assert ligand.buried == pytest.approx(
        1 - ligand.exposure["SASA_target_A2"].sum() / ligand.exposure["SASA_free_A2"].sum(), abs=0.01
    )


def test_every_table_of_a_job_is_available(made: Job) -> None:
    names = {table.path: name for name, table in job._TABLES.items()}
    for table in tables.RESULT_TABLES:
        assert len(made.table(names[table.path]).columns) == len(table.usual.columns)
    with pytest.raises(TethermapError, match="This job has no table 'poses'"):
        made.table("poses")


@pytest.mark.process
def test_several_cores_give_the_same_results(made: Job, model: Path, tmp_path: Path) -> None:
    other = analyse(model, smiles={"LIG": SMILES}, target="BAZ2B", folder=tmp_path / "job", cores=2)
    assert difference(result_files(made.folder), result_files(other.folder)) == []
    with pytest.raises(TethermapError, match="does not exist"):
        analyse(tmp_path / "missing.pdb", cores=2)


def test_progress_is_shown_if_tqdm_is_installed(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[int | None, int]] = []

    class Bar:
        """The part of tqdm's bar that is used."""

        n, total = 0, None

        def __init__(self, **_: object) -> None:
            pass

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            shown.append((self.total, self.n))

        def update(self, n: int) -> None:
            self.n += n

    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace(__spec__=object()))
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    monkeypatch.setattr(analysis, "_POLL_SECONDS", 0.01)
    analyse(model, smiles={"LIG": SMILES}, folder=tmp_path / "job")
    assert shown == [(1, 1)]


def test_notebook_shows_no_messages_of_rdkit(model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (ligand,) = analyse(model)  # no definition: bonds are perceived
    assert ligand.molecule is not None
    assert capfd.readouterr() == ("", "")


def test_notebook_runs(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tethermap", tethermap)
    cells = json.loads((ROOT / "tests" / "data" / "tethermap.ipynb").read_text())["cells"]
    names: dict[str, Any] = {"MODEL": model, "FOLDER": tmp_path / "job"}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert len(names["again"]) == 1
