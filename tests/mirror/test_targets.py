"""What a job over one target says first, held against what the literature did with its ligands."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.tools.runs import JobRun, Row, rows_of
from tests.tools.shared import target_run
from tethermap.base import layout

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def brd4(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> JobRun:
    return target_run(tmp_path_factory, mirror, "BRD4")


def test_jq1_ester_leaves_where_mz1_does(brd4: JobRun) -> None:
    """MZ1 hangs on the acid's carbon of JQ1 (Gadd 2017, doi:10.1038/nchembio.2329); 6DUV holds the methyl ester."""
    answers = rows_of(brd4.job, layout.EXIT_ANSWERS)
    seen, ester = (next(row for row in answers if row["Warhead"] == code) for code in ("759", "0S6"))
    assert (ester["anchor_atom"], ester["n_open"], ester["n_copies"], ester["observed_entries"]) == (
        "C23", "2", "2", "5t35"
    )  # fmt: skip
    ranks = {row["Warhead"]: int(row["job_rank"]) for row in answers if row["job_rank"]}
    assert ranks["0S6"] < ranks["759"]  # what was only seen has no score
    assert "WEP" in ranks  # 7KHH, the first bromodomain: another group of chains
    assert (seen["anchor_atom"], seen["kind"], seen["best_stem"]) == ("NBL", "observed", "5t35_D_759_301")
    placed = {row["stem"]: row for row in rows_of(brd4.job, layout.SUPERPOSITION)}
    assert placed["6duv_A_0S6_502"]["site_class"] == "other_site"
    assert not [row for row in answers if "6duv_A_0S6_502" in row["best_stem"]]
    atoms = hetero_atoms(brd4.job, "5t35_D_759_301")
    bond = home(placed["5t35_D_759_301"], atoms["NBL"] - atoms["CBU"])  # the amide that stands where the ester stood
    exits = [row for row in rows_of(brd4.job, layout.EXIT_VECTORS) if row["anchor_atom"] == "C23" and row["rank"]]
    for row in exits:
        if row["stem"] != "6duv_A_0S6_502":
            vector = home(placed[row["stem"]], np.array([float(row[f"vector_{axis}"]) for axis in "xyz"]))
            assert np.degrees(np.arccos(vector @ bond / np.linalg.norm(bond))) < 45, row["stem"]


def home(motion: Row, vector: np.ndarray) -> np.ndarray:
    """Return a direction in the frame of the group."""
    rotation: np.ndarray = np.array([[float(motion[f"r{i}{j}"]) for j in (1, 2, 3)] for i in (1, 2, 3)])
    turned: np.ndarray = rotation @ vector
    return turned


def hetero_atoms(job: Path, stem: str) -> dict[str, np.ndarray]:
    """Return the places of the ligand's atoms in a cleaned complex by name."""
    lines = (job / layout.war_pdb(stem)).read_text(encoding="utf-8").splitlines()
    ours = [line for line in lines if line.startswith("HETATM") and line[17:20] == stem.split("_")[2]]
    return {line[12:16].strip(): np.array([float(line[k : k + 8]) for k in (30, 38, 46)]) for line in ours}


def test_ligase_ligands_of_degraders_leave_at_the_amide_of_the_tert_leucine(
    mirror: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """As the authors of 5T35, 7KHH, 7JTP cut (`ternary/` tells the bonds); no atom of the other half is recommended."""
    answers = rows_of(target_run(tmp_path_factory, mirror, "VHL").job, layout.EXIT_ANSWERS)
    assert {(row["Warhead"], row["anchor_atom"], row["job_rank"] != "") for row in answers} == {
        ("759", "CBT", True), ("WEP", "C33", True), ("X6M", "C23", True)
    }  # fmt: skip


def test_kinase_inhibitors_leave_into_the_solvent(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Anchors of published degraders (`data/benchmark/exits/development.csv`); N22 of JBJ in most of six copies."""
    answers = rows_of(target_run(tmp_path_factory, mirror, "EGFR").job, layout.EXIT_ANSWERS)
    first = {row["Warhead"]: row for row in answers if row["job_rank"]}
    assert [*first][:2] == ["YY3", "JBJ"]
    assert int(first["ANP"]["job_rank"]) > max(int(r["job_rank"]) for r in first.values() if not r["not_recommended"])
    assert first["IRE"]["anchor_atom"] in {"OAV", "CAK", "CAJ", "CAN", "CAA", "OAT"}
    assert first["YY3"]["anchor_atom"] in {"C9", "C12", "C13", "N2", "C28", "N1"}
    assert (first["JBJ"]["anchor_atom"], first["JBJ"]["n_open"], first["JBJ"]["n_copies"]) == ("N22", "4", "6")
    assert all(
        float(row["n_open"]) / float(row["n_copies"]) >= 0.5 for row in first.values() if row["closed"] == "False"
    )
    assert all(row["action"].startswith("No good way out") for row in answers if row["closed"] == "True")
