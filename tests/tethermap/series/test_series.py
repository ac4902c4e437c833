"""Series and cores of small sets whose answer is plain."""

import itertools
import random

import pytest
from rdkit import Chem, DataStructs
from rdkit.Chem import rdFingerprintGenerator

from tethermap.series import series
from tethermap.series.series import clustered, common_core, murcko_scaffold

SULFONAMIDES = [
    "CC(C)CN(CC(O)C(Cc1ccccc1)NC(=O)OC1CCOC1)S(=O)(=O)c1ccc(N)cc1",
    "CC(C)CN(CC(O)C(Cc1ccccc1)NC(=O)OC1COC2OCCC12)S(=O)(=O)c1ccc(N)cc1",
    "CC(C)CN(CC(O)C(Cc1ccccc1)NC(=O)OC1CCOC1)S(=O)(=O)c1ccc(OC)cc1",
]
OTHERS = ["Cn1c(=O)c2c(ncn2C)n(C)c1=O", "CC(C)Cc1ccc(C(C)C(=O)O)cc1"]


def _mols(smiles: list[str]) -> list[Chem.Mol]:
    return [Chem.MolFromSmiles(one) for one in smiles]


@pytest.mark.parametrize(
    ("smiles", "expected"),
    [
        (SULFONAMIDES + OTHERS, [[0, 1, 2], [3], [4]]),
        (["CCCCCCCCC(=O)Nc1ccc2[nH]ccc2c1", "O=S(=O)(O)CCCCc1c[nH]c2cccc(Br)c12"], [[0, 1]]),  # the same bicycle
        (["CCCCCCCCC(=O)Nc1ccccc1", "O=S(=O)(O)CCCCc1ccc(Br)cc1"], [[0], [1]]),  # a single ring
    ],
)
def test_similar_ligands_or_those_of_one_scaffold_of_two_rings_are_a_series(
    smiles: list[str], expected: list[list[int]]
) -> None:
    assert sorted(map(sorted, clustered(_mols(smiles)))) == expected


def test_scaffold_is_the_rings_and_their_links() -> None:
    assert murcko_scaffold(Chem.MolFromSmiles("CCOc1ccc(C[C@H](C)c2ccncc2)cc1")) == "c1ccc(CCc2ccncc2)cc1"
    assert murcko_scaffold(Chem.MolFromSmiles("CCO")) == ""


@pytest.mark.parametrize(("other", "size"), [("CCCCCCCCCO", 3), ("C1CCCCCC1CCO", 4), ("c1ccccc1CCO", 4)])
def test_core_has_whole_rings_and_equal_bonds(other: str, size: int) -> None:
    """A piece of a ring is no chain, no larger ring, no ring with other bonds; one atom of a ring is the same."""
    mols = _mols(["C1CCCCC1CCO", other])
    core = common_core(mols, 10)
    assert not core.timed_out
    assert len(core.matches[0]) == len(core.matches[1]) == size
    for mol, match in zip(mols, core.matches, strict=True):
        assert sorted(mol.GetAtomWithIdx(index).GetSymbol() for index in match) == ["C"] * (size - 1) + ["O"]


def test_core_matches_atom_by_atom() -> None:
    mols = _mols(SULFONAMIDES)
    matched = zip(mols, common_core(mols, 10).matches, strict=True)
    elements = [[mol.GetAtomWithIdx(i).GetSymbol() for i in match] for mol, match in matched]
    assert elements[0] == elements[1] == elements[2]
    assert len(elements[0]) >= 25


def test_core_of_nucleotides_is_adp() -> None:
    """NAD, NADP and Ap5A: rings that only some of them have don't use up the steps of the search."""
    adp, ribose = "Nc1ncnc2c1ncn2C1OC(COP(=O)(O)OP(=O)(O)O)C(O)C1O", "C2OC(COP(=O)(O)OP(=O)(O)OCC3OC({}){}C3O)C(O)C2O"
    adenine = "n4cnc5c(N)ncnc54"
    mols = _mols(
        [
            f"NC(=O)c1ccc[n+]({ribose.format(adenine, 'C(O)')})c1",
            f"NC(=O)c1ccc[n+]({ribose.format(adenine, 'C(OP(=O)(O)O)')})c1",
            f"Nc1ncnc2c1ncn2C1OC(COP(=O)(O)OP(=O)(O)OP(=O)(O)OP(=O)(O)OP(=O)(O)OCC2OC({adenine})C(O)C2O)C(O)C1O",
        ]
    )
    core = common_core(mols, 10)
    assert not core.timed_out
    pattern = Chem.MolFromSmarts(core.smarts)
    assert pattern.GetNumAtoms() == Chem.MolFromSmiles(adp).GetNumAtoms() == 27
    assert Chem.MolFromSmiles(adp).HasSubstructMatch(pattern)


def test_core_of_one_ligand_is_the_ligand() -> None:
    core = common_core(_mols(["CCO"]), 10)
    assert core.matches == ((0, 1, 2),)
    assert Chem.MolFromSmiles("CCO").HasSubstructMatch(Chem.MolFromSmarts(core.smarts))


def test_ligands_without_anything_in_common_have_no_core() -> None:
    core = common_core(_mols(["[Na+]", "[Cl-]"]), 10)
    assert (core.smarts, core.matches) == ("", ((), ()))


def test_limit_counts_steps_so_that_the_answer_is_the_same_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series, "STEPS_PER_SECOND", 1)
    mols = _mols(SULFONAMIDES)
    first, second = (common_core(mols, 2) for _ in range(2))
    assert first == second
    assert first.timed_out


def test_order_of_equal_ligands_settles_ties_only() -> None:
    mols = _mols(SULFONAMIDES + OTHERS)
    order = list(range(len(mols)))
    random.Random(1).shuffle(order)
    groups = clustered([mols[index] for index in order])
    assert sorted(sorted(order[index] for index in group) for group in groups) == [[0, 1, 2], [3], [4]]


def test_bits_and_counts_have_equal_tanimoto_coefficients() -> None:
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    texts = ("CCCCCCCC", "CCCC", "c1ccccc1CCCC", "NC(=N)c1ccccc1", "O", "CCOCCOCCOCCOC", "c1ccc2ccccc2c1", "[Zn]")
    mols = [Chem.MolFromSmiles(text) for text in texts]
    counts = [generator.GetCountFingerprint(mol) for mol in mols]
    bits = series.unary_fingerprints(mols)
    for one, two in itertools.product(range(len(mols)), repeat=2):
        expected = DataStructs.TanimotoSimilarity(counts[one], counts[two])
        assert DataStructs.TanimotoSimilarity(bits[one], bits[two]) == expected
