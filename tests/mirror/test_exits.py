"""Exits, superposition and inputs for programs that model degraders, of all entries."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from rdkit import Chem, rdBase

from service.extras.pairs import half_of, pairs_of
from service.jobs.record import JobRecord
from service.results.job import Job
from service.results.tables import Database
from tests.tools.bench_exits import development_rows
from tests.tools.programs import programs
from tests.tools.protac_reading import problems_of_job
from tests.tools.runs import JobRun, Row, by_stem, rows_of
from tethermap.base import layout
from tethermap.base.reasons import EXIT_EVIDENCE, EXIT_REASONS, PROTAC_REASONS, SUPERPOSITION_REASONS
from tethermap.extras.degraders.build import handles_of

METALS = {"Co", "Fe", "Mg", "Pt"}
MISREAD = {
    "37O": "a flat piperazine",
    "3L7": "a flat chain",
    "3TL": "a short bond to a hydroxyl",
    "4SP": "a guanine, whose hydroxyl is taken for a ketone",
    "K36": "a flat pyrrolidone",
    "KAB": "a short bond to a hydroxyl",
    "S8E": "a flat N(OH)2",
    "TRP": "a flat chain",
    "TS2": "flat amines",
    "TYS": "a flat proline",
    "UXS": "a flat chain",
    "VCA": "a flat chain",
    "W54": "a flat oxazoline",
}
"""Components that Open Babel perceives as another molecule in some copies, with the misleading feature."""


def test_every_candidate_for_an_exit_has_a_rank_with_its_evidence_or_a_reason(whole: JobRun, kept: list[Row]) -> None:
    listed = by_stem(rows_of(whole.job, layout.EXIT_VECTORS))
    assert listed.keys() == {row["stem"] for row in kept}
    for rows in listed.values():
        for row in rows:
            assert bool(row["rank"]) != (row["reason"] in EXIT_REASONS), row
            codes = [code for code in row["evidence_reasons"].split(";") if code]
            assert set(codes) <= EXIT_EVIDENCE.keys()
            if row["rank"]:
                assert row["evidence"] == max([EXIT_EVIDENCE[code].grade for code in codes], default="A"), row


def test_halves_of_covalent_ligands_name_the_reactive_group_that_their_smiles_lack(whole: JobRun) -> None:
    """In the dictionary, the acrylamide of 8BP and the ketoamide of O6K have reacted; the others are intact."""
    missing = {"5ug8_A_8BP_9001": ("C29", "Michael acceptor"), "6y2f_A_O6K_502": ("C57", "alpha-ketoamide")}
    intact = ("6lze_A_FHR_405", "5eu8_B_PJE_5", "4cup_A_ZYB_2971")
    for stem, (linked, group) in missing.items():
        for one in handles_of(whole.job, stem):
            advised = f"put the reactive group back ({group})" in str(one["what_to_do"])
            assert advised != (linked in str(one["removes"])), one
    assert not [one for stem in intact for one in handles_of(whole.job, stem) if "reactive" in str(one["what_to_do"])]


def test_half_without_the_acyl_group_of_an_azole_is_made_from_the_azole(whole: JobRun) -> None:
    blocks = str([one["to_make"] for one in handles_of(whole.job, "5ap2_A_PWU_1795")])
    assert "Cc1ncc(-c2ccc(Nc3cc4[nH]c(-c5cnn(C)c5)cc4cn3)cc2)n1C" in blocks


def test_every_instance_has_a_matrix_that_brings_its_pocket_home_or_a_reason(whole: JobRun, kept: list[Row]) -> None:
    """Compared with residues matched by their numbers, which are the same in all main proteases of one virus."""
    rows = {row["stem"]: row for row in rows_of(whole.job, layout.SUPERPOSITION)}
    assert rows.keys() == {row["stem"] for row in kept}
    for row in rows.values():
        assert (row["superposed"] == "True") == (row["reason"] == "") == bool(row["r11"])
        assert not row["reason"] or row["reason"] in SUPERPOSITION_REASONS
    largest = [row for row in rows.values() if row["group"] == "G1"]
    assert len(largest) > 80
    reference = next(row for row in largest if row["is_reference"] == "True")
    home = alpha_carbons(whole.job, reference)[reference["target_chain"]]
    for row in largest[:20]:
        rotation = np.array([[float(row[f"r{i}{j}"]) for j in (1, 2, 3)] for i in (1, 2, 3)])
        shift = np.array([float(row[f"t{i}"]) for i in (1, 2, 3)])
        assert np.linalg.det(rotation) == pytest.approx(1.0, abs=1e-4)
        mol = Chem.MolFromMolFile(str(whole.job / layout.ligand_sdf(row["stem"])), sanitize=False)
        ligand = mol.GetConformer().GetPositions()
        fits = []
        for chain in alpha_carbons(whole.job, row).values():  # the nearest may be a copy under another letter
            near = [n for n, xyz in chain.items() if n in home and np.linalg.norm(ligand - xyz, axis=1).min() < 12]
            away = [np.linalg.norm(rotation @ chain[n] + shift - home[n]) for n in near]
            fits.append(float(np.sqrt(np.mean(np.square(away)))) if len(near) > 10 else float("inf"))
        assert min(fits) < float(row["rmsd_all_A"]) + 0.3, row["stem"]


def alpha_carbons(job: Path, row: Row) -> dict[str, dict[int, np.ndarray]]:
    """Return the Cα atoms of each chain of a cleaned PDB file by residue number."""
    found: dict[str, dict[int, np.ndarray]] = {}
    for line in (job / layout.war_pdb(row["stem"])).read_text(encoding="utf-8").splitlines():
        if line.startswith("ATOM") and line[12:16] == " CA ":
            place = np.array([float(line[k : k + 8]) for k in (30, 38, 46)])
            found.setdefault(line[21], {})[int(line[22:26])] = place
    return found


def test_each_anchor_is_one_atom_in_the_files_for_all_programs_that_model_degraders(whole: JobRun) -> None:
    """SDF, complex, dictionary name, PRosettaC, PROTAC_ternary and DeepTernary, each read as its program would."""
    assert list(problems_of_job(whole.job)) == []


def test_heads_are_found_in_their_copies_by_the_method_of_prosettac(whole: JobRun, tmp_path: Path) -> None:
    """Read unsanitised in a copy that Open Babel made, as its ``translate_anchors`` does, and the anchor is the atom.

    All heads of published degraders are found. Otherwise a head is not found because the deposited coordinates make the
    copy another molecule, which the index of a job reports (`no_match`). Metal complexes are not counted.
    """
    programs("obabel")
    rows = [row for row in rows_of(whole.job, layout.PROTAC_INPUTS) if row["head_file"]]
    folder = (whole.job / layout.PROTAC_INPUTS).parent
    texts = [(folder / row["head_file"]).read_text(encoding="utf-8") for row in rows]
    degraded = {row["pdb_id"].lower() for row in development_rows()}
    found: dict[str, list[bool]] = {"degraded": [], "other": []}
    for row, (head, copy) in zip(rows, heads_and_copies(texts, tmp_path), strict=True):
        match = copy.GetSubstructMatch(head) if copy is not None else ()
        if copy is not None and match:
            k = int(row["head_anchor"]) - 1
            places = [mol.GetConformer().GetAtomPosition(i) for mol, i in ((head, k), (copy, match[k]))]
            assert (places[0] - places[1]).Length() < 0.01, row["head_file"]
        if METALS & {atom.GetSymbol() for atom in head.GetAtoms()}:
            continue
        assert match or row["Warhead"] in MISREAD, row["head_file"]
        found["degraded" if row["pdb_id"] in degraded else "other"].append(bool(match))
    assert len(found["degraded"]) > 20
    assert all(found["degraded"])
    assert len(found["other"]) > 400
    assert sum(found["other"]) > 0.95 * len(found["other"])


def heads_and_copies(texts: list[str], folder: Path) -> Iterator[tuple[Chem.Mol, Chem.Mol | None]]:
    """Yield heads without perception, each with its copy: to PDB and back with hydrogens, perceived."""
    pdb = subprocess.run(["obabel", "-isdf", "-opdb"], input="".join(texts), capture_output=True, text=True, check=True)
    path = folder / "heads.pdb"
    path.write_text(pdb.stdout.replace("\nEND\n", "\nENDMDL\n"), encoding="utf-8")
    back = ["obabel", "-ipdb", str(path), "-osdf", "-h"]
    sdf = subprocess.run(back, capture_output=True, text=True, check=True).stdout
    heads, copies = Chem.SDMolSupplier(), Chem.SDMolSupplier()
    heads.SetData("".join(texts), sanitize=False)
    copies.SetData(sdf, sanitize=True)
    with rdBase.BlockLogs():
        yield from zip(heads, copies, strict=True)


def test_hard_cases_are_among_the_inputs(whole: JobRun, kept: list[Row]) -> None:
    """Groups of components, covalent and incomplete ligands, long names, insertion codes, symmetric anchors."""
    inputs = [row for row in rows_of(whole.job, layout.PROTAC_INPUTS) if row["head_file"]]
    there = {row["stem"] for row in inputs}
    rows = [row for row in kept if row["stem"] in there]
    assert len(there) > 450
    assert any("+" in row["components"] for row in rows)
    assert any(row["covalent"] == "True" for row in rows)
    assert any(row["atoms_missing"] for row in rows)
    assert any(len(row["Warhead"]) == 5 for row in rows)
    assert any(row["alike_atoms"] for row in inputs)
    assert any(row["anchor_unique"] == "True" for row in inputs)
    assert {row["reason"] for row in rows_of(whole.job, layout.PROTAC_INPUTS)} <= {"", *PROTAC_REASONS}


def test_recruiters_of_cereblon_are_paired_with_a_kinase_inhibitor(whole: JobRun) -> None:
    """Their anchors are those of published degraders: the ethers of gefitinib, the arene of lenalidomide."""
    time = "2026-01-01T00:00:00Z"
    record = JobRecord(
        job_id="00000000", sequence=1, status="completed", target_name="every entry", search_query="",
        created_at=time, modified_at=time,
    )  # fmt: skip
    job = Job(record, whole.job, "/api/jobs/00000000", Database().of(whole.job))
    target = half_of(job, "IRE")
    assert target.answers[0]["anchor_atom"] in {"OAV", "CAK", "CAJ", "CAN", "CAA", "OAT"}
    for ligand, anchors in (("LVY", {"N17", "C14", "C13"}), ("EF2", {"C12", "C19", "C11", "C20"})):
        recruiter = half_of(job, ligand)
        total, pairs = pairs_of(target, recruiter, 0, 5)
        assert total == len(target.answers) * len(recruiter.answers) > 0
        assert pairs[0].model_dump()["b"]["anchor_atom"] in anchors, ligand
        assert pairs[0].basis == "range"
