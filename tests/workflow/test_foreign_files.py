"""Files with one property each that real programs' files have: the right ligand through every door."""

import zipfile
from collections import Counter
from pathlib import Path

import pytest
from rdkit import Chem

from scripts import inspect_files
from tests.tools.runs import LOCAL, JobRun, Row, difference, grouped, job_of_files, run_job, unpacked
from tests.workflow.test_own_files import results, uploaded
from tethermap import Job, analyse
from tethermap.base import layout

pytestmark = pytest.mark.process

GEFITINIB = "COc1cc2ncnc(Nc3ccc(F)c(Cl)c3)c2cc1OCCCN1CCOCC1"
PARACETAMOL = "CC(=O)Nc1ccc(O)cc1"
FLUOROBENZAMIDOXIME = "NC(=NO)c1ccc(F)cc1"
TARGET = "EGFR"

Found = dict[str, list[Row]]
"""Rows of results by case."""

MOLECULES = {
    "c09-pdbqt-two-roots": [GEFITINIB, PARACETAMOL],
    "e02-docked-hires": [FLUOROBENZAMIDOXIME],
    "af3-samples": [GEFITINIB] * 3,
    "diffdock-ranks": [GEFITINIB] * 3,
}
"""Molecules of cases that have others than one gefitinib."""

NAMES = {
    "a06-chain-two-letters": ("LIG", "B1", "1"),
    "a09-hybrid36": ("LIG", "A", "10000"),
    "a10b-no-element-shifted": ("LIG", "A", "1001"),
    "a37-b1000": ("LIG", "A", "1001"),
    "b10-bom": ("LIG", "B", "1001"),
    "b14-no-element": ("LIG", "B", "1001"),
    "b04-few-items": ("LIG", "B", "1"),
    "f02-phenix-indent": ("LIG", "B", "1001"),
    "h01-element-in-segid": ("LIG", "A", "1001"),
    "h05-quoted-integer": ("LIG", "B", "1001"),
    "h06-old-columns": ("LIG", "A", "1001"),
    "n01-CL-col14": ("LIG", "A", "1001"),
}
"""Component, chain and number of the ligand, if the file has them."""

OF_FILE = ("f01-blankchain-sdf", "f03-mol2-polarH", "f03b-mol2-noH", "c06b-mol2-du", "c23-salt", "c10-dlg")
"""Cases whose bonds come from the ligand's own file."""


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked("foreign_files", tmp_path_factory.mktemp("foreign"))


ARCHIVED = "d07-zip"
"""The case that is an archive itself."""


@pytest.fixture(scope="module")
def own(cases: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with an archive of all cases, because uploads accept no folders, and next to it the case that is an
    archive."""
    folder = tmp_path_factory.mktemp("own")
    (inner,) = (cases / ARCHIVED).iterdir()
    (folder / inner.name).write_bytes(inner.read_bytes())
    with zipfile.ZipFile(folder / "cases.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(cases.rglob("*")):
            if path.is_file() and path != inner:
                archive.write(path, path.relative_to(cases))
    return folder


@pytest.fixture(scope="module")
def job(own: Path, tmp_path_factory: pytest.TempPathFactory) -> JobRun:
    return run_job(tmp_path_factory.mktemp("command"), job_of_files(TARGET, own), *LOCAL).checked()


@pytest.fixture(scope="module")
def rows(job: JobRun) -> Found:
    """The rows of each case."""

    def case_of(row: Row) -> str:
        file, _, inside = row["source_file"].partition("/")
        return inside.partition("/")[0] if file == "cases.zip" else ARCHIVED

    return grouped(job.rows(layout.RESULTS_DISPLAY), case_of)


def test_every_case_gives_its_molecules_and_passes_the_checks(cases: Path, job: JobRun, rows: Found) -> None:
    names = sorted(path.name for path in cases.iterdir())
    assert len(names) == 36
    wrong = {}
    for name in names:
        read = (Chem.MolFromMolFile(str(job.job / row["sdf_path"])) for row in rows.get(name, []))
        found = Counter(Chem.MolToSmiles(mol, isomericSmiles=False) for mol in read)
        expected = Counter(map(Chem.CanonSmiles, MOLECULES.get(name, [GEFITINIB])))
        if found != expected or any("checks_failed" in row["flags"] for row in rows[name]):
            wrong[name] = dict(found)
    assert wrong == {}


def test_names_are_those_of_the_file_and_invented_ones_are_reported(rows: Found) -> None:
    found = {name: (rows[name][0]["Warhead"], rows[name][0]["Chain"], rows[name][0]["Residue_ID"]) for name in NAMES}
    assert found == NAMES
    for name in ("a12-blank-number", "b02-no-auth", "b04-few-items"):
        assert "number_made_up" in rows[name][0]["flags"]


def test_bonds_are_those_of_the_ligands_own_file(rows: Found) -> None:
    assert {name: rows[name][0]["bond_source"] for name in OF_FILE} == dict.fromkeys(OF_FILE, "file")
    assert rows["c20-nobonds"][0]["bond_source"] == "perceived"


def test_pose_borrows_nothing_of_its_receptors_experiment(job: JobRun, rows: Found) -> None:
    (row,) = rows["e02-docked-hires"]
    assert row["method"] == "docked"
    assert [row[name] for name in ("resolution", "occupancy", "mean_B", "release_date")] == ["", "", "", ""]
    assert "docked" in row["flags"]
    (_, *exits) = [one for one in job.rows(layout.EXIT_VECTORS) if one["stem"] == row["stem"] and one["rank"]]
    assert exits
    assert all(one["evidence"] in "CD" and "docked" in one["evidence_reasons"] for one in exits)
    fields = {one["name"]: one["value"] for one in job.rows(layout.POSES) if one["stem"] == row["stem"]}
    assert fields == {"minimizedAffinity": "-6.1", "CNNscore": "0.41"}


def test_clash_of_a_pose_is_no_bond(rows: Found) -> None:
    (row,) = rows["k-1.3-clash"]
    assert row["covalent"] == "False"
    assert "protein_clash" in row["geometry_flags"]


def test_poses_and_samples_have_their_origin_in_the_order_of_their_numbers(rows: Found) -> None:
    found = [
        (row["Residue_ID"], row["source_file"], row["source_record"], row["pose_rank"])
        for row in rows["diffdock-ranks"]
    ]
    assert found == [
        ("1", "cases.zip/diffdock-ranks/rank1_confidence-0.52.sdf", "1", "1"),
        ("2", "cases.zip/diffdock-ranks/rank2_confidence-0.91.sdf", "1", "2"),
        ("3", "cases.zip/diffdock-ranks/rank10_confidence-2.31.sdf", "1", "10"),
    ]
    samples = {row["pdb_id"]: row["source_file"] for row in rows["af3-samples"]}
    assert samples == {
        f"{name}-model": f"cases.zip/af3-samples/{folder}/model.cif"
        for name, folder in (("seed-1-sample-0", "seed-1_sample-0"), ("seed-1-sample-1", "seed-1_sample-1"),
                             ("seed-2-sample-0", "seed-2_sample-0"))
    }  # fmt: skip


def test_python_gives_the_same_bytes(own: Path, job: JobRun, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"\.$") as told:
        by_python: Job = analyse(own, target=TARGET, folder=tmp_path / "python")
    assert [f"Tethermap: {warning.message}" for warning in told] == job.messages[-1 - len(told) : -1]
    assert difference(results(job.job), results(by_python.folder)) == []


def test_upload_gives_the_same_bytes_and_shows_the_scores(own: Path, job: JobRun, rows: Found, tmp_path: Path) -> None:
    with uploaded(own, TARGET, tmp_path) as (http, job_id, folder):
        assert difference(results(job.job), results(folder)) == []
        poses = http.get(f"/api/jobs/{job_id}/rows", params={"table": "poses", "name": "CNNscore"}).json()["rows"]
        (docked,) = rows["e02-docked-hires"]
        values = {row["stem"]: row["value"] for row in poses}
        assert (values[docked["stem"]], sorted(values.values())) == ("0.41", ["0.41", "0.93", "0.93"])
        page = http.get(f"/results/{job_id}", params={"row": docked["stem"]}).text
        assert "CNNscore 0.41" in page
        assert "open in <b>1 of 1</b> pose" in page


def test_uploads_accept_every_case(cases: Path, tmp_path: Path) -> None:
    for case in sorted(cases.iterdir()):
        if case.name == "af3-samples":  # folders, which an upload contains only in an archive
            continue
        found = inspect_files.main(case, tmp_path / case.name)
        assert [file["error"] for file in found] == [""] * len(found), case.name
        notes = " ".join(note for file in found for note in file["notes"])
        assert "heavy atoms" in notes, case.name
