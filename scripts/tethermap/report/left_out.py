"""Entries and het groups that a job left out, by reason, as report and results page show them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any

from tethermap.base.reasons import KINDS, REASONS
from tethermap.base.tables import Row, by_key

MOST_ITEMS, MOST_ON_PAGE = 500, 40
"""Maximum number of entries or components listed under one reason in the report and on a page; the tables contain all.
"""

_MEMBER = "member_of_group"


class ReasonGroup(SimpleNamespace):
    """Entries or ligands that were left out for one reason: code, sentence, count, the first items and `more`."""


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
    by_reason = by_key((str(row.get("reason") or ""), row) for row in rows if row.get("kept") is not True)
    return _ordered([_group(code, len(members), items(members), most) for code, members in by_reason.items()])


def _group(code: str, count: int, items: Sequence[str], most: int) -> ReasonGroup:
    more = max(0, len(items) - most)
    return ReasonGroup(code=code, sentence=REASONS.get(code, ""), count=count, items=items[:most], more=more)


def _ordered(groups: Iterable[ReasonGroup]) -> tuple[ReasonGroup, ...]:
    return tuple(sorted(groups, key=lambda group: (-group.count, group.code)))


def entry_items(rows: Sequence[Row]) -> list[str]:
    """Return entries, each with the value that its reason is about."""
    return [_entry_item(row) for row in rows]


def _entry_item(row: Row) -> str:
    return f"{row['pdb_id']} ({row['value']})" if row.get("value") else str(row["pdb_id"])


def component_items(rows: Sequence[Row]) -> list[str]:
    """Return components with their number, the most frequent first."""
    counts = sorted(Counter(str(row["ligand"]) for row in rows).items(), key=lambda item: (-item[1], item[0]))
    return [f"{name} × {count}" if count > 1 else name for name, count in counts]


def left_out(entries: Iterable[Row], ligands: Iterable[tuple[str, str, str, int]]) -> list[dict[str, Any]]:
    """Return the page's view of rejected entries and het groups: `table`, `total`, `groups`.

    Parameters
    ----------
    entries : iterable of Row
        Rows of Entry_Status.
    ligands : iterable of tuple
        Reasons, components and kinds in Ligand_Status, each with its number of rows.
    """
    counts: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for reason, code, kind, count in ligands:
        if reason != _MEMBER:
            counts[reason][code, kind] += count
    groups = [_group(reason, found.total(), _kinds(found), MOST_ON_PAGE) for reason, found in counts.items()]
    parts = {"entries": reason_groups(entries, entry_items, MOST_ON_PAGE), "ligands": _ordered(groups)}
    return [
        {"table": table, "groups": groups, "total": sum(group.count for group in groups)}
        for table, groups in parts.items()
    ]


def _kinds(counts: Counter[tuple[str, str]]) -> list[str]:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [
        f"{code} × {n}, {KINDS.get(kind, kind).removeprefix('a ').removeprefix('an ')}" for (code, kind), n in ordered
    ]
