"""A user's own files end to end: the same bytes by command line, by the service and by Python."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx2
import numpy as np
import pytest
from rdkit import Chem
from scipy.spatial.transform import Rotation

from tests.service.core import LiveService
from tests.tethermap.sources.own.test_prepare import write_sdf
from tests.tools.ligands import in_space
from tests.tools.patience import patience
from tests.tools.runs import LOCAL, JobRun, Row, difference, grouped, job_of_files, result_files, run_job
from tests.tools.styles import SMILES, complex_atoms, programs, protein_pdb
from tethermap import analyse
from tethermap.base import layout
from tethermap.components.index import ComponentIndex
from tethermap.run.events import read_events

pytestmark = pytest.mark.process

TARGET = "BAZ2B"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, component_index: Path) -> Path:
    """A pair in CASF's layout, poses of a docking program, a prediction with confidences, restraints of a model."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "1abz_protein.pdb").write_text(protein_pdb())
    write_sdf(folder / "1abz_ligand.sdf", poses=1)
    (folder / "receptor_x.pdb").write_text(protein_pdb())
    write_sdf(folder / "x_docked.sdf", poses=10)
    by_name = {style.name: style for style in programs()}
    (folder / "fold_model.cif").write_text(by_name["alphafold3"].text)
    residues = len({atom.number for atom in complex_atoms() if not atom.is_ligand})
    errors = np.full((residues + 11, residues + 11), 3.0)
    (folder / "fold_confidences.json").write_text(json.dumps({"pae": errors.tolist()}))
    (folder / "refined.pdb").write_text(by_name["pymol"].text)
    (folder / "definitions.smi").write_text(f"{SMILES} LIG\n{SMILES} LIG_B\n")
    (folder / "refine_001.cif").write_text(by_name["phenix"].text.replace(" LIG ", " DRG "))
    (folder / "DRG.restraints.cif").write_text(restraints("DRG", component_index))
    return folder


def restraints(code: str, index: Path) -> str:
    """Return the ligand's definition as phenix.elbow writes one: atoms and bonds, no model."""
    with closing(ComponentIndex(index)) as components:
        component = components.get("ZYB")
    assert component is not None
    lines = ["data_comp_list", "loop_", "_chem_comp.id", "_chem_comp.name", f"{code} {code}", f"data_comp_{code}"]
    lines += ["loop_", *(f"_chem_comp_atom.{tag}" for tag in ("comp_id", "atom_id", "type_symbol", "charge"))]
    lines += [f"{code} {atom.name} {atom.element} {atom.charge}" for atom in component.atoms]
    lines += ["loop_", *(f"_chem_comp_bond.{tag}" for tag in ("comp_id", "atom_id_1", "atom_id_2", "type"))]
    names, orders = [atom.name for atom in component.atoms], ("", "single", "double", "triple")
    lines += [f"{code} {names[bond.first]} {names[bond.second]} {orders[bond.order]}" for bond in component.bonds]
    return "\n".join([*lines, ""])


@pytest.fixture(scope="module")
def by_command(files: Path, tmp_path_factory: pytest.TempPathFactory) -> JobRun:
    return run_job(tmp_path_factory.mktemp("command"), job_of_files(TARGET, files), *LOCAL).checked()


def rows(job: JobRun) -> dict[str, list[Row]]:
    return grouped(job.rows(layout.RESULTS_DISPLAY), lambda row: row["pdb_id"])


def test_every_ligand_is_accepted_with_the_bonds_of_its_file(by_command: JobRun) -> None:
    found = rows(by_command)
    assert {name: len(members) for name, members in found.items()} == {
        "1abz-protein": 1, "receptor-x": 10, "fold-model": 1, "refined": 1, "refine-001": 1,
    }  # fmt: skip
    assert {name: members[0]["bond_source"] for name, members in found.items()} == {
        "1abz-protein": "file", "receptor-x": "file", "fold-model": "user", "refined": "user", "refine-001": "user",
    }  # fmt: skip
    assert len({row["InChIKey"].partition("-")[0] for members in found.values() for row in members}) == 1


def test_prediction_is_called_one_and_its_confidence_is_no_b_factor(by_command: JobRun) -> None:
    (row,) = rows(by_command)["fold-model"]
    assert (row["method"], row["mean_B"], row["mean_pLDDT"], row["aligned_error_A"]) == ("predicted", "", "85.0", "3.0")
    exits = [one for one in by_command.rows(layout.EXIT_VECTORS) if one["pdb_id"] == "fold-model" and one["rank"]]
    assert all(one["B_iso"] == "" and "predicted" in one["evidence_reasons"] for one in exits)
    assert not any("mobile" in one["evidence_reasons"] for one in exits)


def test_upload_and_python_give_the_same_bytes(by_command: JobRun, files: Path, tmp_path: Path) -> None:
    expected = results(by_command.job)
    by_python = analyse(files, target=TARGET, folder=tmp_path / "python")
    assert difference(expected, results(by_python.folder)) == []
    with uploaded(files, TARGET, tmp_path) as (_, _, job):
        assert difference(expected, results(job)) == []


@contextmanager
def uploaded(files: Path, target: str, folder: Path) -> Iterator[tuple[httpx2.Client, str, Path]]:
    """Run a job over uploaded files in a service; yield a client, the id of the job and its folder."""
    with (
        LiveService(folder / "service") as service,
        httpx2.Client(base_url=service.address, timeout=patience(120)) as http,
    ):
        sent = [("files", (path.name, path.read_bytes())) for path in sorted(files.iterdir())]
        upload = http.post("/api/uploads", files=sent)
        assert upload.status_code == 201, upload.text
        job_id = service.completed({"target_name": target, "structures": upload.json()["upload_id"]}, patience(120))
        yield http, job_id, service.jobs / job_id


def results(job: Path) -> dict[str, str]:
    """Return the SHA-256 of the files of a job's results, which contain no times."""
    return {path: digest for path, digest in result_files(job).items() if path.startswith(layout.RESULTS)}


POSES = 500
CPU_MS = 60
"""Most for a pose, of the whole job; 40 ms are usual."""


def test_five_hundred_poses_are_one_answer_with_progress_and_little_cpu(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "receptor_x.pdb").write_text(protein_pdb())
    write_sdf(folder / "x_docked.sdf", poses=POSES, apart=0.001)
    run = run_job(tmp_path / "job", job_of_files(TARGET, folder), *LOCAL, cores=1).checked()
    assert len(run.rows(layout.RESULTS_DISPLAY)) == POSES
    answers = run.rows(layout.EXIT_ANSWERS)
    assert len({row["anchor_atom"] for row in answers}) == len(answers) > 0
    assert {(row["n_copies"], row["n_entries"]) for row in answers} == {(str(POSES), "1")}
    told = [event for event in read_events(run.job / layout.EVENTS) if event["event"] == "entries" and event["ligands"]]
    assert told
    assert all(0 <= event["ligands_done"] < event["ligands"] == POSES for event in told)
    assert run.cpu_seconds <= POSES * CPU_MS / 1000


def test_pose_on_a_methionine_is_a_clash_of_its_geometry_and_nothing_else(tmp_path: Path) -> None:
    """The fluorine of fluorobenzene 1.3 Å from a methyl group, the ring pointing away from the protein."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "receptor_x.pdb").write_text(protein_pdb())
    protein = np.array([atom.xyz for atom in complex_atoms() if not atom.is_ligand])
    methyls = np.array([a.xyz for a in complex_atoms() if (a.comp_id, a.name) == ("MET", "CE")])
    middle = protein.mean(axis=0)
    methyl = max(methyls.tolist(), key=lambda xyz: float(np.linalg.norm(xyz - middle)))
    out = (methyl - middle) / np.linalg.norm(methyl - middle)
    mol = in_space("Fc1ccccc1", seed=1)
    xyz = mol.GetConformer().GetPositions()
    turn, _ = Rotation.align_vectors([out], [xyz[1] - xyz[0]])
    mol.GetConformer().SetPositions(turn.apply(xyz - xyz[0]) + methyl + 1.3 * out)
    with Chem.SDWriter(str(folder / "x_docked.sdf")) as writer:
        writer.write(mol)
    run = run_job(tmp_path / "job", job_of_files(TARGET, folder), *LOCAL).checked()
    (row,) = run.rows(layout.RESULTS_DISPLAY)
    assert "protein_clash" in row["geometry_flags"].split(";")
    usual = {"docked", "no_assembly", "no_crystal", "unmatched", "number_made_up", "not_in_dictionary"}
    assert set(row["flags"].split(";")) <= usual
    assert row["warhead_class"] == ""
    assert not {"covalent", "metal"} & {contact["type"] for contact in run.rows(layout.CONTACTS)}
    (status,) = [one for one in run.rows(layout.LIGAND_STATUS) if one["kept"] == "True"]
    assert (status["kind"], status["kind_reason"]) == ("ligand", "")
