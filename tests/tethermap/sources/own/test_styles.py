"""Files as programs write them: the ligand is kept, with the bonds of the definition that is given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from rdkit import Chem

from tests.tools.cleaning import ANY_TARGET
from tests.tools.styles import SMILES, Style, matrix, programs, write_style
from tethermap.base.reference import ADDITIVES, COFACTORS, RADII
from tethermap.complex.clean import clean_entry
from tethermap.components.index import ComponentIndex
from tethermap.components.user import components_from_table
from tethermap.entry.reader import read_entry
from tethermap.exposure.radii import RadiusTable
from tethermap.instance.kinds import KindRules
from tethermap.matching.build import build_ligand
from tethermap.sources.content import read_content

STYLES = [*matrix(), *programs()]


def test_styles_are_numerous_and_named_uniquely() -> None:
    assert len(STYLES) >= 60
    assert len({style.name for style in STYLES}) == len(STYLES)


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_ligand_is_kept_with_the_bonds_that_are_given(style: Style, tmp_path: Path, index: ComponentIndex) -> None:
    path = write_style(style, tmp_path)
    read_content(path, "model", own=True)
    entry = read_entry(path, "model")
    own = components_from_table(f"{style.code} {SMILES}\n")
    rules = KindRules(ADDITIVES, COFACTORS, lambda code: own.get(code) or index.get(code))
    cleaned = clean_entry(entry, replace(ANY_TARGET, own_files=True), rules, RadiusTable(RADII))
    (kept,) = cleaned.kept
    assert kept.instance.name.comp_id == style.code
    assert len(kept.instance.atoms.heavy) == 11
    record = build_ligand(kept.instance, index, own)
    assert record.bond_source == "user"
    flat = Chem.MolToSmiles(Chem.MolFromSmiles(record.observed_smiles), isomericSmiles=False)
    assert flat == Chem.MolToSmiles(Chem.MolFromSmiles(SMILES))
