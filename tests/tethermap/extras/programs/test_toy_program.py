"""One module adds the input format of another program."""

import subprocess
import sys
from pathlib import Path

import pytest

import tethermap.extras.programs
from tests.tools.runs import ROOT
from tests.tools.small_job import small_job
from tethermap.base.records import part
from tethermap.base.tables import EXIT_VECTORS, read_table
from tethermap.extras.protac.on_demand import RequestedAnchor, inputs_of_anchor
from tethermap.extras.protac.programs import names, tools

MODULE = '''
"""The input of ToyDock: one line with the degrader's halves and their anchors."""

from tethermap.extras.protac.half import Halves
from tethermap.extras.protac.program import Program


def line(halves: Halves) -> dict[str, str]:
    words = [f"{half.side.name} {half.smiles} {half.warhead.anchor}" for half in halves.ordered]
    return {"toydock/input.txt": " ".join(words) + "\\n"}


PROGRAM = Program(lambda *_: "ToyDock: toydock input.txt\\n", halves=line)
'''
STEM = "2abc_B_017_-3"


def test_module_in_the_folder_is_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "toydock.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.setattr(tethermap.extras.programs, "__path__", [*tethermap.extras.programs.__path__, str(tmp_path)])
    assert tools()[-2:] == ("toydock", "json")
    job = small_job(tmp_path / "job").path
    rows = read_table(part(job, "0", "measure_sasa/exits"), EXIT_VECTORS)
    anchor = next(str(row["anchor_atom"]) for row in rows if row["stem"] == STEM and row["rank"])
    files = inputs_of_anchor(RequestedAnchor(job, STEM, anchor), ["toydock"])
    side, smiles, number = files["toydock/input.txt"].split()
    assert (side, smiles.count("[*]"), int(number) >= 0) == ("target", 1, True)
    assert files["toydock/README.txt"] == "ToyDock: toydock input.txt\n"
    everything = inputs_of_anchor(RequestedAnchor(job, STEM, anchor))
    assert {path.partition("/")[0] for path in everything} >= {"toydock", "prosettac", "p4ward"}


def test_names_of_programs_are_known_without_chemistry() -> None:
    code = "import sys; from tethermap.extras.protac.programs import tools; tools(); print('rdkit' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT / "scripts", capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
    assert names()[:3] == ("prosettac", "protac_ternary", "deepternary")
