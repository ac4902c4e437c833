import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tools.exits import embedded, surroundings
from tethermap.base.tables import EXIT_VECTORS, Row, read_table, write_table
from tethermap.exits.graph import ligand_graph
from tethermap.exits.rank import rank_candidates
from tethermap.exits.rows import exit_rows
from tethermap.extras.protac.inputs import InputMaker
from tethermap.extras.protac.ligand import RankedLigand, ranked_exits
from tethermap.extras.protac.round_trip import LOST, OUTCOMES, SAME, OpenBabel, open_babel
from tethermap.extras.protac.side import TARGET


def inputs(
    folder: Path, smiles: str, babel: OpenBabel | None = None, **options: Any
) -> tuple[dict[str, str], list[Row]]:
    """Return the files and the rows of a ligand for its best exits."""
    ligand = ligand_with_exits(folder, smiles, **options)
    return InputMaker("BRD4", TARGET, babel=babel).make(ligand, None, ligand.best_of_sites(3))[:2]


def ligand_with_exits(
    folder: Path, smiles: str, *, atoms_missing: tuple[str, ...] = (), ranked: bool = True, around: Any = None
) -> RankedLigand:
    instance, molecule = embedded(smiles)
    molecule = replace(molecule, atoms_missing=atoms_missing)
    graph = ligand_graph(molecule)
    found = rank_candidates(graph, around or surroundings(), np.zeros(len(graph))) if ranked else []
    write_table(folder / "exits.csv", EXIT_VECTORS, exit_rows("BRD4", instance, graph, found))
    return RankedLigand(instance, molecule, graph, ranked_exits(graph, read_table(folder / "exits.csv", EXIT_VECTORS)))


def test_copies_whose_atoms_have_another_order_do_not_share_smiles(tmp_path: Path) -> None:
    maker = InputMaker("BRD4", TARGET)
    for smiles, order in (("CCc1ccc(C)cc1", range(9)), ("Cc1ccc(CC)cc1", (6, 5, 4, 3, 2, 1, 0, 8, 7))):
        ligand = ligand_with_exits(tmp_path, smiles)
        assert ligand.graph.names == tuple(f"C{k}" for k in range(1, 10))
        molecule = replace(ligand.molecule, observed_smiles="CCc1ccc(C)cc1", smiles_index=np.array(order))
        ligand = replace(ligand, molecule=molecule)
        chosen = ligand.best_of_sites(3)
        assert maker.make(ligand, None, chosen)[:2] == InputMaker("BRD4", TARGET).make(ligand, None, chosen)[:2]


@pytest.mark.parametrize(
    ("missing", "told"),
    [(("C9", "N10"), "2 atoms were not observed: C9 N10;"), (("C9",), "1 atom was not observed: C9;"), ((), "")],
)
def test_unobserved_atoms_are_listed_with_the_heads_that_lack_them(
    tmp_path: Path, missing: tuple[str, ...], told: str
) -> None:
    files, rows = inputs(tmp_path, "CCNc1ccccc1", atoms_missing=missing)
    readme = files["README.txt"]
    assert told in readme
    assert ("not observed" in readme) == bool(missing)
    assert len(readme.splitlines()) == 3
    assert {row["atoms_missing"] for row in rows} == {";".join(missing)}


def test_ligand_without_inputs_also_lists_its_missing_atoms(tmp_path: Path) -> None:
    files, (row,) = inputs(tmp_path, "CCNc1ccccc1", atoms_missing=("C9",), ranked=False)
    assert (files, row["reason"], row["atoms_missing"]) == ({}, "no_ranked_exit", "C9")


@pytest.mark.parametrize(
    ("smiles", "outcomes"), [("COc1nc(N)nc2[nH]cnc12", {LOST, SAME}), ("Cn1ccc2c(OC)cccc21", {SAME})]
)
def test_head_that_prosettac_cannot_find_in_its_copy_is_named_in_json_and_readme(
    tmp_path: Path, smiles: str, outcomes: set[str]
) -> None:
    """Open Babel takes a guanine cut at its oxygen for a ketone."""
    babel = open_babel()
    if babel is None:
        pytest.skip("Open Babel is not installed")
    files, _ = inputs(tmp_path, smiles, babel)
    checked = [
        one["files"]["prosettac"]["open_babel"] for one in json.loads(files["exits.json"])["exits"] if "files" in one
    ]
    assert {one["outcome"] for one in checked} == outcomes
    assert {one["version"] for one in checked} == {babel.version}
    readme = files["prosettac/README.txt"]
    assert (OUTCOMES[LOST] in readme) == (LOST in outcomes)
    assert f"With Open Babel {babel.version}: " in readme


def test_inputs_do_not_name_open_babel_by_default(tmp_path: Path) -> None:
    files, rows = inputs(tmp_path, "COc1nc(N)nc2[nH]cnc12")
    assert "open_babel" not in files["exits.json"]
    assert "open_babel" not in rows[0]
    assert "The conversion was not tried." in files["prosettac/README.txt"]
