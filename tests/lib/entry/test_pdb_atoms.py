"""Lines of atoms of a PDB file, held against those of gemmi's own writer."""

from __future__ import annotations

import gemmi
import numpy as np
import pytest

from scripts.lib.entry.pdb_atoms import atom_lines, polymer_ends

ELEMENTS = ("C", "N", "O", "H", "D", "Cl", "Ca", "Zn", "X", "U")
NAMES = ("CA", "C1'", "H", "HD11", "1HB", "D1", "CL", "OXT", "c1", "ZN", "", "U", "N1A'")


def structure_of(atom: gemmi.Atom, *, comp_id: str = "LIG", number: int = 1, chain: str = "A") -> gemmi.Structure:
    """Return a structure of one atom."""
    structure = gemmi.Structure()
    model = structure.add_model(gemmi.Model(1))
    residue = gemmi.Residue()
    residue.name, residue.seqid, residue.het_flag = comp_id, gemmi.SeqId(number, " "), "H"
    residue.add_atom(atom)
    model.add_chain(gemmi.Chain(chain)).add_residue(residue)
    structure.assign_serial_numbers(numbered_ter=True)
    return structure


def atom_at(x: float = 1.0, **values: object) -> gemmi.Atom:
    atom = gemmi.Atom()
    atom.name, atom.element, atom.pos = "C1", gemmi.Element("C"), gemmi.Position(x, 2.0, 3.0)
    for name, value in values.items():
        setattr(atom, name, value)
    return atom


def by_gemmi(structure: gemmi.Structure) -> str:
    options = gemmi.PdbWriteOptions(minimal=True, cryst1_record=False, end_record=False)
    options.preserve_serial = True
    return str(structure.make_pdb_string(options))


def written(structure: gemmi.Structure) -> str | None:
    flat = gemmi.FlatStructure(structure)
    return atom_lines(flat, polymer_ends(flat))


def of_chance(seed: int) -> gemmi.Structure:
    """Return a structure of all that fits the columns, as chance has it."""
    chance = np.random.default_rng(seed)
    structure = gemmi.Structure()
    model = structure.add_model(gemmi.Model(1))
    for name in ("A", "b", "Zz", "9"):
        chain = gemmi.Chain(name)
        for number in sorted(chance.integers(-999, 10_000, 40).tolist()):
            residue = gemmi.Residue()
            residue.name = str(chance.choice(["ALA", "DA", "G", "~AB", "HOH"]))
            residue.seqid = gemmi.SeqId(number, str(chance.choice([" ", "A", "z"])))
            residue.het_flag = str(chance.choice(["A", "H"]))
            residue.entity_type = gemmi.EntityType(int(chance.choice([1, 1, 1, 2, 4])))
            for _ in range(int(chance.integers(1, 9))):
                residue.add_atom(_atom_of_chance(chance))
            chain.add_residue(residue)
        model.add_chain(chain)
    structure.assign_serial_numbers(numbered_ter=True)
    return structure


def _atom_of_chance(chance: np.random.Generator) -> gemmi.Atom:
    decimals = int(chance.integers(0, 7))
    atom = gemmi.Atom()
    atom.name, atom.element = str(chance.choice(NAMES)), gemmi.Element(str(chance.choice(ELEMENTS)))
    low, high = ((-0.01, 0.01), (-50.0, 200.0), (-999.999, 9999.999))[int(chance.integers(3))]
    atom.pos = gemmi.Position(*chance.uniform(low, high, 3).round(decimals).tolist())
    atom.occ = float(chance.choice([1.0, 0.5, 0.125, 0.0, chance.uniform(-1.0, 999.0)]))
    atom.b_iso = float(chance.choice([20.125, 99.995, 1e5, round(chance.uniform(-99.0, 200.0), decimals)]))
    atom.charge = int(chance.choice([0, 0, 0, *range(-9, 10)]))
    atom.altloc = "\0\0Ab"[int(chance.integers(4))]
    return atom


@pytest.mark.parametrize("seed", range(20))
def test_atoms_that_fit_are_written_as_gemmi_writes_them(seed: int) -> None:
    structure = of_chance(seed)
    assert written(structure) == by_gemmi(structure)


@pytest.mark.parametrize("x", [-0.0004, -0.0005, -0.00051, 0.0, 0.0005, 1.2345, -1.2345, -999.999, 9999.999])
def test_coordinates_are_rounded_as_by_gemmi(x: float) -> None:
    structure = structure_of(atom_at(x))
    assert written(structure) == by_gemmi(structure)


@pytest.mark.parametrize(
    "structure",
    [
        structure_of(atom_at(10_000.0)),
        structure_of(atom_at(-1000.0)),
        structure_of(atom_at(float("nan"))),
        structure_of(atom_at(1.2345 - 1e-10)),
        structure_of(atom_at(b_iso=-100.0)),
        structure_of(atom_at(occ=1000.0)),
        structure_of(atom_at(charge=10)),
        structure_of(atom_at(name="C1234")),
        structure_of(atom_at(), comp_id="A1ABC"),
        structure_of(atom_at(), number=10_000),
        structure_of(atom_at(), number=-1000),
        structure_of(atom_at(), chain="ABC"),
    ],
)
def test_atom_that_does_not_fit_is_left_to_gemmi(structure: gemmi.Structure) -> None:
    assert written(structure) is None


def test_serial_number_of_six_digits_is_left_to_gemmi() -> None:
    structure = structure_of(atom_at())
    structure[0][0][0][0].serial = 100_000
    assert written(structure) is None


def test_residue_that_is_neither_atom_nor_hetatm_is_left_to_gemmi() -> None:
    structure = structure_of(atom_at())
    structure[0][0][0].het_flag = "\0"
    assert written(structure) is None
