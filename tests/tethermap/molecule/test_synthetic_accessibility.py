from pathlib import Path

import numpy as np
import pytest
from rdkit import Chem

from tethermap.base.component_index import INDEX_VARIABLE
from tethermap.molecule import synthetic_accessibility as module


def test_fragments_are_found_by_number_and_others_have_the_default() -> None:
    scores = module.FragmentScores(np.array([[3.0, 7.0, 4294962778.0], [0.5, -1.25, 2.0]]))
    assert [scores.get(n, -4.0) for n in (3, 7, 4294962778, 5, 4294962779)] == [0.5, -1.25, 2.0, -4.0, -4.0]


def test_score_is_that_of_rdkits_own_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mapped, whole = module._rdkit_scorer(), module._rdkit_scorer()
    whole.readFragmentScores()
    monkeypatch.setattr(whole, "readFragmentScores", lambda: None)  # takes a second
    monkeypatch.setattr(module, "_rdkit_scorer", lambda: whole)
    monkeypatch.setenv(INDEX_VARIABLE, str(tmp_path / "components.sqlite"))
    module.fragments(again=True)
    vars(mapped)["_fscores"] = module.FragmentScores(module.fragments())
    for smiles in ("CC(=O)Oc1ccccc1C(=O)O", "C1CCC2(CC1)OCCO2", "[Zn]", "CC(C)Cn1c(=O)n(C)c2nc[nH]c2c1=O"):
        mol = Chem.MolFromSmiles(smiles)
        assert mapped.calculateScore(mol) == whole.calculateScore(mol)
        assert module.synthetic_accessibility(mol) == whole.calculateScore(mol)
