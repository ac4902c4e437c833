"""A chemical component: the dictionary's definition of a residue or ligand."""

from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import NamedTuple

_FULL_LINE = 119
"""Characters of a line of text that the chemical component dictionary has broken for its length."""


class ComponentAtom(NamedTuple):
    """One atom of a component.

    `alt_name` is the name before the remediation of 2007, often the same. `leaving` marks an atom that is removed when
    the component is linked. `stereo` is ``R``, ``S`` or ``N``; `xyz` the ideal coordinates in angstroms (those of a
    model if there are none), None if not given and for hydrogens.
    """

    name: str
    alt_name: str
    element: str
    charge: int
    aromatic: bool
    leaving: bool
    stereo: str
    xyz: tuple[float, float, float] | None


class ComponentBond(NamedTuple):
    """One bond: indices of its atoms, order 1, 2 or 3 (Kekulé), and whether it is aromatic."""

    first: int
    second: int
    order: int
    aromatic: bool


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """A chemical component, compared by identity.

    Parameters
    ----------
    comp_id : str
        Code, 1 to 5 characters.
    name, type, formula : str
        As in the dictionary: ``IMATINIB``, ``NON-POLYMER``, ``C29 H31 N7 O``.
    atoms : tuple of ComponentAtom
        All atoms, hydrogens included, in dictionary order.
    origin : str
        ``index``, ``network`` or ``user``.
    synonyms : tuple of str
        Other names that the dictionary gives: ``Osimertinib``, ``AZD 9291``.
    named : bool
        Whether the names of its atoms are known; those of a SMILES are its elements, numbered.
    """

    comp_id: str
    name: str
    type: str
    formula: str
    atoms: tuple[ComponentAtom, ...]
    bonds: tuple[ComponentBond, ...]
    origin: str = "index"
    synonyms: tuple[str, ...] = ()
    named: bool = True


def is_hydrogen(element: str) -> bool:
    """Return whether an element symbol is hydrogen or deuterium."""
    return element in ("H", "D")


def on_one_line(text: str) -> str:
    """Return a name of the dictionary on one line.

    The archive breaks lines of 119 characters and more within a word, shorter ones at a blank.

    >>> on_one_line("TERT-BUTYL\\nESTER"), on_one_line("di" * 60 + "\\nhydroquinoline")[-18:]
    ('TERT-BUTYL ESTER', 'didihydroquinoline')
    """
    lines = text.splitlines()
    within_word = [len(line) >= _FULL_LINE and not after.startswith("acid") for line, after in pairwise(lines)]
    ends = ["" if within else " " for within in within_word]
    return " ".join("".join(map("".join, zip_longest(lines, ends, fillvalue=""))).split())


def names_of(text: str) -> tuple[str, ...]:
    """Return the names that a cell of synonyms joins by ``;``, each on one line.

    >>> names_of("Osimertinib; AZD 9291")
    ('Osimertinib', 'AZD 9291')
    """
    names = map(on_one_line, text.split(";"))
    return tuple(name for name in names if name not in ("", "?", "."))
