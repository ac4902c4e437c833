import numpy as np
import pytest
from rdkit import Chem

from tests.tools.exits import embedded, sdf_molecule, surroundings
from tethermap.exits.graph import ligand_graph
from tethermap.exits.rank import rank_candidates
from tethermap.extras.programs.prosettac import head_sdf
from tethermap.extras.protac.warhead import cut_warhead, warhead_smiles


@pytest.mark.parametrize(
    ("ligand", "anchor", "leaving", "expected"),
    [
        ("CC(C)(C)OC(=O)c1ccccc1", 5, (4, 3, 0, 1, 2), "*C(=O)c1ccccc1"),
        ("Cn1cccc1", 1, (0,), "*n1cccc1"),
        ("c1ccc2[nH]ccc2c1", 4, (), "*n1ccc2ccccc21"),
        ("CN1CCNCC1", 4, (), "CN1CCN(*)CC1"),
        ("C[C@H](O)c1ccccc1", 1, (), "C[C@](*)(O)c1ccccc1"),
        ("C[C@H](O)c1ccccc1", 1, (0,), "*[C@H](O)c1ccccc1"),
        ("C/C=C/c1ccccc1", 1, (0,), "*/C=C/c1ccccc1"),
    ],
)
def test_linker_is_at_the_place_of_the_leaving_group(
    ligand: str, anchor: int, leaving: tuple[int, ...], expected: str
) -> None:
    found = warhead_smiles(Chem.RemoveAllHs(embedded(ligand)[1].mol, sanitize=False), anchor, leaving)
    assert found.count("[*]") == 1
    assert Chem.MolToSmiles(capped(found)) == Chem.MolToSmiles(capped(expected))


def capped(smiles: str) -> Chem.Mol:
    """Return a warhead with iodine for the linker, so that configurations can be compared."""
    mol = Chem.RWMol(Chem.MolFromSmiles(smiles.replace("[*]", "*")))
    for atom in mol.GetAtoms():
        if atom.GetAtomicNum() == 0:
            atom.SetAtomicNum(53)
    Chem.SanitizeMol(mol)
    return mol.GetMol()


def test_symmetric_anchors_are_listed_and_a_single_one_is_unique() -> None:
    """A substructure search takes either nitrogen of an imidazole for the anchor, and ignores configurations."""
    assert cut_warhead(embedded("c1ccc2[nH]cnc2c1")[1], 4, ()).alike == (6,)
    assert 5 in cut_warhead(embedded("C[C@H]1CC[C@@H](C)CC1")[1], 0, ()).alike
    toluene = embedded("Cc1ccccc1")[1]
    assert cut_warhead(toluene, 2, ()).alike == (6,)
    assert cut_warhead(toluene, 4, ()).alike == ()
    assert cut_warhead(toluene, 1, (0,)).alike == (1, 2, 3, 4, 5)


@pytest.mark.parametrize("ligand", ["Cn1cccc1C(=O)OC(C)(C)C", "CN1CCN(C(=O)c2ccc(OC)cc2)CC1", "C[N+](C)(C)CCO"])
def test_heads_are_read_back_with_the_same_anchor(ligand: str) -> None:
    instance, molecule = embedded(ligand)
    graph = ligand_graph(molecule)
    bare = Chem.RemoveAllHs(molecule.mol, sanitize=False)
    exits = rank_candidates(graph, surroundings((90.0, 90.0, 90.0)), np.zeros(len(graph)))
    for one in exits:
        anchor, leaving = one.candidate.anchor, one.candidate.leaving
        warhead = cut_warhead(molecule, anchor, leaving)
        text = head_sdf(warhead, instance.stem, {"anchor": str(warhead.anchor + 1)}, kekulize=True)
        read = sdf_molecule(text)
        assert read is not None, (anchor, leaving)
        here = read.GetConformer().GetAtomPosition(warhead.anchor)
        assert np.allclose(list(here), graph.xyz[anchor], atol=1e-3)
        assert read.GetNumAtoms() == len(graph) - len(leaving) == read.GetNumHeavyAtoms()
        assert int(read.GetProp("anchor")) == warhead.anchor + 1
        linked = Chem.MolFromSmiles(warhead_smiles(bare, anchor, leaving))
        assert linked.HasSubstructMatch(read), (anchor, leaving)
