"""Two halves and a linker as one molecule."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from rdkit import Chem, rdBase

from tethermap.base.reference import rows_of
from tethermap.extras.degraders.ends import End, Join

SECOND_HALF = 500
"""Atom map numbers of the second half begin after this; no ligand of a job has so many atoms."""

_ZIP = Chem.MolzipParams()
_ZIP.label = Chem.MolzipLabel.Isotope
_FIRST, _SECOND, _INNER = 1, 2, 3
_STARS = {k: Chem.MolFromSmarts(f"[{k}#0]") for k in (_FIRST, _SECOND)}

_UNSTABLE = tuple(
    map(Chem.MolFromSmarts, ("[#7,#8,#16][CX4;!R][#7,#8,#16]", "[N,O;!R][N,O;!R]", "[CX2]#[CX2][CX4;!H0][CX3]=O"))
)
"""Products that no reaction here forms: aminals, acetals, bonded hetero atoms, alkynes that rearrange to allenes next
to a carbonyl group."""


@dataclass(frozen=True, eq=False, slots=True)
class Made:
    """A degrader that was made.

    Parameters
    ----------
    mol : Chem.Mol
        The molecule; atoms of the halves have atom map numbers, those of the second after `SECOND_HALF`.
    linker : Linker
        The linker, oriented from the first half to the second.
    joins : (Join, Join)
        The reactions.
    between : int
        Atoms on the shortest path between the halves.
    number : int
        Number of its combination of linker and reactions, from 1; 0 if unknown.
    """

    mol: Chem.Mol
    linker: Linker
    joins: tuple[Join, Join]
    between: int
    number: int = 0

    @property
    def smiles(self) -> str:
        """Canonical SMILES without atom map numbers."""
        plain = Chem.Mol(self.mol)
        for atom in plain.GetAtoms():
            atom.SetAtomMapNum(0)
        return str(Chem.MolToSmiles(plain))


def degraders(
    first: End, second: End, linkers: Sequence[Linker], longest: float = math.inf, numbers: Collection[int] = ()
) -> Iterator[Made]:
    """Yield all degraders of two halves and some linkers, either way round, each molecule once.

    Parameters
    ----------
    first, second : End
        The halves.
    linkers : sequence of Linker
        The linkers.
    longest : float
        Maximum number of atoms between the halves.
    numbers : collection of int
        Numbers of the combinations to make, from an earlier call with the same arguments; empty for all.
    """
    seen: set[str] = set()
    number = 0
    for linker in (one for one in linkers if one.length <= longest):  # reactions add atoms
        ways = {Chem.MolToSmiles(Chem.MolFromSmiles(way.smiles)): way for way in (linker.turned(), linker)}
        # A symmetric linker has one way.
        for way, join, other in product(reversed(ways.values()), first.joins, second.joins):
            number += 1
            made = None if numbers and number not in numbers else made_of(first, second, way, (join, other))
            if made is not None and made.between <= longest and (smiles := made.smiles) not in seen:
                seen.add(smiles)
                yield replace(made, number=number)


def made_of(first: End, second: End, linker: Linker, joins: tuple[Join, Join]) -> Made | None:
    """Return one degrader; None if a reaction is impossible at the linker's end or its product is unstable.

    Parameters
    ----------
    first, second, linker, joins : End, End, Linker, (Join, Join)
        The parts: the linker's ``[*:1]`` is joined to the first half.
    """
    armed = _armed(linker.smiles, joins)
    if armed is None:
        return None
    part, between = armed
    mol = part
    for end, join, label in zip((first, second), joins, (_FIRST, _SECOND), strict=True):
        mol = Chem.CombineMols(mol, _labelled(end.armed(join), label))
    with rdBase.BlockLogs():
        mol = Chem.molzip(mol, _ZIP)
        if Chem.SanitizeMol(mol, catchErrors=True) != Chem.SanitizeFlags.SANITIZE_NONE:
            return None
        Chem.AssignStereochemistry(mol, cleanIt=True, force=True)
    return None if _is_unstable(mol) else Made(mol, linker, joins, between)


@lru_cache(maxsize=4096)
def _armed(linker: str, joins: tuple[Join, Join]) -> tuple[Chem.Mol, int] | None:
    """Return a linker with the products of two reactions at its ends, and its atoms between the halves."""
    if not all(kind in join.ends for kind, join in zip(_kinds(linker), joins, strict=True)):
        return None
    mol = _opened(linker, (_FIRST, _SECOND))
    for k, join in zip((_FIRST, _SECOND), joins, strict=True):
        if join.bridge:
            mol = Chem.Mol(mol)
            mol.GetAtomWithIdx(mol.GetSubstructMatch(_STARS[k])[0]).SetIsotope(_INNER)
            with rdBase.BlockLogs():  # RDKit warns of the open ends
                mol = Chem.molzip(mol, _opened(join.bridge, (k, _INNER)), _ZIP)
    first, second = (mol.GetSubstructMatch(_STARS[k])[0] for k in (_FIRST, _SECOND))
    return mol, len(Chem.GetShortestPath(mol, first, second)) - 2


@lru_cache(maxsize=4096)
def _opened(smiles: str, labels: tuple[int, int]) -> Chem.Mol:
    """Return a molecule with labels of its two ends in place of their atom map numbers."""
    mol = Chem.MolFromSmiles(smiles)
    for atom in mol.GetAtoms():
        if number := atom.GetAtomMapNum():
            atom.SetAtomMapNum(0)
            atom.SetIsotope(labels[number - 1])
    return mol


@lru_cache(maxsize=4096)
def _kinds(linker: str) -> tuple[str, ...]:
    """Return the kinds of a linker's two ends."""
    stars = [atom for atom in Chem.MolFromSmiles(linker).GetAtoms() if atom.GetAtomMapNum()]
    return tuple(_kind(star.GetNeighbors()[0]) for star in sorted(stars, key=lambda star: star.GetAtomMapNum()))


def _kind(atom: Chem.Atom) -> str:
    """Return the kind of a linker's end in the words of `Join.ends`; None for an sp or sp2 carbon."""
    if atom.GetSymbol() == "C" and not atom.GetIsAromatic() and atom.GetHybridization() != Chem.HybridizationType.SP3:
        return "?"
    return "c" if atom.GetIsAromatic() and atom.GetAtomicNum() == 6 else str(atom.GetSymbol())


def _labelled(mol: Chem.Mol, label: int) -> Chem.Mol:
    copy = Chem.Mol(mol)
    for atom in copy.GetAtoms():
        if atom.GetAtomicNum() == 0:
            atom.SetIsotope(label)
    return copy


def _is_unstable(mol: Chem.Mol) -> bool:
    """Return whether a new bond formed an aminal, an acetal or the like; those within the halves are allowed."""
    return any(
        any(mol.GetAtomWithIdx(k).GetAtomMapNum() == 0 for k in match)
        for pattern in _UNSTABLE
        for match in mol.GetSubstructMatches(pattern)
    )


@dataclass(frozen=True, slots=True)
class Linker:
    """The part between the bonds on either side.

    Parameters
    ----------
    name : str
        Name in the list.
    smiles : str
        With ``[*:1]`` and ``[*:2]`` for the two sides.
    length : int
        Atoms on the shortest path between the sides.
    kind : str
        Its class: alkyl, PEG, saturated ring, …
    """

    name: str
    smiles: str
    length: int
    kind: str

    def turned(self) -> Linker:
        """Return it the other way round."""
        swapped = self.smiles.replace("[*:1]", "[*:0]").replace("[*:2]", "[*:1]").replace("[*:0]", "[*:2]")
        return Linker(self.name, swapped, self.length, self.kind)


def read_linkers(kinds: Collection[str] = ()) -> list[Linker]:
    """Return the linkers of ``linkers.csv``, limited to the classes in `kinds` if given."""
    return [
        Linker(row["name"], row["smiles"], int(row["length"]), row["class"])
        for row in rows_of("linkers")
        if not kinds or row["class"] in kinds
    ]
