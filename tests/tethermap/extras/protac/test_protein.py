"""The protein's file, against gemmi."""

from pathlib import Path

import gemmi
import pytest

from service.build_examples import SHIPPED
from tethermap.extras.protac import protein
from tethermap.extras.protac.side import E3, TARGET

COMPLEXES = sorted(SHIPPED.glob("*/TARGET_RESULTS/WAR_PDB/*.pdb"))


@pytest.mark.parametrize("path", COMPLEXES, ids=lambda path: path.stem)
def test_polymer_chains_have_the_letters_of_their_side(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    expected = gemmi.read_pdb_string(text)
    expected.setup_entities()
    found = protein.protein_of(text, (), E3, path.stem)
    again = gemmi.read_pdb_string(found.text)
    assert found.chains == "".join(chain.name for chain in again[0]) == E3.letters[: len(found.chains)]
    for old, new in found.letters.items():
        atoms = [(str(r.seqid), r.name, a.name, a.pos.tolist()) for r in expected[0][old].get_polymer() for a in r]
        assert atoms == [(str(r.seqid), r.name, a.name, a.pos.tolist()) for r in again[0][new] for a in r]


def test_atoms_of_a_peptide_like_ligand_are_left_out() -> None:
    text = COMPLEXES[0].read_text(encoding="utf-8")
    serials = [int(line[6:11]) for line in text.splitlines() if line.startswith("ATOM")][:10]
    found = protein.protein_of(text, serials, TARGET, "x")
    kept = [int(line[6:11]) for line in found.text.splitlines() if line.startswith(("ATOM", "HETATM"))]
    assert kept
    assert set(serials).isdisjoint(kept)


def test_missing_protein_file_has_a_reason() -> None:
    text = COMPLEXES[0].read_text(encoding="utf-8")
    hets = "".join(f"{line}\n" for line in text.splitlines() if line.startswith("HETATM"))
    assert protein.protein_of(None, (), TARGET, "x").reason == "complex_too_large"
    assert protein.protein_of(hets, (), TARGET, "x").reason == "no_polymer"
    atoms = [line for line in text.splitlines() if line.startswith("ATOM")][:3]
    many = ""
    for letter in "abcdefghijklmnop":
        many += "".join(f"{line[:21]}{letter}{line[22:]}\n" for line in atoms) + f"{'TER':21s}{letter}\n"
    assert protein.protein_of(many, (), TARGET, "x").reason == "too_many_chains"
