from __future__ import annotations

from scripts.lib.config import resolve
from scripts.lib.exits.rank import CLOSED_BELOW
from scripts.lib.exposure.ramp import exposure_colour
from scripts.lib.report.content import Tables, build_content
from scripts.lib.report.render import render_report
from scripts.lib.tables import EXIT_CONSENSUS, RESULTS_TABLE, Row
from scripts.lib.version import versions
from tests.lib.report.test_content import line
from tests.lib.report.test_directions import moved


def no_picture(*_: str) -> str:
    return ""


def directions_of(*consensus: Row) -> str:
    """Return the report of a group of two entries from its directions on."""
    nothing: Row = dict.fromkeys(EXIT_CONSENSUS.names)
    rows = [{**nothing, "group": "G1", **row} for row in consensus]
    both = [moved("G1", "1aaa"), moved("G1", "2bbb")]
    results: list[Row] = [{**dict.fromkeys(RESULTS_TABLE.names), **line().row}]
    content = build_content("x", Tables(results, [], [], [], [], [], superposition=both, consensus=rows))
    settings = resolve({"target_name": "x", "search_query": "y", "source": {"kind": "archive"}})
    html = render_report(content, settings, {}, versions(), no_picture, no_picture, exposure_colour)
    return html.partition('<section id="directions">')[2]


def test_open_direction_is_told_to_be_one_that_is_not_closed() -> None:
    html = directions_of({"direction": "G1-1", "n_entries_open": 1, "n_entries_present": 2, "anchors": "LIG:C1"})
    assert '<td class="n">1 of 2</td>' in html
    assert f"one is not closed: its room or its way out is at least {CLOSED_BELOW}." in html
    assert "it has a way out" not in html
