"""The columns that the table of instances can show, written once for page, filter and CSV."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml

from service.pages.texts import TEXTS
from service.results.answers import ANSWER_COLUMNS
from tethermap.base import tables
from tethermap.base.contexts import EXPOSED_ABOVE
from tethermap.base.identifiers import plain_name
from tethermap.base.tables import Column, Row
from tethermap.fit.limits import limit

_T = TEXTS.columns


@dataclass(frozen=True)
class Shown:
    """A column of the page's table.

    Parameters
    ----------
    key : str
        Its name in addresses.
    label : str
        Heading of the column.
    source : str
        Column of Results_Display or Resolved_SASA_Summary that it shows.
    unit : str
        Unit in the heading; ``%`` shows a fraction as percent.
    decimals : int
        Decimals on the page; the CSV has all.
    says : str
        Explanation of the column.
    usual : bool
        Whether it is shown by default.
    order : str
        Column that it is sorted by, where that is another.
    """

    key: str
    label: str
    source: str
    unit: str = ""
    decimals: int = 0
    says: str = ""
    usual: bool = False
    order: str = ""

    @cached_property
    def sorted_by(self) -> str:
        """Name of the column that it is sorted by."""
        return self.order or self.source

    @cached_property
    def column(self) -> Column:
        """The table's column."""
        return _SOURCES[self.source]

    @cached_property
    def numeric(self) -> bool:
        """Whether it contains numbers."""
        return _SOURCES[self.sorted_by].kind in ("integer", "number")

    def text(self, row: Row) -> str:
        """Return the displayed text of the cell; empty if unknown."""
        value = row.get(self.source)
        if value is None or value == "":
            return ""
        if isinstance(value, bool):
            return str(TEXTS.results.is_true if value else TEXTS.results.is_false)
        if isinstance(value, int | float):
            return f"{100 * value:.0f}" if self.unit == "%" else f"{value:.{self.decimals}f}"
        if self.key == "name":
            return plain_name(str(value))
        return str(value).replace("_", " ").replace(";", ", ") if self.key == "flags" else str(value)


_ALL = (*tables.SASA_SUMMARY.columns, *tables.RESULTS_TABLE.columns, *ANSWER_COLUMNS)
_SOURCES = {column.name: column for column in _ALL}


def _read(path: Path) -> Iterator[Shown]:
    values = {"exposed_above": EXPOSED_ABOVE, "rscc_poor": f"{limit('rscc_poor'):g}"}
    for column in yaml.safe_load(path.read_text(encoding="utf-8")):
        key = column["key"]
        texts = {"label": _T.labels[key], "says": str(_T.explanations.get(key, "")).format_map(values)}
        yield Shown(**{"unit": _T.counted.get(key, ""), **column, **texts})


COLUMNS = tuple(_read(Path(__file__).with_name("columns.yaml")))
"""All columns in their order."""

BY_KEY: Mapping[str, Shown] = {column.key: column for column in COLUMNS}
USUAL: tuple[str, ...] = tuple(column.key for column in COLUMNS if column.usual)


def chosen(keys: Sequence[str]) -> list[Shown]:
    """Return the columns with the given keys in their usual order; the usual ones for no keys."""
    return [column for column in COLUMNS if column.key in keys] or [column for column in COLUMNS if column.usual]
