"""Drawings of the ligands of uploaded files."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from rdkit import Chem

from scripts import inspect_files
from tests.tethermap.sources.own.test_prepare import ligand_mol
from tests.tethermap.sources.own.test_split import mol2
from tests.tools.components import without_stereo
from tests.tools.small_entry import atom_line, strand, write_entry
from tests.tools.styles import SMILES, programs, protein_pdb

STYLES = {style.file: style.text for style in programs() if style.name in ("openmm", "boltz")}


def sdf() -> str:
    """Return the ligand, and the same with chlorine in place of fluorine."""
    other = Chem.Mol(ligand_mol())
    next(atom for atom in other.GetAtoms() if atom.GetSymbol() == "F").SetAtomicNum(17)
    return "".join(f"{Chem.MolToMolBlock(mol)}$$$$\n" for mol in (ligand_mol(), other))


def drawn(folder: Path, files: dict[str, str]) -> list[dict[str, str]]:
    uploads = folder / "files"
    uploads.mkdir()
    for name, text in files.items():
        (uploads / name).write_text(text)
    found = inspect_files.main(uploads, folder / "cache")
    assert [file["error"] for file in found] == [""] * len(files)
    return [ligand for file in found for ligand in file["ligands"]]


@pytest.mark.parametrize(
    "files",
    [
        *({name: text} for name, text in STYLES.items()),
        {"model.pdb": protein_pdb(), "model.mol2": mol2()},
        {"model.pdb": protein_pdb(), "model.sdf": sdf()},
    ],
    ids=max,
)
def test_each_ligand_of_a_file_is_drawn_once(files: dict[str, str], tmp_path: Path) -> None:
    ligands = drawn(tmp_path, files)
    expected = [SMILES, SMILES.replace("F", "Cl")][: 1 + ("model.sdf" in files)]
    assert [without_stereo(ligand["smiles"]) for ligand in ligands] == list(map(without_stereo, expected))
    for ligand in ligands:
        circles = ElementTree.fromstring(ligand["svg"]).iter("{http://www.w3.org/2000/svg}circle")
        assert sum("atom" in circle.get("class", "").split() for circle in circles) == 11


@pytest.mark.parametrize(
    ("limit", "value", "number"),
    [("_MOST_DRAWN", 1, 1), ("_MOST_DRAWN_OF_ALL", 1, 1), ("_MOST_ATOMS", 10, 0), ("_MOST_POSES", 1, 0),
     ("_DRAWING_SECONDS", 0, 0)],
)  # fmt: skip
def test_drawings_are_limited_in_number_size_and_time(
    limit: str, value: int, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspect_files, limit, value)
    assert len(drawn(tmp_path, {"model.pdb": protein_pdb(), "model.sdf": sdf()})) == number


def test_file_whose_ligand_cannot_be_drawn_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspect_files, "plain_svg", lambda *_: 1 / 0)
    (tmp_path / "model.pdb").write_text(STYLES["minimized.pdb"])
    (file,) = inspect_files.main(tmp_path, tmp_path / "cache")
    assert (file["error"], file["ligands"]) == ("", [])
    assert file["notes"][-1].startswith("its ligands can't be drawn")


def test_single_unknown_atom_is_no_ligand_without_bonds(tmp_path: Path) -> None:
    atom = atom_line(950, "UNK", "UNX", "A", 100, (1.2, 3.2, 5.0), element="X")
    write_entry(tmp_path, strand("A", 1), [atom])
    (file,) = inspect_files.main(tmp_path, tmp_path / "cache")
    assert file["notes"] == ["chain A: 8 residues", "unknown UNX A100: 1 heavy atoms"]
