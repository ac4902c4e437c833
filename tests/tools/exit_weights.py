"""Dependence of the four weights of the score on single ligands: each is left out, with weights chosen on the rest."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from tests.tools.runs import grouped
from tethermap.base.arrays import FloatArray, IntArray
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
    """The terms of all scored candidates of one ligand, each of shape (n_candidates,)."""

    ligand: str
    room: FloatArray
    way_out: FloatArray
    prior: FloatArray
    area: FloatArray
    binding: FloatArray  # further loss of the score for hydrogen bonds and large areas given up
    anchor_class: IntArray
    right: FloatArray


def terms_of(ligand: str, exits: Sequence[Exit], graph: LigandGraph, accepted: frozenset[int]) -> Terms:
    """Return the terms of a ligand's candidates.

    Parameters
    ----------
    ligand : str
        Component code of the ligand.
    exits : sequence of Exit
        All candidates.
    graph : LigandGraph
        Graph of the ligand.
    accepted : frozenset of int
        Right anchors.
    """
    symmetry = graph.symmetry_class
    scored = [(one, one.opening) for one in exits if one.opening is not None]
    right = {int(symmetry[k]) for k in accepted}
    classes = [int(symmetry[one.candidate.anchor]) for one, _ in scored]
    binding = [
        LARGE_AREA_WEIGHT * max(0.0, one.area_lost - LARGE_AREA) + HBOND_WEIGHT * (one.hbonds_lost + one.hbonds_anchor)
        for one, _ in scored
    ]
    return Terms(
        ligand,
        np.array([opening.room["target"] for _, opening in scored]),
        np.array([opening.way_out["target"] for _, opening in scored]),
        np.array([one.prior for one, _ in scored]),
        np.array([one.area_lost for one, _ in scored]),
        np.array(binding),
        np.array(classes, dtype=np.int64),
        np.array([one in right for one in classes], dtype=np.float64),
    )


NEVER = 999


def rank_with(terms: Terms, weights: Weights) -> int:
    """Return the rank of the best right anchor under some weights; ties count against it."""
    way, prior, area = weights
    scores = (terms.room + way * terms.way_out + prior * terms.prior - area * terms.area - terms.binding).round(6)
    groups = grouped(zip(terms.anchor_class.tolist(), scores.tolist(), strict=True), lambda pair: pair[0])
    best = {group: max(score for _, score in pairs) for group, pairs in groups.items()}
    right = set(terms.anchor_class[terms.right > 0].tolist())
    first = max((best[group] for group in right), default=-np.inf)
    return 1 + sum(score >= first for group, score in best.items() if group not in right) if right else NEVER


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
