"""The table of instances for the template: all values of a row together, so that the template needs no lookup."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import quote, quote_plus

from markupsafe import Markup, escape

from service.pages.columns import Shown
from service.pages.fit import fit_of
from service.pages.instances import TableView, searched
from tethermap.base.tables import Row, Value

MAX_SHOWN = 1000
"""Rows on one page; more are found by filtering."""


class TableLine(NamedTuple):
    """A row of the page's table.

    Parameters
    ----------
    stem, ligand : str
        The instance and its component.
    place : int
        Its place among all instances.
    words : str
        Text in which words are looked for.
    area : float or None
        Exposed area in square angstroms.
    flags, fit : str
        Its flags, and a key of `service.pages.fit.FITS`.
    says : str
        The instance in words.
    url, picture : str
        Where it is shown, and its depiction.
    hidden, current : bool
        Whether the view leaves it out, and whether it is the one shown.
    cells : Markup
        Cells of the displayed columns.
    """

    stem: str
    ligand: str
    place: int
    words: str
    area: Value
    flags: str
    fit: str
    says: str
    url: str
    picture: str
    hidden: bool
    current: bool
    cells: Markup


def table_values(
    everything: Sequence[Row], shown: Sequence[Row], view: TableView, here: str, chosen: str | None = None
) -> dict[str, Any]:
    """Return the data for the template of the table: all rows if they fit on a page, filtered ones hidden.

    Parameters
    ----------
    everything, shown : sequence of mapping
        All instances, and those of the view in its order.
    view : TableView
        The view.
    here : str
        Address of the job's page.
    chosen : str or None
        Stem of the instance shown next to the table.
    """
    complete = len(everything) <= MAX_SHOWN
    kept = {row["stem"] for row in shown}
    hidden = [row for row in everything if row["stem"] not in kept] if complete else []
    on_page = min(len(shown), MAX_SHOWN)
    places = {str(row["stem"]): place for place, row in enumerate(everything)}
    return {
        "view": view,
        "here": here,
        "lines": _lines([*shown[:MAX_SHOWN], *hidden], on_page, places, view, here, chosen),
        "shown_count": len(shown),
        "on_page": on_page,
        "total": len(everything),
        "complete": complete,
    }


def _lines(
    rows: Sequence[Row], on_page: int, places: Mapping[str, int], view: TableView, here: str, chosen: str | None
) -> Iterator[TableLine]:
    columns, query = view.shown, view.query()
    page = f"{here}?{query}&row=" if query else f"{here}?row="
    for n, row in enumerate(rows):
        stem, ligand = str(row["stem"]), str(row["Warhead"])
        yield TableLine(
            stem,
            ligand,
            places[stem],
            searched(row, {}),
            row["SASA_in_complex_A2"],
            str(row["flags"] or ""),
            fit_of(row),
            f"{ligand} in {row['pdb_id']}, chain {row['Chain']}, residue {row['Residue_ID']}",
            f"{page}{quote_plus(stem)}#instance",
            f"{here}/picture/{quote(stem)}",
            n >= on_page,
            stem == chosen,
            Markup("".join([_cell(column, row) for column in columns])),  # noqa: S704 - escaped cell by cell
        )


def _cell(column: Shown, row: Row) -> str:
    """Return a cell as HTML; for thousands of cells the template is twice as slow."""
    text = _escaped(column.text(row))
    if column.key == "flags":
        return f"<td data-k><span>{text}</span></td>" if text else "<td data-k></td>"
    if not column.numeric:
        return f'<td class="name" data-v="">{text}</td>' if column.key == "name" else f"<td>{text}</td>"
    value, kind = row.get(column.sorted_by), "number"
    if column.key == "buried" and isinstance(value, float):
        kind = f"number bar rest x{5 * round(20 * (1 - value))}"
    return f'<td class="{kind}" data-v="{"" if value is None else value}">{text}</td>'


@lru_cache(maxsize=4096)
def _escaped(text: str) -> str:
    return str(escape(text))
