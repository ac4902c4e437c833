"""Elements of atoms whose file names none."""

from collections.abc import Callable

import numpy as np

from tethermap.components.component import Component
from tethermap.formats.guess_elements import guess_elements

CODES = "IRE STI 1N1 LFM 08K BFM CHT TDG HEM B12 ATP PLP SAM BRB CLM T3"


def test_elements_of_dictionary_components_are_guessed_from_names_and_distances(
    known: Callable[[str], Component],
) -> None:
    wrong = []
    for code in CODES.split():
        component = known(code)
        atoms = [atom for atom in component.atoms if atom.xyz is not None]
        xyz = np.array([atom.xyz for atom in atoms])
        guessed = guess_elements(
            ["1"] * len(atoms), ["LIG"] * len(atoms), [atom.name for atom in atoms], xyz, [""] * len(atoms)
        )
        wrong += [(code, atom.name, one) for atom, one in zip(atoms, guessed, strict=True) if atom.element != one]
    assert wrong == []


def test_ions_have_the_elements_of_their_names_in_charmm_amber_and_the_pdb() -> None:
    ions = {"SOD": "Na", "POT": "K", "RUB": "Rb", "CAD": "Cd", "CES": "Cs", "LIT": "Li", "CAL": "Ca", "BAR": "Ba",
            "CLA": "Cl", "Na+": "Na", "K+": "K", "Cl-": "Cl", "ZN2": "Zn", "CA": "Ca", "CD": "Cd"}  # fmt: skip
    names = list(ions)
    assert guess_elements(names, names, names, np.zeros((len(ions), 3)), [""] * len(ions)) == list(ions.values())


def test_names_with_a_sign_are_those_of_ions() -> None:
    """Amber's older libraries call sodium and chloride by the residues IP and IM."""
    comp_ids, names = ["IP", "IM", "CIO"], ["Na+", "Cl-", "Cs+"]
    assert guess_elements(comp_ids, comp_ids, names, np.zeros((3, 3)), [""] * 3) == ["Na", "Cl", "Cs"]
