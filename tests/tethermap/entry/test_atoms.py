"""Columns of atoms from a structure."""

import gemmi
import numpy as np
import pytest

from tests.tools.small_entry import atom_line
from tethermap.entry.atoms import Atoms


@pytest.fixture
def atoms() -> Atoms:
    numbers = {"Zn": "  -1 ", "N": "   5 ", "H": "   5 ", "Cl": "   5B", "D": "   5B", "X": "   5B"}
    lines = [atom_line(1, one, "LIG", "A", 1, (0.0, 0.0, 0.0), element=one) for one in numbers]
    parts = zip(lines, numbers.values(), strict=True)
    return Atoms.of(gemmi.read_pdb_string("".join(f"{line[:22]}{number}{line[27:]}" for line, number in parts)))


def test_residues_have_their_number_with_the_insertion_code(atoms: Atoms) -> None:
    assert atoms.residue_ids.tolist() == ["-1", "5", "5B"]


def test_deuterium_and_unknown_elements_have_distinct_symbols(atoms: Atoms) -> None:
    assert atoms.element.tolist() == [b"Zn", b"N", b"H", b"Cl", b"D", b"X"]
    assert np.flatnonzero(atoms.heavy).tolist() == [0, 1, 3, 5]
