"""The table of instances for the template, with its rows as HTML."""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, quote_plus

from markupsafe import Markup, escape

from service.pages.columns import Shown
from service.pages.depiction import step
from service.pages.fit import fit_of
from service.pages.instances import TableView, searched
from service.pages.texts import TEXTS
from tethermap.base.tables import Row

MAX_SHOWN = 1000
"""Rows on one page; more are found by filtering."""


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


_SPECIAL = re.compile("[&<>'\"]")

_SELECT = TEXTS.results.select_row.replace("{stem}", "%s")
_LINE = (
    '<tr data-n="%d" data-t="%s" data-l="%s"%s data-x="%s"%s><td class="pick"><input type="checkbox"'
    f' name="stem" value="%s" aria-label="{_SELECT}"></td><td class="pic"><a href="%s%s#instance" aria-label="%s"><img'
    ' loading="lazy" src="%s/picture/%s" alt=""></a></td>%s</tr>\n'
)


def _lines(
    rows: Sequence[Row], on_page: int, places: Mapping[str, int], view: TableView, here: str, chosen: str | None
) -> Markup:
    """Return rows as HTML; for thousands of cells the template is several times as slow."""
    columns, query, base = view.shown, view.query(), escape(here)
    page = escape(f"{here}?{query}&row=" if query else f"{here}?row=")
    label = TEXTS.results.row.format
    lines = []
    for n, row in enumerate(rows):
        stem, ligand, area, flags = str(row["stem"]), str(row["Warhead"]), row["SASA_in_complex_A2"], row["flags"]
        says = label(ligand=ligand, entry=row["pdb_id"], chain=row["Chain"], residue=row["Residue_ID"])
        name = _escaped(stem)
        numbers = "" if area is None else f' data-a="{area}"'
        numbers += f' data-f="{_escaped(str(flags))}"' if flags else ""
        state = " hidden" if n >= on_page else ""
        state += ' aria-current="true"' if stem == chosen else ""
        cells = "".join([_cell(column, row) for column in columns])
        head = (places[stem], _escaped(searched(row, {})), _escaped(ligand), numbers, fit_of(row), state, name, name)
        lines.append(_LINE % (*head, page, quote_plus(stem), _escaped(says), base, quote(stem), cells))
    return Markup("".join(lines))  # noqa: S704 - escaped value by value


def _cell(column: Shown, row: Row) -> str:
    """Return a cell as HTML."""
    text = _escaped(column.text(row))
    if column.key == "flags":
        return f"<td data-k><span>{text}</span></td>" if text else "<td data-k></td>"
    if not column.numeric:
        return f'<td class="name" data-v="">{text}</td>' if column.key == "name" else f"<td>{text}</td>"
    value, kind = row.get(column.sorted_by), "number"
    if column.key == "buried" and isinstance(value, float):
        kind = f"number bar rest x{step(1 - value)}"
    return f'<td class="{kind}" data-v="{"" if value is None else value}">{text}</td>'


def _escaped(text: str) -> str:
    return str(escape(text)) if _SPECIAL.search(text) else text
