"""Columns of atoms from a structure."""

from __future__ import annotations

import gemmi
import numpy as np
import pytest

from tethermap.entry.atoms import Atoms


@pytest.fixture
def atoms() -> Atoms:
    chain = gemmi.Chain("A")
    for number, code, elements in ((-1, " ", ("Zn",)), (5, " ", ("N", "H")), (5, "B", ("Cl", "D", "X"))):
        residue = gemmi.Residue()
        residue.name, residue.seqid = "LIG", gemmi.SeqId(number, code)
        for element in elements:
            atom = gemmi.Atom()
            atom.name, atom.element = element, gemmi.Element(element)
            residue.add_atom(atom)
        chain.add_residue(residue)
    structure = gemmi.Structure()
    structure.add_model(gemmi.Model(1))
    structure[0].add_chain(chain)
    return Atoms.of(structure)


def test_residues_have_their_number_with_the_insertion_code(atoms: Atoms) -> None:
    assert atoms.residue_ids.tolist() == ["-1", "5", "5B"]


def test_deuterium_and_unknown_elements_have_distinct_symbols(atoms: Atoms) -> None:
    assert atoms.element.tolist() == [b"Zn", b"N", b"H", b"Cl", b"D", b"X"]
    assert np.flatnonzero(atoms.heavy).tolist() == [0, 1, 3, 5]
