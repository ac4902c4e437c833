"""The Cα trace near a ligand, compared with gemmi's own reading of the entry."""

from pathlib import Path

import gemmi
import numpy as np
import pytest

from tests.tools.cleaning import Find, clean_file
from tethermap.complex.clean import KeptInstance
from tethermap.instance.backbone import GAP, TOUCHED, TRUNCATED, Backbone

Polymer = list[gemmi.Residue]


@pytest.fixture(scope="module")
def kept(archive: Path, find: Find) -> KeptInstance:
    return clean_file(next(archive.glob("4cup.*")), find)[1].kept[0]


@pytest.fixture(scope="module")
def backbone(kept: KeptInstance) -> Backbone:
    return kept.backbone


@pytest.fixture(scope="module")
def polymer(archive: Path) -> Polymer:
    structure = gemmi.read_structure(str(next(archive.glob("4cup.*"))))
    structure.setup_entities()
    return [residue for residue in structure[0]["A"].get_polymer() if "CA" in residue]


def test_sequence_and_places_are_those_of_the_chain(backbone: Backbone, polymer: Polymer) -> None:
    letters = [gemmi.find_tabulated_residue(residue.name).one_letter_code.upper() for residue in polymer]
    assert backbone.chain == "A"
    assert backbone.sequence == "".join(letters)
    assert backbone.xyz == pytest.approx(np.array([residue["CA"][0].pos.tolist() for residue in polymer]), abs=1e-3)


def test_b_factors_are_those_of_the_alpha_carbons(backbone: Backbone, polymer: Polymer) -> None:
    values = [residue["CA"][0].b_iso for residue in polymer]
    assert backbone.b_mean == pytest.approx(np.mean(values), abs=0.01)
    assert backbone.b_sd == pytest.approx(np.std(values), abs=0.01)


def test_truncated_side_chains_and_gaps_are_marked(backbone: Backbone, polymer: Polymer) -> None:
    side = {"LYS": "NZ", "GLU": "OE1", "ARG": "NH1", "GLN": "OE1", "ASP": "OD1", "MET": "CE"}
    for mark, residue in zip(backbone.marks.tolist(), polymer, strict=True):
        if residue.name in side:
            assert bool(mark & TRUNCATED) == (side[residue.name] not in residue), residue
    steps = np.linalg.norm(np.diff(backbone.xyz, axis=0), axis=1)
    assert int(((backbone.marks & GAP) > 0).sum()) <= 2 * int((steps > 4.5).sum())


def test_residues_are_numbered_and_marked_if_touched(kept: KeptInstance, backbone: Backbone, polymer: Polymer) -> None:
    assert backbone.numbers.tolist() == [str(residue.seqid.num) for residue in polymer]
    ligand = kept.instance.atoms.xyz[kept.instance.atoms.heavy]
    for mark, residue in zip(backbone.marks.tolist(), polymer, strict=True):
        xyz = np.array([atom.pos.tolist() for atom in residue if not atom.is_hydrogen() and atom.altloc in ("\0", "A")])
        nearest = np.linalg.norm(xyz[:, None] - ligand, axis=2).min()
        assert bool(mark & TOUCHED) == (nearest < 4.5), residue


def test_polymers_near_the_ligand_are_named(kept: KeptInstance) -> None:
    (polymer,) = kept.instance.polymers
    assert (polymer.chains, polymer.target) == (("A",), True)
    assert "ZINC FINGER" in polymer.name.upper()


def test_pocket_between_two_chains_has_the_residues_of_both(archive: Path, find: Find) -> None:
    """HIV protease: flaps and catalytic residues of both chains of the dimer bind the inhibitor."""
    path = next(archive.glob("1hpv.*"))
    (kept,) = clean_file(path, find)[1].kept
    around, ligand = kept.neighbourhood, kept.instance.atoms.xyz
    near = np.linalg.norm(around.xyz[:, None] - ligand[None], axis=2).min(axis=1) < 4.5
    in_dimer = near & (around.context <= 1) & np.isin(around.auth_asym_id, ("A", "B"))
    touched = set(kept.backbone.numbers[kept.backbone.marks & TOUCHED > 0].tolist())
    assert {"25", "50"} <= touched == set(around.residue_id[in_dimer].tolist())
    assert kept.backbone.partner == ()
