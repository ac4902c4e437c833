"""Files as programs write them: the ligand is kept, with the bonds of the definition that is given."""

from pathlib import Path

import pytest

from tests.tethermap.sources.own.ligands import ligands_of
from tests.tools.components import without_stereo
from tests.tools.styles import SMILES, Style, matrix, programs, write_style
from tethermap.components.index import ComponentIndex
from tethermap.components.user import components_from_table
from tethermap.sources.content import read_content

STYLES = [*matrix(), *programs()]


def test_styles_are_numerous_and_named_uniquely() -> None:
    assert len(STYLES) >= 60
    assert len({style.name for style in STYLES}) == len(STYLES)


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_ligand_is_kept_with_the_bonds_that_are_given(style: Style, tmp_path: Path, index: ComponentIndex) -> None:
    path = write_style(style, tmp_path)
    read_content(path, "model", own=True)
    own = components_from_table(f"{style.code} {SMILES}\n")
    (found,) = ligands_of(path, "model", index, own)
    assert found.instance.name.comp_id == style.code
    assert len(found.instance.atoms.heavy) == 11
    assert (found.smiles, found.bond_source) == (without_stereo(SMILES), "user")
