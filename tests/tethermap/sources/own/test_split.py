"""Files of whole complexes with their bonds, and receptors whose chains have any name: the ligand's bonds arrive."""

import gzip
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from rdkit import Chem

from tests.tethermap.sources.own.ligands import ligands_among
from tests.tethermap.sources.own.test_mol2 import mol2_text
from tests.tethermap.sources.own.test_prepare import ligand_mol, moved, pdbqt_ligand, pdbqt_lines, write_sdf
from tests.tools.components import without_stereo
from tests.tools.styles import SMILES, complex_atoms, protein_pdb
from tethermap.components.index import ComponentIndex
from tethermap.sources.own.poses import read_poses

Ligands = Callable[[Path], dict[str, list[tuple[str, str]]]]
"""SMILES of each ligand and the source of its bonds, by entry."""


@pytest.fixture
def ligands(tmp_path: Path, index: ComponentIndex) -> Ligands:
    def of_folder(folder: Path) -> dict[str, list[tuple[str, str]]]:
        found = ligands_among(folder, tmp_path / "cache", index)
        return {entry_id: [one[1:] for one in listed] for entry_id, listed in found.items()}

    return of_folder


RIGHT = (without_stereo(SMILES), "file")


def protein_mol(step: float = 0.0) -> Chem.Mol:
    return Chem.MolFromPDBBlock(moved(protein_pdb(), step), sanitize=False, removeHs=False)


def maestro(*structures: Chem.Mol) -> bytes:
    stream = io.StringIO()
    with Chem.MaeWriter(stream) as writer:
        for mol in structures:
            Chem.Kekulize(mol)
            writer.write(mol)
    return stream.getvalue().encode()


@pytest.mark.parametrize("name", ["x.mae", "x.maegz", "x_pv.maegz"])
def test_maestro_file_of_a_receptor_and_poses_is_one_entry(name: str, own: Path, ligands: Ligands) -> None:
    data = maestro(protein_mol(), ligand_mol(), ligand_mol(), ligand_mol())
    (own / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    assert ligands(own) == {name.partition(".")[0].replace("_", "-"): [RIGHT] * 3}


def test_maestro_file_of_complexes_is_one_entry_each(own: Path, ligands: Ligands) -> None:
    complexes = [Chem.CombineMols(protein_mol(step), ligand_mol()) for step in (0.0, 0.1, 0.2)]
    (own / "x.mae").write_bytes(maestro(*complexes))
    assert ligands(own) == {f"x-{number}": [RIGHT] for number in (1, 2, 3)}


def test_mol2_file_of_a_receptor_and_poses_is_one_entry(own: Path, ligands: Ligands) -> None:
    """MOE writes the receptor of a docking as the first molecule."""
    infos = [atom.GetPDBResidueInfo() for atom in protein_mol().GetAtoms()]
    residues = iter(f"{info.GetResidueNumber()} {info.GetResidueName()}{info.GetResidueNumber()}" for info in infos)
    names = iter(info.GetName().strip() for info in infos)
    protein = re.sub("1 LIG1", lambda _: next(residues), mol2_text(protein_mol(), "gaff"))
    protein = re.sub(r"(?<=\d )[A-Z][a-z]?\d+(?= +-?\d+\.)", lambda _: next(names), protein)
    (own / "x.mol2").write_text(protein + mol2() + mol2())
    assert ligands(own) == {"x": [RIGHT] * 2}


def test_maestro_complex_with_properties_is_read(own: Path, ligands: Ligands) -> None:
    whole = Chem.CombineMols(protein_mol(), ligand_mol())
    whole.SetProp("s_pdb_PDB_ID", "1KV1")
    (own / "x.mae").write_bytes(maestro(whole))
    assert ligands(own) == {"x": [RIGHT]}


@pytest.mark.parametrize("ending", ["sdf", "mol2"])
@pytest.mark.parametrize("chain", ["A", " ", "B", "l", "9", "L"])
def test_bonds_of_a_ligands_file_reach_it_for_any_chain_of_the_receptor(
    chain: str, ending: str, own: Path, ligands: Ligands
) -> None:
    lines = [f"{line[:21]}{chain}{line[22:]}" if line.startswith("ATOM") else line
             for line in protein_pdb().splitlines(keepends=True)]  # fmt: skip
    (own / "receptor.pdb").write_text("".join(lines))
    if ending == "sdf":
        write_sdf(own / "crystal_ligand.sdf", poses=1)
    else:
        (own / "crystal_ligand.mol2").write_text(mol2())
    assert ligands(own) == {"receptor": [RIGHT]}


def mol2() -> str:
    """Return the ligand as Amber's programs write it: GAFF types, all hydrogens, orders of bonds."""
    return mol2_text(Chem.AddHs(ligand_mol(), addCoords=True), "gaff")


@pytest.mark.parametrize(("code", "names"), [("ASN", "CB CG OD1 ND2"), ("VAL", "CB CG1 CG2")])
def test_flexible_side_chains_of_a_docking_are_not_part_of_the_ligand(
    code: str, names: str, own: Path, ligands: Ligands
) -> None:
    """AutoDock Vina writes poses with flexible residues after each ligand."""
    (own / "x_receptor.pdb").write_text(protein_pdb())
    side = [atom for atom in complex_atoms() if atom.comp_id == code and atom.name in names.split()][
        : len(names.split())
    ]
    residue = f"ROOT\n{pdbqt_lines(side, code, 'A', side[0].number)}ENDROOT\n"
    flexible = f"BEGIN_RES {code} A {side[0].number:3d}\n{residue}END_RES {code} A {side[0].number:3d}\n"
    (own / "x_out.pdbqt").write_text("".join(f"MODEL {k}\n{pdbqt_ligand()}{flexible}ENDMDL\n" for k in (1, 2)))
    assert ligands(own) == {"x-receptor": [RIGHT] * 2}
    assert "flexible side chains are skipped" in read_poses(own / "x_out.pdbqt")[1][0]
