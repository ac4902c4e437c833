"""Content of the report, as plain values made from the rows of the job's tables."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from tethermap.base import tables
from tethermap.base.arrays import FloatArray
from tethermap.base.contexts import CONTEXTS, area_column
from tethermap.base.identifiers import plain_name
from tethermap.base.links import ligand_links
from tethermap.base.reasons import FLAGS, KINDS, MAIN, TARGET_MATCHES
from tethermap.base.tables import Row, Table, by_key, instance_key, split_cell
from tethermap.exits.words import is_advised
from tethermap.report.directions import group_views
from tethermap.report.fit import fit_view
from tethermap.report.left_out import component_items, entry_items, reason_groups
from tethermap.report.plots import Bar
from tethermap.report.texts import TEXTS
from tethermap.selfcheck.outcome import tallied

_T = TEXTS.figures

DOWNLOAD_REASONS = (
    *("not_found", "withdrawn", "same_as_other", "download_failed", "file_empty", "file_truncated"),
    *("file_not_structure", "file_unreadable", "no_atoms"),
)
"""Reasons why an entry's structure is missing or unreadable."""

MAX_CARDS = 400
"""Components in the gallery; the others are in the table."""

CARDS_PER_PAGE = 24
"""Components on each page of the report: pictures of 1.3 MB in the first."""

MAX_TABLE_ROWS = 1000
"""Maximum number of instances in the table of the report; Results_Display.csv contains all."""

MAX_HEAT_ROWS = 40
"""Rows of one heat map; beyond it, one instance per component and then the first of them."""

MAX_SERIES = 30
"""Series shown with a heat map."""


MAX_PLACES = 60
"""Maximum number of best sites and observed exits in the report; the tables contain all."""

PLACES_AT_ONCE = 10
"""Number of them that are visible at once; the others unfold."""


@dataclass(frozen=True, slots=True)
class Line:
    """One instance for the cards and the table: the row of Results_Display and additional values."""

    row: Row
    exposed_share: float | None
    target_area: float | None

    def text(self, column: str) -> str:
        """Return a cell of the row as text, empty when not known."""
        value = self.row.get(column)
        return "" if value is None else str(value)

    @property
    def place(self) -> str:
        """Entry, chain and residue number."""
        return f"{self.text('pdb_id')} {self.text('Chain')} {self.text('Residue_ID')}"


class Card(SimpleNamespace):
    """One component, or one group of linked ones: its description, its best instance and all of them."""


class SeriesView(SimpleNamespace):
    """One series: its row, and the exposure of the core's atoms in each instance."""


class ReportContent(SimpleNamespace):
    """Content of the report besides settings, methods and versions."""


FirstExits = Callable[[Sequence[str]], Mapping[str, Sequence[Row]]]
"""Returns the best exit of each of the first sites of the given instances by stem, in the order of the tables."""


def build_content(
    target: str,
    read: Callable[[Table], Sequence[Row]],
    *,
    checks: Iterable[Row] = (),
    core: Mapping[str, Sequence[Row]] | None = None,
    relative: Mapping[str, Mapping[int, float]] | None = None,
    exits: FirstExits = lambda _: {},
) -> ReportContent:
    """Return the report's content.

    Parameters
    ----------
    read : callable
        Returns the rows of a finished table.
    checks : iterable of Row
        Outcome of the checks.
    core : mapping, optional
        Rows of Ligand_MCS_Map of the atoms in a core by stem, for the heat maps.
    relative : mapping, optional
        Relative SASA by stem and SDF index, for the heat maps.
    exits : FirstExits
        Returns the exits of the cards.

    Returns
    -------
    ReportContent
    """
    results, entries = read(tables.RESULTS_TABLE), read(tables.ENTRY_STATUS)
    ligands, areas = read(tables.LIGAND_STATUS), read(tables.SASA_SUMMARY)
    summary = {str(row["stem"]): row for row in areas}
    lines = tuple(_line(row, summary.get(str(row["stem"]))) for row in results)
    cards = _cards(lines, read(tables.LIGAND_METADATA), exits)
    with_several = shown_series(read(tables.SERIES))
    series = [_series_view(row, lines, core or {}, relative or {}) for row in with_several[:MAX_SERIES]]
    counts, failed = tallied(checks)
    matches = Counter(str(row["target_match"]) for row in entries if row["target_match"])
    flags = Counter(flag for line in lines for flag in split_cell(line.text("flags")))
    sources = Counter(line.text("bond_source") for line in lines)
    leading = list(filter(is_leading, read(tables.EXIT_ANSWERS)))
    return ReportContent(
        target=target,
        n_instances=len(lines),
        entry_bars=_entry_bars(entries),
        ligand_bars=_ligand_bars(ligands),
        entry_reasons=reason_groups(entries, entry_items),
        ligand_reasons=reason_groups(ligands, component_items),
        target_matches=tuple((code, TARGET_MATCHES.get(code, ""), n) for code, n in _ranked(matches)),
        bond_sources=tuple(_ranked(sources)),
        flags=tuple((code, FLAGS.get(code, ""), n) for code, n in _ranked(flags)),
        cards=cards[:MAX_CARDS],
        cards_left_out=max(0, len(cards) - MAX_CARDS),
        anchors={card.components: card.anchor for card in cards[:MAX_CARDS]},
        lines=lines[:MAX_TABLE_ROWS],
        lines_left_out=max(0, len(lines) - MAX_TABLE_ROWS),
        shares=_shares(areas),
        series=tuple(view for view in series if view.heat),
        series_left_out=max(0, len(with_several) - MAX_SERIES),
        groups=group_views(read(tables.SUPERPOSITION), read(tables.EXIT_CONSENSUS)),
        places=tuple(row for row in leading if is_advised(row))[:MAX_PLACES],
        not_advised=tuple(row for row in leading if not is_advised(row))[:MAX_PLACES],
        observed=tuple(row for row in read(tables.OBSERVED_EXITS) if row["side"] == "target")[:MAX_PLACES],
        checks=[(name, *count) for name, count in counts.items() if any(count)],
        failed_checks=failed,
        fit=fit_view(results),
    )


def is_leading(answer: Row) -> bool:
    """Return whether an answer is the first of its ligand in the main binding site."""
    return answer["answer_rank"] == 1 and answer["site"] == MAIN


def shown_series(rows: Sequence[Row]) -> list[Row]:
    """Return the series of two components or more, those of most components first.

    >>> rows = [{"series": f"S{n}", "n_instances": 3, "n_components": n} for n in (1, 2, 3)]
    >>> [row["series"] for row in shown_series(rows)]
    ['S3', 'S2']
    """
    several = [row for row in rows if int(row["n_components"] or 0) > 1]
    return sorted(several, key=lambda row: (-int(row["n_components"] or 0), -int(row["n_instances"] or 0)))


def _ranked(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _entry_bars(entries: Sequence[Row]) -> tuple[Bar, ...]:
    reasons = Counter(str(row["reason"]) for row in entries)
    entry_count = len(entries)
    selected = sum(row["instances_found"] is not None for row in entries)  # the search left out the others
    read = selected - sum(reasons[code] for code in DOWNLOAD_REASONS)
    n_kept = sum(row["kept"] is True for row in entries)
    return (
        Bar(_T.found, entry_count),
        Bar(_T.selected, selected, _lost(entry_count - selected)),
        Bar(_T.read, read, _lost(selected - read)),
        Bar(_T.kept, n_kept, _lost(read - n_kept)),
    )


def _ligand_bars(ligands: Sequence[Row]) -> tuple[Bar, ...]:
    kinds = Counter(str(row["kind"]) for row in ligands)
    kept_kinds = Counter(str(row["kind"]) for row in ligands if row["kept"] is True)
    bars = [Bar(_T.all_het_groups, len(ligands), _T.n_kept.plain(n=sum(kept_kinds.values())))]
    order = [kind for kind in KINDS if kinds[kind]] + sorted(kinds.keys() - KINDS.keys())
    return (*bars, *(Bar(kind.replace("_", " "), kinds[kind], _T.n_kept.plain(n=kept_kinds[kind])) for kind in order))


def _lost(count: int) -> str:
    return _T.n_left_out.plain(n=count) if count else ""


def _line(row: Row, summary: Row | None) -> Line:
    buried = row["buried_fraction"]
    share = None if buried is None else 1.0 - float(buried)
    area = None if summary is None or summary["SASA_in_complex_A2"] is None else float(summary["SASA_in_complex_A2"])
    return Line(row, share, area)


def _cards(lines: Sequence[Line], metadata: Sequence[Row], first_exits: FirstExits) -> tuple[Card, ...]:
    """Return one card per component or group, those with most instances first; only displayed ones have exits."""
    metadata_of = {str(row["Ligand"]): row for row in metadata}
    by_components = by_key((line.text("components"), line) for line in lines)
    groups = sorted(by_components.items(), key=lambda item: (-len(item[1]), item[1][0].text("Warhead"), item[0]))
    best_of = {components: min(members, key=_badness) for components, members in groups}
    shown = {best_of[components].text("stem") for components, _ in groups[:MAX_CARDS]}
    exits = first_exits([stem for line in lines if (stem := line.text("stem")) in shown])
    n_cards: Counter[str] = Counter()
    cards = []
    for components, members in groups:
        comp_id = members[0].text("Warhead")
        n_cards[comp_id] += 1
        anchor = f"ligand-{comp_id}" + (f"-{n_cards[comp_id]}" if n_cards[comp_id] > 1 else "")
        best = best_of[components]
        places = exits.get(best.text("stem"), ())
        cards.append(_card(anchor, components, members, best, metadata_of.get(components, {}), places))
    return tuple(cards)


def _card(
    anchor: str, components: str, members: Sequence[Line], best: Line, metadata: Row, exits: Sequence[Row]
) -> Card:
    shares = [line.exposed_share for line in members if line.exposed_share is not None]
    mass = metadata.get("MW")
    in_dictionary = metadata.get("source") == "dictionary"
    return Card(
        anchor=anchor,
        comp_id=members[0].text("Warhead"),
        components=components,
        name=plain_name(str(metadata.get("Common_Name") or metadata.get("Name") or "")),
        systematic=plain_name(str(metadata.get("Name") or "")),
        links=tuple(ligand_links(components, str(metadata.get("InChIKey") or ""), in_dictionary=in_dictionary).items()),
        formula=str(metadata.get("Formula") or ""),
        mass="" if mass is None else f"{float(mass):.1f}",
        smiles=str(metadata.get("SMILES") or members[0].row["SMILES"] or ""),
        best=best,
        lines=tuple(members),
        exposed_share=(min(shares), max(shares)) if shares else None,
        exits=tuple(exits),
    )


def _badness(line: Line) -> tuple[Any, ...]:
    """Sort key, best first: nothing missing, occupied, sharp; then the order of the tables."""
    row = line.row
    resolution, occupancy = row["resolution"], row["occupancy"]
    key = instance_key(str(row["pdb_id"]), str(row["Chain"]), str(row["Warhead"]), str(row["Residue_ID"]))
    return (
        bool(row["atoms_missing"]),
        row["sanitised"] is False,
        -(0.0 if occupancy is None else float(occupancy)),
        99.0 if resolution is None else float(resolution),
        key,
    )


def _shares(summary: Sequence[Row]) -> dict[str, FloatArray]:
    """Return the open share of the surface of every instance by context."""
    shares = {}
    for context in CONTEXTS:
        areas = ((row[area_column(context)], row["SASA_free_A2"]) for row in summary)
        known = [np.nan if part is None or not whole else float(part) / float(whole) for part, whole in areas]
        shares[context] = np.array(known, dtype=np.float64)
    return shares


def _series_view(
    row: Row, lines: Sequence[Line], core: Mapping[str, Sequence[Row]], relative: Mapping[str, Mapping[int, float]]
) -> SeriesView:
    """Return the heat map of a series: one row an instance, one column an atom of the core."""
    members = [line for line in lines if line.text("series") == row["series"] and line.text("stem") in core]
    total = len(members)
    if total > MAX_HEAT_ROWS:
        best: dict[str, Line] = {}
        for line in members:
            name = line.text("components")
            best[name] = min(best.get(name, line), line, key=_badness)
        members = list(best.values())[:MAX_HEAT_ROWS]
    n_core = int(row["n_core_atoms"] or 0)
    elements = [""] * n_core
    heat = []
    for line in members:
        stem = line.text("stem")
        values = np.full(n_core, np.nan)
        for atom in core[stem]:
            position = int(atom["core_index"] or 0)
            if position < n_core:
                values[position] = relative.get(stem, {}).get(int(atom["sdf_index"] or 0), np.nan)
                elements[position] = elements[position] or str(atom["AtomSymbol"])
        heat.append((f"{line.text('Warhead')} {line.place}", values))
    heat.sort(key=lambda item: item[0])
    columns = tuple(f"{number} {element}" for number, element in enumerate(elements, start=1))
    return SeriesView(row=row, columns=columns, heat=heat, left_out=total - len(heat))
