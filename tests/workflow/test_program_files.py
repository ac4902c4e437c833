"""Files that programs of the field wrote: the right ligand, or the true reason why a format is not read.

All are EGFR with gefitinib (2ITY, code LIG), written by OpenMM, PDBFixer, MDTraj, MDAnalysis, Biopython, biotite,
gemmi, RDKit and Open Babel; names with ``ligand`` mark a pair of protein and ligand.
"""

from pathlib import Path

import pytest
from rdkit import Chem

from tests.tools.runs import LOCAL, JobRun, Row, grouped, job_of_files, run_job, unpacked
from tests.workflow.test_foreign_files import GEFITINIB
from tethermap.base import layout

pytestmark = pytest.mark.process

REFUSED = {
    "biotite-gro": "coordinates of GROMACS",
    "mdanalysis-gro": "coordinates of GROMACS",
    "mdtraj-gro": "coordinates of GROMACS",
    "openbabel-gro": "coordinates of GROMACS",
    "mdanalysis-crd": "coordinates of CHARMM",
    "mdanalysis-xyz": "XYZ coordinates",
    "openbabel-ligand-xyz": "XYZ coordinates",
    "openbabel-cif": "a CIF file of small molecules",
    "openbabel-ligand-cif": "a CIF file of small molecules",
    "openbabel-ligand-cml": "CML",
}
"""Formats that are not read, and how the reason begins."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked("program_files", tmp_path_factory.mktemp("programs"))


@pytest.fixture(scope="module")
def job(files: Path, tmp_path_factory: pytest.TempPathFactory) -> JobRun:
    return run_job(tmp_path_factory.mktemp("command"), job_of_files("EGFR", files), *LOCAL).checked()


@pytest.fixture(scope="module")
def rows(job: JobRun) -> dict[str, list[Row]]:
    return grouped(job.rows(layout.RESULTS_DISPLAY), lambda row: row["source_file"].partition("/")[0])


def test_every_file_gives_its_ligand_or_is_refused(files: Path, job: JobRun, rows: dict[str, list[Row]]) -> None:
    names = {path.name for path in files.iterdir()}
    assert len(names) == 62
    assert names - rows.keys() == REFUSED.keys()
    wrong = {}
    for name, members in rows.items():
        mols = [Chem.MolFromMolFile(str(job.job / row["sdf_path"])) for row in members]
        found = {Chem.MolToSmiles(mol, isomericSmiles=False) for mol in mols}
        count = 3 if name == "mdanalysis-pdb-frames" else 1
        if (found, len(mols)) != ({Chem.MolToSmiles(Chem.MolFromSmiles(GEFITINIB))}, count):
            wrong[name] = found
    assert wrong == {}
    assert not any("checks_failed" in row["flags"] for members in rows.values() for row in members)


def test_refused_files_are_named_with_the_reason(job: JobRun) -> None:
    log = (job.job / layout.JOB_LOG).read_text()
    for reason in set(REFUSED.values()):
        (line,) = (line for line in log.splitlines() if f"not used: {reason}" in line)
        named = {name for name in REFUSED if f"{name}/x" in line}
        assert named <= {name for name, words in REFUSED.items() if words == reason}
        assert named


def test_bonds_of_a_file_are_used_where_it_has_them(rows: dict[str, list[Row]]) -> None:
    found = {name: members[0]["bond_source"] for name, members in rows.items()}
    assert {name for name, source in found.items() if source == "file"} == {
        *(name for name in found if "-ligand-" in name and name.rpartition("-ligand-")[2][:3] in ("sdf", "mol", "mae")),
        "rdkit-ligand-v3000",
        "openbabel-mol2",
        "rdkit-mae",
    }
    assert {name for name, source in found.items() if source == "entry"} == {"biotite-cif-bonds", "biotite-bcif-bonds"}


def test_ligand_of_a_whole_complex_is_no_pose(rows: dict[str, list[Row]]) -> None:
    for name in ("rdkit-mae", "openbabel-mol2"):
        (row,) = rows[name]
        assert (row["Warhead"], row["Chain"], row["Residue_ID"]) == ("LIG", "A", "1001")
        assert "docked" not in row["flags"]
    assert "docked" in rows["rdkit-ligand-mae"][0]["flags"]
