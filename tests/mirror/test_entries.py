"""Status rows, molecules and complexes of all entries, compared with the deposited files in another parser."""

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any

import gemmi
import numpy as np
import pytest
from rdkit import Chem, rdBase

from tests.tools.agreement import disagreements
from tests.tools.cleaning import Find, clean_file
from tests.tools.enumerate_hets import STANDARD, Deposited, HetGroups, deposited as deposited_of
from tests.tools.runs import JobRun, Row, grouped, rows_of
from tethermap.base import layout
from tethermap.base.reference import REFERENCE
from tethermap.entry.metadata import EntryMetadata, metadata_of
from tethermap.entry.reader import read_entry
from tethermap.sources.content import read_content

_entry = itemgetter("pdb_id")


@pytest.fixture(scope="module")
def deposited(files: dict[str, Path]) -> dict[str, Deposited]:
    """Het groups and their atoms in the file of each entry."""
    return {entry_id: deposited_of(path) for entry_id, path in files.items()}


def test_every_entry_has_one_row_with_the_checksum_of_its_file(whole: JobRun, files: dict[str, Path]) -> None:
    rows = rows_of(whole.job, layout.ENTRY_STATUS)
    assert len(files) == len({row["sha256"] for row in rows}) == 397
    assert sorted(row["pdb_id"] for row in rows) == sorted(files)
    assert all(row["revision"] for row in rows)
    searched = rows_of(whole.job, layout.SEARCH_ENTRIES)
    assert sorted(row["pdb_id"] for row in searched if row["selected"] == "True") == sorted(files)


def test_every_het_group_but_water_has_one_row(whole: JobRun, deposited: dict[str, Deposited]) -> None:
    """Counted with another parser; entries without polymer too."""
    rows = grouped(rows_of(whole.job, layout.LIGAND_STATUS), _entry)
    for entry_id, (groups, _) in deposited.items():
        assert_rows_are(groups, rows.get(entry_id, []), entry_id)
    without = {r["pdb_id"] for r in rows_of(whole.job, layout.ENTRY_STATUS) if r["reason"] == "no_polymer"}
    assert without
    assert {row["reason"] for name in without for row in rows.get(name, [])} <= {"entry_rejected", "part_of_polymer"}


def test_pdb_and_mmcif_files_of_an_entry_give_the_same_results(
    mirror: Path, files: dict[str, Path], find: Find
) -> None:
    """The job takes the mmCIF file of these: here the other is read, checked, described and cleaned."""
    others = sorted(set(mirror.glob("*.gz")) - set(files.values()))
    assert len(others) == 46
    for path in others:
        entry_id = path.name[:4]
        assert read_content(path, entry_id).format == "pdb"
        twins = [described(one) for one in (files[entry_id], path)]
        chains = [{chain for entity in m.entities for chain in entity.auth_asym_ids} for m in twins]
        assert (twins[0].methods, chains[0]) == (twins[1].methods, chains[1])
        assert twins[0].resolution == pytest.approx(twins[1].resolution, abs=0.006)
        assert_described(twins[1], entry_id)
        assert_rows_are(deposited_of(path)[0], clean_file(path, find)[1].ligand_rows, path.name)


def test_every_real_entry_has_polymers_sequences_and_dates(files: dict[str, Path]) -> None:
    for entry_id, path in files.items():
        assert_described(described(path), entry_id)


def described(path: Path) -> EntryMetadata:
    return metadata_of(gzip.decompress(path.read_bytes()), is_mmcif=".cif" in path.name)


def assert_described(metadata: EntryMetadata, entry_id: str) -> None:
    assert metadata.entry_id == entry_id
    assert metadata.title
    assert metadata.methods
    assert metadata.release_date
    assert metadata.entities
    assert all(entity.sequence and entity.auth_asym_ids for entity in metadata.entities)


def assert_rows_are(groups: HetGroups, rows: Iterable[Mapping[str, Any]], name: str) -> None:
    """Compare status rows with the groups counted; a peptide-like ligand named after a residue has a row for it too."""
    expected, written = groups.copy(), Counter[tuple[str, str, str]]()
    for row in rows:
        key = (str(row["chain"]), str(row["ligand"]), str(row["residue"]))
        written[key] += 1
        if row["ligand"] in STANDARD and "+" in str(row["components"]):
            expected[key] = max(expected[key], 1)
    # Files of the 1990s have ligands without chain: they are given the nearest polymer's.
    for _, comp_id, residue in [key for key in expected if not key[0]]:
        placed = next(key for key in written if key[1:] == (comp_id, residue))
        expected[placed] += expected.pop(("", comp_id, residue))
    assert written == expected, name


def test_every_row_has_a_reason(whole: JobRun, kept: list[Row]) -> None:
    assert len(kept) > 500
    assert all(row["reason"] and row["sentence"] for row in rows_of(whole.job, layout.LIGAND_STATUS))


def test_molecules_are_the_observed_atoms_where_they_were_deposited(
    whole: JobRun, kept: list[Row], deposited: dict[str, Deposited]
) -> None:
    """Elements and coordinates of each SDF against one conformer of the deposited file."""
    rdBase.DisableLog("rdApp.*")
    compared = 0
    for row in kept:
        key = (row["Chain"], row["Warhead"], row["Residue_ID"])
        if "+" in row["components"] or key not in deposited[row["pdb_id"]][1]:
            continue
        expected = [atom for atom in deposited[row["pdb_id"]][1][key] if atom.altloc in ("", row["altloc"])]
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


def test_components_of_another_conformer_are_rejected_with_a_reason(whole: JobRun, kept: list[Row]) -> None:
    """Echinomycin in 1PFE is bound in two orientations: residues 3 and 7 are N2C and NCY in conformer A, the reverse in
    B."""
    rows = [row for row in rows_of(whole.job, layout.LIGAND_STATUS) if row["pdb_id"] == "1pfe"]
    bridge = {(row["ligand"], row["residue"]): row["reason"] for row in rows if row["ligand"] in ("NCY", "N2C")}
    assert bridge == {
        ("N2C", "3"): "member_of_group",
        ("NCY", "3"): "not_single_conformer",
        ("N2C", "7"): "not_single_conformer",
        ("NCY", "7"): "member_of_group",
    }
    (one,) = [row for row in kept if row["pdb_id"] == "1pfe"]
    assert one["components"].count("N2C") == one["components"].count("NCY") == 1
    assert "alternate_conformers" in one["flags"].split(";")


def test_conformers_that_differ_in_hydrogens_do_not_count(kept: list[Row]) -> None:
    """In the joint X-ray and neutron structure 6NTJ hydrogen and deuterium share places."""
    (one,) = [row for row in kept if row["pdb_id"] == "6ntj"]
    assert "alternate_conformers" not in one["flags"].split(";")


def test_leupeptin_is_one_ligand_for_every_bond_to_the_protein(whole: JobRun, kept: list[Row]) -> None:
    """Without OXT in 6XCH, with it in 6YZ6; by definition both are the hydrate of the aldehyde, none an alcohol."""
    acetyl_leu_leu = "CC(=O)N[C@@H](CC(C)C)C(=O)N[C@@H](CC(C)C)C(=O)N"
    hydrate = f"{acetyl_leu_leu}[C@@H](CCCNC(N)=[NH2+])C(O)O"
    assert {row["SMILES"] for row in kept if row["components"] == "ACE+LEU+LEU+AR7"} == {hydrate}
    rows = [row for row in rows_of(whole.job, layout.LIGAND_METADATA) if row["Ligand"] == "ACE+LEU+LEU+AR7"]
    assert [row["SMILES"] for row in rows] == [hydrate]


def test_components_of_five_characters_are_kept_whole(whole: JobRun, kept: list[Row]) -> None:
    rows = [row for row in kept if len(row["Warhead"]) == 5]
    assert [row["Warhead"] for row in rows] == ["A1AA6"]
    assert all((whole.job / layout.war_pdb(row["stem"], "cif")).is_file() for row in rows)
    named = {row["name"] for row in rows_of(whole.job, layout.NAME_MAP) if row["what"] == "component"}
    assert "A1AA6" in named


def test_accepted_components_are_relevant_to_chemists(kept: list[Row]) -> None:
    """Each was judged by hand; irrelevant ones have a reason in the list and are rare."""
    judged = {row["comp_id"]: row for row in rows_of(REFERENCE, "judged_ligands.csv")}
    assert {row["Warhead"] for row in kept} == judged.keys()
    assert all(row["reason"] and row["source"] for row in judged.values())
    unwanted = [row for row in kept if judged[row["Warhead"]]["verdict"] != "wanted"]
    assert len(unwanted) <= 0.005 * len(kept)


def test_residues_of_egfr_have_one_number_in_all_entries(whole: JobRun, kept: list[Row]) -> None:
    """Gatekeeper, hinge and the cysteine of covalent inhibitors, in contacts and near anchors."""
    mutations = {row["stem"]: row["mutations"].split(";") for row in kept if "P00533:" in row["pocket_uniprot"]}
    assert len(mutations) == 27
    named: Counter[str] = Counter()
    told = [
        (row["stem"], f"{row['partner_uniprot']}:{row['partner_uniprot_residue']}", row["partner_component"])
        for row in rows_of(whole.job, layout.CONTACTS)
    ]
    for row in rows_of(whole.job, layout.EXIT_VECTORS):
        numbers = row["anchor_uniprot"].split(";")
        told += [(row["stem"], n, r[:3]) for n, r in zip(numbers, row["anchor_residues"].split(";"), strict=False)]
    for stem, number, component in told:
        if stem in mutations:
            gatekeeper = "MET" if "T790M" in mutations[stem] else "THR"
            expected = {"P00533:790": gatekeeper, "P00533:793": "MET", "P00533:797": "CYS"}.get(number, component)
            assert component == expected, (stem, number)
            named[number] += 1
    assert min(named[f"P00533:{number}"] for number in (790, 793, 797)) > 10
    hinge = {row["stem"] for row in kept if "P00533:793" in row["pocket_uniprot"].split(";")}
    assert len(hinge) >= 21  # all except the six that bind next to the C helix


def test_job_finds_nothing_wrong_with_itself(whole: JobRun) -> None:
    """Two molecules are in two pieces because a bond was not observed; the haems of 4HHB (1984) are distorted."""
    manifest = json.loads((whole.job / layout.MANIFEST).read_text(encoding="utf-8"))
    failed = {name for name, check in manifest["self_check"]["checks"].items() if check["failed"]}
    assert failed <= {"connected", "bonds"}
    bad = [one["stem"] for one in manifest["self_check"]["failures"] if one["check"] == "bonds"]
    assert [stem for stem in bad if not stem.startswith("4hhb_")] == []
    reasons = {row["reason"] for row in rows_of(whole.job, layout.ENTRY_STATUS)}
    assert "program_error" not in reasons
    assert disagreements(whole.job) == []


def test_modified_residues_stay_in_their_chain(whole: JobRun, kept: list[Row], files: dict[str, Path]) -> None:
    """The public service lost phosphotyrosine from 226 of 229 files."""
    codes = {"PTR", "TPO", "SEP", "MSE", "CSO"}
    rows = (row for row in rows_of(whole.job, layout.LIGAND_STATUS) if row["kind"] == "modified_residue")
    modified = grouped((row for row in rows if row["ligand"] in codes), _entry)
    seen: Counter[str] = Counter()
    for entry_id, of_entry in modified.items():
        path = next((whole.job / layout.war_pdb(row["stem"]) for row in kept if row["pdb_id"] == entry_id), None)
        if path is None or not path.exists() or (read_entry(files[entry_id], entry_id).atoms.altloc != b"").any():
            continue
        structure = gemmi.read_pdb(str(path))
        written = {(c.name, str(r.seqid), r.name) for c in structure[0] for r in c}
        for row in of_entry:
            if row["chain"] in {c.name for c in structure[0]}:
                assert (row["chain"], row["residue"], row["ligand"]) in written, path.name
                seen[row["ligand"]] += 1
    assert seen.keys() >= {"PTR", "TPO", "MSE"}
