"""The best answers of a job over one target, compared with the literature."""

import re
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
    """MZ1 is attached to the acid's carbon of JQ1 (Gadd 2017, doi:10.1038/nchembio.2329); 6DUV contains the methyl
    ester."""
    answers = rows_of(brd4.job, layout.EXIT_ANSWERS)
    seen, ester = (next(row for row in answers if row["Warhead"] == code) for code in ("759", "0S6"))
    assert (ester["anchor_atom"], ester["n_open"], ester["n_copies"], ester["observed_entries"]) == (
        "C23", "2", "2", "5t35"
    )  # fmt: skip
    ranks = {row["Warhead"]: int(row["job_rank"]) for row in answers if row["job_rank"]}
    assert ranks["0S6"] < ranks["759"]  # observed exits without a prediction have no score
    assert "WEP" in ranks  # 7KHH, the first bromodomain: another group of chains
    assert (seen["anchor_atom"], seen["kind"], seen["best_stem"]) == ("NBL", "observed", "5t35_D_759_301")
    placed = {row["stem"]: row for row in rows_of(brd4.job, layout.SUPERPOSITION)}
    assert placed["6duv_A_0S6_502"]["site_class"] == "other_site"
    assert not [row for row in answers if "6duv_A_0S6_502" in row["best_stem"]]
    atoms = hetero_atoms(brd4.job, "5t35_D_759_301")
    bond = home(placed["5t35_D_759_301"], atoms["NBL"] - atoms["CBU"])  # the amide in place of the ester
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
    """By the cuts of the authors of 5T35, 7KHH, 7JTP (`ternary/` lists the bonds); no atom of the other half is
    recommended."""
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


def by_ligand(run: JobRun) -> dict[str, Row]:
    """Return the best place of each ligand of the main binding site by its code, in their order."""
    return {row["Warhead"]: row for row in rows_of(run.job, layout.EXIT_ANSWERS) if row["job_rank"]}


@pytest.fixture(scope="module")
def kit(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> JobRun:
    return target_run(tmp_path_factory, mirror, "KIT")


def test_sunitinib_leaves_at_the_amide_whose_tail_is_disordered(kit: JobRun) -> None:
    """The diethylaminoethyl group beyond N25 was modelled in neither copy; it points to solvent (3G0F)."""
    sunitinib = by_ligand(kit)["B49"]
    assert (sunitinib["anchor_atom"], sunitinib["kind"], sunitinib["evidence"]) == ("N25", "unseen", "C")
    assert (sunitinib["n_open"], sunitinib["not_recommended"]) == ("2", "")
    assert "The end beyond N25 was not modelled" in sunitinib["action"]
    assert "No good way out" not in sunitinib["action"]


def test_quinazoline_of_a_kit_inhibitor_leaves_at_its_methoxy_group(kit: JobRun) -> None:
    """C23 is a methyl of the 6,7-dimethoxyquinazoline, which gefitinib and erlotinib stretch into solvent too."""
    row = by_ligand(kit)["F82"]
    assert (row["anchor_atom"], row["n_open"], row["n_copies"], row["best_title"][:31]) == (
        "C23", "2", "2", "Crystal structure of human c-KI"
    )  # fmt: skip


def test_cdk2_inhibitor_keeps_its_cyclohexylmethyl_group(
    mirror: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """NU6102 binds with the cyclohexylmethyl below the glycine loop; its sulfonamide is in solvent (2IW8, 2IW9)."""
    row = by_ligand(target_run(tmp_path_factory, mirror, "CDK2"))["4SP"]
    assert (row["anchor_atom"], row["leaving_atoms"], row["n_open"], row["n_copies"]) == ("S23", "N26", "8", "8")
    assert float(row["area_lost_A2"]) < 40


def test_main_protease_begins_with_ligands_of_its_active_site(
    mirror: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The main site is at His 41 and Cys 145; fragments and blocked ligands are last, each with its reason."""
    run = target_run(tmp_path_factory, mirror, "main protease")
    rows = [row for row in rows_of(run.job, layout.EXIT_ANSWERS) if row["job_rank"]]
    pockets = {row["stem"]: row["pocket_uniprot"] for row in rows_of(run.job, layout.RESULTS_DISPLAY)}
    advised = [row for row in rows if not row["not_recommended"]]
    assert rows[: len(advised)] == advised
    assert [int(row["job_rank"]) for row in rows] == list(range(1, len(rows) + 1))
    assert {row["protein"] for row in advised} == {"3C-like proteinase", "main protease"}  # 5EU8 is of a cat's virus
    beside = [re.search(r":(3304|41|3408|145)\b", pockets[row["best_stem"]]) for row in advised]
    assert sum(map(bool, beside)) > 0.9 * len(beside)
    for row in rows:
        assert ("gives up" in row["action"]) == (float(row["area_lost_A2"] or 0) >= 40), row["Warhead"]
        assert row["best_title"]
        assert row["best_resolution"]


def test_accession_of_a_target_gives_the_answers_of_its_name(
    brd4: JobRun, mirror: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    by_accession = by_ligand(target_run(tmp_path_factory, mirror, "O60885"))
    by_name = by_ligand(brd4)
    assert {code: row["action"] for code, row in by_accession.items()} == {
        code: row["action"] for code, row in by_name.items()
    }


def test_names_of_ligands_come_from_titles_where_the_dictionary_has_none(brd4: JobRun) -> None:
    names = {row["Warhead"]: row["ligand_name"] for row in rows_of(brd4.job, layout.RESULTS_DISPLAY)}
    assert (names["759"], names["0S6"]) == ("MZ1", "MS417")
    assert names["WEP"].startswith("N-[11-")  # 7KHH: "COMPOUND9"


def test_equal_copies_at_an_interface_have_one_site_and_one_answer(whole: JobRun) -> None:
    """DUMP of 4KYA is between two chains of thymidylate synthase, in eight copies."""
    rows = [row for row in rows_of(whole.job, layout.EXIT_ANSWERS) if "4kya_A_UMP_701" in row["stems"]]
    (first,) = [row for row in rows if row["answer_rank"] == "1"]
    assert {row["site"] for row in rows} == {first["site"]}
    assert len(first["stems"].split(";")) == int(first["n_copies"]) == 8


def test_best_site_keeps_the_groups_that_bind_to_the_protein(whole: JobRun) -> None:
    """Arg 199, Mg and backbone N bind the phosphonates in 4RAO; Gln 249 and Tyr 359 the carboxylate in 4CUM."""
    first = {
        stem: row
        for row in rows_of(whole.job, layout.EXIT_ANSWERS)
        if row["answer_rank"] == "1"
        for stem in row["stems"].split(";")
    }
    phosphonate, arginine = first["4rao_A_3L7_301"], first["4cum_A_ARG_700"]
    assert (phosphonate["leaving_atoms"], phosphonate["n_open"], phosphonate["not_recommended"]) == ("", "3", "")
    assert arginine["action"].startswith("No good way out; the least bad is N")  # the substrate, closed in by haem
