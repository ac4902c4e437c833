"""Entries and het groups that a job left out, by reason, as report and results page show them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tethermap.base.reasons import KINDS, REASONS
from tethermap.base.tables import Row

MOST_ITEMS, MOST_ON_PAGE = 500, 40
"""Maximum number of entries or components listed under one reason in the report and on a page; the tables contain all.
"""

_MEMBER = "member_of_group"


@dataclass(frozen=True, slots=True)
class ReasonGroup:
    """Entries or ligands that were left out for one reason."""

    code: str
    sentence: str
    count: int
    items: tuple[str, ...]
    more: int


def reason_groups(
    rows: Iterable[Row], items: Callable[[Sequence[Row]], list[str]], most: int = MOST_ITEMS
) -> tuple[ReasonGroup, ...]:
    """Return the rows that were left out by reason, the most frequent first.

    Parameters
    ----------
    rows : iterable of Row
        Rows of Entry_Status or Ligand_Status.
    items : callable
        Returns the items to list, `entry_items` or `component_items`.
    most : int
        Maximum number of items listed under one reason.
    """
    by_reason: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.get("kept") is not True:
            by_reason[str(row.get("reason") or "")].append(row)
    groups = []
    for code, members in sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0])):
        named = items(members)
        shown = tuple(named[:most])
        groups.append(ReasonGroup(code, REASONS.get(code, ""), len(members), shown, len(named) - len(shown)))
    return tuple(groups)


def entry_items(rows: Sequence[Row]) -> list[str]:
    """Return entries, each with the value that its reason is about."""
    return [f"{row['pdb_id']} ({row['value']})" if row.get("value") else str(row["pdb_id"]) for row in rows]


def component_items(rows: Sequence[Row]) -> list[str]:
    """Return components with their number, the most frequent first."""
    counts = sorted(Counter(str(row["ligand"]) for row in rows).items(), key=lambda item: (-item[1], item[0]))
    return [f"{name} × {count}" if count > 1 else name for name, count in counts]


def left_out(entries: Iterable[Row], ligands: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the page's view of the rows of Entry_Status and Ligand_Status: `title`, `table`, `total`, `groups`."""
    ligands = (row for row in ligands if row.get("reason") != _MEMBER)
    parts = [
        ("Entries", "entries", reason_groups(entries, entry_items, MOST_ON_PAGE)),
        ("Het groups: additives, ions, other ligands", "ligands", reason_groups(ligands, _kinds, MOST_ON_PAGE)),
    ]
    return [
        {"title": title, "table": table, "groups": groups, "total": sum(group.count for group in groups)}
        for title, table, groups in parts
    ]


def _kinds(rows: Sequence[Row]) -> list[str]:
    counts = Counter((str(row["ligand"]), str(row["kind"])) for row in rows)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [
        f"{code} × {n}, {KINDS.get(kind, kind).removeprefix('a ').removeprefix('an ')}" for (code, kind), n in ordered
    ]
