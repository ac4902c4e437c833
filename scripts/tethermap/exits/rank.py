"""Scores and ranks of a ligand's exits, and reasons for missing ranks."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.base.contexts import HEADLINE_CONTEXT
from tethermap.base.tables import by_key
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
    grade : callable
        Returns the evidence on an exit that could be scored.

    Returns
    -------
    list of Exit
        Context of each candidate; empty if there is none.
    """
    candidates = find_candidates(graph, linked=linked, missing=missing)
    exits = _exits(graph, surroundings, area_lost, candidates, facing)
    ranked, beaten = _ranked(graph, [exit_ for exit_ in exits if exit_.opening], grade)
    return ranked + beaten + [exit_ for exit_ in exits if not exit_.opening]


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
    (scored,) = _exits(graph, surroundings, area_lost, [candidate])
    return replace(scored, rank=1, site_rank=1, evidence=grade(scored))


def _exits(
    graph: LigandGraph,
    surroundings: Surroundings,
    area_lost: FloatArray,
    candidates: Sequence[Candidate],
    facing: frozenset[int] = frozenset(),
) -> list[Exit]:
    """Return candidates as exits: with the terms of the score, or with the reason why they have none."""
    site_of = site_numbers(graph)
    pocket = Pocket(graph, surroundings)
    area_lost = np.nan_to_num(area_lost)
    contacts = pocket.polar_contacts(HBOND_WITHIN).tolist()
    reasons = ["faces_partner" if one.anchor in facing else one.reason for one in candidates]
    openings = iter(pocket.openings([one for one, reason in zip(candidates, reasons, strict=True) if not reason]))
    exits = []
    for candidate, reason in zip(candidates, reasons, strict=True):
        anchor, first = candidate.anchor, next(iter(candidate.leaving), None)
        chem_class = candidate.unseen.chem_class if candidate.unseen else chemistry_class(graph, anchor, first)
        terms = {} if reason else _terms(candidate, PRIOR[chem_class], next(openings), area_lost, contacts)
        exits.append(Exit(candidate, chem_class, site_of[anchor], reason=reason, **terms))
    return exits


def _terms(
    candidate: Candidate, prior: float, opening: Opening, area_lost: FloatArray, contacts: Sequence[int]
) -> dict[str, Any]:
    """Return the terms of the score of a candidate, as fields of `Exit`."""
    lost = float(area_lost[list(candidate.leaving)].sum()) if candidate.leaving else 0.0
    hbonds_lost, hbonds_anchor = sum(contacts[atom] for atom in candidate.leaving), contacts[candidate.anchor]
    room, way_out = opening.room[HEADLINE_CONTEXT], opening.way_out[HEADLINE_CONTEXT]
    given_up = AREA_WEIGHT * lost + LARGE_AREA_WEIGHT * max(0.0, lost - LARGE_AREA)
    given_up += HBOND_WEIGHT * (hbonds_lost + hbonds_anchor)
    return {
        "opening": opening,
        "area_lost": lost,
        "score": round(room + way_out + PRIOR_WEIGHT * prior - given_up, _DIGITS),
        "hbonds_lost": hbonds_lost,
        "hbonds_anchor": hbonds_anchor,
        "closed": room < OPEN_FROM and way_out < OPEN_FROM,
    }


def _ranked(
    graph: LigandGraph, scored: Sequence[Exit], grade: Callable[[Exit], Evidence | None]
) -> tuple[list[Exit], list[Exit]]:
    """Return the best candidate of each kind of anchor with its rank, and the others with their reason, all graded."""
    covalent = any(exit_.candidate.frees_link for exit_ in scored)

    def key(exit_: Exit) -> tuple[object, ...]:
        candidate, opening = exit_.candidate, exit_.opening
        place = 0
        if covalent and opening is not None:
            is_open = min(opening.room[HEADLINE_CONTEXT], opening.way_out[HEADLINE_CONTEXT]) >= OPEN_FROM
            place = link_order(frees_link=candidate.frees_link, is_open=is_open)
        return place, -exit_.score, candidate.anchor, candidate.leaving, candidate.leaving_names(graph)

    alike = by_key((int(graph.symmetry_class[one.candidate.anchor]), one) for one in sorted(scored, key=key))
    sites = list(dict.fromkeys(best.site for best, *_ in alike.values()))
    ranked, beaten = [], []
    for rank, (best, *more) in enumerate(alike.values(), 1):
        others = tuple(sorted({one.candidate.anchor for one in more} - {best.candidate.anchor}))
        place = sites.index(best.site) + 1
        ranked.append(replace(best, rank=rank, site_rank=place, equivalents=others, evidence=grade(best)))
    for exit_ in scored:
        first = alike[int(graph.symmetry_class[exit_.candidate.anchor])][0]
        if exit_ is not first:
            same = exit_.candidate.anchor == first.candidate.anchor
            reason = "better_action" if same else "equivalent_anchor"
            beaten.append(replace(exit_, reason=reason, evidence=grade(exit_)))
    return ranked, beaten
