import re
from xml.etree import ElementTree

import numpy as np
import pytest

from tethermap.drawing.ramp import exposure_colour
from tethermap.report import plots
from tethermap.report.plots import Bar

NAN = float("nan")
ALL = [
    plots.funnel([Bar("found", 10), Bar("kept <1>", 0, "10 left out")], "a & b"),
    plots.funnel([], "none"),
    plots.histogram(np.array([0.1, 0.15, NAN, 1.2]), "t", "x", "y"),
    plots.histogram(np.array([]), "t", "x", "y"),
    plots.box_rows([("chain", np.array([0.1, 0.5])), ("crystal", np.array([NAN]))], "t", "x"),
    plots.heat_map([("LIG 1abc", np.array([0.0, NAN]))], ["C1", "O2"], "t"),
    plots.ramp("buried", "open"),
]


@pytest.mark.parametrize("svg", ALL, ids=range(len(ALL)))
def test_plots_are_well_formed_and_need_neither_styles_nor_ids(svg: str) -> None:
    root = ElementTree.fromstring(svg)
    assert root.get("aria-label")
    assert not re.search(r"style=|\bid=|<script|nan", svg)


def test_bars_are_as_long_as_their_values() -> None:
    svg = plots.funnel([Bar("found", 10), Bar("kept", 5)], "t")
    full, half = (float(width) for width in re.findall(r'<rect [^>]*width="([\d.]+)"', svg))
    assert half == pytest.approx(full / 2, abs=0.1)


def test_histogram_counts_values_and_leaves_out_unknown_ones() -> None:
    svg = plots.histogram(np.array([0.01, 0.02, 0.5, NAN]), "t", "x", "y")
    assert "0.00 to 0.05: 2" in svg
    assert sum(int(count) for count in re.findall(r"to [\d.]+: (\d+)", svg)) == 3


def test_box_names_median_and_number() -> None:
    assert "chain: median 0.50, n = 3" in plots.box_rows([("chain", np.array([0.1, 0.5, 0.9, NAN]))], "t", "x")


def test_heat_map_colours_cells_by_value_and_leaves_unknown_ones_empty() -> None:
    svg = plots.heat_map([("row", np.array([0.0, 1.0, NAN]))], ["a", "b", "c"], "t")
    assert re.findall(r'fill="(#\w+)"', svg) == [exposure_colour(0.0), exposure_colour(1.0)]
    assert svg.count('class="missing"') == 1


@pytest.mark.parametrize(("value", "top"), [(0, 4), (1, 4), (5, 8), (13, 20), (21, 40), (121, 200), (1999, 2000)])
def test_axes_end_at_round_numbers(value: int, top: int) -> None:
    assert plots._round_up(value) == top
