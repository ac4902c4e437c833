"""What a job left out, grouped so that a reader sees the reasons at a glance."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from service.results.tables import TableCache
from tethermap.base import tables
from tethermap.base.reasons import KINDS, REASONS
from tethermap.base.tables import Row

_NAMED = 40
"""Entries or components that are named for one reason; the CSV has all."""


def left_out(cache: TableCache, folder: Path, base: str) -> list[dict[str, Any]]:
    """Return what was left out: entries by reason, then het groups by reason.

    Parameters
    ----------
    cache : TableCache
        Reads tables.
    folder : Path
        The job folder.
    base : str
        Address of the job's routes.

    Returns
    -------
    list of dict
        `title`, `total` and `groups`, each with `sentence`, `count`, `items`, `more` and `csv`.
    """
    entries = [row for row in cache.rows(folder, tables.ENTRY_STATUS) if not row.get("kept")]
    ligands = [
        row for row in cache.rows(folder, tables.LIGAND_STATUS) if not row.get("kept") and row.get("reason") != _MEMBER
    ]
    return [
        {"title": "Entries", "total": len(entries), "groups": _groups(entries, _entries, base, "entries")},
        {
            "title": "Het groups: additives, ions, other ligands",
            "total": len(ligands),
            "groups": _groups(ligands, _components, base, "ligands"),
        },
    ]


_MEMBER = "member_of_group"


def _groups(rows: Sequence[Row], items: Any, base: str, table: str) -> list[dict[str, Any]]:
    by_reason: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_reason[str(row.get("reason") or "")].append(row)
    groups = []
    for reason, members in sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0])):
        named = items(members)
        query = urlencode({"table": table, "reason": reason, "format": "csv"})
        groups.append(
            {
                "sentence": REASONS.get(reason, reason.replace("_", " ")),
                "count": len(members),
                "items": named[:_NAMED],
                "more": max(0, len(named) - _NAMED),
                "csv": f"{base}/rows?{query}",
            }
        )
    return groups


def _entries(rows: Sequence[Row]) -> list[str]:
    return [f"{row['pdb_id']} ({row['value']})" if row.get("value") else str(row["pdb_id"]) for row in rows]


def _components(rows: Sequence[Row]) -> list[str]:
    counts = Counter((str(row["ligand"]), str(row["kind"])) for row in rows)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [f"{code} × {count}, {_kind(kind)}" for (code, kind), count in ordered]


def _kind(kind: str) -> str:
    return KINDS.get(kind, kind).removeprefix("a ").removeprefix("an ")
