"""Molecules of mol2 files as the file states them: elements and orders; hydrogens and charges by valence.

RDKit's reader assumes that the hydrogens of a file are complete: polar hydrogens only leave radicals on every carbon, a
file without hydrogens gives anions. Here bonds come from the file, aromatic ones and those of delocalised groups are
written as single and
double, and a charge follows from a valence that the file states in full.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, islice

import numpy as np
from rdkit import Chem

from tethermap.base.elements import SYMBOLS
from tethermap.formats.guess_elements import guess_elements

_DUMMIES = frozenset({"DU", "LP", "XX", "ANY", "HEV", "HET", "HAL", "DUMMY"})
_ORDERS = {"1": 1.0, "2": 2.0, "3": 3.0, "am": 1.0, "ar": 1.5, "un": 1.0, "4": 1.5, "nc": 0.0, "du": 0.0, "0": 0.0}
_MOST_TRIES = 3000
"""Maximum number of ways to place hydrogens and charges in aromatic rings."""

_FLAT = 0.4
"""Length of the sum of an atom's bond directions: 0 if they are planar or linear, 1 for three of a tetrahedron."""

_BONDS = {0: Chem.BondType.UNSPECIFIED, 2: Chem.BondType.DOUBLE, 3: Chem.BondType.TRIPLE, 1.5: Chem.BondType.AROMATIC}
_CARBOXYLATE = frozenset({"O.co2", "o", "O2"})
"""Types of an oxygen of a carboxylate: SYBYL's, GAFF's and Amber's; programs write its bonds as 1, 2 or ar."""

_GAFF = re.compile(r"[chnops][a-z0-9+*]?|[fi]")
_ATOM_WORDS = 6
_VALENCE = {"C": 4, "N": 3, "O": 2, "S": 2, "P": 3, "B": 3, "Se": 2, "Si": 4}


class Mol2Error(ValueError):
    """A molecule that can't be read; the message gives the reason."""


@dataclass(slots=True)
class _Molecule:
    """Atoms and bonds during the perception; orders of 1.5 are aromatic or delocalised."""

    names: list[str]
    types: list[str]
    elements: list[str]
    near: list[list[int]]
    charges: list[int]
    orders: dict[tuple[int, int], float] = field(default_factory=dict)

    def order(self, a: int, b: int) -> float:
        return self.orders[min(a, b), max(a, b)]

    def set_order(self, a: int, b: int, order: float) -> None:
        self.orders[min(a, b), max(a, b)] = order

    def valence(self, atom: int) -> int:
        return math.ceil(sum(self.order(atom, other) for other in self.near[atom]) - 1e-6)

    def heavy(self, atom: int) -> list[int]:
        return [other for other in self.near[atom] if self.elements[other] != "H"]


def read_mol2(text: str) -> Iterator[tuple[Chem.Mol, list[str], str] | str]:
    """Yield each molecule with its atom names and a note, or a sentence if it can't be read.

    Molecules are kekulised; those whose file has some of the hydrogens only have none.

    Parameters
    ----------
    text : str
        Content of a mol2 file.
    """
    for part in re.split(r"^@<TRIPOS>MOLECULE.*$", text, flags=re.MULTILINE)[1:]:
        try:
            yield _molecule(part.splitlines())
        except Mol2Error as error:
            yield str(error)


def read_sections(lines: Sequence[str]) -> dict[str, list[list[str]]]:
    """Return the words of each line of a molecule by section: ``ATOM``, ``BOND``, ``SUBSTRUCTURE``."""
    sections: dict[str, list[list[str]]] = {"ATOM": []}
    current: list[list[str]] = []
    for line in lines:
        if line.startswith("@<TRIPOS>"):
            current = sections.setdefault(line[9:].strip().upper(), [])
        elif line.strip() and not line.startswith("#"):
            current.append(line.split())
    sections["ATOM"] = [row for row in sections["ATOM"] if len(row) >= _ATOM_WORDS]
    return sections


def _molecule(lines: Sequence[str]) -> tuple[Chem.Mol, list[str], str]:
    title = next((line.strip() for line in lines if line.strip()), "")
    sections = read_sections(lines)
    rows = sections["ATOM"]
    try:
        xyz = np.array([[float(value) for value in row[2:5]] for row in rows]).reshape(-1, 3)
        bonds = [(row[1], row[2], row[3].lower()) for row in sections.get("BOND", [])]
    except (ValueError, IndexError) as error:
        raise Mol2Error("its lines are not those of the mol2 format; write it as SDF") from error
    if not rows:
        raise Mol2Error("it has no atoms")
    stated = [int(word) for word in "".join(lines[2:3]).split()[:2] if word.isdecimal()]  # the line after the title
    if any(found < count for count, found in zip(stated, (len(rows), len(bonds) or math.inf), strict=False)):
        raise Mol2Error(f"it has {len(rows)} of {stated[0]} atoms and {len(bonds)} bonds: it was cut off")
    if unknown := next((order for *_, order in bonds if order not in _ORDERS), ""):
        raise Mol2Error(f"a bond has the unknown type {unknown}; write it as SDF")
    elements = elements_of(rows, xyz)
    kept = [k for k, element in enumerate(elements) if element]
    ids = ids_of(rows, [end for *pair, _ in bonds for end in pair])
    place = {ids[k]: number for number, k in enumerate(kept)}
    names, types = ([rows[k][column] for k in kept] for column in (1, 5))
    mol = _Molecule(names, types, [elements[k] for k in kept], [[] for _ in kept], [0] * len(kept))
    is_open = all(not _ORDERS[order] or order == "un" for *_, order in bonds)
    for first, second, order in bonds:
        a, b = place.get(first), place.get(second)
        if a is None or b is None or a == b or not (is_open or _ORDERS[order]) or b in mol.near[a]:
            continue
        mol.set_order(a, b, 0 if is_open else _ORDERS[order])
        mol.near[a].append(b)
        mol.near[b].append(a)
    made = _kekulised(mol, xyz[kept])
    made.SetProp("_Name", "" if title == "*****" else title)
    left = len(rows) - len(kept)
    return made, mol.names, f"{left} dummy atoms or lone pairs were left out" if left else ""


def ids_of(rows: Sequence[Sequence[str]], ends: Sequence[str]) -> list[str]:
    """Return the name of each atom in the bonds: its id, or its number in the file if the bonds use that.

    SYBYL numbers the atoms of each molecule from 1 and ignores their ids; PyMOL's continue across molecules.
    """
    ids = [row[0] for row in rows]
    if len({*ids}) < len(ids) or not {*ends} <= {*ids}:
        ids = [str(number) for number in range(1, len(rows) + 1)]
    if not {*ends} <= {*ids}:
        raise Mol2Error("a bond is between atoms that it lacks")
    return ids


def elements_of(rows: Sequence[Sequence[str]], xyz: np.ndarray) -> list[str]:
    """Return the elements of SYBYL's, GAFF's and Amber's types, else of names; empty for dummies and lone pairs."""
    elements, words = [], []
    for row in rows:
        head, dot, _ = row[5].partition(".")
        word = head.capitalize()
        if head.upper() in _DUMMIES:
            elements.append("-")
        elif dot and word in SYMBOLS:
            elements.append(word)
        elif head[:2].lower() in ("cl", "br"):
            elements.append(head[:2].capitalize())
        elif _GAFF.fullmatch(head):
            elements.append(head[0].upper())
        elif len(head) == 1 or head != head.upper():
            elements.append(word if word in SYMBOLS else "")
        else:
            elements.append("")
        letters = head if head[:1] in SYMBOLS else row[1]
        words.append(letters if not elements[-1] else row[1])
    guessed = guess_elements(["1"] * len(rows), ["LIG"] * len(rows), words, xyz, elements)
    if unknown := [row[1] for row, element in zip(rows, guessed, strict=True) if not element]:
        raise Mol2Error(f"the element of atom {unknown[0]} is ambiguous; write the molecule as SDF")
    return ["" if element == "-" else element for element in guessed]


def _kekulised(mol: _Molecule, xyz: np.ndarray) -> Chem.Mol:
    import networkx  # slow to load, and few files need it

    if is_stated := any(mol.orders.values()):
        _set_oxo_groups(mol)
        for a, b in networkx.bridges(networkx.Graph(pair for pair, order in mol.orders.items() if order == 1.5)):
            mol.set_order(a, b, 1.25)  # delocalised: in no ring
        _set_delocalised(mol)
        is_stated = not _lacks_double_bonds(mol, xyz)
    mol.orders = mol.orders if is_stated else dict.fromkeys(mol.orders, 0)
    has_hydrogens = "H" in mol.elements
    complete = has_hydrogens and all(
        mol.valence(k) >= 4 or _is_linear_end(mol, k)
        for k, element in enumerate(mol.elements)
        if element == "C" and is_stated
    )
    _set_rings(mol, stated=has_hydrogens)
    for atom, element in enumerate(mol.elements):
        valence, kind = mol.valence(atom), mol.types[atom].upper()
        if mol.charges[atom] or element not in _VALENCE:
            continue
        if element == "N" and (valence == 4 or kind == "N.4"):
            mol.charges[atom] = 1
        elif element == "B" and valence == 4:
            mol.charges[atom] = -1
        elif (element == "O" and valence == 3) or (element == "S" and valence == 3 and len(mol.near[atom]) == 3):
            mol.charges[atom] = 1
        elif (has_hydrogens and element in ("O", "S", "N") and valence == _VALENCE[element] - 1 and mol.near[atom]) or (
            element == "C" and valence == 3 and complete and _is_linear_end(mol, atom)
        ):
            mol.charges[atom] = -1
    kept = [k for k, element in enumerate(mol.elements) if complete or element != "H"]
    made = _built(mol, kept)
    conformer = Chem.Conformer(len(kept))
    conformer.SetPositions(xyz[kept])
    made.AddConformer(conformer)
    mol.names = [mol.names[k] for k in kept]
    return made.GetMol()


def _lacks_double_bonds(mol: _Molecule, xyz: np.ndarray) -> bool:
    """Return whether a carbon is planar or linear but has single bonds only, in a file with hydrogens of carbons.

    LEaP and others that write the topology of a force field state all bonds as single.
    """
    carbons = [k for k, element in enumerate(mol.elements) if element == "C"]
    if not any(mol.elements[b] == "H" for k in carbons for b in mol.near[k]):
        return False
    return any(mol.valence(k) == len(mol.near[k]) and is_flat(xyz[k], xyz[mol.near[k]]) for k in carbons)


def is_flat(centre: np.ndarray, around: np.ndarray) -> bool:
    """Return whether an atom has two neighbours in a line or three in a plane.

    Parameters
    ----------
    centre : ndarray of float, shape (3,)
        The atom, in angstroms.
    around : ndarray of float, shape (n, 3)
        Its neighbours, in angstroms.
    """
    bonds = around - centre
    directions = bonds / np.maximum(np.linalg.norm(bonds, axis=1, keepdims=True), 1e-6)
    return len(bonds) in (2, 3) and bool(np.linalg.norm(directions.sum(axis=0)) < _FLAT)


def _is_linear_end(mol: _Molecule, atom: int) -> bool:
    """Return whether a carbon is that of an isonitrile."""
    return len(mol.near[atom]) == 1 and mol.valence(atom) == 3 and mol.elements[mol.near[atom][0]] == "N"


def _built(mol: _Molecule, kept: Sequence[int]) -> Chem.RWMol:
    """Return the kept atoms and the bonds between them as a molecule of RDKit."""
    made = Chem.RWMol()
    place = {k: number for number, k in enumerate(kept)}
    for k in kept:
        atom = Chem.Atom(mol.elements[k] if mol.elements[k] != "D" else "H")
        atom.SetFormalCharge(mol.charges[k])
        made.AddAtom(atom)
    for (a, b), order in mol.orders.items():
        if a in place and b in place:
            made.AddBond(place[a], place[b], _BONDS.get(order, Chem.BondType.SINGLE))
    return made


def _set_oxo_groups(mol: _Molecule) -> None:
    """Write nitro, sulfonyl, phosphoryl and similar groups: oxygens with one neighbour, regardless of their orders."""
    for atom, element in enumerate(mol.elements):
        ends = [b for b in mol.heavy(atom) if mol.elements[b] in ("O", "S") and len(mol.near[b]) == 1]
        if not ends or element not in ("N", "P", "S", "Cl", "Se", "As"):
            continue
        others = [b for b in mol.near[atom] if b not in ends]
        if element == "N":
            if len(ends) == 2 and len(others) <= 1:
                mol.set_order(atom, ends[0], 2)
                mol.set_order(atom, ends[1], 1)
                mol.charges[atom], mol.charges[ends[1]] = 1, -1
            elif len(others) == 3 or (len(others) == 2 and any(mol.order(atom, b) > 1 for b in others)):  # an N-oxide
                mol.set_order(atom, ends[0], 1)
                mol.charges[atom], mol.charges[ends[0]] = 1, -1
            continue
        others_order = sum(mol.order(atom, b) for b in others)
        if element in ("P", "As"):
            wanted = 1 if others_order + len(ends) <= 4 else 0
        elif element == "Cl":
            wanted = min(3, len(ends) - (0 if others else 1))
        elif len(ends) == len(others) == 1:
            named = mol.types[atom].upper().startswith(("S.O", "SX", "SY"))
            wanted = 1 if named or mol.order(atom, ends[0]) == 2 else 0
        else:
            wanted = 1 if (len(ends), len(others)) == (2, 1) else min(2, len(ends))
        for b in sorted(ends, key=lambda end: (mol.elements[end] != "O", -mol.order(atom, end))):
            mol.set_order(atom, b, 2 if wanted > 0 else 1)
            wanted -= 1


def _set_delocalised(mol: _Molecule) -> None:
    """Write carboxylates, guanidines and amidines: one double bond at each carbon that has such bonds."""
    for atom, element in enumerate(mol.elements):
        ends = [b for b in mol.near[atom] if mol.order(atom, b) == 1.25]
        oxygens = [b for b in mol.near[atom] if mol.types[b] in _CARBOXYLATE and len(mol.near[b]) == 1]
        ends = oxygens if len(oxygens) == 2 and len(mol.near[atom]) == 3 else ends
        if len(ends) < 2 or element != "C":
            continue

        def rank(b: int) -> tuple[object, ...]:
            is_oxygen, free = mol.elements[b] == "O", _VALENCE.get(mol.elements[b], 2) - len(mol.near[b])
            return not is_oxygen, len(mol.heavy(b)) < len(mol.near[b]) if is_oxygen else free <= 0, len(mol.heavy(b)), b

        double = min(ends, key=rank)
        for b in ends:
            mol.set_order(atom, b, 2 if b == double else 1)
    for pair, order in mol.orders.items():
        if order == 1.25:
            mol.orders[pair] = 1


def _set_rings(mol: _Molecule, *, stated: bool) -> None:
    """Write aromatic rings as single and double bonds with the fewest added hydrogens and charges.

    Parameters
    ----------
    stated : bool
        Whether the file gives the hydrogens of nitrogens.
    """
    import networkx

    ring = [pair for pair, order in mol.orders.items() if order == 1.5]
    members = sorted({atom for pair in ring for atom in pair})
    if not members:
        return
    options: list[tuple[int, str]] = []
    for atom in members:
        if mol.elements[atom] == "N" and not mol.charges[atom]:
            change = {3: "+", 2: "-" if stated else "H"}.get(len(mol.near[atom]))
            options += [(atom, change)] if change else []
        elif mol.elements[atom] in ("O", "S"):
            options.append((atom, "+"))
    cycles = networkx.minimum_cycle_basis(networkx.Graph(ring))
    small = {atom for cycle in cycles if len(cycle) == 5 for atom in cycle}

    def rank(option: tuple[int, str]) -> tuple[object, ...]:
        atom, change = option
        return change == "+", mol.types[atom].upper() not in ("N.PL3", "NA"), atom not in small, atom

    options.sort(key=rank)
    # An aromatic bond of the file should be aromatic in the molecule too; programs define aromaticity differently.
    for strict in (True, False):
        ways = chain.from_iterable(combinations(options, count) for count in range(5))  # four changes at most
        if any(_try_rings(mol, ring, dict(chosen), strict=strict) for chosen in islice(ways, _MOST_TRIES)):
            return
    raise Mol2Error("its aromatic rings can't be written as single and double bonds; write it as SDF")


def _try_rings(mol: _Molecule, ring: Sequence[tuple[int, int]], chosen: dict[int, str], *, strict: bool) -> bool:
    """Write the rings with some hydrogens and charges; return whether that is possible.

    Parameters
    ----------
    strict : bool
        Whether RDKit must find all their bonds aromatic.
    """
    made = _built(mol, range(len(mol.elements)))
    in_ring = {atom for pair in ring for atom in pair}
    for k, atom in enumerate(made.GetAtoms()):
        change = chosen.get(k, "")
        atom.SetFormalCharge(mol.charges[k] + {"+": 1, "-": -1}.get(change, 0))
        if change == "H":
            atom.SetNumExplicitHs(1)
        atom.SetNoImplicit(mol.elements[k] != "C")
        atom.SetIsAromatic(k in in_ring)
    for a, b in ring:
        made.GetBondBetweenAtoms(a, b).SetIsAromatic(True)
    try:
        made.UpdatePropertyCache(strict=False)
        Chem.Kekulize(made, clearAromaticFlags=True)
        if strict:
            perceived = Chem.RWMol(made)
            Chem.SanitizeMol(perceived)
            if not all(perceived.GetBondBetweenAtoms(a, b).GetIsAromatic() for a, b in ring):
                return False
    except (Chem.KekulizeException, Chem.MolSanitizeException):
        return False
    for a, b in ring:
        mol.orders[a, b] = 2 if made.GetBondBetweenAtoms(a, b).GetBondType() == Chem.BondType.DOUBLE else 1
    for k, change in chosen.items():
        mol.charges[k] += {"+": 1, "-": -1}.get(change, 0)
    return True
