"""Charges at pH 7.4 of drugs and metabolites whose pKa are known."""

from __future__ import annotations

import csv

import pytest
from rdkit import Chem

from tethermap.base.reference import PROTONATION
from tethermap.molecule.protonation import charged, charged_smiles

PH = 7.4


@pytest.mark.parametrize(
    ("neutral", "at_ph"),
    [
        ("CC(C)Cc1ccc(cc1)C(C)C(=O)O", "CC(C)Cc1ccc(cc1)C(C)C(=O)[O-]"),  # ibuprofen, 4.9
        ("CC1CCCCN1", "CC1CCCC[NH2+]1"),  # a piperidine, 10.9
        ("c1ccc(N2CCN(C)CC2)cc1", "c1ccc(N2CC[NH+](C)CC2)cc1"),  # the aniline nitrogen is no base
        ("C1CNCCN1", "C1CNCC[NH2+]1"),  # piperazine, 9.7 and 5.3
        ("NC(=N)c1ccccc1", "NC(=[NH2+])c1ccccc1"),  # benzamidine, 11.6
        ("CN(C)C(=N)NC(N)=N", "CN(C)C(=N)NC(N)=[NH2+]"),  # metformin, 12.4 and 2.8
        ("Nc1ccncc1", "Nc1cc[nH+]cc1"),  # fampridine, 9.1
        ("Nc1ccccn1", "Nc1ccccn1"),  # 2-aminopyridine, 6.9
        ("Clc1cccc(Cl)c1N=C1NCCN1", "Clc1cccc(Cl)c1[NH+]=C1NCCN1"),  # clonidine, 8.1
        ("COCCN1CCOCC1", "COCCN1CCOCC1"),  # a morpholine, 7.4: left
        ("c1c[nH]cn1", "c1c[nH]cn1"),  # imidazole, 7.0: left
        ("CC(=O)Nc1ccc(O)cc1", "CC(=O)Nc1ccc(O)cc1"),  # paracetamol, 9.5
        ("c1nnn[nH]1", "c1nnn[n-]1"),  # tetrazole, 4.9
        ("CCOP(=O)(O)O", "CCOP(=O)([O-])[O-]"),  # a phosphate, 1.6 and 6.6
        ("CP(=O)(O)O", "CP(=O)([O-])O"),  # a phosphonate, 2.4 and 7.7
        ("CC(=O)NS(=O)(=O)c1ccccc1", "CC(=O)[N-]S(=O)(=O)c1ccccc1"),
        ("C[N+](C)(C)CCO", "C[N+](C)(C)CCO"),
        ("CC[N+](=O)[O-]", "CC[N+](=O)[O-]"),
        ("N[C@@H](C)C(=O)O", "[NH3+][C@@H](C)C(=O)[O-]"),
        ("NC(=O)NCC#N", "NC(=O)NCC#N"),
        ("[NH3]->[Pt](<-[NH3])([Cl])[Cl]", "[NH3]->[Pt](<-[NH3])([Cl])[Cl]"),
    ],
)
def test_charges_at_ph(neutral: str, at_ph: str) -> None:
    assert charged_smiles(neutral) == Chem.CanonSmiles(at_ph)  # type: ignore[no-untyped-call]


def test_order_of_atoms_changes_nothing() -> None:
    mol = Chem.MolFromSmiles("CN1CCN(CC1)Cc1ccc(cc1)C(=O)O")
    turned = Chem.RenumberAtoms(mol, list(range(mol.GetNumAtoms()))[::-1])
    assert Chem.MolToSmiles(charged(mol)) == Chem.MolToSmiles(charged(turned))


def test_every_rule_has_a_source_and_a_pka_on_its_side() -> None:
    with PROTONATION.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert all("doi:" in row["source"] for row in rows)
    assert all((float(row["pKa"]) < PH) == (row["change"] == "-1") for row in rows)


def test_what_cannot_be_read_has_no_charges() -> None:
    assert charged_smiles("C(") == ""
