"""The declarations of all steps, and how few places a new intermediate or a new result column needs."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tools.parts import put, put_empty, rows_of_part, run_step
from tests.tools.runs import ROOT
from tests.tools.small_job import small_job
from tethermap.base import tables
from tethermap.base.records import entry_of, named_lines
from tethermap.base.tables import Column, Table, read_table
from tethermap.exposure.rows import summary_row
from tethermap.run import steps
from tethermap.run.shard_step import ShardStep
from tethermap.run.steps import LINES, STEPS, Step, load
from tethermap.run.task import Task

MOST_FILES = 12


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_declaration_names_existing_files(step: Step) -> None:
    assert callable(load(step.make))
    assert callable(load(step.settings))
    assert f'run("{step.name}", snakemake)' in (ROOT / "scripts" / f"{step.name}.py").read_text(encoding="utf-8")
    found = {"/".join(source) for source in step.sources(other.name for other in STEPS)}
    assert {read for read in step.reads if "*" not in read} <= found


def test_settings_of_steps_need_no_chemistry() -> None:
    # Snakemake's own process picks them at every start.
    text = f"import sys\nfrom tethermap.run.steps import load\n[load(name) for name in {[s.settings for s in STEPS]}]\n"
    heavy = "print(sorted({'rdkit', 'numpy', 'gemmi', 'jinja2', 'httpx2'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", text + heavy], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


def test_shard_has_few_files(tmp_path: Path) -> None:
    put_empty(tmp_path, "0")
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) + 1 <= MOST_FILES  # and its entries


def write_notes(task: Task) -> None:
    with ShardStep(task) as step:
        for stem, _ in named_lines(task.part("clean_complexes/instances")):
            step.add("notes", f"a note on {stem}\n".encode())  # place 2: written


def count_notes(task: Task) -> None:
    with ShardStep(task) as step, task.part("match_ligands/notes").open("rb") as notes:
        for note in notes:
            step.add("geometry", {"stem": note.decode().split()[-1]})


@pytest.fixture
def with_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two steps that hand on a new intermediate."""

    def changed(step: Step) -> Step:
        if step.name == "match_ligands":  # place 1: declared as a part
            return replace(step, parts={"notes": LINES}, make=f"{__name__}:write_notes")
        if step.name == "measure_sasa":  # place 3: declared as read
            return replace(step, reads=("match_ligands/notes",), make=f"{__name__}:count_notes")
        return step

    declared = tuple(map(changed, STEPS))
    monkeypatch.setattr(steps, "STEPS", declared)
    for step in declared:
        monkeypatch.setitem(steps.STEP, step.name, step)


@pytest.mark.usefixtures("with_notes")
def test_new_intermediate_needs_three_places(tmp_path: Path) -> None:
    line = b'{"entry_id":"1abc","stem":"1abc_A_LIG_1"}\n'
    assert entry_of(line) == "1abc"
    put(tmp_path, "0", "clean_complexes/instances", line)
    run_step("match_ligands", tmp_path)
    run_step("measure_sasa", tmp_path)
    assert [row["stem"] for row in rows_of_part(tmp_path, "0", "measure_sasa/geometry")] == ["1abc_A_LIG_1"]


@pytest.fixture
def add_column() -> Iterator[Callable[[Table, Column], None]]:
    """Add a column to a table, for this test only."""
    before: dict[str, tuple[Table, tuple[Column, ...]]] = {}

    def add(table: Table, column: Column) -> None:
        before.setdefault(table.path, (table, table.columns))
        object.__setattr__(table, "columns", (*table.columns[:-1], column, table.columns[-1]))

    yield add
    for table, columns in before.values():
        object.__setattr__(table, "columns", columns)


def test_new_result_column_needs_two_places(
    tmp_path: Path, add_column: Callable[[Table, Column], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    add_column(tables.SASA_SUMMARY, Column("rings", "integer"))  # place 1: the table
    with_rings = "tethermap.steps.measuring.summary_row", lambda *given: {**summary_row(*given), "rings": 2}
    monkeypatch.setattr(*with_rings)  # place 2: the row
    job = small_job(tmp_path).run("build_tables")
    rows = list(read_table(job.path / tables.SASA_SUMMARY.path, tables.SASA_SUMMARY))
    assert len(rows) == 5
    assert {row["rings"] for row in rows} == {2}
