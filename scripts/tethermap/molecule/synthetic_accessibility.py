"""RDKit's score of synthetic accessibility, its fragments looked up in a mapped file instead of all read.

Ertl & Schuffenhauer 2009 (doi:10.1186/1758-2946-1-8), as in RDKit's Contrib folder, which unpickles 700,000
fragments for a score that needs forty. The file with the same numbers, sorted, is made at set-up.
"""

import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from rdkit import Chem
from rdkit.Chem import RDConfig

from tethermap.base.arrays import FloatArray
from tethermap.molecule.prepared import prepared

_SCORES = "_fscores"
"""Attribute of RDKit's scorer with the scores of fragments."""


def synthetic_accessibility(mol: Chem.Mol) -> float:
    """Return the score of a molecule, from 1 (easy) to 10."""
    return float(_scorer().calculateScore(mol))


def fragments(*, again: bool = False) -> FloatArray:
    """Return the numbers of all fragments, ascending, and their scores, shape (2, n_fragments).

    Parameters
    ----------
    again : bool
        Whether to write the file even if it exists.
    """
    return prepared("fragments", _of_rdkit, again=again)


def _of_rdkit() -> FloatArray:
    scorer = _rdkit_scorer()
    scorer.readFragmentScores()
    scores: dict[int, float] = vars(scorer)[_SCORES]
    return np.array(sorted(scores.items()), dtype=np.float64).T.copy()


class FragmentScores:
    """The scores of fragments, with the interface for RDKit's scorer.

    Parameters
    ----------
    table : ndarray of float, shape (2, n_fragments)
        Result of `fragments`.
    """

    def __init__(self, table: FloatArray) -> None:
        self._fragments, self._scores = table

    def get(self, fragment: int, default: float) -> float:
        """Return the score of a fragment, the default for one that is not in the table."""
        place = int(self._fragments.searchsorted(fragment))
        known = place < len(self._fragments) and self._fragments[place] == fragment
        return float(self._scores[place]) if known else default


@cache
def _scorer() -> Any:
    scorer = _rdkit_scorer()
    vars(scorer)[_SCORES] = FragmentScores(fragments())
    return scorer


def _rdkit_scorer() -> Any:
    """Load RDKit's scorer, which is outside its package in some builds."""
    path = Path(RDConfig.RDContribDir) / "SA_Score" / "sascorer.py"
    specification = importlib.util.spec_from_file_location("sascorer", path)
    if specification is None or specification.loader is None:
        raise FileNotFoundError(f"RDKit was built without its Contrib folder: {path} is missing")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module
