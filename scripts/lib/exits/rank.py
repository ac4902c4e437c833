"""Scores, ranks and reasons: which atoms of a ligand a linker should leave from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from scripts.lib.contexts import HEADLINE_CONTEXT
from scripts.lib.exits.candidates import Candidate, find_candidates
from scripts.lib.exits.geometry import Opening, Pocket
from scripts.lib.exits.graph import LigandGraph
from scripts.lib.exits.prior import PRIOR, chemistry_class
from scripts.lib.exits.sites import exit_sites
from scripts.lib.instance.model import FloatArray, Surroundings

if TYPE_CHECKING:
    from scripts.lib.exits.evidence import Evidence

PRIOR_WEIGHT = 2.0
"""Weight of the prior beside E and F, which have weight 1."""

AREA_WEIGHT = 0.003
"""What the score loses for each square angstrom of buried surface of the leaving group."""

CLOSED_BELOW = 0.1
"""A best candidate with E and F below this shows no open way out."""

HBOND_WITHIN = 3.4
"""N and O of ligand and protein nearer than this count as a hydrogen bond, in angstroms."""

_DIGITS = 6
"""Decimals to which scores are compared, far below their meaning."""


@dataclass(frozen=True, eq=False)
class Exit:
    """A candidate with its terms and its place in the ranking.

    Parameters
    ----------
    candidate : Candidate
        What is done.
    chem_class : str
        Its chemistry, a key of `scripts.lib.exits.prior.PRIOR`.
    prior : float
        The class's prior.
    site : int
        Number of its exit site, from 1.
    opening : Opening or None
        Its geometry; None for one that can't be scored.
    area_lost : float
        Buried surface of the leaving group, in square angstroms.
    score : float
        NaN for one that can't be scored.
    hbonds_lost, hbonds_anchor : int
        Hydrogen bonds of the leaving group and of the anchor to the protein.
    rank, site_rank : int or None
        Of the anchor among anchors, from 1, and of its site among sites.
    equivalents : tuple of int
        Anchors alike by symmetry, which share the rank.
    closed : bool
        Whether the structure shows no open way out.
    reason : str
        Why there is no rank, a code of `scripts.lib.reasons.EXIT_REASONS`; empty where there is one.
    evidence : Evidence or None
        How far the structure supports it; None for one that can't be scored, or that was not asked about.
    """

    candidate: Candidate
    chem_class: str
    prior: float
    site: int
    opening: Opening | None = None
    area_lost: float = float("nan")
    score: float = float("nan")
    hbonds_lost: int = 0
    hbonds_anchor: int = 0
    rank: int | None = None
    site_rank: int | None = None
    equivalents: tuple[int, ...] = ()
    closed: bool = False
    reason: str = ""
    evidence: Evidence | None = None


def rank_candidates(
    graph: LigandGraph,
    surroundings: Surroundings,
    area_lost: FloatArray,
    *,
    linked: frozenset[int] = frozenset(),
    incomplete: frozenset[int] = frozenset(),
    headline: str = HEADLINE_CONTEXT,
) -> list[Exit]:
    """Return all candidates of a ligand, the ranked ones first and in order.

    Parameters
    ----------
    graph : LigandGraph
        The neutral ligand.
    surroundings : Surroundings
        The atoms around it.
    area_lost : ndarray of float, shape (n_heavy,)
        SASA of each atom in the free ligand minus that in the complex, in square angstroms.
    linked, incomplete : frozenset of int
        Atoms bound to the protein; atoms with a neighbour that was not observed.
    headline : str
        Context that is scored.

    Returns
    -------
    list of Exit
        One for each candidate; empty where there is none.
    """
    site_of = {atom: number for number, site in enumerate(exit_sites(graph), 1) for atom in site}
    pocket = Pocket(graph, surroundings, headline)
    area_lost = np.nan_to_num(area_lost)
    scored, unscored = [], []
    for candidate in find_candidates(graph, linked=linked, incomplete=incomplete):
        chem_class = chemistry_class(graph, candidate.anchor, candidate.leaving[0] if candidate.leaving else None)
        site = site_of[candidate.anchor]
        if candidate.reason:
            unscored.append(Exit(candidate, chem_class, PRIOR[chem_class], site, reason=candidate.reason))
        else:
            scored.append(_scored(candidate, chem_class, site, pocket, area_lost, headline))
    ranked, beaten = _ranked(graph, scored)
    return ranked + beaten + unscored


def _scored(
    candidate: Candidate, chem_class: str, site: int, pocket: Pocket, area_lost: FloatArray, headline: str
) -> Exit:
    opening = pocket.opening(candidate)
    lost = float(area_lost[list(candidate.leaving)].sum())
    prior = PRIOR[chem_class]
    room, way_out = opening.room[headline], opening.way_out[headline]
    return Exit(
        candidate,
        chem_class,
        prior,
        site,
        opening,
        area_lost=lost,
        score=round(room + way_out + PRIOR_WEIGHT * prior - AREA_WEIGHT * lost, _DIGITS),
        hbonds_lost=pocket.polar_contacts(candidate.leaving, HBOND_WITHIN),
        hbonds_anchor=pocket.polar_contacts([candidate.anchor], HBOND_WITHIN),
        closed=room < CLOSED_BELOW and way_out < CLOSED_BELOW,
    )


def _ranked(graph: LigandGraph, scored: Sequence[Exit]) -> tuple[list[Exit], list[Exit]]:
    """Return the best candidate of each kind of anchor with its rank, and the others with their reason."""
    ordered = sorted(scored, key=lambda one: (-one.score, one.candidate.anchor, one.candidate.leaving))
    best: dict[int, Exit] = {}
    for one in ordered:
        best.setdefault(int(graph.symmetry_class[one.candidate.anchor]), one)
    alike: dict[int, set[int]] = {}
    for one in scored:
        alike.setdefault(int(graph.symmetry_class[one.candidate.anchor]), set()).add(one.candidate.anchor)
    site_ranks: dict[int, int] = {}
    for one in best.values():
        site_ranks.setdefault(one.site, len(site_ranks) + 1)
    ranked = [
        replace(one, rank=rank, site_rank=site_ranks[one.site],
              equivalents=tuple(sorted(alike[group] - {one.candidate.anchor})))
        for rank, (group, one) in enumerate(best.items(), 1)
    ]  # fmt: skip
    beaten = []
    for one in scored:
        first = best[int(graph.symmetry_class[one.candidate.anchor])]
        if one is not first:
            same = one.candidate.anchor == first.candidate.anchor
            beaten.append(replace(one, reason="better_action" if same else "equivalent_anchor"))
    return ranked, beaten
