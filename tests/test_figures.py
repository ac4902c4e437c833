"""The file of measured figures, and the page made from it."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.tools import figures
from tests.tools.figures import Figure, Table


def record(*listed: Figure, calibration: float = 0.1) -> dict[str, Any]:
    """Return a section with these figures."""
    made = figures.section_record("make bench", listed, [Table("By stage", ["stage", "s"], [["a|b", 1.5]])], ["Noted."])
    return {**made, "calibration_seconds": calibration}


def test_page_of_benchmarks_agrees_with_the_file() -> None:
    assert figures.PAGE.read_text(encoding="utf-8") == figures.page(figures.load())


def test_every_section_of_the_file_is_valid_and_names_its_command() -> None:
    sections = figures.load()
    assert sections
    assert sections.keys() <= figures.SECTIONS.keys()
    assert all(one["command"].startswith("make ") and one["figures"] for one in sections.values())


@pytest.mark.parametrize(
    ("figure", "now", "calibration", "worse"),
    [
        (Figure("CPU", 100.0, "ms", "cpu"), 190.0, 0.2, []),
        (Figure("CPU", 100.0, "ms", "cpu"), 240.0, 0.2, ["exits: CPU: 100 -> 240 ms (+20% after calibration)"]),
        (Figure("hits", 0.9, kind="share"), 0.7, 0.1, ["exits: hits: 0.9 -> 0.7 (-22%)"]),
        (Figure("hits", 0.7, kind="share"), 0.9, 0.1, []),
        (Figure("clock", 1.0, "s", "wall"), 9.0, 0.1, []),
    ],
)
def test_a_figure_is_worse_by_its_kind(figure: Figure, now: float, calibration: float, worse: list[str]) -> None:
    later = record(replace(figure, value=now), calibration=calibration)
    assert list(figures.regressions("exits", record(figure), later)) == worse
    assert [*figures.regressions("exits", record(), later), *figures.regressions("exits", None, later)] == []


def test_section_shows_value_error_goal_and_a_goal_missed() -> None:
    lines = list(
        figures.section_lines(
            "soak",
            record(
                Figure("slope", np.float64(0.0123), "MB per job", error=0.004, at_most=0.01),
                Figure("jobs", 20_000, at_least=200),
            ),
        )
    )
    assert "| slope | 0.0123 ± 0.00400 MB per job | ≤ 0.0100 MB per job (missed) |" in lines
    assert "| jobs | 20,000 | ≥ 200 |" in lines
    assert "| | measured | goal |" in lines
    assert "| a\\|b | 1.50 |" in lines


def test_section_shows_the_earlier_value_if_it_was_measured_too() -> None:
    lines = list(figures.section_lines("pipeline", record(Figure("CPU", 2.0, "s", before=4.0), Figure("jobs", 3))))
    begin = lines.index("| | now | before |")
    assert lines[begin + 1 : begin + 4] == ["|---|---:|---:|", "| CPU | 2 s | 4 s |", "| jobs | 3 |  |"]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_figure_that_is_not_a_number_is_rejected(value: float) -> None:
    with pytest.raises(ValueError, match="no number"):
        record(Figure("odd", value))
