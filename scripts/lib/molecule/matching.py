"""The heaviest matching of a small graph."""

from __future__ import annotations

Pair = tuple[int, int]

MOST_STEPS = 20_000
"""Steps of the search in one connected part, after which the best matching so far is taken."""


def best_matching(weights: dict[Pair, float]) -> list[Pair]:
    """Return pairs without a common member whose weights sum up highest, sorted.

    Parameters
    ----------
    weights : dict of (int, int) to float
        Weight of each pair that may be chosen, all positive.
    """
    chosen: list[Pair] = []
    remaining = dict(weights)
    while remaining:
        part, todo = set(), [min(remaining)]
        while todo:
            pair = todo.pop()
            if pair not in part:
                part.add(pair)
                todo += [other for other in remaining if set(other) & set(pair) and other not in part]
        chosen += _of_part({pair: remaining.pop(pair) for pair in sorted(part)})
    return sorted(chosen)


def _of_part(weights: dict[Pair, float]) -> list[Pair]:
    """Search a connected part depth first, from the member with the fewest choices on."""
    best: tuple[float, list[Pair]] = (-1.0, [])
    steps = 0

    def search(free: frozenset[int], value: float, taken: list[Pair]) -> None:
        nonlocal best, steps
        steps += 1
        options: dict[int, list[Pair]] = {}
        for pair in weights:
            if pair[0] in free and pair[1] in free:
                for end in pair:
                    options.setdefault(end, []).append(pair)
        if value > best[0] + 1e-9:
            best = (value, list(taken))
        if not options or steps > MOST_STEPS:
            return
        most = sum(max(weights[pair] for pair in pairs) for pairs in options.values()) / 2
        if value + most <= best[0] + 1e-9:
            return
        member = min(options, key=lambda end: (len(options[end]), end))
        for pair in sorted(options[member], key=lambda item: (-weights[item], item)):
            search(free - set(pair), value + weights[pair], [*taken, pair])
        search(free - {member}, value, taken)

    search(frozenset(end for pair in weights for end in pair), 0.0, [])
    return best[1]
