"""The Cα trace beside a ligand, held against gemmi's own reading of the entry."""

from __future__ import annotations

from pathlib import Path

import gemmi
import numpy as np
import pytest

from scripts.lib.instance.backbone import GAP, NO_BACKBONE, TRUNCATED, Backbone, backbone_writer, read_backbones
from scripts.lib.molecule.components import ComponentIndex
from tests.tools.cleaning import clean_file


@pytest.fixture(scope="module")
def backbone(archive: Path, component_index: Path) -> Backbone:
    return clean_file(next(archive.glob("4cup.*")), ComponentIndex(component_index).get)[1].kept[0].backbone


@pytest.fixture(scope="module")
def polymer(archive: Path) -> list[gemmi.Residue]:
    structure = gemmi.read_structure(str(next(archive.glob("4cup.*"))))
    structure.setup_entities()
    return [residue for residue in structure[0]["A"].get_polymer() if "CA" in residue]


def test_sequence_and_places_are_those_of_the_chain(backbone: Backbone, polymer: list[gemmi.Residue]) -> None:
    letters = [gemmi.find_tabulated_residue(residue.name).one_letter_code.upper() for residue in polymer]
    assert backbone.chain == "A"
    assert backbone.sequence == "".join(letters)
    assert backbone.xyz == pytest.approx(np.array([residue["CA"][0].pos.tolist() for residue in polymer]), abs=1e-3)


def test_b_factors_are_those_of_the_alpha_carbons(backbone: Backbone, polymer: list[gemmi.Residue]) -> None:
    values = [residue["CA"][0].b_iso for residue in polymer]
    assert backbone.b_mean == pytest.approx(np.mean(values), abs=0.01)
    assert backbone.b_sd == pytest.approx(np.std(values), abs=0.01)


def test_truncated_side_chains_and_gaps_are_marked(backbone: Backbone, polymer: list[gemmi.Residue]) -> None:
    side = {"LYS": "NZ", "GLU": "OE1", "ARG": "NH1", "GLN": "OE1", "ASP": "OD1", "MET": "CE"}
    for mark, residue in zip(backbone.marks.tolist(), polymer, strict=True):
        if residue.name in side:
            assert bool(mark & TRUNCATED) == (side[residue.name] not in residue), residue
    steps = np.linalg.norm(np.diff(backbone.xyz, axis=0), axis=1)
    assert int(((backbone.marks & GAP) > 0).sum()) <= 2 * int((steps > 4.5).sum())


def test_backbones_are_read_as_they_were_written(tmp_path: Path, backbone: Backbone) -> None:
    path = tmp_path / "backbones.npz"
    with backbone_writer(path) as write:
        for one in (backbone, NO_BACKBONE, backbone):
            write(one)
    first, nothing, last = read_backbones(path)
    assert (first.sequence, first.chain, len(nothing), last.b_mean) == (backbone.sequence, "A", 0, backbone.b_mean)
    assert (last.xyz == backbone.xyz).all()
    assert (last.marks == backbone.marks).all()


def test_shard_without_instances_has_no_backbones(tmp_path: Path) -> None:
    with backbone_writer(tmp_path / "backbones.npz"):
        pass
    assert list(read_backbones(tmp_path / "backbones.npz")) == []
