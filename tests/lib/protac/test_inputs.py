from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scripts.lib import layout
from scripts.lib.exits.graph import ligand_graph
from scripts.lib.exits.rank import rank_candidates
from scripts.lib.exits.rows import exit_rows
from scripts.lib.protac.inputs import InputMaker
from scripts.lib.protac.ligand import Ligand
from scripts.lib.protac.side import TARGET
from scripts.lib.tables import Row
from tests.tools.exits import embedded, surroundings


def made(atoms_missing: tuple[str, ...], *, ranked: bool = True) -> tuple[str, list[Row]]:
    """Return the README and the rows of a ligand of which some atoms were not observed."""
    instance, molecule = embedded("CCNc1ccccc1")
    molecule = replace(molecule, atoms_missing=atoms_missing)
    graph = ligand_graph(molecule)
    found = rank_candidates(graph, surroundings(), np.zeros(len(graph))) if ranked else []
    rows = exit_rows("BRD4", instance, graph, found)
    exits = [(one, row) for one, row in zip(found, rows, strict=False) if one.rank]
    ligand = Ligand(instance, molecule, graph, exits)
    files, index = InputMaker(TARGET, 3, open_babel=False).make("BRD4", ligand, None)
    return files.get(f"{layout.protac_inputs(instance.stem)}/README.txt", ""), index


@pytest.mark.parametrize(
    ("missing", "told"),
    [(("C9", "N10"), "2 atoms were not observed: C9 N10;"), (("C9",), "1 atom was not observed: C9;")],
)
def test_atoms_that_were_not_observed_are_told_beside_the_heads_that_lack_them(
    missing: tuple[str, ...], told: str
) -> None:
    readme, rows = made(missing)
    assert told in readme
    assert len(readme.splitlines()) == 3
    assert {row["atoms_missing"] for row in rows} == {";".join(missing)}


def test_whole_ligand_has_no_word_on_what_was_not_observed() -> None:
    readme, rows = made(())
    assert "not observed" not in readme
    assert {row["atoms_missing"] for row in rows} == {""}


def test_ligand_without_inputs_tells_its_missing_atoms_too() -> None:
    assert [(row["reason"], row["atoms_missing"]) for row in made(("C9",), ranked=False)[1]] == [
        ("no_ranked_exit", "C9")
    ]
