"""Ligands of SDF files as programs write them."""

from pathlib import Path

import pytest
from rdkit import Chem
from rdkit.Chem.rdForceFieldHelpers import UFFOptimizeMolecule

from tests.tools.ligands import in_space
from tethermap.sources.own.poses import LigandFileError, read_poses

ETHENE = """x
  X-TOOL

{atoms:3d}{bonds:3d}  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.1000 C   0  0  0  0  0
    1.3300    0.0000    0.3000 C   0  0  0  0  0
{more}M  END
$$$$
"""


@pytest.mark.parametrize("topology", [0, 1, 2])
@pytest.mark.parametrize(
    ("kind", "bonds"), [(1, "sing"), (2, "doub"), (3, "trip"), (6, "sing"), (7, "doub"), (5, "unknown"), (8, "unknown")]
)
def test_bonds_keep_their_order_if_the_file_states_whether_they_are_in_a_ring(
    kind: int, topology: int, bonds: str, tmp_path: Path
) -> None:
    (tmp_path / "x.sdf").write_text(ETHENE.format(atoms=2, bonds=1, more=f"  1  2{kind:3d}  0  0{topology:3d}  0\n"))
    ((pose,), _) = read_poses(tmp_path / "x.sdf")
    assert pose.bonds == ((0, 1, bonds),)


def test_carboxylate_of_x_tool_has_one_double_bond_and_its_charge_at_an_oxygen(tmp_path: Path) -> None:
    oxygens = "    2.0000    1.2000    0.3000 O   0  0\n    2.0000   -1.2000    0.3000 O   0  0\n"
    bonds = "  1  2  1  0  0  2\n  2  3  2  0  0  2\n  2  4  2  0  0  2\nM  CHG  1   2  -1\n"
    (tmp_path / "x.sdf").write_text(ETHENE.format(atoms=4, bonds=3, more=oxygens + bonds))
    ((pose,), _) = read_poses(tmp_path / "x.sdf")
    assert (pose.charges, pose.bonds) == ((0, 0, 0, -1), ((0, 1, "sing"), (1, 2, "doub"), (1, 3, "sing")))


def test_orders_of_impossible_valences_with_rings_stated_are_not_used(tmp_path: Path) -> None:
    atom = "    2.0000    1.2000    0.3000 C   0  0\n"
    bonds = "  1  2  3  0  0  2\n  2  3  3  0  0  2\n"
    (tmp_path / "x.sdf").write_text(ETHENE.format(atoms=3, bonds=2, more=atom + bonds))
    ((pose,), _) = read_poses(tmp_path / "x.sdf")
    assert pose.bonds == ((0, 1, "unknown"), (1, 2, "unknown"))


@pytest.mark.parametrize("hydrogens", [True, False])
@pytest.mark.parametrize(
    ("smiles", "kept"), [("Cc1ccccc1", False), ("CC#CC", False), ("CC1CCCCC1", True), ("CC(O)C(C)N", True)]
)
def test_single_bonds_of_planar_atoms_are_not_used(smiles: str, kept: bool, hydrogens: bool, tmp_path: Path) -> None:
    """PyMOL states all bonds as single if it does not know the residue."""
    mol = in_space(smiles)
    UFFOptimizeMolecule(mol)
    mol = Chem.RWMol(mol if hydrogens else Chem.RemoveHs(mol))
    Chem.Kekulize(mol, clearAromaticFlags=True)
    for bond in mol.GetBonds():
        bond.SetBondType(Chem.BondType.SINGLE)
    (tmp_path / "x.sdf").write_text(Chem.MolToMolBlock(mol, kekulize=False) + "$$$$\n")
    ((pose,), notes) = read_poses(tmp_path / "x.sdf")
    orders = {order for *_, order in pose.bonds or ()}
    assert (orders, ["perceived" in note for note in notes]) == ({"sing" if kept else "unknown"}, [True] * (not kept))
    assert len(pose.elements) == mol.GetNumAtoms()


def written(smiles: str, double: tuple[int, int] | None, path: Path) -> None:
    """Write a molecule with all hydrogens and no charges as SDF, with a double bond where `double` gives one."""
    mol = Chem.RWMol(in_space(smiles))
    Chem.Kekulize(mol, clearAromaticFlags=True)
    for atom in mol.GetAtoms():
        atom.SetFormalCharge(0)
    if double is not None:
        mol.GetBondBetweenAtoms(*double).SetBondType(Chem.BondType.DOUBLE)
    path.write_text(Chem.MolToMolBlock(mol, kekulize=False) + "$$$$\n")


@pytest.mark.parametrize(
    ("smiles", "double"),
    [("OCCC", (0, 1)), ("Oc1ccccc1", (0, 1)), ("NC(=O)CC", (0, 1)), ("COC", (0, 1)), ("[NH3+]CC", None)],
)
def test_orders_of_carbons_with_five_bonds_are_not_used(
    smiles: str, double: tuple[int, int] | None, tmp_path: Path
) -> None:
    """PyMOL writes C=[OH] for some alcohols."""
    written(smiles, double, tmp_path / "x.sdf")
    ((pose,), notes) = read_poses(tmp_path / "x.sdf")
    assert {order == "unknown" for *_, order in pose.bonds or ()} == {double is not None}
    assert ["has too many bonds" in note for note in notes] == [True] * (double is not None)
    assert pose.elements.count("H") == Chem.AddHs(Chem.MolFromSmiles(smiles)).GetNumAtoms() - pose.elements.index("H")


def test_aromatic_bonds_without_hydrogens_of_their_ring_are_perceived(tmp_path: Path) -> None:
    """Aromatic bonds do not state which nitrogen of an indole or imidazole has the hydrogen."""
    mol = Chem.RemoveHs(in_space("Cc1c[nH]c2ccccc12"))
    (tmp_path / "x.sdf").write_text(Chem.MolToMolBlock(mol, kekulize=False))
    ((pose,), (note,)) = read_poses(tmp_path / "x.sdf")
    assert ({order for *_, order in pose.bonds or ()}, "can't be placed" in note) == ({"unknown"}, True)


def test_marks_of_stereochemistry_by_open_babel_in_v3000_are_ignored(tmp_path: Path) -> None:
    """Open Babel writes CFG=6, the number of V2000, which RDKit refuses."""
    block = Chem.MolToV3KMolBlock(in_space("CC(F)Cl"))
    (tmp_path / "x.sdf").write_text(block.replace("M  V30 1 1 1 2", "M  V30 1 1 1 2 CFG=6"))
    ((pose,), notes) = read_poses(tmp_path / "x.sdf")
    assert (len(pose.names), notes) == (8, [])


def test_poses_of_one_molecule_are_ranked_under_any_name(tmp_path: Path) -> None:
    """GOLD names them ``lig|dock1``, ``lig|dock2``; mirror images and isomers are other molecules."""
    with Chem.SDWriter(str(tmp_path / "x.sdf")) as file:
        for name, smiles in enumerate(["C[C@H](F)Cl", "C[C@@H](F)Cl", "C[C@H](F)Cl", "FCCCl", "C[C@@H](F)Cl"]):
            file.write(titled(in_space(smiles), str(name)))
    assert [pose.pose_rank for pose in read_poses(tmp_path / "x.sdf")[0]] == [1, 1, 2, 1, 2]


def titled(mol: Chem.Mol, title: str) -> Chem.Mol:
    mol.SetProp("_Name", title)
    return mol


def test_contacts_among_the_bonds_of_a_file_leave_a_ligand_without_bonds(tmp_path: Path) -> None:
    atoms = "".join(f"    {x}.3000   {y:2d}.2000    0.3000 C   0  0\n" for x in (0, 2) for y in (1, -1))
    bonds = "".join(f"  1{k:3d}  1  0\n" for k in (2, 3, 4, 5, 6))
    (tmp_path / "x.sdf").write_text(ETHENE.format(atoms=6, bonds=5, more=atoms + bonds))
    ((pose,), _) = read_poses(tmp_path / "x.sdf")
    assert pose.bonds is None


@pytest.mark.parametrize(
    ("smiles", "charge"),
    [("C[N+](C)(C)C", 1), ("C[n+]1ccccc1", 1), ("C[S+](C)C", 1), ("C[P+](C)(C)C", 1), ("C[B-](C)(C)C", -1),
     ("[C-]#[N+]C", 0), ("CC#[N+]C", 1),
     ("CS(C)=O", 0), ("CN(C)C", 0), ("CP(=O)(O)O", 0), ("Cn1cccc1", 0), ("COC", 0)],
)  # fmt: skip
def test_ions_without_hydrogens_have_their_charge_if_the_file_leaves_it_out(
    smiles: str, charge: int, tmp_path: Path
) -> None:
    written(smiles, None, tmp_path / "x.sdf")
    ((pose,), notes) = read_poses(tmp_path / "x.sdf")
    assert (sum(pose.charges), notes) == (charge, [])


@pytest.mark.parametrize("in_chain", [False, True])
def test_dummy_atom_at_an_end_is_left_out_and_in_a_chain_an_error(in_chain: bool, tmp_path: Path) -> None:
    """RDKit writes `*` for an element that the type of a docking program does not give."""
    bonds = ["  1  2  1  0\n", "  1  3  1  0\n", "  2  3  1  0\n"][: 3 if in_chain else 2]
    more = "".join(["    0.0000    1.4000    0.3000 *   0  0\n", *bonds])
    (tmp_path / "x.sdf").write_text(ETHENE.format(atoms=3, bonds=len(bonds), more=more))
    if in_chain:
        with pytest.raises(LigandFileError, match="write the real atoms"):
            read_poses(tmp_path / "x.sdf")
    else:
        ((pose,), (note,)) = read_poses(tmp_path / "x.sdf")
        assert (pose.elements, "1 dummy atoms were left out" in note) == (("C", "C"), True)


GLUED = """ROOT
ATOM      1  C1  UNL     1      32.022   4.423  14.349  1.00  0.00     0.135 C
ATOM      2  *1  UNL     1      29.197   9.201  19.164  1.00  0.00     0.000 G0
ATOM      3  G   UNL     1      29.197   9.201  19.164  1.00  0.00     0.000 G1
ATOM      4  C20 UNL     1      31.197   5.201  15.164  1.00  0.00     0.108 CG0
ENDROOT
TORSDOF 0
"""
DRY = """ROOT
ATOM      1  C1  UNL     1      32.022   4.423  14.349  1.00  0.00           C
ATOM      2  C2  UNL     1      31.197   5.201  15.164  1.00  0.00           C
ATOM      3 WAT  UNL     1      29.197   9.201  19.164  1.00 30.00           W
ATOM      4  W   WAT X  99      28.197   9.201  19.164  1.00 30.00           W
ENDROOT
TORSDOF 0
"""


@pytest.mark.parametrize("text", [GLUED, DRY])
def test_dummies_and_waters_of_autodock_are_left_out(text: str, tmp_path: Path) -> None:
    """Meeko closes macrocycles by dummies; AutoDock's ``dry.py`` writes waters of hydrated docking."""
    (tmp_path / "x.pdbqt").write_text(text)
    ((pose,), _) = read_poses(tmp_path / "x.pdbqt")
    assert pose.elements == ("C", "C")
