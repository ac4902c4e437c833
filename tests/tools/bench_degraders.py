"""Number of published degraders, and of their linkers, that are reproduced: `make bench-degraders`.

Degraders are those of ``tests/data/published_degraders.csv``, each from its halves. Linkers are those of a table with
the columns ``linker_smiles`` and ``n_degraders`` (``TETHERMAP_TEST_LINKERS``), cut without marks. A linker counts if
two atoms, at the largest distance or one bond nearer, can be its ends, and the part between them is in the list,
without the amine, oxygen, carbonyl, alkyne or triazole that reactions leave at its ends or that belongs to the half.
"""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
from rdkit import Chem, rdBase

from tests.tools.runs import ROOT, Row, rows_of
from tethermap.extras.degraders.ends import End, end_of
from tethermap.extras.degraders.join import Linker, made_of, read_linkers

PUBLISHED = ROOT / "tests" / "data" / "published_degraders.csv"

_PEELED = [
    Chem.MolFromSmarts(smarts)
    for smarts in (
        *("[N,O;!R]([CH3])[#0]", "[N,O;!R][#0]", "[C;!R](=O)[#0]", "[C;!R]#C[#0]", "[CH2;$(C[#7,#8])][#0]"),
        *("c1ccccc1[#0]", "c1cn([#0])nn1", "n1cc([#0])nn1"),
    )
]
MOST_PEELED = 4
"""Most groups at both ends together that reactions leave or that are the halves' own."""


@cache
def formula(smiles: str) -> Counter[str]:
    """Return how many atoms of each element but hydrogen a molecule has."""
    return Counter(atom.GetSymbol() for atom in Chem.MolFromSmiles(smiles).GetAtoms() if atom.GetAtomicNum() > 1)


def linker_of(first: End, second: End, smiles: str, linkers: list[Linker]) -> str:
    """Return the first linker by which two halves make a degrader, else an empty text; only its formula is joined."""
    for joins in product(first.joins, second.joins):
        wanted = Counter(formula(smiles))
        for end, join in zip((first, second), joins, strict=True):
            wanted.subtract(formula(Chem.MolToSmiles(end.armed(join))))
            wanted.subtract(formula(join.bridge or "*"))
        for linker in linkers:
            if formula(linker.smiles) == wanted:
                made = made_of(first, second, linker, joins)
                if made is not None and made.smiles == smiles:
                    return linker.name
    return ""


def both_ways(linkers: list[Linker]) -> list[Linker]:
    """Return linkers either way round."""
    return [way for linker in linkers for way in (linker, linker.turned())]


def published() -> list[Row]:
    """Return degraders of the literature with their halves."""
    return rows_of(PUBLISHED.parent, PUBLISHED.name)


def regenerated(linkers: list[Linker]) -> dict[str, str]:
    """Return of each published degrader the linker of the list by which its halves make it, else an empty text."""
    told = {}
    for row in published():
        first, second = end_of(row["target_half"]), end_of(row["recruiter_half"])
        ways = both_ways(linkers)
        told[row["name"]] = linker_of(first, second, row["smiles"], ways) if first and second else ""
    return told


def unmarked(mol: Chem.Mol) -> str:
    """Return SMILES of a linker without which side is which, and without configurations."""
    copy = Chem.Mol(mol)
    for atom in copy.GetAtoms():
        if atom.GetAtomicNum() == 0:
            atom.SetIsotope(0)
            atom.SetAtomMapNum(0)
    return str(Chem.MolToSmiles(copy, isomericSmiles=False))


def candidates(smiles: str) -> Iterator[str]:
    """Yield the possible linkers of a table's linker between two halves."""
    with rdBase.BlockLogs():
        mol = Chem.MolFromSmiles(smiles)
    if mol is None:
        return  # type: ignore[unreachable]
    far = Chem.GetDistanceMatrix(mol)
    open_ = [atom.GetIdx() for atom in mol.GetAtoms() if atom.GetTotalNumHs()]
    for a, b in product(open_, repeat=2):
        if (a < b or (a == b and mol.GetAtomWithIdx(a).GetTotalNumHs() > 1)) and far[a, b] >= np.max(far) - 1:
            edit = Chem.RWMol(mol)
            for k in (a, b):
                edit.AddBond(k, edit.AddAtom(Chem.Atom(0)), Chem.BondType.SINGLE)
                if edit.GetAtomWithIdx(k).GetNumExplicitHs():
                    edit.GetAtomWithIdx(k).SetNumExplicitHs(0)
            whole = edit.GetMol()
            Chem.SanitizeMol(whole)
            yield from _peeled(whole, MOST_PEELED)


def _peeled(mol: Chem.Mol, times: int) -> Iterator[str]:
    """Yield a linker, unchanged and without the parts that may belong to the halves."""
    yield unmarked(mol)
    for pattern in _PEELED if times else ():
        for match in mol.GetSubstructMatches(pattern):
            star = next(k for k in match if mol.GetAtomWithIdx(k).GetAtomicNum() == 0)
            gone = set(match) - {star}
            beyond = {
                other.GetIdx() for k in gone for other in mol.GetAtomWithIdx(k).GetNeighbors() if other.GetIdx() != star
            } - gone
            if len(beyond) != 1 or mol.GetAtomWithIdx(min(beyond)).GetAtomicNum() == 0:
                continue
            edit = Chem.RWMol(mol)
            edit.AddBond(min(beyond), star, Chem.BondType.SINGLE)
            for k in sorted(gone, reverse=True):
                edit.RemoveAtom(k)
            less = edit.GetMol()
            Chem.SanitizeMol(less)
            yield from _peeled(less, times - 1)


def main() -> None:
    """Print both measures and the missing ones."""
    linkers = read_linkers()
    told = regenerated(linkers)
    missed = [name for name, is_in in told.items() if not is_in]
    lines = [
        f"published degraders rebuilt: {sum(map(bool, told.values()))} of {len(told)}",
        *(f"  missed {one}" for one in missed),
    ]
    if table := os.environ.get("TETHERMAP_TEST_LINKERS"):
        rows = [(row["linker_smiles"], int(row["n_degraders"])) for row in rows_of(Path(), table)]
        known = {unmarked(Chem.MolFromSmiles(linker.smiles)) for linker in linkers}
        lacking = [(smiles, count) for smiles, count in rows if not any(one in known for one in candidates(smiles))]
        total, without = sum(count for _, count in rows), sum(count for _, count in lacking)
        lines += [
            f"linkers of the table rebuilt: {len(rows) - len(lacking)} of {len(rows)}",
            f"degraders whose linker is rebuilt: {total - without} of {total} ({(total - without) / total:.1%})",
            *(f"  missed {count} {smiles}" for smiles, count in lacking),
        ]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
