"""Separate ligand files, several models, confidences: preparation of a user's files."""

import bz2
import gzip
import json
import lzma
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import gemmi
import numpy as np
import pytest
from rdkit import Chem
from rdkit.Chem import AllChem
from rdkit.Chem.rdMolTransforms import TransformConformer

from tests.tools.styles import SMILES, Atom, complex_atoms, pdb_line, programs, protein_pdb
from tethermap.components.user import read_user_components
from tethermap.entry.reader import Entry, parse_file, read_entry
from tethermap.sources.base import SourceError
from tethermap.sources.files import FilesSource
from tethermap.sources.own.definitions import definitions_among, is_definition
from tethermap.sources.own.pairing import read_list
from tethermap.sources.own.poses import LigandFileError, read_poses
from tethermap.sources.own.sniff import kind_of

Opened = Callable[[Path], FilesSource]


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """Return a folder with a protein and its ligand, named as PDBbind and CASF name them."""
    folder = tmp_path / "4cup"
    folder.mkdir()
    (folder / "4cup_protein.pdb").write_text(protein_pdb())
    write_sdf(folder / "4cup_ligand.sdf", poses=1)
    return folder


def ligand_mol() -> Chem.Mol:
    """Return the ligand with its coordinates and the bonds of its SMILES."""
    heavy = [atom for atom in complex_atoms() if atom.is_ligand and atom.element != "H"]
    lines = (pdb_line(k, atom, record="HETATM", code="LIG", chain="A", number=1) for k, atom in enumerate(heavy, 1))
    shape, placed = Chem.MolFromSmiles(SMILES), Chem.MolFromPDBBlock("".join(lines))
    mol: Chem.Mol = AllChem.AssignBondOrdersFromTemplate(shape, placed)  # type: ignore[no-untyped-call]
    return mol


def write_sdf(path: Path, *, poses: int, hydrogens: bool = True, apart: float = 0.2) -> None:
    """Write poses some way apart, in angstroms."""
    mol = Chem.AddHs(ligand_mol(), addCoords=True) if hydrogens else ligand_mol()
    with Chem.SDWriter(str(path)) as writer:
        mol.SetProp("_Name", "fluorobenzamidoxime")
        for _ in range(poses):
            writer.write(mol)
            step = np.eye(4)
            step[0, 3] = apart
            TransformConformer(mol.GetConformer(), step)


def entry_of(source: FilesSource, entry_id: str) -> Entry:
    return read_entry(source.fetch(entry_id).path, entry_id)


def test_protein_and_ligand_of_one_name_are_one_entry(pair: Path, opened: Opened) -> None:
    (pair / "4cup_pocket.pdb").write_text(protein_pdb())
    source = opened(pair)
    assert source.all_entries() == ["4cup-protein"]
    entry = entry_of(source, "4cup-protein")
    (definition,) = entry.additions.ligands.values()
    assert "fluorobenzamidoxime" in definition
    assert "doub" in definition
    assert len(entry.poses) == 1
    assert any("4cup_pocket.pdb was skipped" in note for note in source.notes)


def test_same_files_elsewhere_give_the_same_bytes(pair: Path, opened: Opened, tmp_path: Path) -> None:
    first = opened(pair).fetch("4cup-protein")
    other = tmp_path / "other" / "place"
    other.mkdir(parents=True)
    for path in pair.iterdir():
        (other / path.name).write_bytes(path.read_bytes())
    assert opened(other).fetch("4cup-protein").sha256 == first.sha256


def test_another_version_reads_files_again_and_forgets_old_ones(
    pair: Path, opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(pair)
    (old,) = (tmp_path / "cache/complexes").glob("*/*/made.json")
    os.utime(old, (1_600_000_000, 1_600_000_000))
    monkeypatch.setattr("tethermap.sources.files.source_digest", lambda: "another version")
    opened(pair)
    (new,) = (tmp_path / "cache/complexes").glob("*/*/made.json")
    assert (new.parent.name, new.parents[1].name) == (old.parent.name, "another version")


@pytest.mark.parametrize("rows", ["protein,ligand\ntwo.pdb,x.sdf\n", "ligand,protein\nx.sdf,two.pdb\n"])
def test_pairs_are_taken_from_a_list_of_two_columns(rows: str, tmp_path: Path, opened: Opened) -> None:
    folder = tmp_path / "listed"
    folder.mkdir()
    for name in ("one.pdb", "two.pdb"):
        (folder / name).write_text(protein_pdb())
    write_sdf(folder / "x.sdf", poses=2)
    (folder / "pairs.csv").write_text(rows)
    assert read_list(folder / "pairs.csv") == [(str(folder / "two.pdb"), str(folder / "x.sdf"))]
    source = opened(folder)
    assert [len(entry_of(source, name).poses) for name in ("one", "two")] == [0, 2]


def test_ligand_without_a_structure_is_reported(tmp_path: Path, opened: Opened) -> None:
    for name in ("one.pdb", "two.pdb"):
        (tmp_path / name).write_text(protein_pdb())
    write_sdf(tmp_path / "three.sdf", poses=1)
    (note,) = [note for note in opened(tmp_path).notes if "three.sdf" in note]
    assert "list the pairs" in note


@pytest.mark.parametrize("number", [1, 2])
def test_second_block_with_atoms_of_an_mmcif_file_is_reported(number: int, tmp_path: Path, opened: Opened) -> None:
    """PyMOL writes a block for each object."""
    structure = gemmi.read_pdb_string(protein_pdb())
    document = gemmi.cif.Document()
    for k in range(number):
        document.add_copied_block(structure.make_mmcif_document()[0]).name = f"object{k + 1}"
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "model.cif").write_text(f"{document.as_string()}\ndata_comp_LIG\n_chem_comp.id LIG\n")
    notes = opened(tmp_path / "own").notes
    assert ["only object1 is used" in note for note in notes] == [True] * (number - 1)


def test_ligands_without_structures_are_one_sentence(tmp_path: Path, opened: Opened) -> None:
    write_sdf(tmp_path / "x.sdf", poses=1)
    with pytest.raises(SourceError, match="give the protein too"):
        opened(tmp_path)


def test_models_of_one_protein_are_poses_and_others_entries(tmp_path: Path, opened: Opened) -> None:
    ligand = [atom for atom in complex_atoms() if atom.is_ligand]
    lines = [pdb_line(k, a, record="HETATM", code="UNL", chain="B", number=1) for k, a in enumerate(ligand, start=1)]
    docked = protein_pdb().replace("END\n", "")
    models = "".join(f"MODEL {k:8d}\n{docked if k == 1 else ''}{''.join(lines)}ENDMDL\n" for k in (1, 2, 3))
    (tmp_path / "docked.pdb").write_text(models)
    whole = "".join(f"MODEL {k:8d}\n{moved(docked, 0.5 * k)}ENDMDL\n" for k in (1, 2))
    (tmp_path / "ensemble.pdb").write_text(whole)
    source = opened(tmp_path)
    assert source.all_entries() == ["docked", "ensemble-model-1", "ensemble-model-2"]
    poses = parse_file(source.fetch("docked").path, "docked").additions.poses  # next to the ligand of the first model
    assert [pose.pose_rank for pose in poses.values()] == [2, 3]


@pytest.mark.parametrize("code", ["UNK", "LIG"])
def test_poses_of_models_may_have_the_code_of_a_residue(tmp_path: Path, opened: Opened, code: str) -> None:
    """Glide's and Maestro's export calls each ligand UNK; a force field's residue (HID) of the protein is no pose."""
    ligand = [atom for atom in complex_atoms() if atom.is_ligand]
    lines = [pdb_line(k, a, record="HETATM", code=code, chain=" ", number=1) for k, a in enumerate(ligand, start=1)]
    docked = protein_pdb().replace("END\n", "").replace("ALA", "HID")
    assert "HID" in docked
    parts = (docked, docked + "".join(lines), "".join(lines))
    models = "".join(f"MODEL {k:8d}\n{part}ENDMDL\n" for k, part in enumerate(parts, start=1))
    (tmp_path / "docked.pdb").write_text(models)
    source = opened(tmp_path)
    poses = parse_file(source.fetch("docked").path, "docked").additions.poses
    assert [pose.source_record for pose in poses.values()] == [2, 3]


@pytest.mark.parametrize("with_bonds", [True, False])
@pytest.mark.parametrize("structure", ["x.pdb", "x.cif"])
def test_ligand_alone_in_mmcif_is_a_pose_of_its_structure(
    structure: str, tmp_path: Path, opened: Opened, *, with_bonds: bool
) -> None:
    """ChimeraX writes mmCIF by default; PyMOL adds the bonds of the component."""
    mol = ligand_mol()
    model = gemmi.read_pdb_string(Chem.MolToPDBBlock(mol))
    document = model.make_mmcif_document()
    names = [atom.name for atom in model[0][0][0]]
    bonds = document[0].init_loop("_chem_comp_bond.", ["comp_id", "atom_id_1", "atom_id_2", "value_order"])
    Chem.Kekulize(mol, clearAromaticFlags=True)
    for bond in mol.GetBonds() if with_bonds else ():
        ends = names[bond.GetBeginAtomIdx()], names[bond.GetEndAtomIdx()]
        bonds.add_row(["LIG", *ends, bond.GetBondType().name[:4]])
    (tmp_path / "x_ligand.cif").write_text(document.as_string())
    protein = gemmi.read_pdb_string(protein_pdb())
    text = protein_pdb() if structure.endswith("pdb") else protein.make_mmcif_document().as_string()
    (tmp_path / structure).write_text(text)
    source = opened(tmp_path)
    assert source.all_entries() == ["x"]
    entry = entry_of(source, "x")
    assert [pose.source_file for pose in entry.additions.poses.values()] == ["x_ligand.cif"]
    assert ["doub" in text for text in entry.additions.ligands.values()] == [with_bonds]
    assert source.notes == []


def moved(text: str, step: float) -> str:
    """Return a PDB text moved along x."""
    lines = [f"{line[:30]}{float(line[30:38]) + step:8.3f}{line[38:]}" if line.startswith("ATOM") else line
             for line in text.splitlines(keepends=True)]  # fmt: skip
    return "".join(lines)


def pdbqt_lines(atoms: Iterable[Atom], code: str, chain: str, number: int) -> str:
    """Return atoms with AutoDock's types, simplified."""
    types = {"C": "A", "N": "NA", "O": "OA", "F": "F"}
    return "".join(pdb_line(k, atom, record="ATOM", code=code, chain=chain, number=number,
                            tail=f"    +0.000 {types[atom.element]}")
                   for k, atom in enumerate(atoms, start=1))  # fmt: skip


def pdbqt_ligand() -> str:
    heavy = [atom for atom in complex_atoms() if atom.is_ligand and atom.element != "H"]
    return f"REMARK SMILES {SMILES}\nROOT\n{pdbqt_lines(heavy, 'UNL', ' ', 1)}ENDROOT\nTORSDOF 1\n"


def test_pdbqt_poses_have_the_smiles_that_meeko_writes(pair: Path, opened: Opened) -> None:
    (pair / "4cup_ligand.sdf").unlink()
    (pair / "4cup_out.pdbqt").write_text("".join(f"MODEL {k}\n{pdbqt_ligand()}ENDMDL\n" for k in (1, 2)))
    entry = entry_of(opened(pair), "4cup-protein")
    assert list(entry.additions.ligands.values()) == [SMILES, SMILES]
    assert {bytes(e) for e in entry.atoms.element[entry.atoms.label_asym_id == b"Llig1"]} == {b"C", b"N", b"O", b"F"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no molecule is in it"),
        (Chem.MolToMolBlock(Chem.MolFromSmiles("CCCCO")) + "$$$$\n", "it is a drawing"),
        ("garbage\n\n\nmore\n$$$$\n", "RDKit can't read it"),
    ],
)
def test_unusable_ligand_file_has_a_reason(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "x.sdf").write_text(text)
    with pytest.raises(LigandFileError, match=message):
        read_poses(tmp_path / "x.sdf")


def test_restraints_next_to_a_model_are_a_definition_and_not_an_entry(tmp_path: Path, opened: Opened) -> None:
    (tmp_path / "model.pdb").write_text(protein_pdb())
    atoms = "loop_\n_chem_comp_atom.comp_id\n_chem_comp_atom.atom_id\n_chem_comp_atom.type_symbol\nLIG C1 C\nLIG O1 O\n"
    tags = ("comp_id", "atom_id_1", "atom_id_2", "type")
    bonds = "loop_\n" + "".join(f"_chem_comp_bond.{tag}\n" for tag in tags) + "LIG C1 O1 single\n"
    head = "data_comp_list\nloop_\n_chem_comp.id\n_chem_comp.name\nLIG LIG\n"
    (tmp_path / "LIG.cif").write_text(f"{head}data_comp_LIG\n{atoms}{bonds}")
    for name in ("smiles.csv", "smiles.txt"):
        (tmp_path / name).write_text("code,smiles\nLIG,CO\n")
    source = opened(tmp_path)
    assert source.all_entries() == ["model"]
    assert source.notes == ["smiles.txt was not used: not a structure file."]
    assert list(definitions_among([str(tmp_path)])) == [tmp_path / "LIG.cif", tmp_path / "smiles.csv"]
    assert not is_definition(tmp_path / "smiles.txt")


@pytest.mark.parametrize(("packer", "ending"), [(gzip, "gz"), (bz2, "bz2"), (lzma, "xz")])
def test_packed_tables_and_definitions_are_read(packer: Any, ending: str, tmp_path: Path, opened: Opened) -> None:
    folder, other = tmp_path / "packed", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    restraints = b"data_comp_LIG\nloop_\n_chem_comp_atom.comp_id\n_chem_comp_atom.atom_id\nLIG C1\n"
    for name, text in (("a.smi", b"CCO ETX\n"), ("b.csv", b"code,smiles\nETY,CCN\n"), ("c.cif", restraints)):
        (folder / f"{name}.{ending}").write_bytes(packer.compress(text))
    paths = [folder / f"{name}.{ending}" for name in ("a.smi", "b.csv", "c.cif")]
    assert list(definitions_among([str(folder)])) == paths
    assert set(read_user_components(*paths[:2])) == {"ETX", "ETY"}
    (folder / "m.pdb").write_text(protein_pdb())
    assert opened(folder).all_entries() == ["m"]
    assert not opened(folder).notes
    for name in ("two.pdb", "x.sdf"):
        (other / name).touch()
    pairs = other / f"pairs.csv.{ending}"
    pairs.write_bytes(packer.compress(b"two.pdb,x.sdf\n"))
    assert read_list(pairs) == [(str(other / "two.pdb"), str(other / "x.sdf"))]
    pairs.write_bytes(packer.compress(b"two.pdb,x.sdf\n")[:-5])
    assert (read_list(pairs), is_definition(pairs)) == ([], False)


@pytest.mark.parametrize("text", ['"ID","SMILES"\n"LIG","CCO"\n', "id,isomeric_smiles,name\nLIG,CCO,x\n"])
def test_table_with_quotes_or_a_header_is_a_definition(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(text)
    assert is_definition(tmp_path / "x.csv")


def test_table_of_smiles_with_extensions_is_a_definition(tmp_path: Path) -> None:
    (tmp_path / "x.smi").write_text("CC(F)Cl |o1:1,r| LIG\n")
    assert is_definition(tmp_path / "x.smi")


@pytest.mark.parametrize("name", ["x.mae", "x.maegz", "x.moe", "x.pse"])
def test_format_of_one_program_is_named_with_the_remedy(name: str, tmp_path: Path, opened: Opened) -> None:
    (tmp_path / "model.pdb").write_text(protein_pdb())
    (tmp_path / name).write_bytes(b"x")
    assert any("export it as PDB or mmCIF" in note for note in opened(tmp_path).notes)


def test_map_that_contains_the_first_bytes_of_a_packer_is_a_map(tmp_path: Path) -> None:
    (tmp_path / "model.mtz").write_bytes(b"MTZ \x15\x1f\x9d\x00")
    assert kind_of(tmp_path / "model.mtz") == ("text", "")


@pytest.mark.parametrize("style", ["alphafold3", "boltz"])
def test_aligned_errors_next_to_a_prediction_are_read(style: str, tmp_path: Path, opened: Opened) -> None:
    model = next(one for one in programs() if one.name == style)
    (tmp_path / model.file).write_text(model.text)
    atoms = complex_atoms()
    residues = len({atom.number for atom in atoms if not atom.is_ligand})
    count = residues + sum(atom.is_ligand and atom.element != "H" for atom in atoms)
    errors = np.full((count, count), 2.0)
    errors[residues:, :residues] = 4.0
    if style == "boltz":
        np.savez(tmp_path / "pae_x_model_0.npz", pae=errors.astype(np.float32))
    else:
        (tmp_path / "fold_confidences.json").write_text(json.dumps({"pae": errors.tolist()}))
    (entry_id,) = opened(tmp_path).all_entries()
    entry = entry_of(opened(tmp_path), entry_id)
    (by_residue,) = entry.additions.aligned_errors.values()
    assert set(by_residue.values()) == {3.0}
    assert 5 < len(by_residue) < 60
    assert entry.metadata.methods == ("predicted",)
    assert entry.confidence_scale == 1.0


def test_errors_of_another_model_are_not_used_with_a_note(tmp_path: Path, opened: Opened) -> None:
    model = next(one for one in programs() if one.name == "alphafold3")
    (tmp_path / f"{model.file}.gz").write_bytes(gzip.compress(model.text.encode()))
    (tmp_path / "fold_confidences.json").write_text(json.dumps({"pae": [[1.0, 2.0], [2.0, 1.0]]}))
    source = opened(tmp_path)
    assert any("has aligned errors of 2 tokens" in note for note in source.notes)
    assert source.all_entries() == ["fold-model"]
