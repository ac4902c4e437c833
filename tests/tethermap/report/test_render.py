from collections.abc import Mapping, Sequence

from tests.tethermap.report.test_content import line, rows_of
from tests.tethermap.report.test_directions import moved
from tethermap.base.config import resolve
from tethermap.base.tables import EXIT_ANSWERS, EXIT_CONSENSUS, OBSERVED_EXITS, RESULTS_TABLE, SUPERPOSITION, Row, Table
from tethermap.exits.words import OPEN_FROM
from tethermap.report.content import build_content
from tethermap.report.render import render_report


def report_of(tables: Mapping[Table, Sequence[Row]]) -> str:
    """Return the report of one ligand and the given tables, without pictures."""
    results: list[Row] = [{**dict.fromkeys(RESULTS_TABLE.names), **line().row}]
    content = build_content("x", rows_of({RESULTS_TABLE: results, **tables}))
    settings = resolve({"target_name": "x", "search_query": "y", "source": {"kind": "archive"}})
    return "".join(render_report(content, settings, {}, lambda *_: "", lambda _: ""))


def directions_of(*consensus: Row) -> str:
    """Return the report of a group of two entries from its directions on."""
    nothing: Row = dict.fromkeys(EXIT_CONSENSUS.names)
    rows = [{**nothing, "group": "G1", **row} for row in consensus]
    both = [moved("G1", "1aaa"), moved("G1", "2bbb")]
    html = report_of({SUPERPOSITION: both, EXIT_CONSENSUS: rows})
    return html.partition('<section id="directions">')[2]


def test_open_direction_has_room_and_a_way_out() -> None:
    html = directions_of({"direction": "G1-1", "n_entries_open": 1, "n_entries_present": 2, "anchors": "LIG:C1"})
    assert '<td class="n">1 of 2</td>' in html
    assert f"have an open one: its room and its way out are at least {OPEN_FROM}." in html
    assert "it has a way out" not in html


def test_all_places_are_in_the_report_the_first_at_once() -> None:
    nothing: Row = dict.fromkeys(EXIT_ANSWERS.names)
    good: Row = {**nothing, "answer_rank": 1, "site": "main", "kind": "H", "n_open": 1, "n_copies": 1}
    answers = [{**good, "action": f"Attach at C{number}."} for number in range(12)]
    html = report_of({EXIT_ANSWERS: answers})
    assert html.index("Attach at C9.") < html.index("<summary>2 more</summary>") < html.index("Attach at C10.")
    assert "Attach at C11." in html


def test_best_places_have_their_rank_and_degraders_their_range() -> None:
    nothing: Row = dict.fromkeys(EXIT_ANSWERS.names)
    answers = [
        {**nothing, "answer_rank": 1, "site": "main", "action": "Attach at C7", "n_open": 2, "n_copies": 3},
        {**nothing, "answer_rank": 1, "site": "main", "action": "No good way out", "n_open": 1, "n_copies": 3},
        nothing,
    ]
    bonds: Row = {"side": "target", "anchor_atom": "N1", "alternatives": "C1-N1;C2-C3"}
    seen = {**dict.fromkeys(OBSERVED_EXITS.names), **bonds}
    html = report_of({EXIT_ANSWERS: answers, OBSERVED_EXITS: [seen]})
    places = html.partition('<section id="places">')[2].partition("</section>")[0]
    assert places.count("<tr>") == 6
    assert places.index("Attach at C7") < places.index("not recommended") < places.index("No good way out")
    assert "Attach at C7" in places
    assert "2 of 3" in places
    assert "C1-N1, C2-C3" in places
