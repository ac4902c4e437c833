"""Answers about degraders that are made of two halves, or taken apart."""

from __future__ import annotations

from service.http.answer import Answer, Count, Place, Success, row_type
from tethermap.base import tables

Degrader = row_type("Degrader", tables.DEGRADERS)
"""One molecule."""


class BuildingBlock(Answer):
    """What to buy or make."""

    smiles: str
    name: str


class MadeHalf(Answer):
    """One half: what is kept of it, what the cut removes, what to buy."""

    stem: str
    anchor: str
    smiles: str
    handle: str
    to_make: list[BuildingBlock]
    what_to_do: str
    removes: list[str]
    contacts_lost: list[str]
    contacts_kept: Count | None


class ExitHandle(MadeHalf):
    """What one ranked exit of a ligand needs; without a handle where no common reaction makes its bond."""

    rank: Place
    site_rank: Place


class HandlesAnswer(Success):
    """What the exits of a ligand need."""

    job_id: str
    count: Count
    handles: list[ExitHandle]


class DegradersAnswer(Success):
    """Degraders of two halves."""

    a: MadeHalf
    b: MadeHalf
    count: Count
    degraders: list[Degrader]  # type: ignore[valid-type]


class HalfExit(Answer):
    """An exit of a half's ligand as the job answers it."""

    anchor_atom: str
    answer_rank: Count | None
    action: str
    observed: Count | None


class FoundHalf(Answer):
    """A ligand of a job that is a half of a degrader."""

    ligand: str
    atoms: Count
    anchor_in_degrader: Count
    atoms_in_degrader: list[Count]
    entries: list[str]
    stems: list[str]
    exits: list[HalfExit]


class HalvesAnswer(Success):
    """The halves of a degrader, for each job that was asked."""

    halves: list[list[FoundHalf]]
