"""All 397 entries of the large mirror as one job, held against the deposited files."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from rdkit import Chem, rdBase

from scripts.lib import layout
from scripts.lib.reasons import EXIT_EVIDENCE, EXIT_REASONS, PROTAC_REASONS, SUPERPOSITION_REASONS
from service.compare import Wanted, half_of, pairs_of
from service.context import Job
from service.job_tables import TableCache
from service.jobs import JobRecord
from tests.tools.enumerate_hets import STANDARD, HetAtom, het_atoms, het_groups
from tests.tools.protac_reading import problems_of_job
from tests.tools.runs import JobRun, run_job

Row = dict[str, str]


def rows_of(job: Path, path: str) -> list[Row]:
    with (job / path).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def whole(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> JobRun:
    """One job over every entry of the mirror."""
    folder = tmp_path_factory.mktemp("whole")
    entries = sorted({path.name.split(".")[0] for path in mirror.glob("*.gz")})
    settings = {
        "target_name": "every entry",
        "search_query": "every entry",
        "source": {"kind": "mirror", "mirror": str(mirror)},
        "filters": {"entries": entries},
        "cache_dir": str(folder / "cache"),
    }
    return run_job(folder / "job", settings).checked()


@pytest.fixture(scope="module")
def files(mirror: Path) -> dict[str, Path]:
    """The file that the mirror source takes for each entry: mmCIF where there is one."""
    found: dict[str, Path] = {}
    for path in sorted(mirror.glob("*.gz")):
        found.setdefault(path.name.split(".")[0], path)
    return found


@pytest.fixture(scope="module")
def kept(whole: JobRun) -> list[Row]:
    return rows_of(whole.job, layout.RESULTS_DISPLAY)


def test_every_entry_has_one_row(whole: JobRun, files: dict[str, Path]) -> None:
    entries = [row["pdb_id"] for row in rows_of(whole.job, layout.ENTRY_STATUS)]
    assert len(files) == 397
    assert sorted(entries) == sorted(files)


def test_every_het_group_but_water_has_one_row(whole: JobRun, files: dict[str, Path]) -> None:
    rows: dict[str, Counter[tuple[str, str, str]]] = {entry_id: Counter() for entry_id in files}
    for row in rows_of(whole.job, layout.LIGAND_STATUS):
        # Peptide-like ligands that are named after a standard residue have a row for it too.
        if not (row["ligand"] in STANDARD and "+" in row["components"]):
            rows[row["pdb_id"]][row["chain"], row["ligand"], row["residue"]] += 1
    for entry_id, path in files.items():
        expected = het_groups(path)
        if not any(key[0] == "" for key in expected):  # ligands without chain: test_het_groups
            named_after = {key for key in expected if key[1] in STANDARD and key not in rows[entry_id]}
            assert rows[entry_id] == Counter({k: n for k, n in expected.items() if k not in named_after}), entry_id


def test_rejected_rows_have_a_reason_and_kept_rows_their_files(whole: JobRun, kept: list[Row]) -> None:
    assert len(kept) > 500
    for row in rows_of(whole.job, layout.LIGAND_STATUS):
        assert row["reason"]
        assert row["sentence"]
    for row in kept:
        complexes = [layout.war_pdb(row["stem"], "pdb"), layout.war_pdb(row["stem"], "cif")]
        assert any((whole.job / path).is_file() for path in complexes), row["stem"]
        pictures = [layout.ligand_svg(row["stem"], style) for style in ("plain", "exposed")]
        for path in (layout.ligand_sdf(row["stem"]), *pictures):
            assert (whole.job / path).is_file(), path


def chosen(atoms: list[HetAtom], altloc: str) -> list[HetAtom]:
    """Return the atoms of one conformer."""
    return [atom for atom in atoms if atom.altloc in ("", altloc)]


def test_molecules_are_the_observed_atoms_where_they_were_deposited(
    whole: JobRun, kept: list[Row], files: dict[str, Path]
) -> None:
    """Elements and coordinates of each SDF against one conformer of the deposited file."""
    rdBase.DisableLog("rdApp.*")
    deposited = {entry_id: het_atoms(files[entry_id]) for entry_id in {row["pdb_id"] for row in kept}}
    compared = 0
    for row in kept:
        key = (row["Chain"], row["Warhead"], row["Residue_ID"])
        if "+" in row["components"] or key not in deposited[row["pdb_id"]]:
            continue
        expected = chosen(deposited[row["pdb_id"]][key], row["altloc"])
        if any(not atom.element for atom in expected):
            continue  # files without element columns
        path = whole.job / layout.ligand_sdf(row["stem"])
        molecule = next(Chem.SDMolSupplier(str(path), sanitize=False, removeHs=False))
        heavy = [atom for atom in molecule.GetAtoms() if atom.GetAtomicNum() > 1]
        places = molecule.GetConformer().GetPositions()
        assert Counter(atom.GetSymbol() for atom in heavy) == Counter(atom.element for atom in expected), row["stem"]
        ours, theirs = places[[atom.GetIdx() for atom in heavy]], np.array([atom.xyz for atom in expected])
        away = np.linalg.norm(ours[:, None] - theirs[None], axis=2)
        nearest = away.argmin(axis=1)
        assert sorted(nearest.tolist()) == list(range(len(expected))), row["stem"]
        assert away.min(axis=1).max() < 1e-3, row["stem"]
        assert all(heavy[i].GetSymbol() == expected[j].element for i, j in enumerate(nearest)), row["stem"]
        assert len({a.name for a in expected}) == len(expected) or "duplicate_atom_names" in row["flags"]
        compared += 1
    assert compared > 450


def test_no_conformers_are_merged(whole: JobRun, kept: list[Row]) -> None:
    """In an entry with alternates the complex has one atom of each name, and of one label."""
    with_alternates = [row for row in kept if "alternate_conformers" in row["flags"] and row["altloc"]]
    assert len(with_alternates) > 10
    for row in with_alternates:
        lines = (whole.job / layout.war_pdb(row["stem"])).read_text(encoding="utf-8").splitlines()
        atoms = [line for line in lines if line.startswith(("ATOM", "HETATM"))]
        assert {line[16] for line in atoms} == {" "}
        assert len({(line[12:16], line[17:27]) for line in atoms}) == len(atoms), row["stem"]


def test_components_of_five_characters_are_kept_whole(whole: JobRun, kept: list[Row]) -> None:
    rows = [row for row in kept if len(row["Warhead"]) == 5]
    assert [row["Warhead"] for row in rows] == ["A1AA6"]
    assert all((whole.job / layout.war_pdb(row["stem"], "cif")).is_file() for row in rows)
    named = {row["name"] for row in rows_of(whole.job, layout.NAME_MAP) if row["what"] == "component"}
    assert "A1AA6" in named


def test_drugs_are_never_additives(whole: JobRun) -> None:
    drugs = {"STI", "IRE", "032", "JBJ", "YY3", "RIT", "478", "FK5", "LVY", "EF2", "759"}
    kinds = {(r["ligand"], r["kind"]) for r in rows_of(whole.job, layout.LIGAND_STATUS) if r["ligand"] in drugs}
    assert {kind for _, kind in kinds} == {"ligand"}
    assert len(kinds) >= 10


def test_job_finds_nothing_wrong_with_itself(whole: JobRun) -> None:
    """Two molecules are in two pieces because a bond of the component was not observed."""
    manifest = json.loads((whole.job / layout.MANIFEST).read_text(encoding="utf-8"))
    failed = {name for name, check in manifest["self_check"]["checks"].items() if check["failed"]}
    assert failed <= {"connected"}
    reasons = {row["reason"] for row in rows_of(whole.job, layout.ENTRY_STATUS)}
    assert "program_error" not in reasons


def test_contexts_are_nested(whole: JobRun) -> None:
    for row in rows_of(whole.job, layout.SASA_ATOMS):
        areas = [row[f"SASA_{context}_A2"] for context in ("crystal", "assembly", "target", "chain", "free")]
        numbers = [float(area) for area in areas if area]
        assert numbers == sorted(numbers), row["stem"]


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
    target = half_of(cache, job, Wanted("2ity", "IRE", 1))
    assert target.sites[0]["anchor_atom"] in {"OAV", "CAK", "CAJ", "CAN", "CAA", "OAT"}
    for entry, ligand, anchors in (
        ("4tz4", "LVY", {"N17", "C14", "C13"}),
        ("4ci1", "EF2", {"C12", "C19", "C11", "C20"}),
        ("7bqu", "EF2", {"C12", "C19", "C11", "C20"}),
    ):
        recruiter = half_of(cache, job, Wanted(entry, ligand, 1))
        total, pairs = pairs_of(target, recruiter, 0, 5)
        assert total == len(target.sites) * len(recruiter.sites) > 0
        assert pairs[0]["b"]["anchor_atom"] in anchors, entry
        assert pairs[0]["b"]["inputs"]["anchor_unique"] in (True, False)
