"""The copies of a ligand with their ranked exits, and the answer of all copies of a binding site at each exit site."""

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby
from operator import itemgetter
from statistics import median
from sys import intern
from typing import Any, get_type_hints

from tethermap.answers.pockets.directions import CopyExit
from tethermap.answers.pockets.groups import Member
from tethermap.base.arrays import FloatArray
from tethermap.base.records import Source
from tethermap.base.tables import EXIT_VECTORS, by_key, split_cell
from tethermap.exits.graph import ligand_graph
from tethermap.exits.sites import site_numbers
from tethermap.exits.words import MOSTLY, link_order
from tethermap.molecule.record import AtomKey, LigandMolecule, atom_keys

_DIGITS = 4


_COLUMNS = {
    "site": "site_rank", "anchor": "anchor_atom", "kind": "kind", "leaving": "leaving_atoms",
    "chem_class": "chem_class", "room": "E", "way_out": "F", "score": "score", "evidence": "evidence",
    "reasons": "evidence_reasons", "frees_link": "breaks_covalent_bond", "area_lost": "area_lost_A2",
    "hbonds_lost": "hbonds_lost", "residues": "leaving_residues",
}  # fmt: skip
"""Column of `tethermap.base.tables.EXIT_VECTORS` by the field of `CopyExit` that is read from it."""

EXIT_CELLS = ("sdf_index", "anchor_equivalents", "vector_x", "vector_y", "vector_z", *_COLUMNS.values())
"""Columns of `tethermap.base.tables.EXIT_VECTORS` that several copies are compared by."""

_OF_TYPE: dict[type, Callable[[str], Any]] = {
    int: lambda cell: int(cell or 0), float: lambda cell: float(cell or 0), bool: "True".__eq__, str: intern,
}  # fmt: skip
_READERS = [_OF_TYPE[get_type_hints(CopyExit)[field]] for field in _COLUMNS]


def read_exits(path: Source) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """Yield the stem of each instance with the cells of its ranked exits, best first.

    Parameters
    ----------
    path : Source
        Rows of `tethermap.base.tables.EXIT_VECTORS`, those of an instance together.

    Yields
    ------
    str, list of tuple of str
        The cells of `EXIT_CELLS`.
    """
    stem, rank, *wanted = map(EXIT_VECTORS.names.index, ("stem", "rank", *EXIT_CELLS))
    chosen = itemgetter(*wanted)
    with path.open(encoding="utf-8", newline="") as stream:
        rows = csv.reader(stream)
        next(rows, None)
        for name, of_instance in groupby(rows, key=itemgetter(stem)):
            yield name, [chosen(row) for row in of_instance if row[rank]]


def copy_exits(molecule: LigandMolecule, xyz: FloatArray, rows: Iterable[Sequence[str]]) -> tuple[CopyExit, ...]:
    """Return the exits of a copy of a ligand, the best of each anchor.

    Parameters
    ----------
    xyz : ndarray of float, shape (n_heavy, 3)
        Its heavy atoms, in angstroms.
    rows : iterable of sequence of str
        The cells of `EXIT_CELLS` of its ranked exits, the best first.
    """
    keys = atom_keys(molecule)
    by_name = dict(zip(molecule.names, keys, strict=True))
    places = xyz.tolist()
    exits = []
    for index, equivalents, x, y, z, *cells in rows:
        atoms = frozenset((keys[int(index)], *(by_name[name] for name in split_cell(equivalents))))
        values: dict[str, Any] = {name: read(cell) for name, read, cell in zip(_COLUMNS, _READERS, cells, strict=True)}
        vector = float(x or 0), float(y or 0), float(z or 0)
        exits.append(CopyExit(**values, atoms=_shared_set(atoms), place=tuple(places[int(index)]), vector=vector))
    return tuple(exits)


_shared_set: Callable[[frozenset[AtomKey]], frozenset[AtomKey]] = lru_cache(maxsize=65_536)(lambda atoms: atoms)
"""Returns the first of all equal sets: thousands of copies of a ligand are in memory at once."""


@dataclass(frozen=True)
class SiteAnswer:
    """Result of the copies of a ligand for one exit site: its best anchor.

    Parameters
    ----------
    exit_site : int
        Number of the exit site, from 1.
    anchor : str
        Name of the anchor in the most complete copy.
    equivalents : tuple of str
        Symmetry-equivalent anchors.
    atoms : frozenset of AtomKey
        The anchor and its equivalents.
    site_atoms : frozenset of AtomKey
        All atoms of the exit site.
    members : tuple of (Member, CopyExit)
        The copies that have this exit, with it.
    n_copies, n_entries : int
        All copies of the ligand in the binding site, and their entries.
    """

    exit_site: int
    anchor: str
    equivalents: tuple[str, ...]
    atoms: frozenset[AtomKey]
    site_atoms: frozenset[AtomKey]
    members: tuple[tuple[Member, CopyExit], ...]
    n_copies: int
    n_entries: int

    @cached_property
    def opened(self) -> tuple[tuple[Member, CopyExit], ...]:
        """The copies that are open here."""
        return tuple(pair for pair in self.members if pair[1].is_open)

    @property
    def open_share(self) -> float:
        """Share of the copies that are open here."""
        return len(self.opened) / self.n_copies

    @cached_property
    def score(self) -> float:
        """Median score."""
        return median(exit_.score for _, exit_ in self.members)

    @property
    def frees_link(self) -> bool:
        """Whether the bond to the protein is given up in all of the copies."""
        return all(exit_.frees_link for _, exit_ in self.members)

    @property
    def best(self) -> tuple[Member, CopyExit]:
        """The copy to look at: open, of the best evidence, then of the best score."""
        among = self.opened or self.members
        return min(among, key=lambda pair: (pair[1].evidence, -round(pair[1].score, _DIGITS), pair[0].stem))

    @property
    def action(self) -> CopyExit:
        """Most frequent proposal of the copies, the open ones first; the best of equally frequent ones."""
        among = [exit_ for _, exit_ in self.opened or self.members]
        counts = Counter((exit_.kind, exit_.leaving) for exit_ in among)
        return max(among, key=lambda exit_: (counts[exit_.kind, exit_.leaving], exit_.score, exit_.leaving))

    @cached_property
    def rank_key(self) -> tuple[object, ...]:
        """Sort key: mostly open ones first, then those that keep the bond to the protein, then the score."""
        place = link_order(frees_link=self.frees_link, is_open=self.open_share >= MOSTLY)
        return place, -round(self.score, _DIGITS), min(self.atoms)


def answers_of(copies: Sequence[Member], molecule: LigandMolecule, sites: Sequence[int]) -> list[SiteAnswer]:
    """Return the answers of one ligand in one binding site, the best first.

    Copies are matched by component atom and symmetry class.

    Parameters
    ----------
    copies : sequence of Member
        Copies that count, in the order of tables.
    molecule : LigandMolecule
        The most complete of them, whose names are reported.
    sites : sequence of int
        The number of the exit site of each of its heavy atoms, `tethermap.exits.sites.site_numbers`.
    """
    keys = atom_keys(molecule)
    label, place = dict(zip(keys, molecule.names, strict=True)), {key: k for k, key in enumerate(keys)}
    alike = by_key(zip(molecule.symmetry_class.tolist(), keys, strict=True))
    site_of = dict(zip(keys, sites, strict=True))
    atoms_of = by_key((number, key) for key, number in site_of.items())
    n_entries = len({copy.key[0] for copy in copies})
    best: dict[int, SiteAnswer] = {}
    ranked = [
        (copy, exits, {key: rank for rank in reversed(range(len(exits))) for key in exits[rank].atoms})
        for copy in copies
        for exits in (copy.read_exits(),)
    ]
    for group in alike.values():
        atoms = frozenset(group)
        members = [
            (copy, exits[rank])
            for copy, exits, of_atom in ranked
            if (rank := min((of_atom[key] for key in group if key in of_atom), default=-1)) >= 0
        ]
        if not members:
            continue
        named = Counter(min(exit_.atoms & atoms, key=place.__getitem__) for _, exit_ in members)
        anchor = min(named, key=lambda key: (-named[key], place[key]))
        site = site_of[group[0]]
        others, site_atoms = tuple(label[key] for key in group if key != anchor), frozenset(atoms_of[site])
        answer = SiteAnswer(site, label[anchor], others, atoms, site_atoms, tuple(members), len(copies), n_entries)
        if site not in best or answer.rank_key < best[site].rank_key:
            best[site] = answer
    return sorted(best.values(), key=lambda answer: answer.rank_key)


def exit_sites(molecule: LigandMolecule) -> list[str]:
    """Return the exit site of each heavy atom of a ligand, as tables name it."""
    return [f"S{number}" for number in site_numbers(ligand_graph(molecule))]
