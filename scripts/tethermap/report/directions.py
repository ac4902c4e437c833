"""Directions in which linkers can leave, over all structures of a protein, as report and results page show them."""

from collections import Counter
from collections.abc import Sequence
from types import SimpleNamespace

from tethermap.base.reasons import SUPERPOSITION_REASONS
from tethermap.base.tables import Row, Value, by_key, split_cell
from tethermap.base.texts import PageText
from tethermap.report.texts import TEXTS

_T = TEXTS.report

MAX_GROUPS, MAX_DIRECTIONS = 10, 8
"""Maximum number of displayed groups, and of directions in each; the table contains all."""

MAX_ANCHORS = 8
"""Anchors of a direction that are named."""


class GroupView(SimpleNamespace):
    """One group of like target chains: its superposition and its first directions.

    `directions` are rows of Exit_Consensus, each with its name and its anchors in words.
    """


def group_views(superposition: Sequence[Row], consensus: Sequence[Row]) -> tuple[GroupView, ...]:
    """Return the groups with two entries or more, those of most entries first.

    Parameters
    ----------
    superposition, consensus : sequence of Row
        Rows of `tethermap.base.tables.SUPERPOSITION` and `tethermap.base.tables.EXIT_CONSENSUS`.
    """
    members, directions = (by_key((str(row["group"]), row) for row in rows) for rows in (superposition, consensus))
    several = {name: rows for name, rows in members.items() if name and len({row["pdb_id"] for row in rows}) > 1}
    return tuple(_view(name, rows, directions.get(name, ())) for name, rows in list(several.items())[:MAX_GROUPS])


def _view(name: str, rows: Sequence[Row], directions: Sequence[Row]) -> GroupView:
    shown = directions[:MAX_DIRECTIONS]
    alike = Counter(row.get("residue") for row in shown)
    moved = [row for row in rows if row.get("superposed") is True and row.get("is_reference") is not True]
    reasons = Counter(str(row.get("reason")) for row in rows if row.get("reason"))
    return GroupView(
        name=name,
        protein=str(rows[0].get("protein") or ""),
        reference=str(rows[0]["reference"]),
        n_entries=len({row["pdb_id"] for row in rows}),
        n_instances=len(rows),
        largest_rmsd=max((float(row["rmsd_A"] or 0) for row in moved), default=None),
        fewest_used=min((int(row["n_used"] or 0) for row in moved), default=None),
        left_out=tuple((SUPERPOSITION_REASONS.get(code, code), count) for code, count in sorted(reasons.items())),
        directions=tuple((row, _name(row, alike), _anchors(row.get("anchors"))) for row in shown),
        more=len(directions) - len(shown),
    )


def _name(row: Row, alike: Counter[Value]) -> str:
    """Return the residue that a direction passes, with the direction's number if others pass it too."""
    residue = row.get("residue")
    if not residue:
        return str(row["direction"])
    text: PageText = _T.near_numbered if alike[residue] > 1 else _T.near
    return text.plain(residue=residue, number=str(row["direction"]).rpartition("-")[2])


def _anchors(cell: Value) -> str:
    """Return the anchors of a direction as words: ``EF2 C12, LVY N17 and 3 more``."""
    names = [name.replace(":", " ") for name in split_cell(cell)]
    more = len(names) - MAX_ANCHORS
    first = ", ".join(names[:MAX_ANCHORS])
    return str(_T.anchors_and_more.plain(anchors=first, n=more)) if more > 0 else first
