"""Exits, superposition and inputs for programs that model degraders, of all entries."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from rdkit import Chem

from scripts.lib import layout
from scripts.lib.reasons import EXIT_EVIDENCE, EXIT_REASONS, PROTAC_REASONS, SUPERPOSITION_REASONS
from service.jobs.record import JobRecord
from service.results.compare import half_of, pairs_of
from service.results.job import Job
from service.results.tables import TableCache
from tests.tools.protac_reading import problems_of_job
from tests.tools.runs import JobRun, Row, rows_of


def test_every_candidate_for_an_exit_has_a_rank_with_its_evidence_or_a_reason(whole: JobRun, kept: list[Row]) -> None:
    by_stem: dict[str, list[Row]] = {}
    for row in rows_of(whole.job, layout.EXIT_VECTORS):
        by_stem.setdefault(row["stem"], []).append(row)
    assert by_stem.keys() == {row["stem"] for row in kept}
    for stem, rows in by_stem.items():
        ranks = [int(row["rank"]) for row in rows if row["rank"]]
        assert ranks == list(range(1, len(ranks) + 1)), stem
        for row in rows:
            assert bool(row["rank"]) != (row["reason"] in EXIT_REASONS), row
            codes = [code for code in row["evidence_reasons"].split(";") if code]
            assert set(codes) <= EXIT_EVIDENCE.keys()
            if row["rank"]:
                assert row["evidence"] == max([EXIT_EVIDENCE[code].grade for code in codes], default="A"), row


def test_every_instance_has_a_matrix_that_brings_its_pocket_home_or_a_reason(whole: JobRun, kept: list[Row]) -> None:
    """Held against residues matched by their numbers, which are the same in all main proteases of one virus."""
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
        job_id="00000000",
        sequence=1,
        status="completed",
        target_name="every entry",
        search_query="",
        created_at=time,
        modified_at=time,
    )
    job = Job(record, whole.job, "/api/jobs/00000000")
    cache = TableCache()
    target = half_of(cache, job, "IRE")
    assert target.answers[0]["anchor_atom"] in {"OAV", "CAK", "CAJ", "CAN", "CAA", "OAT"}
    for ligand, anchors in (("LVY", {"N17", "C14", "C13"}), ("EF2", {"C12", "C19", "C11", "C20"})):
        recruiter = half_of(cache, job, ligand)
        total, pairs = pairs_of(target, recruiter, 0, 5)
        assert total == len(target.answers) * len(recruiter.answers) > 0
        assert pairs[0].model_dump()["b"]["anchor_atom"] in anchors, ligand
        assert pairs[0].basis == "range"
