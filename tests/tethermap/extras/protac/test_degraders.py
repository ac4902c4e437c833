"""The remaining part of a ligand is found in degraders made from it, by each program's own search."""

import pytest
from rdkit import Chem

from tests.tools.exits import embedded, sdf_molecule
from tethermap.exits.graph import ligand_graph
from tethermap.extras.programs.prosettac import head_sdf
from tethermap.extras.protac import texts
from tethermap.extras.protac.warhead import core_cut, cut_warhead

JQ1_ESTER = "COC(=O)C[C@@H]1N=C(c2ccc(Cl)cc2)c2c(sc(C)c2C)-n2c(C)nnc21"
JQ1_TBUTYL = "CC(C)(C)OC(=O)C[C@@H]1N=C(c2ccc(Cl)cc2)c2c(sc(C)c2C)-n2c(C)nnc21"
VHL_LIGAND = "CC(=O)N[C@H](C(=O)N1C[C@H](O)C[C@H]1C(=O)NCc1ccc(-c2scnc2C)cc1)C(C)(C)C"

MZ1 = (
    "Cc1ncsc1-c1ccc(CNC(=O)[C@@H]2C[C@@H](O)CN2C(=O)[C@@H](NC(=O)COCCOCCOCCNC(=O)C[C@@H]2N=C(c3ccc(Cl)cc3)"
    "c3c(sc(C)c3C)-n3c(C)nnc23)C(C)(C)C)cc1"
)
DBET6 = "Cc1sc2c(c1C)C(c1ccc(Cl)cc1)=N[C@@H](CC(=O)NCCCCCCCCNC(=O)COc1cccc3c1C(=O)N(C1CCC(=O)NC1=O)C3=O)c1nnc(C)n1-2"
ARV_771 = (
    "Cc1ncsc1-c1ccc([C@H](C)NC(=O)[C@@H]2C[C@@H](O)CN2C(=O)[C@@H](NC(=O)COCCCOCCNC(=O)C[C@@H]2N=C(c3ccc(Cl)cc3)"
    "c3c(sc(C)c3C)-n3c(C)nnc23)C(C)(C)C)cc1"
)


@pytest.mark.parametrize(
    ("ligand", "anchor", "leaving", "degraders"),
    [
        (JQ1_ESTER, 2, (1, 0), (MZ1, DBET6, ARV_771)),
        (JQ1_ESTER, 1, (0,), (MZ1, DBET6, ARV_771)),
        (JQ1_ESTER, 0, (), (MZ1, DBET6, ARV_771)),
        (JQ1_TBUTYL, 5, (4, 0, 1, 2, 3), (MZ1, DBET6, ARV_771)),
        (JQ1_TBUTYL, 4, (1, 0, 2, 3), (MZ1, DBET6, ARV_771)),
        (VHL_LIGAND, 3, (1, 0, 2), (MZ1, ARV_771)),
        (VHL_LIGAND, 0, (), (MZ1, ARV_771)),
        ("OC(=O)COc1cccc2c1C(=O)N(C1CCC(=O)NC1=O)C2=O", 0, (), (DBET6,)),
        ("COc1cccc2c1C(=O)N(C1CCC(=O)NC1=O)C2=O", 0, (), (DBET6,)),
    ],
)
def test_heads_and_masks_are_parts_of_the_degraders_made_of_the_ligand(
    ligand: str, anchor: int, leaving: tuple[int, ...], degraders: tuple[str, ...]
) -> None:
    """The oxygen of an ester, which an amide's nitrogen replaces, is in neither."""
    molecule = embedded(ligand)[1]
    graph = ligand_graph(molecule)
    kept_anchor, gone = core_cut(graph, anchor, leaving)
    warhead = cut_warhead(molecule, kept_anchor, gone)
    head = sdf_molecule(head_sdf(warhead, "head", {}, kekulize=True), sanitize=False)
    names = [f"A{k}" for k in range(len(graph))]
    mask, whole = (
        _as_deepternary(texts.residue_pdb(molecule.mol, names, "LG1", "Y", kept)) for kept in (warhead.kept, None)
    )
    assert whole.HasSubstructMatch(mask)
    for smiles in degraders:
        degrader = Chem.MolFromSmiles(smiles)
        assert degrader.HasSubstructMatch(head)
        for bond in degrader.GetBonds():  # each once, as in DeepTernary's own files
            bond.SetBondType(Chem.BondType.SINGLE)
            bond.SetIsAromatic(False)
        assert degrader.HasSubstructMatch(mask)


def _as_deepternary(pdb: str) -> Chem.Mol:
    """Read a ligand as `read_molecule` of its ``process_mols.py`` does."""
    mol = Chem.MolFromPDBBlock(pdb, sanitize=False, removeHs=False)
    Chem.SanitizeMol(mol)
    return Chem.RemoveHs(mol)


def test_quaternary_nitrogen_is_read_with_its_charge() -> None:
    molecule = embedded("C[N+](C)(C)CCO")[1]
    assert _as_deepternary(texts.residue_pdb(molecule.mol, "ABCDEFG", "LG1", "Y")).GetNumAtoms() == 7
