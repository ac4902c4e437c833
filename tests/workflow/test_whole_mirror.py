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
from tests.tools.enumerate_hets import STANDARD, HetAtom, het_atoms, het_groups
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
