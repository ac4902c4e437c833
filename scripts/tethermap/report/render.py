"""The report as HTML, written part by part: Jinja2 template, style and script are in this folder."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from types import SimpleNamespace
from typing import Any

from tethermap.base import layout
from tethermap.base.config import leaves
from tethermap.base.reference import rows_of
from tethermap.exits.words import GRADE_WEIGHT, OPEN_FROM, affinity_text, copies_noun, published_text
from tethermap.fit.limits import limit
from tethermap.report import plots
from tethermap.report.content import CARDS_PER_PAGE, PLACES_AT_ONCE, ReportContent
from tethermap.report.methods import paragraphs
from tethermap.report.policy import digest
from tethermap.report.templating import TEMPLATES, environment, script
from tethermap.report.texts import TEXTS
from tethermap.run.software import versions
from tethermap.selfcheck.outcome import CHECKS

_T = TEXTS.figures

Depiction = Callable[[str, str], str]
"""Returns the markup of a picture of a stem in a style (``plain``, ``exposed``, ``exits``), empty if there is none."""


class CardPage(SimpleNamespace):
    """A page of the report with some of its cards: its path, the numbers of the first and the last card, the cards."""


def card_pages(content: ReportContent) -> list[CardPage]:
    """Return the pages of a report; the first is the report itself."""
    pages = []
    for number, begin in enumerate(range(0, max(1, len(content.cards)), CARDS_PER_PAGE), 1):
        path = layout.REPORT if number == 1 else layout.report_page(number)
        cards = content.cards[begin : begin + CARDS_PER_PAGE]
        pages.append(CardPage(path=path, first=begin + 1, last=begin + len(cards), cards=cards))
    return pages


def render_report(
    content: ReportContent,
    settings: Mapping[str, Any],
    query: Mapping[str, Any],
    depiction: Depiction,
    core_picture: Callable[[str], str],
) -> Iterator[str]:
    """Return the HTML of the report's first page part by part; the same arguments give the same text.

    Parameters
    ----------
    settings, query : mapping
        The job's settings (`tethermap.base.config.shown`) and its search as recorded.
    depiction : callable
        Returns the inline SVG of a stem in a style (``plain`` or ``exposed``), empty if there is none.
    core_picture : callable
        Returns the inline SVG of a series' core, empty if there is none.
    """
    first, *others = card_pages(content)
    return _page(
        "report.html.j2",
        content,
        depiction,
        cards=first.cards,
        pages=others,
        links=_links(content, [first, *others]),
        up="",
        report="",
        copies_noun=copies_noun,
        settings=settings,
        leaves=[(key, _setting(value)) for key, value in leaves(settings)],
        notes=query.get("notes", ()),
        check_sentences=CHECKS,
        versions=versions(),
        methods=paragraphs(settings),
        references=rows_of("citations"),
        open_from=f"{OPEN_FROM:g}",
        grade_weight=f"{GRADE_WEIGHT:g}",
        limits={name: f"{limit(name):g}" for name in ("rscc_poor", "rsr_poor")},
        core_picture=core_picture,
        figures=_figures(content),
        columns=_columns(content),
        affinity=affinity_text,
        published=published_text,
        at_once=PLACES_AT_ONCE,
    )


def render_pages(content: ReportContent, depiction: Depiction) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield path and HTML of each further page of the report."""
    _, *others = card_pages(content)
    up, report = "../", f"../{PurePosixPath(layout.REPORT).name}"
    for page in others:
        html = _page(
            "ligands.html.j2", content, depiction, "pictures.css", page=page, pages=others, up=up, report=report
        )
        yield page.path, html


def _page(template: str, content: ReportContent, depiction: Depiction, *styles: str, **values: Any) -> Iterator[str]:
    """Return the HTML of a page, whose policy allows its style, its script and, with further styles, images."""
    style = "".join((TEMPLATES / name).read_text(encoding="utf-8") for name in ("report.css", *styles))
    own = f"style-src {digest(style)}; script-src {digest(script())}"
    policy = f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"
    return environment().get_template(template).generate(
        content=content,
        depiction=depiction,
        style=style,
        script=script(),
        policy=f"{policy}; img-src 'self' file:" if styles else policy,
        shown_series=[view.row["series"] for view in content.series],
        **values,
    )  # fmt: skip


def _links(content: ReportContent, pages: Sequence[CardPage]) -> dict[str, str]:
    """Return the links to all cards from the report's first page, by components."""
    folder = f"{layout.RESULTS}/"
    paths = {page.path: "" if page.path == layout.REPORT else page.path.removeprefix(folder) for page in pages}
    places = {card.components: paths[page.path] for page in pages for card in page.cards}
    return {components: f"{places[components]}#{anchor}" for components, anchor in content.anchors.items()}


TABLE_COLUMNS = (
    *(("pdb_id", "text", 0), ("Chain", "text", 0), ("Warhead", "text", 0), ("Residue_ID", "number", 0)),
    *(("series", "text", 0), ("%Exposed", "number", 2), ("open", "number", 2), ("SASA_in_complex_A2", "number", 1)),
    *(("SASA_free_A2", "number", 1), ("resolution", "number", 2), ("RSCC", "number", 3), ("occupancy", "number", 2)),
    *(("mean_B", "number", 1), ("bond_source", "text", 0), ("flags", "text", 0)),
)
"""Columns of the report's table: column of Results_Display, how to sort, decimals."""


AFFINITY_COLUMNS = (
    *(("value_nM", "number", 3), ("affinity_type", "text", 0)),
    *(("ligand_efficiency", "number", 2), ("affinity_word", "text", 0)),
)
"""Columns of jobs with measured affinities."""


def _columns(content: ReportContent) -> tuple[tuple[str, str, int], ...]:
    measured = any(line.row.get("value_nM") for line in content.lines)
    return TABLE_COLUMNS + AFFINITY_COLUMNS if measured else TABLE_COLUMNS


def _figures(content: ReportContent) -> dict[str, Any]:
    shares = content.shares
    heat = {
        view.row["series"]: plots.heat_map(view.heat, view.columns, _T.heat_map.plain(series=view.row["series"]))
        for view in content.series
    }
    return {
        "entries": plots.funnel(content.entry_bars, _T.entries),
        "ligands": plots.funnel(content.ligand_bars, _T.ligands),
        "distribution": plots.histogram(shares["target"], _T.distribution, _T.open_share_of_target, _T.instances),
        "fit": plots.histogram(content.fit.rscc, _T.fit, _T.rscc, _T.instances),
        "contexts": plots.box_rows(list(shares.items()), _T.contexts, _T.open_share),
        "heat": heat,
        "ramp": plots.ramp(_T.buried, _T.open),
    }


def _setting(value: Any) -> str:
    """Return a setting as text."""
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "–"
    return "–" if value is None else str(value)
