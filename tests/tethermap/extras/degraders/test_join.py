"""Degraders made of two halves and a linker, and taken apart again."""

from __future__ import annotations

import csv
from itertools import islice
from pathlib import Path

import pytest
from rdkit import Chem
from rdkit.Chem import rdMolDescriptors

from tests.tools.exits import graph_of
from tethermap.answers.observed.transfer import leaving_bonds
from tethermap.base.reference import LINKERS
from tethermap.extras.degraders.build import made_cut
from tethermap.extras.degraders.ends import JOINS, end_of, to_make
from tethermap.extras.degraders.join import SECOND_HALF, degraders
from tethermap.extras.degraders.linkers import read_linkers

PUBLISHED = Path(__file__).parents[3] / "data" / "published_degraders.csv"
OTHER_CONFIGURATION = {"GBW"}
"""Its hydroxyproline has the other configuration than the recruiter that is in the list."""

LIST = read_linkers(LINKERS)


def published() -> list[dict[str, str]]:
    """Return degraders of the literature with their halves."""
    with PUBLISHED.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_published_degraders_are_made_of_their_halves_and_the_list() -> None:
    rows = published()
    made = set()
    for row in rows:
        first, second = end_of(row["target_half"]), end_of(row["recruiter_half"])
        assert first is not None
        assert second is not None
        if any(one.smiles == row["smiles"] for one in degraders(first, second, LIST)):
            made.add(row["name"])
    assert made == {row["name"] for row in rows} - OTHER_CONFIGURATION
    assert len(made) >= 20


def test_linkers_are_what_the_list_says() -> None:
    assert len(LIST) >= 60
    assert len({linker.name for linker in LIST}) == len(LIST)
    for linker in LIST:
        mol = Chem.MolFromSmiles(linker.smiles)
        ends = {atom.GetAtomMapNum(): atom.GetIdx() for atom in mol.GetAtoms() if atom.GetAtomicNum() == 0}
        assert len(Chem.GetShortestPath(mol, ends[1], ends[2])) - 2 == linker.length
    with LINKERS.open(encoding="utf-8", newline="") as stream:
        assert all("doi:10." in row["source"] for row in csv.DictReader(stream))


@pytest.mark.parametrize(
    ("smiles", "handle", "bought"),
    [
        ("CC(=O)[*]", "acid", "CC(=O)O"),
        ("CN(C)[*]", "amine", "CNC"),
        ("CC(=O)N[*]", "nitrogen", "CC(N)=O"),
        ("c1ccccc1O[*]", "hydroxyl", "Oc1ccccc1"),
        ("CC#C[*]", "alkyne", "C#CC"),
        ("c1ccccc1[*]", "aryl", "Brc1ccccc1"),
        ("c1ccccc1C[*]", "alkyl", "BrCc1ccccc1"),
        ("CS(=O)(=O)[*]", "sulfonyl", "CS(=O)(=O)Cl"),
        ("Cn1ccnc1[*]", "aryl", "Cn1ccnc1Br"),
    ],
)
def test_handle_is_read_off_the_exit_and_says_what_to_buy(smiles: str, handle: str, bought: str) -> None:
    end = end_of(smiles)
    assert end is not None
    assert end.handle == handle
    assert handle in JOINS
    assert next(to_make(end))[0] == Chem.MolToSmiles(Chem.MolFromSmiles(bought))


def test_azide_is_offered_where_a_halide_is() -> None:
    end = end_of("CC[*]")
    assert end is not None
    assert [name for _, name in to_make(end)] == ["alkyl bromide", "alkyl azide"]


def test_alkyne_is_clicked_to_a_triazole() -> None:
    first, second = end_of("c1ccccc1C#C[*]"), end_of("CC(=O)[*]")
    assert first is not None
    assert second is not None
    made = {one.smiles for one in degraders(first, second, [linker for linker in LIST if linker.name == "C3"])}
    assert made == {Chem.MolToSmiles(Chem.MolFromSmiles("CC(=O)NCCCn1cc(-c2ccccc2)nn1"))}


def test_nothing_that_is_made_is_invalid_or_unstable() -> None:
    """Ends of every kind with each other and all linkers: whole molecules, halves mapped, configurations kept."""
    halves = [
        "C[C@H](F)C(=O)[*]", "C[C@@H](F)N[*]", "C[C@H](F)C(=O)N[*]", "C[C@H](F)c1ccc(O[*])cc1", "C[C@H](F)C#C[*]",
        "C[C@H](F)c1ccc([*])cc1", "C[C@H](F)C[*]", "C[C@H](F)S(=O)(=O)[*]", "C[C@H](F)CS[*]",
    ]  # fmt: skip
    ends = [end_of(half) for half in halves]
    acetal = Chem.MolFromSmarts("[#7,#8,#16][CH2;!R][#7,#8,#16]")
    for first in ends:
        for second in ends:
            assert first is not None
            assert second is not None
            for one in islice(degraders(first, second, LIST[::3]), 8):
                mol = Chem.MolFromSmiles(one.smiles)
                assert mol is not None
                assert "." not in one.smiles
                assert not mol.HasSubstructMatch(acetal)
                assert rdMolDescriptors.CalcNumAtomStereoCenters(mol) >= 2
                assert all(atom.GetNumRadicalElectrons() == 0 for atom in mol.GetAtoms())


def test_atoms_of_both_halves_keep_their_numbers() -> None:
    first, second = end_of("[CH3:1][C:2](=[O:3])[*]"), end_of(f"[CH3:{SECOND_HALF + 1}][O:{SECOND_HALF + 2}][*]")
    assert first is not None
    assert second is not None
    one = next(degraders(first, second, LIST))
    numbers = {atom.GetAtomMapNum() for atom in one.mol.GetAtoms()} - {0}
    assert numbers == {1, 2, 3, SECOND_HALF + 1, SECOND_HALF + 2}
    assert ":" not in one.smiles


@pytest.mark.parametrize(
    ("ligand", "anchor", "leaving", "kept"),
    [
        ("CCCC(=O)Nc1ccccc1", 3, (2, 1, 0), {3: False, 5: True}),
        ("CCOC(=O)c1ccccc1", 3, (2, 1, 0), {3: True, 2: False}),
        ("CCCC(=O)c1ccccc1", 3, (2, 1, 0), {3: True, 2: False}),
    ],
)
def test_acyl_chain_of_an_amide_comes_with_the_linker(
    ligand: str, anchor: int, leaving: tuple[int, ...], kept: dict[int, bool]
) -> None:
    atom, gone = made_cut(graph_of(ligand), anchor, leaving)
    assert {k: k not in gone for k in kept} == kept
    assert atom == next(k for k, stays in kept.items() if stays)


def test_degrader_is_taken_apart_where_its_linker_leaves() -> None:
    row = next(row for row in published() if row["name"] == "dBET6")
    degrader = Chem.MolFromSmiles(row["smiles"])
    ester = Chem.MolFromSmiles("COC(=O)C[C@@H]1N=C(c2ccc(Cl)cc2)c2c(sc(C)c2C)-n2c(C)nnc21")
    (anchor, linker), inside = next(leaving_bonds(degrader, ester))
    assert len(inside) == ester.GetNumAtoms() - 2
    assert degrader.GetAtomWithIdx(anchor).GetSymbol() == "C"
    assert degrader.GetAtomWithIdx(linker).GetSymbol() == "N"
