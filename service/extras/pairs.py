"""Both halves of a degrader: pairs of answers of a target's and of a recruiter's ligands, best pairs first."""

import heapq
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, product
from typing import Annotated, Literal

from pydantic import SkipValidation

from service.addresses import address
from service.http.answer import Answer, Count, Number, Paged, Success, Url
from service.http.result_answers import ExitAnswer
from service.jobs.record import State
from service.results.answers import is_blocked, names_of_exit, several
from service.results.exposure import atoms_by_instance
from service.results.job import Job
from service.results.tables import number
from tethermap.base import tables
from tethermap.base.reasons import MAIN
from tethermap.base.tables import Row
from tethermap.extras.protac.linker_length import shortest_linker

MOST_ANSWERS = 500
"""Answers of one job that are paired at most, the best ones."""

LEAST_LINKER = 2
"""Atoms of a linker of which nothing is known but that each exit bears its first atom."""

_UNIT = 10_000
"""Scores have four decimals; they are added as whole numbers."""

_DEMOTED = 1_000 * _UNIT
"""Added to the rank of blocked exits and of those that lose a bond to the protein: they follow all open ones."""


class ComparedJob(Answer):
    """One of two jobs whose answers are paired."""

    job_id: str
    target_name: str
    status: State
    has_results: bool
    answers: Count
    results_url: Url
    answers_url: Url


class AnswerPair(Answer):
    """Pair of answers: the two ends of a linker."""

    rank: Count
    score: Number
    a: Annotated[ExitAnswer, SkipValidation]
    b: Annotated[ExitAnswer, SkipValidation]
    distance_A: Number | None  # noqa: N815 - the unit
    shortest_linker_atoms: Count | None
    basis: Literal["ternary", "range"]


class CompareAnswer(Paged, Success):
    """Pairs of answers of two jobs, best first."""

    a: ComparedJob
    b: ComparedJob
    count: Count
    pairs: list[AnswerPair]


@dataclass(frozen=True, slots=True)
class Half:
    """One job with its answers, the best first.

    Parameters
    ----------
    job : Job
        The job.
    answers : sequence of mapping
        Rows of Exit_Answers.
    found : int
        Total number of pairs, more than `answers` if these were truncated.
    seen : mapping of (str, str) to mapping
        Rows of Observed_Exits of the target's side by instance and anchor.
    """

    job: Job
    answers: Sequence[Row]
    found: int
    seen: Mapping[tuple[str, str], Row]

    def told(self) -> ComparedJob:
        """Return the reported data of the job."""
        record = self.job.record
        return ComparedJob.model_construct(
            job_id=record.job_id,
            target_name=record.target_name,
            status=record.status,
            has_results=record.has_results,
            answers=self.found,
            results_url=address(f"/results/{record.job_id}"),
            answers_url=address(f"/api/jobs/{record.job_id}/answers"),
        )


def half_of(job: Job, ligand: str | None = None) -> Half:
    """Return the answers of a job in its main binding sites.

    Parameters
    ----------
    job : Job
        A job that has ended.
    ligand : str or None
        Limit to a component.
    """
    rows = job.tables.rows(tables.EXIT_ANSWERS, "WHERE site = ?", [MAIN])
    observed = job.tables.rows(tables.OBSERVED_EXITS, "WHERE side = 'target'")
    seen = {(str(row["stem"]), str(row["anchor_atom"])): row for row in observed if row["anchor_atom"]}
    if ligand:
        rows = [row for row in rows if row["Warhead"] == ligand.upper()]
    rows.sort(key=lambda row: -_worth(row))
    return Half(job, rows[:MOST_ANSWERS], len(rows), seen)


def _worth(row: Row) -> int:
    score = round((number(row, "score_median") or 0.0) * _UNIT)
    return score - _DEMOTED * (is_blocked(row) + (row["breaks_covalent_bond"] is True))


def pairs_of(first: Half, second: Half, offset: int, limit: int) -> tuple[int, list[AnswerPair]]:
    """Return the number of pairs, and a part of them: those seen in one ternary entry, then by falling score.

    Parameters
    ----------
    first, second : Half
        The two jobs.
    offset, limit : int
        Part of the list.
    """
    distances = ternary_pairs(first, second)
    rest = _falling([_worth(row) for row in first.answers], [_worth(row) for row in second.answers])
    seen = sorted(distances, key=lambda pair: (-_worth(first.answers[pair[0]]) - _worth(second.answers[pair[1]]), pair))
    ordered = chain(seen, (pair for pair in rest if pair not in distances))
    chosen = islice(enumerate(ordered, 1), offset, offset + limit)
    best = [_pair(rank, first.answers[i], second.answers[j], distances.get((i, j))) for rank, (i, j) in chosen]
    return len(first.answers) * len(second.answers), best


def _falling(first: Sequence[int], second: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield pairs of places in two falling lists by the falling sum of their values."""
    if not first or not second:
        return
    heap = [(-first[0] - second[0], 0, 0)]
    while heap:
        _, i, j = heapq.heappop(heap)
        yield i, j
        if j + 1 < len(second):
            heapq.heappush(heap, (-first[i] - second[j + 1], i, j + 1))
        if j == 0 and i + 1 < len(first):
            heapq.heappush(heap, (-first[i + 1] - second[0], i + 1, 0))


def ternary_pairs(first: Half, second: Half) -> dict[tuple[int, int], float]:
    """Return the distance between the exits, in angstroms, of pairs of answers that one ternary entry shows."""
    ends = product(first.seen, second.seen)
    both = [(one, other) for one, other in ends if one[0] == other[0] and one[1] != other[1]]
    if not both:
        return {}
    atoms = atoms_by_instance(first.job.tables, {stem for (stem, _), _ in both})
    places = {(stem, str(atom["exact_atom"])): atom for stem, rows in atoms.items() for atom in rows}
    distance_of: dict[tuple[int, int], float] = {}
    for one, other in both:
        if one not in places or other not in places:
            continue
        distance = round(math.dist(*([float(str(places[end][axis])) for axis in "xyz"] for end in (one, other))), 2)
        entry = str(first.seen[one]["pdb_id"])
        for shown in product(_shown_by(first, one, entry), _shown_by(second, other, entry)):
            distance_of[shown] = min(distance, distance_of.get(shown, distance))
    return distance_of


def _shown_by(half: Half, end: tuple[str, str], entry: str) -> list[int]:
    """Return the places of the answers that a half of a degrader in one entry shows, own and carried over."""
    stem, anchor = end
    code = half.seen[end]["Warhead"]
    return [
        place
        for place, row in enumerate(half.answers)
        if entry in several(row, "observed_entries")
        and (row["Warhead"] != code or (stem in several(row, "stems") and anchor in names_of_exit(row)))
    ]


def _pair(rank: int, first: Row, second: Row, distance: float | None) -> AnswerPair:
    score = sum(round((number(row, "score_median") or 0.0) * _UNIT) for row in (first, second)) / _UNIT
    return AnswerPair.model_construct(
        rank=rank,
        score=score,
        a=first,
        b=second,
        distance_A=distance,
        shortest_linker_atoms=LEAST_LINKER if distance is None else shortest_linker(distance),
        basis="range" if distance is None else "ternary",
    )
