"""Cleaned complexes of real entries, read back."""

from dataclasses import replace
from pathlib import Path

import gemmi
import numpy as np
import pytest

from tests.tools.cleaning import ANY_TARGET, Find, clean_file, clean_sample, exposure_of as exposure_of_sample
from tethermap.complex.clean import KeptInstance
from tethermap.complex.settings import CleanSettings
from tethermap.entry.target_query import TargetQuery
from tethermap.exposure.method import FREESASA
from tethermap.exposure.radii import PolymerRadii
from tethermap.exposure.sasa import Exposure, Sasa


def kept_in(path: Path, find: Find, comp_id: str, settings: CleanSettings = ANY_TARGET) -> KeptInstance:
    kept = clean_file(path, find, settings)[1].kept
    return next(one for one in kept if one.instance.name.comp_id == comp_id)


def exposure_of(kept: KeptInstance, find: Find) -> Exposure:
    """Areas with radii by element, enough to compare contexts."""
    return exposure_of_sample(clean_sample(kept), find)


def test_drug_between_two_chains_is_open_in_context_chain_and_buried_in_target(archive: Path, find: Find) -> None:
    """Amprenavir in 1HPV: half of the pocket belongs to the other chain of the dimer."""
    settings = replace(ANY_TARGET, target=TargetQuery("HIV protease"))
    exposure = exposure_of(kept_in(archive / "1hpv.ent.gz", find, "478", settings), find)
    assert exposure.bound["chain"].sum() > 300
    assert exposure.bound["target"].sum() < 45


def test_assembly_of_a_ternary_complex_covers_what_the_target_leaves_open(mirror: Path, find: Find) -> None:
    """MZ1 in 5T35: VHL covers 69 % of the surface that BRD4 leaves exposed, along the path of the linker."""
    settings = replace(ANY_TARGET, target=TargetQuery("BRD4"))
    _, cleaned = clean_file(mirror / "5t35.pdb.gz", find, settings)
    for kept in cleaned.kept:
        areas = exposure_of(kept, find).bound
        assert 1 - areas["assembly"].sum() / areas["target"].sum() == pytest.approx(0.69, abs=0.02)


def test_exposed_lysines_are_those_whose_nz_has_area_in_the_whole_chain(archive: Path, find: Find) -> None:
    """All lysines of the one chain of 4CUP, by FreeSASA over all its atoms."""
    entry, cleaned = clean_file(archive / "4cup.cif.gz", find)
    (kept,) = cleaned.kept
    ligand = kept.instance.atoms.xyz[kept.instance.atoms.heavy]
    residues = [one for one in entry.structure[0]["A"] if one.entity_type == gemmi.EntityType.Polymer]
    atoms = [(residue, atom) for residue in residues for atom in residue]
    polymer = [one for one in atoms if not one[1].is_hydrogen() and one[1].altloc in ("\0", "A")]
    amines = [k for k, (residue, atom) in enumerate(polymer) if (residue.name, atom.name) == ("LYS", "NZ")]
    order = [*amines, *(k for k in range(len(polymer)) if k not in amines)]
    xyz = np.array([polymer[k][1].pos.tolist() for k in order])
    table = PolymerRadii(find)
    radii = np.array([table.of(polymer[k][0].name, polymer[k][1].name, polymer[k][1].element.name) for k in order])
    areas = Sasa(1.4, 20, FREESASA).areas(xyz, radii, len(amines))
    near = np.linalg.norm(xyz[: len(amines), None] - ligand[None], axis=2).min(axis=1) <= 30.0
    shown = np.flatnonzero(near & (areas >= 10.0)).tolist()
    expected = {str(polymer[amines[k]][0].seqid): float(areas[k]) for k in shown}
    assert len(expected) > 5
    assert {one.residue_id: one.area for one in kept.instance.lysines} == pytest.approx(expected, abs=0.01)
    assert {one.uniprot for one in kept.instance.lysines} == {f"Q9UIF8:{number}" for number in expected}


def test_ligand_without_chain_gets_that_of_the_nearest_polymer_atom(archive: Path, find: Find) -> None:
    instance = kept_in(archive / "1hpv.ent.gz", find, "478").instance
    assert (instance.name.auth_asym_id, instance.stem) == ("A", "1hpv_A_478_200")
    assert "chain_from_nearest_polymer" in instance.flags
    assert "copies_in_complex" not in instance.flags


def read_pdb(kept: KeptInstance) -> gemmi.Structure:
    assert kept.cleaned.pdb is not None
    return gemmi.read_pdb_string(kept.cleaned.pdb)


def test_cleaned_file_has_only_polymer_and_ligand(archive: Path, find: Find) -> None:
    structure = read_pdb(kept_in(archive / "4cup.cif.gz", find, "ZYB"))
    names = {residue.name for chain in structure[0] for residue in chain}
    assert "ZYB" in names
    assert not names & {"HOH", "MOH"}
    assert not any(cra.atom.is_hydrogen() or cra.atom.has_altloc() for cra in structure[0].all())


def test_lines_of_the_cleaned_file_are_legal(archive: Path, find: Find) -> None:
    """Element right-justified in columns 77-78, coordinates in 31-54, serial numbers rising."""
    lines = (kept_in(archive / "1gbt.cif.gz", find, "GBS").cleaned.pdb or "").splitlines()
    atoms = [line for line in lines if line.startswith(("ATOM", "HETATM"))]
    assert all(gemmi.Element(line[76:78].strip()).atomic_number > 0 and line[77] != " " for line in atoms)
    assert sum(line.startswith("SSBOND") for line in lines) == 6
    records = {line.split()[0] for line in lines}
    assert records >= {"HEADER", "SEQRES", "CRYST1", "REMARK", "CONECT", "LINK", "TER", "END"}
    serials = [int(line[6:11]) for line in atoms]
    assert serials == sorted(set(serials))


def test_serial_numbers_name_the_ligands_atoms(archive: Path, find: Find) -> None:
    for path in sorted(archive.glob("*.gz")):
        for kept in clean_file(path, find)[1].kept:
            atoms = kept.instance.atoms
            structure = read_pdb(kept)
            by_serial = {cra.atom.serial: cra.atom for cra in structure[0].all()}
            written = [by_serial[number] for number in atoms.serial[atoms.heavy].tolist()]
            assert [atom.name for atom in written] == [atoms.name[i] for i in atoms.heavy]
            assert np.allclose([atom.pos.tolist() for atom in written], atoms.xyz[atoms.heavy], rtol=0, atol=5e-4)


def test_five_character_component_is_written_with_a_short_name_and_whole_in_its_twin(mirror: Path, find: Find) -> None:
    kept = kept_in(mirror / "7gsa.cif.gz", find, "A1AA6")
    renamed = kept.cleaned.renamed[0]
    assert (renamed.what, renamed.name) == ("component", "A1AA6")
    assert len(renamed.name_in_pdb) == 3
    lines = (kept.cleaned.pdb or "").splitlines()
    short = [line for line in lines if line.startswith("HETATM") and line[17:20] == renamed.name_in_pdb]
    assert len(short) == len(kept.instance.atoms.heavy)
    assert kept.cleaned.mmcif is not None
    twin = gemmi.make_structure_from_block(gemmi.cif.read_string(kept.cleaned.mmcif).sole_block())
    whole = [residue for chain in twin[0] for residue in chain if residue.name == "A1AA6"]
    assert [len(residue) for residue in whole] == [len(kept.instance.atoms.heavy)]


def test_copies_of_an_assembly_are_named_and_mapped(mirror: Path, find: Find, monkeypatch: pytest.MonkeyPatch) -> None:
    """With names too long for gemmi's columns too."""
    settings = CleanSettings(TargetQuery("none"), context="assembly")
    kept = clean_file(mirror / "1fbl.cif.gz", find, settings)[1].kept[0]
    copies = [name for name in kept.cleaned.renamed if name.what == "copy"]
    chains = [chain.name for chain in read_pdb(kept)[0]]
    assert len(chains) == len(set(chains))
    assert set() < {name.name_in_pdb for name in copies} <= set(chains)
    monkeypatch.setattr("tethermap.complex.cleaned.LONGEST_NAME", 1)
    again = clean_file(mirror / "1fbl.cif.gz", find, settings)[1].kept[0].cleaned
    assert (again.pdb, again.mmcif) == (kept.cleaned.pdb, kept.cleaned.mmcif)
    assert np.array_equal(again.serial, kept.cleaned.serial)


@pytest.mark.parametrize("context", ["chain", "target", "assembly", "entry"])
def test_cleaned_file_has_the_requested_context(context: str, archive: Path, find: Find) -> None:
    settings = CleanSettings(TargetQuery("HIV protease"), context=context)
    chains = [chain.name for chain in read_pdb(kept_in(archive / "1hpv.ent.gz", find, "478", settings))[0]]
    assert chains == (["A"] if context == "chain" else ["A", "B"])


@pytest.mark.parametrize(
    ("setting", "code", "comp_id", "reason"),
    [("only_ligands", "XYZ", "ZYB", "not_asked_for"), ("always_keep", "MOH", "MOH", "kept")],
)
def test_settings_choose_ligands(setting: str, code: str, comp_id: str, reason: str, archive: Path, find: Find) -> None:
    settings = replace(ANY_TARGET, **{setting: frozenset({code})})  # type: ignore[arg-type]
    _, cleaned = clean_file(archive / "4cup.cif.gz", find, settings)
    assert {row["reason"] for row in cleaned.ligand_rows if row["ligand"] == comp_id} == {reason}


def test_hydrogens_are_written_on_request(mirror: Path, find: Find) -> None:
    settings = replace(ANY_TARGET, keep_hydrogens=True, always_keep=frozenset({"NBU"}))
    kept = clean_file(mirror / "193d.cif.gz", find, settings)[1].kept[0]
    assert any(cra.atom.is_hydrogen() for cra in read_pdb(kept)[0].all())


@pytest.mark.parametrize("file", ["4hhb.cif.gz", "4hhb.pdb.gz"])
def test_other_copies_of_a_cofactor_in_its_complex_are_flagged(file: str, mirror: Path, find: Find) -> None:
    _, cleaned = clean_file(mirror / file, find)
    flagged = [kept.instance.name.auth_asym_id for kept in cleaned.kept if "copies_in_complex" in kept.instance.flags]
    assert flagged == ["A", "C"]
    for kept in cleaned.kept:
        instance, text = kept.instance, kept.cleaned.pdb or ""
        lines = [line for line in text.splitlines() if line.startswith("HETATM") and line[17:20] == "HEM"]
        own = f"HEM {instance.name.auth_asym_id} {instance.name.residue_id}"
        copies = {f"HEM {line[21]} {line[22:26].strip()}" for line in lines} - {own}
        assert set(filter(None, instance.notes.get("copies_in_complex", "").split(", "))) == copies
        assert all(f"part of the protein, not the ligand: {name}" in text for name in copies)
