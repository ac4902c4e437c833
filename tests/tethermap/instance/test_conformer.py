"""Choice among several modelled conformers."""

import gemmi
import numpy as np
import pytest

from tests.tools.small_entry import atom_line
from tethermap.entry.atoms import Atoms
from tethermap.instance.conformer import Conformers, best_altloc


def atoms_of(*rows: tuple[int, str, str, str, float]) -> Atoms:
    """Build atoms from (number, component, name, altloc, occupancy), one residue a number and component."""
    lines = [
        atom_line(k, name, comp_id, "A", number, (0.0, 0.0, 0.0), element="C", altloc=label or " ", occupancy=occupancy)
        for k, (number, comp_id, name, label, occupancy) in enumerate(rows, 1)
    ]
    structure = gemmi.read_pdb_string("".join(lines))
    structure.setup_entities()
    return Atoms.of(structure)


@pytest.mark.parametrize(
    ("occupancies", "expected"),
    [
        ("A 0.4 B 0.6 A 0.4 B 0.6", b"B"),
        ("A 0.4 A 0.4 B 0.6", b"A"),
        ("A 0.3 A 0.3 B 0.6", b"B"),
        ("B 0.5 A 0.5", b"A"),
        (" 1.0", b""),
    ],
    ids=["highest sum", "sum before single values", "mean of equal sums", "alphabet", "no label"],
)
def test_best_occupied_label_wins(occupancies: str, expected: bytes) -> None:
    words = occupancies.split(" ")
    pairs = enumerate(zip(words[::2], map(float, words[1::2]), strict=True))
    atoms = atoms_of(*((1, "LIG", f"C{k}", label, occupancy) for k, (label, occupancy) in pairs))
    assert best_altloc(atoms, np.arange(len(atoms))) == expected


@pytest.mark.parametrize(("wanted", "expected"), [(b"A", b"A"), (b"B", b"B"), (b"C", b"B"), (b"", b"B")])
def test_residue_takes_the_ligands_label_or_its_own_best(wanted: bytes, expected: bytes) -> None:
    atoms = atoms_of((7, "SER", "CB", "A", 0.3), (7, "SER", "CB", "B", 0.7), (7, "SER", "N", "", 1.0))
    mask = Conformers(atoms).mask(wanted)
    assert sorted(atoms.altloc[mask].tolist()) == sorted([b"", expected])


def test_only_one_of_two_components_in_one_place_is_chosen() -> None:
    atoms = atoms_of((7, "SER", "CB", "A", 0.6), (7, "PRO", "CB", "B", 0.4))
    for wanted in (b"", b"A", b"B"):
        assert Conformers(atoms).mask(wanted).sum() == 1


@pytest.mark.parametrize("first", ["SER", "TRP"])
def test_alternates_of_two_components_are_chosen_by_mean_occupancy(first: str) -> None:
    """The larger of the two doesn't win by its number of atoms."""
    rows = [(1, "TRP", f"C{k}", "B", 0.4) for k in range(9)] + [(1, "SER", f"C{k}", "A", 0.6) for k in range(2)]
    atoms = atoms_of(*sorted(rows, key=lambda row: row[1] != first))
    taken = Conformers(atoms).mask(b"")
    assert set(atoms.comp_id[taken].tolist()) == {b"SER"}
