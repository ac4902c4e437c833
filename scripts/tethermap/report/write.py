"""Write the report: one self-contained HTML file, and further pages in a folder if there are many ligands."""

import json
import logging
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set as AbstractSet
from functools import cache, partial
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tethermap.base import layout, tables
from tethermap.base.atomic import write_parts
from tethermap.base.contexts import CONTEXTS, HEADLINE_CONTEXT, area_column
from tethermap.base.records import Source
from tethermap.base.tables import Row, Table
from tethermap.drawing.interactions import amid_residues
from tethermap.drawing.reader import Depiction, inline_svg, load_depiction
from tethermap.exits.limits import SHOWN_SITES
from tethermap.report.content import CARDS_PER_PAGE, MAX_SERIES, build_content, is_leading, shown_series
from tethermap.report.render import AFFINITY_COLUMNS, TABLE_COLUMNS, render_pages, render_report
from tethermap.report.texts import TEXTS
from tethermap.run.program_errors import but_for

log = logging.getLogger(__name__)

SHOWN_COLUMNS = {
    tables.RESULTS_TABLE.path: (
        *(column for column, *_ in (*TABLE_COLUMNS, *AFFINITY_COLUMNS)),
        *("SMILES", "components", "atoms_missing", "sanitised", "buried_fraction", "RSR", "fit_status"),
        *("geometry_flags", "pdb_path", "cif_path", "sdf_path"),
    ),
    tables.EXIT_ANSWERS.path: (
        *("Warhead", "group_name", "protein", "site", "answer_rank", "action", "kind", "chem_class", "not_recommended"),
        *("best_stem", "best_title", "best_resolution", "n_open", "n_copies", "n_entries_open", "n_entries"),
        *("observed", "evidence", "evidence_reasons", "confidence", "site_residue", "score_median"),
        *(*tables.AFFINITY_CELLS, *tables.PUBLISHED_CELLS),
    ),
    tables.SUPERPOSITION.path: (
        *("group", "protein", "reference", "is_reference", "superposed", "reason", "n_used", "rmsd_A"),
    ),
    tables.EXIT_CONSENSUS.path: (
        *("group", "direction", "residue", "site_class", "n_entries_open", "n_entries_present", "n_ligands"),
        *("F_median", "F_best", "best_score", "evidence", "anchors"),
    ),
    tables.LIGAND_STATUS.path: ("ligand", "kind", "kept", "reason"),
    tables.ENTRY_STATUS.path: ("kept", "reason", "target_match", "instances_found", "value"),
    tables.SASA_SUMMARY.path: ("SASA_in_complex_A2", "SASA_free_A2", *map(area_column, CONTEXTS)),
    tables.LIGAND_METADATA.path: (*("Ligand", "Common_Name", "Name", "InChIKey", "source", "Formula", "MW", "SMILES"),),
}
"""Columns that the report reads of the given tables, in addition to `pdb_id` and `stem`."""

CORE_COLUMNS = ("stem", "core_index", "sdf_index", "AtomSymbol")
AREA_COLUMNS = ("stem", "sdf_index", "relative_sasa")
EXIT_COLUMNS = (
    *("stem", "rank", "site_rank", "anchor_atom", "leaving_atoms", "chem_class"),
    *("E", "F", "closed", "evidence", "evidence_reasons"),
)
"""Columns that the report reads of tables with tens of thousands of rows."""


def write_report(
    job: Path, checks: Iterable[Source], *, settings: Mapping[str, Any], left_out: AbstractSet[str] = frozenset()
) -> None:
    """Write the report of a job from its finished tables and depictions.

    Parameters
    ----------
    checks : iterable of Source
        Outcome of the checks of each shard.
    settings : mapping
        Settings of the job from `tethermap.base.config.shown`.
    left_out : set of str
        Instances and entries that it does not show.
    """
    read = cache(partial(_rows, job, left_out))
    shown = {str(row["series"]) for row in shown_series(read(tables.SERIES))[:MAX_SERIES]}
    results = read(tables.RESULTS_TABLE)
    members = [str(row["stem"]) for row in results if row["series"] in shown]
    core = _by_stem(job, tables.LIGAND_MCS_MAP, members, CORE_COLUMNS, "core_index")
    areas = _by_stem(job, tables.SASA_ATOMS, core.keys(), AREA_COLUMNS, "relative_sasa")
    content = build_content(
        settings["target_name"],
        read,
        checks=but_for((row for path in checks for row in tables.read_table(path, tables.CHECKS)), left_out),
        core=core,
        relative={
            stem: {int(row["sdf_index"] or 0): float(row["relative_sasa"] or 0) for row in rows}
            for stem, rows in areas.items()
        },
        exits=partial(_first_exits, job),
    )
    first = content.cards[:CARDS_PER_PAGE]
    drawn = {card.best.text("stem") for card in first}
    contacts = _by_stem(job, tables.CONTACTS, [stem for row in results if (stem := str(row["stem"])) in drawn])
    pictures = _Pictures(job, contacts)
    parts = render_report(
        content,
        settings,
        json.loads((job / layout.SEARCH_QUERY).read_text(encoding="utf-8")),
        pictures.of_ligand,
        pictures.of_core,
    )
    write_parts(job / layout.REPORT, parts)
    shutil.rmtree(job / layout.REPORT_PAGES, ignore_errors=True)
    for path, page in render_pages(content, pictures.linked):
        write_parts(job / path, page)


def _rows(job: Path, left_out: AbstractSet[str], table: Table) -> list[Row]:
    shown = SHOWN_COLUMNS.get(table.path)
    names = {*shown, "pdb_id", "stem"} if shown else None
    rows = but_for(tables.read_table(job / table.path, table, names=names), left_out)
    return [row for row in rows if table is not tables.EXIT_ANSWERS or is_leading(row)]


def _by_stem(
    job: Path, table: Table, stems: Collection[str], names: Collection[str] | None = None, known: str = "stem"
) -> dict[str, list[Row]]:
    """Return the rows of the given instances by stem, except those without a value in the column `known`."""
    rows = tables.read_table(job / table.path, table, stems=stems, names=names) if stems else ()
    return tables.by_key((str(row["stem"]), row) for row in rows if row[known] is not None)


def _first_exits(job: Path, stems: Collection[str]) -> dict[str, list[Row]]:
    """Return the best exit of each of the first sites of the given instances by stem, in their order."""
    first: dict[str, list[Row]] = {}
    for stem, rows in _by_stem(job, tables.EXIT_VECTORS, stems, EXIT_COLUMNS, "rank").items():
        best = {int(row["site_rank"] or 0): row for row in reversed(rows)}
        first[stem] = [best[site] for site in sorted(best) if site <= SHOWN_SITES]
    return first


class _Pictures:
    """Depictions from the result folder.

    Parameters
    ----------
    contacts : mapping of str to sequence of Row
        Contacts of the instances that are drawn with their residues.
    """

    def __init__(self, job: Path, contacts: Mapping[str, Sequence[Row]]) -> None:
        self._job = job
        self._contacts = contacts

    def of_ligand(self, stem: str, style: str) -> str:
        """Return a depiction of an instance, empty when it has none."""
        if style == "interactions":
            return self._shown(layout.ligand_svg(stem, "plain"), partial(self._amid, stem))
        name = f"plain-{stem}" if style == "plain" else ""
        return self._shown(layout.ligand_svg(stem, style), partial(inline_svg, label=f"{stem}, {style}", name=name))

    def linked(self, stem: str, style: str) -> str:
        """Return an image that links to a depiction from a further page, empty when there is none."""
        path = layout.ligand_svg(stem, style)
        if not (self._job / path).is_file():
            return ""
        source = quote(path.removeprefix(f"{layout.RESULTS}/"))
        return f'<img src="../{source}" alt="{escape(stem)}, {style}" loading="lazy">'

    def of_core(self, series: str) -> str:
        """Return the depiction of a series' core with its numbers, empty when it has none."""
        path = f"{layout.SERIES_FOLDER}/{series}.svg"
        return self._shown(path, partial(inline_svg, label=TEXTS.figures.core.plain(series=series), numbered=True))

    def _amid(self, stem: str, plain: Depiction) -> str:
        """Return an instance with its residues, around the plain depiction that the report already contains."""
        ligand = f'<use href="#plain-{escape(stem)}" width="{plain.width:.0f}" height="{plain.height:.0f}"/>'
        title, box, parts = amid_residues(plain, self._contacts.get(stem, ()), HEADLINE_CONTEXT, ligand)
        view = " ".join(f"{value:.0f}" for value in box)
        opening = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" role="img" aria-label="{escape(title)}">'
        return "".join([opening, *parts, "</svg>"])

    def _shown(self, path: str, draw: Callable[[Depiction], str]) -> str:
        try:
            return draw(load_depiction(self._job / path))
        except (OSError, ValueError) as error:
            log.warning("%s is left out of the report: %s", path, error)
            return ""
