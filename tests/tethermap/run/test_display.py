import io

import pytest

from tethermap.run.display import ProgressDisplay, progress_line
from tethermap.run.progress import Progress


@pytest.mark.parametrize(
    ("progress", "step", "line"),
    [
        (Progress(), "search_entries", "Tethermap: searching"),
        (
            Progress(5, 3, 2, 1, {"measure_sasa": 2}),
            "measure_sasa",
            "Tethermap: 5 entries found, 3 done (2 kept, 1 rejected); measuring exposure and exits 2/5",
        ),
        (Progress(1, 1, 1, 0), "build_tables", "Tethermap: 1 entry found, 1 done (1 kept, 0 rejected); writing tables"),
        (
            Progress(1, ligands=500, ligands_done=137),
            "match_ligands",
            "Tethermap: 1 entry found, 0 done (0 kept, 0 rejected); building ligands, ligand 137 of 500",
        ),
    ],
)
def test_line_shows_entries_and_step(progress: Progress, step: str, line: str) -> None:
    assert progress_line(progress, step) == line


@pytest.mark.parametrize(
    ("live", "lines", "written"),
    [
        (True, ["one", "two"], "\r\x1b[Kone\r\x1b[Ktwo\r\x1b[Ktwo\n"),
        (False, ["one", "two", "three"], "one\nthree\n"),
        (False, [], ""),
    ],
)
def test_terminal_shows_one_line_in_place_and_a_file_gets_one_now_and_then_and_the_last(
    live: bool, lines: list[str], written: str
) -> None:
    stream = io.StringIO()
    display = ProgressDisplay(stream, live=live, seconds=1000)
    for line in lines:
        display.show(line)
    display.close()
    assert stream.getvalue() == written
