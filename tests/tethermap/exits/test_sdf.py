"""Exits in the SDF, read with RDKit only."""

import numpy as np
import pytest

from tests.tools.exits import embedded, sdf_molecule, surroundings
from tethermap.exits.arrows import best_of_sites
from tethermap.exits.graph import ligand_graph
from tethermap.exits.rank import rank_candidates
from tethermap.exits.sdf import exits_sdf
from tethermap.exposure.rows import SDF_LISTS


@pytest.mark.parametrize("smiles", ["O=C(OC(C)(C)C)CCCc1ccccc1", "CN1CCN(CC1)c1ccccc1", "[Cl-]"])
def test_fields_and_lists_name_the_atoms_of_the_ranking(smiles: str) -> None:
    instance, molecule = embedded(smiles)
    graph = ligand_graph(molecule)
    exits = rank_candidates(graph, surroundings(), np.zeros(len(graph)))
    atoms = [dict.fromkeys(SDF_LISTS.values(), 1.0) for _ in range(len(graph))]
    text = exits_sdf(instance, molecule, graph, exits, atoms, {})
    mol = sdf_molecule(text, hydrogens=True)
    ranks = {atom.GetIdx(): atom.GetIntProp("exit_rank") for atom in mol.GetAtoms() if atom.HasProp("exit_rank")}
    expected = {k: one.rank for one in exits if one.rank for k in (one.candidate.anchor, *one.equivalents)}
    assert ranks == expected
    shown = best_of_sites(exits, 5)
    assert {name for name in mol.GetPropNames() if name.startswith("exit_")} == {
        f"exit_{one.site_rank}" for one in shown
    }
    for one in shown:
        words = dict(word.split("=") for word in mol.GetProp(f"exit_{one.site_rank}").split())
        anchor = mol.GetAtomWithIdx(int(words["sdf_index"]))
        assert anchor.GetIdx() == one.candidate.anchor
        assert words["anchor"] == graph.names[anchor.GetIdx()]
        assert words["leaving"] == (",".join(graph.names[k] for k in one.candidate.leaving) or "H")
        assert anchor.GetDoubleProp("exit_score") == pytest.approx(float(words["score"]), abs=1e-4)
        assert float(words["E"]) + float(words["F"]) + 2 * float(words["prior"]) == pytest.approx(one.score, abs=1e-3)
        assert [float(x) for x in words["vector"].split(",")] == pytest.approx(
            one.opening.direction.tolist() if one.opening else [], abs=1e-4
        )
