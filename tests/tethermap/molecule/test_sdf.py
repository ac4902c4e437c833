"""SDFs read back with RDKit."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from rdkit import Chem

from tests.tools.components import Known, ideal_instance, linked
from tests.tools.exits import sdf_molecule
from tethermap.components.index import ComponentIndex
from tethermap.instance.model import Instance
from tethermap.matching.build import build_ligand
from tethermap.molecule.record import LigandMolecule
from tethermap.molecule.sdf import sdf_text

read = partial(sdf_molecule, hydrogens=True)


@pytest.fixture
def ligand(known: Known, index: ComponentIndex) -> tuple[Instance, LigandMolecule]:
    instance = ideal_instance(known("478"), turn=17.123456 * np.eye(3) / 17.0)
    return instance, build_ligand(instance, index)


def test_molecule_and_coordinates_are_read_back(ligand: tuple[Instance, LigandMolecule]) -> None:
    instance, record = ligand
    mol = read(sdf_text(record, instance, {}, {}))
    assert mol.GetProp("_Name") == instance.stem
    heavy = Chem.RemoveHs(mol)
    Chem.AssignStereochemistryFrom3D(heavy)
    assert Chem.MolToSmiles(heavy) == record.observed_smiles
    positions = mol.GetConformer().GetPositions()[: record.n_heavy]
    assert np.abs(positions - instance.atoms.xyz[record.atom_index]).max() <= 0.5e-4


def test_atom_lists_are_read_back_as_atom_properties(ligand: tuple[Instance, LigandMolecule]) -> None:
    instance, record = ligand
    values: list[float | None] = [round(0.1 * k, 4) for k in range(record.n_heavy)]
    values[3] = None
    mol = read(sdf_text(record, instance, {}, {"sasa_free": values}))
    atoms = list(mol.GetAtoms())
    assert [atom.GetProp("name") for atom in atoms[: record.n_heavy]] == list(record.names)
    assert [atom.GetProp("dictionary_name") for atom in atoms[: record.n_heavy]] == list(record.dictionary_names)
    found = [atom.GetDoubleProp("sasa_free") if atom.HasProp("sasa_free") else None for atom in atoms]
    assert found == values + [None] * (len(atoms) - record.n_heavy)


def test_fields_describe_the_processing(ligand: tuple[Instance, LigandMolecule]) -> None:
    instance, record = ligand
    fields = read(sdf_text(record, instance, {"target": "HIV protease", "empty": ""}, {})).GetPropsAsDict()
    expected = {
        "pdb_id": "1abc", "component": 478, "SMILES": record.smiles, "InChIKey": "YMARZQAQMVYCKC-OEMFJLHTSA-N",
        "bond_source": "dictionary", "sanitised": "yes", "hydrogens": "added", "target": "HIV protease",
    }  # fmt: skip
    assert {name: fields[name] for name in expected} == expected
    assert not {"empty", "altloc"} & fields.keys()


def test_mean_b_is_left_out_if_an_atom_has_none(ligand: tuple[Instance, LigandMolecule]) -> None:
    instance, record = ligand
    b_iso = np.full(len(instance.atoms), 12.5)
    for first, mean in ((12.5, 12.5), (np.nan, None)):
        b_iso[0] = first
        changed = replace(instance, atoms=replace(instance.atoms, b_iso=b_iso))
        assert changed.mean_b == mean
        assert read(sdf_text(record, changed, {}, {})).GetPropsAsDict().get("mean_B") == mean


def test_link_is_named(known: Known, index: ComponentIndex) -> None:
    instance = linked(known("PLM"), "C1", omit=["O2"])
    fields = read(sdf_text(build_ligand(instance, index), instance, {}, {})).GetPropsAsDict()
    found = [fields[name] for name in ("link_atom", "link_residue", "SMILES_adduct")]
    assert found == ["C1", "CYS A 145 SG", "*SC(=O)CCCCCCCCCCCCCCC"]


def test_only_ligands_have_a_class_of_warhead(known: Known, index: ComponentIndex) -> None:
    instance = linked(known("PLM"), "C1", omit=["O2"])
    record = build_ligand(instance, index)
    texts = [sdf_text(record, replace(instance, kind=kind), {}, {}) for kind in ("ligand", "cofactor")]
    assert ["<warhead_class>" in text for text in texts] == [True, False]


def test_lines_of_lists_are_short_enough_for_any_reader(ligand: tuple[Instance, LigandMolecule]) -> None:
    instance, record = ligand
    text = sdf_text(record, instance, {}, {"long": [123.4567] * record.n_heavy})
    begin = text.index("<atom.dprop.long>")
    assert max(len(line) for line in text[begin:].splitlines()) <= 200


def test_dative_bonds_are_written_as_v3000(known: Known, index: ComponentIndex) -> None:
    instance = ideal_instance(known("MO6"))
    text = sdf_text(build_ligand(instance, index), instance, {}, {})
    assert "V3000" in text
    assert read(text).GetNumAtoms() == build_ligand(instance, index).mol.GetNumAtoms()


def test_molecule_that_does_not_sanitise_is_written(known: Known, index: ComponentIndex) -> None:
    instance = ideal_instance(known("08T"))
    record = build_ligand(instance, index)
    text = sdf_text(record, instance, {}, {})
    assert ">  <sanitised>\nno\n" in text
    assert sdf_molecule(text, sanitize=False, hydrogens=True).GetNumAtoms() == record.mol.GetNumAtoms()


@pytest.mark.parametrize("name", ["$$$$", "$$$$ BRD4", "> <x>", "$$$$\n\n$$$$", "two\n\nlines > <x>"])
def test_no_name_of_a_target_ends_the_record(ligand: tuple[Instance, LigandMolecule], name: str) -> None:
    instance, record = ligand
    text = sdf_text(record, instance, {"target": name, "last": "1"}, {})
    assert read(text).GetProp("target").strip() == " ".join(name.split())
    assert read(text).GetProp("last") == "1"
