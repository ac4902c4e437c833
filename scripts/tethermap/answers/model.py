"""A copy of a ligand with its ranked exits, as answers see it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from sys import intern
from typing import NamedTuple

from tethermap.answers.pockets.rows import AHEAD
from tethermap.base.arrays import FloatArray
from tethermap.base.tables import Value, split_cell
from tethermap.exits.limits import BOND
from tethermap.exits.words import OPEN_FROM
from tethermap.instance.model import Instance
from tethermap.molecule.record import AtomKey, LigandMolecule, atom_keys


class CopyExit(NamedTuple):
    """One ranked exit of one copy; figures and texts as in `tables.EXIT_VECTORS`.

    `ahead` is a point on the way out in the copy's frame, in angstroms; its nearest residue marks the place.
    `residues` are those that the leaving atoms touch.
    """

    atoms: frozenset[AtomKey]
    kind: str
    leaving: str
    chem_class: str
    room: float
    way_out: float
    score: float
    evidence: str
    reasons: str
    frees_link: bool
    ahead: tuple[float, ...]
    area_lost: float = 0.0
    hbonds_lost: int = 0
    residues: str = ""

    @property
    def is_open(self) -> bool:
        """Whether there is room and a way out."""
        return self.room >= OPEN_FROM and self.way_out >= OPEN_FROM


@dataclass(frozen=True, slots=True)
class LigandCopy:
    """One copy of a ligand.

    Parameters
    ----------
    stem, entry_id : str
        Its name and its entry.
    atoms : tuple of AtomKey
        Heavy atoms in the order of its molecule.
    exits : tuple of CopyExit
        The best of each anchor, best first.
    complete : bool
        Whether all heavy atoms were modelled.
    cofactor : bool
        Whether it is a listed cofactor.
    title : str
        Title of its entry.
    resolution : float or None
        Of its entry, in angstroms.
    """

    stem: str
    entry_id: str
    atoms: tuple[AtomKey, ...]
    exits: tuple[CopyExit, ...]
    complete: bool = True
    cofactor: bool = False
    title: str = ""
    resolution: float | None = None


def copy_of(
    molecule: LigandMolecule, instance: Instance, xyz: FloatArray, rows: Iterable[Mapping[str, Value]]
) -> LigandCopy:
    """Return a copy of a ligand with its exits.

    Parameters
    ----------
    xyz : ndarray of float, shape (n_heavy, 3)
        Its heavy atoms, in angstroms.
    rows : iterable of mapping
        Its ranked rows of `tables.EXIT_VECTORS`.
    """
    keys = atom_keys(molecule)
    by_name = dict(zip(molecule.names, keys, strict=True))
    places = xyz.tolist()
    exits = tuple(
        CopyExit(
            atoms=_shared_set(
                frozenset(
                    {
                        keys[int(row["sdf_index"] or 0)],
                        *(by_name[name] for name in split_cell(row["anchor_equivalents"])),
                    }
                )
            ),
            kind=intern(str(row["kind"])),
            leaving=intern(str(row["leaving_atoms"])),
            chem_class=intern(str(row["chem_class"])),
            room=float(row["E"] or 0),
            way_out=float(row["F"] or 0),
            score=float(row["score"] or 0),
            evidence=intern(str(row["evidence"])),
            reasons=intern(str(row["evidence_reasons"])),
            frees_link=bool(row["breaks_covalent_bond"]),
            ahead=_ahead(row, places[int(row["sdf_index"] or 0)]),
            area_lost=float(row["area_lost_A2"] or 0),
            hbonds_lost=int(row["hbonds_lost"] or 0),
            residues=intern(str(row["leaving_residues"])),
        )
        for row in rows
    )
    return LigandCopy(
        molecule.stem,
        instance.entry_id,
        keys,
        exits,
        complete=not molecule.atoms_missing,
        cofactor="cofactor" in instance.flags,
        title=intern(instance.facts.title),
        resolution=instance.facts.resolution,
    )


@lru_cache(maxsize=65_536)
def _shared_set(atoms: frozenset[AtomKey]) -> frozenset[AtomKey]:
    """Return the first of all equal sets: thousands of copies of a ligand are in memory at once."""
    return atoms


def _ahead(row: Mapping[str, Value], place: Sequence[float]) -> tuple[float, ...]:
    vector = (row["vector_x"], row["vector_y"], row["vector_z"])
    return tuple(at + (BOND + AHEAD) * float(away or 0) for at, away in zip(place, vector, strict=True))
