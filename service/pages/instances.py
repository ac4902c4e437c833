"""The table of instances: rows as the page filters, sorts and shows them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from service.pages.columns import BY_KEY, USUAL, Shown, chosen
from service.pages.fit import FITS, fit_of
from service.results.answers import ANSWER_COLUMNS, Answers, several
from service.results.tables import JobTables, number, plain_number
from tethermap.base import tables
from tethermap.base.identifiers import plain_name
from tethermap.base.tables import Row, Value

NO_FLAGS = "none"
"""Value of the flag filter for rows without flags."""

_LONGEST = 200
_SEARCHED = ("pdb_id", "Chain", "Warhead", "Residue_ID", "flags", "components", "link_residue", "series")
_ALWAYS = frozenset((*_SEARCHED, "stem", "SASA_in_complex_A2", "RSCC", "RSR", "fit_status"))


@dataclass(frozen=True, slots=True)
class TableView:
    """The requested view of the instances; the address contains every part of it.

    Parameters
    ----------
    words : str
        Words that a row must contain, all of them.
    ligand : str
        Component code; empty for any.
    least, most : float or None
        Bounds of the exposed area in square angstroms.
    flags : tuple of str
        Flags that a row must have, all of them; ``none`` for rows without.
    fit : str
        How it must fit the experiment, a key of `service.pages.fit.FITS`; empty for any.
    sort : str
        Key of a column, with ``-`` for the largest first; empty for the order of the table.
    columns : tuple of str
        Keys of the columns shown.
    """

    words: str = ""
    ligand: str = ""
    least: float | None = None
    most: float | None = None
    flags: tuple[str, ...] = ()
    fit: str = ""
    sort: str = ""
    columns: tuple[str, ...] = field(default=USUAL)

    @classmethod
    def of(cls, query: QueryParams) -> TableView:
        """Return the view of an address; invalid parts are ignored."""
        keys = [key for text in query.getlist("columns") for key in text[:_LONGEST].split(",")]
        sort = query.get("sort", "")
        return cls(
            words=query.get("q", "")[:_LONGEST].strip(),
            ligand=query.get("ligand", "")[:_LONGEST].strip().upper(),
            least=plain_number(query.get("min", "").strip()),
            most=plain_number(query.get("max", "").strip()),
            flags=tuple(flag[:_LONGEST] for flag in query.getlist("flag") if flag),
            fit=fit if (fit := query.get("fit", "")) in FITS else "",
            sort=sort if sort.removeprefix("-") in BY_KEY else "",
            columns=tuple(column.key for column in chosen(keys)),
        )

    @property
    def names(self) -> frozenset[str]:
        """Columns of the tables that the view is made of."""
        known = [*self.shown, *(BY_KEY[key] for key in (self.sort.removeprefix("-"),) if key)]
        return frozenset(name for column in known for name in (column.source, column.sorted_by)) | _ALWAYS

    @property
    def shown(self) -> list[Shown]:
        """The columns shown."""
        return chosen(self.columns)

    def query(self, **changes: str) -> str:
        """Return the view as the query of an address, with some parts changed; `row` and the like may be added."""
        columns = "" if self.columns == USUAL else ",".join(self.columns)
        bounds = {"min": _plain(self.least), "max": _plain(self.most)}
        values = {"q": self.words, "ligand": self.ligand, **bounds, "flag": self.flags, "fit": self.fit}
        kept = {key: value for key, value in {**values, "sort": self.sort, "columns": columns}.items() if value}
        return urlencode({key: value for key, value in kept.items() if key not in changes} | changes, doseq=True)

    @property
    def filtered(self) -> bool:
        """Whether it leaves rows out."""
        chosen_ones = self.words or self.ligand or self.flags or self.fit
        return bool(chosen_ones or self.least is not None or self.most is not None)

    def rows(self, rows: Sequence[Row], names: Mapping[str, str]) -> list[Row]:
        """Return the rows of the view in its order.

        Parameters
        ----------
        rows : sequence of mapping
            All instances.
        names : mapping of str to str
            Names of components, which the words may mean too.
        """
        words = self.words.lower().split()
        kept = [row for row in rows if self._has(row, words, names)] if self.filtered else list(rows)
        if not self.sort:
            return kept
        column = BY_KEY[self.sort.removeprefix("-")].sorted_by
        known = [row for row in kept if row.get(column) not in (None, "")]
        unknown = [row for row in kept if row.get(column) in (None, "")]
        known.sort(key=lambda row: _sortable(row[column]), reverse=self.sort.startswith("-"))
        return known + unknown

    def _has(self, row: Row, words: Sequence[str], names: Mapping[str, str]) -> bool:
        if self.ligand and row["Warhead"] != self.ligand:
            return False
        area = number(row, "SASA_in_complex_A2")
        if self.least is not None and (area is None or area < self.least):
            return False
        if self.most is not None and (area is None or area > self.most):
            return False
        if self.fit and fit_of(row) != self.fit:
            return False
        flags = several(row, "flags")
        if any((flag not in flags) if flag != NO_FLAGS else bool(flags) for flag in self.flags):
            return False
        text = searched(row, names)
        return all(word in text for word in words)


def searched(row: Row, names: Mapping[str, str]) -> str:
    """Return the text in which words are looked for, in lower case."""
    parts = [str(row.get(name) or "") for name in _SEARCHED] + [names.get(str(row["Warhead"]), "")]
    return " ".join(parts).replace("_", " ").replace(";", " ").lower()


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _sortable(value: Value) -> tuple[float, str]:
    """Order numbers by value; texts that begin with a number by that number, then by letters."""
    if isinstance(value, int | float):
        return float(value), ""
    text = str(value)
    head = re.match(r"-?\d{1,9}(?!\d)", text, re.ASCII)
    return (float(head[0]), text) if head else (float("inf"), text.lower())


_OF_INSTANCE = (
    *("pdb_id", "Chain", "Warhead", "Residue_ID", "stem", "components", "flags", "site", "InChIKey", "SMILES"),
    *("method", "resolution", "release_date", "target_chains", "occupancy", "mean_B", "mean_pLDDT", "aligned_error_A"),
    *("source_file", "pose_rank", "link_residue", "link_uniprot", "bond_source", "RSCC", "RSCC_by_residue", "RSR"),
    *("fit_status", "Q_score", "mutations", "mutations_near", "SASA_in_complex_A2", "SASA_free_A2", "pdb_path"),
    *("cif_path", "sdf_path", "svg_plain_path", "svg_exposed_path", "svg_exits_path", "SASA_chain_A2"),
    *("SASA_target_A2", "SASA_assembly_A2", "SASA_crystal_A2"),
)
"""Columns of the results and the summary for the page of one instance."""

_OF_SUMMARY = [name for name in tables.SASA_SUMMARY.names if name not in tables.RESULTS_TABLE.names]


def instances(reader: JobTables, names: Collection[str], answers: Answers) -> list[Row]:
    """Return a row for each instance: its results with the areas of all contexts, and its ligand's best exit.

    Rows of the best answers of the job come first, the copy to look at before the others.

    Parameters
    ----------
    reader : JobTables
        Result tables of the job.
    names : collection of str
        Columns to return, except those of answers.
    answers : Answers
        Answers of the job.
    """
    leading = enumerate(answers.leading)
    place = {stem: (n, stem != row["best_stem"]) for n, row in leading for stem in several(row, "stems")}
    rows = sorted(_joined(reader, names), key=lambda row: place.get(str(row["stem"]), (len(place), True)))
    return [{**row, **answers.cells.get(str(row["stem"]), _NO_ANSWER)} for row in rows]


_NO_ANSWER: dict[str, Value] = {column.name: None for column in ANSWER_COLUMNS}


def instance(reader: JobTables, stem: str) -> Row | None:
    """Return the page data of one instance, None if there is none.

    Parameters
    ----------
    reader : JobTables
        Result tables of the job.
    stem : str
        The instance.
    """
    return next(iter(_joined(reader, _OF_INSTANCE, "WHERE stem = ?", [stem])), None)


def _joined(
    reader: JobTables, names: Collection[str], where: str = "", values: Sequence[Value] = ()
) -> list[dict[str, Value]]:
    """Return rows of the results with columns of the summary; the summary is only read if it has some of them."""
    rows = reader.rows(tables.RESULTS_TABLE, where, values, names)
    others = [name for name in _OF_SUMMARY if name in names]
    if not others:
        return rows
    summaries = reader.rows(tables.SASA_SUMMARY, where, values, ["stem", *others])
    of_stem = {row["stem"]: row for row in summaries}
    blank: dict[str, Value] = dict.fromkeys(others)
    return [{**blank, **of_stem.get(row["stem"], {}), **row} for row in rows]


def names_of(reader: JobTables) -> dict[str, str]:
    """Return the name of each component, and of each group of linked ones."""
    rows = reader.rows(tables.LIGAND_METADATA, names=("Ligand", "Common_Name", "Name"))
    return {str(row["Ligand"]): plain_name(str(row.get("Common_Name") or row.get("Name") or "")) for row in rows}


def choices(rows: Sequence[Row]) -> dict[str, list[tuple[str, int]]]:
    """Return ligands, flags and fits that rows have, with their counts, for the filters."""
    flags = Counter(flag for row in rows for flag in several(row, "flags") or [NO_FLAGS])
    ligands = Counter(str(row["Warhead"]) for row in rows)
    fits = Counter(fit_of(row) for row in rows)
    return {
        "ligands": sorted(ligands.items()),
        "flags": sorted(flags.items(), key=lambda item: (-item[1], item[0])),
        "fits": [(name, fits[name]) for name in FITS if fits[name]],
    }
