"""Guess missing elements of atoms: from names, and from distances if a name fits two elements."""

from collections.abc import Iterable, Sequence
from itertools import groupby

import gemmi
import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.base.elements import SYMBOLS, covalent_radius

_FARTHEST_BONDED = 3.0
"""Distance in angstroms beyond which no two atoms are bonded."""

_ALONE = frozenset({"He", "Ne", "Ar", "Kr", "Xe"})
"""Elements that bond to nothing in a ligand."""

_CHARMM_IONS = {"SOD": "Na", "POT": "K", "RUB": "Rb", "CAD": "Cd", "CES": "Cs"}
"""Ions whose names in CHARMM (toppar_water_ions.str) begin with another element."""


def guess_elements(
    residues: Sequence[str], comp_ids: Sequence[str], names: Sequence[str], xyz: FloatArray, known: Sequence[str]
) -> list[str]:
    """Return the element of each atom, empty if its name begins with no element.

    Parameters
    ----------
    residues : sequence of str
        Identifier of each atom's residue; atoms of one residue follow one another.
    comp_ids, names : sequence of str
        Component and name of each atom.
    xyz : ndarray of float, shape (n_atoms, 3)
        Coordinates in angstroms.
    known : sequence of str
        Element of each atom in the file, empty if missing.

    Examples
    --------
    >>> guess_elements("11", ["LIG"] * 2, ["C1", "CL"], np.array([[0, 0, 0], [1.74, 0, 0]]), ["", ""])
    ['C', 'Cl']
    """
    elements = list(known)
    for _, group in groupby(range(len(names)), key=residues.__getitem__):
        part = list(group)
        if all(known[k] for k in part):
            continue
        if is_polymer_residue(comp_ids[part[0]]) or gemmi.find_tabulated_residue(comp_ids[part[0]]).is_water():
            for k in part:
                elements[k] = known[k] or _of_standard(names[k], comp_ids[k])
        else:
            for k, element in zip(part, _of_ligand(comp_ids[part[0]], part, names, xyz, known), strict=True):
                elements[k] = element
    return elements


def is_polymer_residue(comp_id: str) -> bool:
    """Return whether a component is an amino acid or a nucleotide that gemmi knows."""
    info = gemmi.find_tabulated_residue(comp_id)
    return bool(info.is_amino_acid() or info.is_nucleic_acid())


def _of_standard(name: str, comp_id: str) -> str:
    letters = _letters(name)
    return "Se" if letters.startswith("SE") and comp_id in ("MSE", "SEC") else _one(letters)


def _of_ligand(
    comp_id: str, part: Sequence[int], names: Sequence[str], xyz: FloatArray, known: Sequence[str]
) -> Iterable[str]:
    letters = [_letters(names[k]) for k in part]
    single = [known[k] or _one(word) or _two(word) for k, word in zip(part, letters, strict=True)]
    places = xyz[list(part)]
    for at, k in enumerate(part):
        one, two = _one(letters[at]), _two(letters[at])
        if len(part) == 1 and not known[k] and letters[at] in _CHARMM_IONS:
            yield _CHARMM_IONS[letters[at]]
        elif known[k] or not two or not one:
            yield single[at]
        elif len(part) == 1:
            is_ion = letters[at] == _letters(comp_id) or names[k].rstrip().endswith(("+", "-"))  # Amber: Na+ in IP
            yield two if is_ion else one
        else:
            distances = np.linalg.norm(places - places[at], axis=1)
            distances[at] = np.inf
            near = int(distances.argmin())
            distance, radius = float(distances[near]), covalent_radius(single[near] or "C")
            off = {symbol: abs(distance - radius - covalent_radius(symbol)) for symbol in (one, two)}
            if distance > _FARTHEST_BONDED or two in _ALONE:
                yield two if letters[at] == two.upper() and distance > _FARTHEST_BONDED else one
            else:
                yield min((one, two), key=off.__getitem__)


def _letters(name: str) -> str:
    """Return the first letters of a name, after digits and marks."""
    word = name.upper().lstrip("0123456789'\"*_-+ ")
    return word[: next((k for k, letter in enumerate(word) if not letter.isalpha()), len(word))]


def _one(letters: str) -> str:
    return letters[:1] if letters[:1] in SYMBOLS else ""


def _two(letters: str) -> str:
    two = letters[:2].capitalize()
    return two if len(two) == 2 and two in SYMBOLS else ""
