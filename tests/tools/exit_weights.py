"""Dependence of the four weights of the score on single ligands: each is left out, with weights chosen on the rest."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from tests.tools.runs import grouped
from tethermap.base.arrays import FloatArray
from tethermap.exits.graph import LigandGraph
from tethermap.exits.limits import AREA_WEIGHT, HBOND_WEIGHT, LARGE_AREA, LARGE_AREA_WEIGHT, PRIOR_WEIGHT
from tethermap.exits.model import Exit

Weights = tuple[float, float, float]

USED: Weights = (1.0, PRIOR_WEIGHT, AREA_WEIGHT)
"""Weights of F, prior and area lost; that of E is 1 and sets the scale."""

GRID: tuple[Weights, ...] = (
    USED,
    *(one for one in product((0.5, 1.0, 2.0), (1.0, 1.5, 2.0, 3.0, 4.0), (0.0, 0.001, 0.003, 0.01)) if one != USED),
)
"""Weights that are tried; the first of equally good ones is taken, those in use before all others."""

TOPS = (1, 3, 5)


@dataclass(frozen=True)
class Terms:
    """The scored candidates of one ligand.

    Parameters
    ----------
    ligand : str
        Component code of the ligand.
    values : ndarray of float, shape (n_candidates, 5)
        Room, way out, prior, area lost, and further loss for hydrogen bonds and large areas given up.
    anchor_class : list of int
        Symmetry class of each candidate's anchor.
    right : set of int
        Classes of the right anchors.
    """

    ligand: str
    values: FloatArray
    anchor_class: list[int]
    right: set[int]


def terms_of(ligand: str, exits: Sequence[Exit], graph: LigandGraph, accepted: frozenset[int]) -> Terms:
    """Return the terms of a ligand's candidates; `accepted` are the right anchors."""
    scored = [(one, one.opening) for one in exits if one.opening is not None]
    values = [
        (
            opening.room["target"], opening.way_out["target"], one.prior, one.area_lost,
            LARGE_AREA_WEIGHT * max(0.0, one.area_lost - LARGE_AREA)
            + HBOND_WEIGHT * (one.hbonds_lost + one.hbonds_anchor),
        )
        for one, opening in scored
    ]  # fmt: skip
    classes = [int(graph.symmetry_class[one.candidate.anchor]) for one, _ in scored]
    right = {int(graph.symmetry_class[k]) for k in accepted}
    return Terms(ligand, np.array(values).reshape(-1, 5), classes, right & set(classes))


NEVER = 999


def rank_with(terms: Terms, weights: Weights) -> int:
    """Return the rank of the best right anchor under some weights; ties count against it."""
    way, prior, area = weights
    scores = (terms.values @ (1.0, way, prior, -area, -1.0)).round(6)
    groups = grouped(zip(terms.anchor_class, scores.tolist(), strict=True), lambda pair: pair[0])
    best = {group: max(score for _, score in pairs) for group, pairs in groups.items()}
    first = max((best[group] for group in terms.right), default=-np.inf)
    wrong = [score for group, score in best.items() if group not in terms.right]
    return 1 + sum(score >= first for score in wrong) if terms.right else NEVER


def leave_one_out(all_terms: Iterable[Terms]) -> list[list[int]]:
    """Return for each ligand the ranks of its rows with the weights that are best on all others.

    Best is the largest mean reciprocal rank; rows of one ligand count as one and are left out together.
    """
    ranks = [
        np.array([[rank_with(row, weights) for row in rows] for weights in GRID])
        for rows in grouped(all_terms, lambda terms: terms.ligand).values()
    ]
    value = np.array([(1 / found).mean(axis=1) for found in ranks])
    return [
        found[(value.sum(axis=0) - own).round(9).argmax()].tolist() for found, own in zip(ranks, value, strict=True)
    ]


def shares(left_out: Sequence[Sequence[int]]) -> list[float]:
    """Return the share of ligands with a right anchor among the first 1, 3 and 5; rows of one ligand are averaged."""
    return [float(np.mean([np.mean(np.array(ranks) <= top) for ranks in left_out])) for top in TOPS]
