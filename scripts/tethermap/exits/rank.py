"""Scores and ranks of a ligand's exits, and reasons for missing ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.base.contexts import HEADLINE_CONTEXT
from tethermap.exits.candidates import Candidate, find_candidates
from tethermap.exits.geometry import Opening, Pocket
from tethermap.exits.graph import LigandGraph
from tethermap.exits.limits import AREA_WEIGHT, HBOND_WEIGHT, LARGE_AREA, LARGE_AREA_WEIGHT, PRIOR_WEIGHT
from tethermap.exits.model import Evidence, Exit
from tethermap.exits.prior import PRIOR, chemistry_class
from tethermap.exits.sites import site_numbers
from tethermap.exits.unseen import NOTHING_MISSING, MissingAtoms
from tethermap.exits.words import OPEN_FROM, link_order
from tethermap.instance.model import Surroundings

HBOND_WITHIN = 3.4
"""N and O of ligand and protein nearer than this count as a hydrogen bond, in angstroms. House rule; the rule of
`tethermap.complex.contacts` also checks angles and reaches 3.5."""

_DIGITS = 6
"""Decimals to which scores are compared, far below their meaning."""


def rank_candidates(
    graph: LigandGraph,
    surroundings: Surroundings,
    area_lost: FloatArray,
    *,
    linked: frozenset[int] = frozenset(),
    missing: MissingAtoms = NOTHING_MISSING,
    facing: frozenset[int] = frozenset(),
    headline: str = HEADLINE_CONTEXT,
    grade: Callable[[Exit], Evidence | None] = lambda _: None,
) -> list[Exit]:
    """Return all candidates of a ligand, the ranked ones first and in order.

    Parameters
    ----------
    graph : LigandGraph
        The neutral ligand.
    area_lost : ndarray of float, shape (n_heavy,)
        SASA of each atom in the free ligand minus that in the complex, in square angstroms.
    linked : frozenset of int
        Atoms bound to the protein.
    missing : MissingAtoms
        Atoms that were not modelled.
    facing : frozenset of int
        Atoms beyond the target's half of a ligand that two proteins bind: they have no exit.
    headline : str
        Context that is scored.
    grade : callable
        Returns the evidence on an exit that could be scored.

    Returns
    -------
    list of Exit
        Context of each candidate; empty if there is none.
    """
    site_of = site_numbers(graph)
    pocket = Pocket(graph, surroundings, headline)
    scores = _Scores(pocket, area_lost, headline)
    candidates = find_candidates(graph, linked=linked, missing=missing)
    scorable = [candidate for candidate in candidates if not candidate.reason and candidate.anchor not in facing]
    openings = iter(pocket.openings(scorable))
    scored, unscored = [], []
    for candidate in candidates:
        chem_class = (
            candidate.unseen.chem_class
            if candidate.unseen
            else chemistry_class(graph, candidate.anchor, candidate.leaving[0] if candidate.leaving else None)
        )
        site = site_of[candidate.anchor]
        if reason := "faces_partner" if candidate.anchor in facing else candidate.reason:
            unscored.append(Exit(candidate, chem_class, PRIOR[chem_class], site, reason=reason))
        else:
            scored.append(scores.scored(candidate, chem_class, site, next(openings)))
    ranked, beaten = _ranked(graph, scored, headline, grade)
    return ranked + beaten + unscored


def score_observed(
    graph: LigandGraph,
    surroundings: Surroundings,
    area_lost: FloatArray,
    bond: tuple[int, int],
    grade: Callable[[Exit], Evidence | None] = lambda _: None,
) -> Exit:
    """Return an observed exit with the terms that a predicted one has, as the only exit of its ligand.

    Parameters
    ----------
    graph, surroundings, area_lost, grade : LigandGraph, Surroundings, ndarray of float, callable
        As for `rank_candidates`.
    bond : (int, int)
        The anchor and the linker's first atom; all atoms on the linker's side leave.
    """
    anchor, first = bond
    side = graph.component(first, frozenset(range(len(graph))) - {anchor})
    away = graph.xyz[first] - graph.xyz[anchor]
    candidate = Candidate(anchor, (first, *sorted(side - {first})), (away / np.linalg.norm(away))[None])
    pocket = Pocket(graph, surroundings, HEADLINE_CONTEXT)
    chem_class = chemistry_class(graph, anchor, first)
    (opening,) = pocket.openings([candidate])
    scored = _Scores(pocket, area_lost, HEADLINE_CONTEXT).scored(
        candidate, chem_class, site_numbers(graph)[anchor], opening
    )
    return replace(scored, rank=1, site_rank=1, evidence=grade(scored))


class _Scores:
    """Terms of the scores of a ligand's candidates, for `rank_candidates`."""

    def __init__(self, pocket: Pocket, area_lost: FloatArray, headline: str) -> None:
        self._area_lost = np.nan_to_num(area_lost)
        self._contacts = pocket.polar_contacts(HBOND_WITHIN).tolist()
        self._headline = headline

    def scored(self, candidate: Candidate, chem_class: str, site: int, opening: Opening) -> Exit:
        """Return a candidate as an exit with the terms of its score."""
        prior = PRIOR[chem_class]
        lost = float(self._area_lost[list(candidate.leaving)].sum()) if candidate.leaving else 0.0
        hbonds_lost = sum(self._contacts[atom] for atom in candidate.leaving)
        hbonds_anchor = self._contacts[candidate.anchor]
        room, way_out = opening.room[self._headline], opening.way_out[self._headline]
        given_up = (
            AREA_WEIGHT * lost
            + LARGE_AREA_WEIGHT * max(0.0, lost - LARGE_AREA)
            + HBOND_WEIGHT * (hbonds_lost + hbonds_anchor)
        )
        return Exit(
            candidate,
            chem_class,
            prior,
            site,
            opening=opening,
            area_lost=lost,
            score=round(room + way_out + PRIOR_WEIGHT * prior - given_up, _DIGITS),
            hbonds_lost=hbonds_lost,
            hbonds_anchor=hbonds_anchor,
            closed=room < OPEN_FROM and way_out < OPEN_FROM,
        )


def _ranked(
    graph: LigandGraph, scored: Sequence[Exit], headline: str, grade: Callable[[Exit], Evidence | None]
) -> tuple[list[Exit], list[Exit]]:
    """Return the best candidate of each kind of anchor with its rank, and the others with their reason, all graded."""
    covalent = any(exit_.candidate.frees_link for exit_ in scored)

    def key(exit_: Exit) -> tuple[object, ...]:
        candidate, opening = exit_.candidate, exit_.opening
        place = 0
        if covalent and opening is not None:
            is_open = min(opening.room[headline], opening.way_out[headline]) >= OPEN_FROM
            place = link_order(frees_link=candidate.frees_link, is_open=is_open)
        return place, -exit_.score, candidate.anchor, candidate.leaving, candidate.leaving_names(graph)

    ordered = sorted(scored, key=key)
    best: dict[int, Exit] = {}
    alike: dict[int, set[int]] = {}
    for exit_ in ordered:
        group = int(graph.symmetry_class[exit_.candidate.anchor])
        best.setdefault(group, exit_)
        alike.setdefault(group, set()).add(exit_.candidate.anchor)
    sites = list(dict.fromkeys(exit_.site for exit_ in best.values()))
    ranked, beaten = [], []
    for rank, (group, exit_) in enumerate(best.items(), 1):
        others = tuple(sorted(alike[group] - {exit_.candidate.anchor}))
        place = sites.index(exit_.site) + 1
        ranked.append(replace(exit_, rank=rank, site_rank=place, equivalents=others, evidence=grade(exit_)))
    for exit_ in scored:
        first = best[int(graph.symmetry_class[exit_.candidate.anchor])]
        if exit_ is not first:
            same = exit_.candidate.anchor == first.candidate.anchor
            reason = "better_action" if same else "equivalent_anchor"
            beaten.append(replace(exit_, reason=reason, evidence=grade(exit_)))
    return ranked, beaten
