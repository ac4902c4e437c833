"""Structural alerts of molecules, by RDKit's filter catalogues.

PAINS (Baell & Holloway 2010, doi:10.1021/jm901137j) and Brenk et al. 2008 (doi:10.1002/cmdc.200700139). For many
molecules, fingerprints are compared with those of the 480 patterns of PAINS first, which leaves few to match.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rdkit import Chem, DataStructs, RDConfig
from rdkit.Chem import FilterCatalog

NO_HITS = "none"
"""Text of a column of alerts if there is none, so that it differs from "not computed"."""

WORTH_SCREENING = 50
"""Least number of molecules for which the fingerprints of a catalogue's patterns save time."""

_PATTERNS = Path(RDConfig.RDDataDir, "Pains", "wehi_pains.csv")
"""The patterns of RDKit's catalogue as SMARTS, each with its name as ``<regId=name>``."""

_N_BITS = 2048

_Bits = npt.NDArray[np.uint8]


def pains(mol: Chem.Mol, *, screened: bool = False) -> str:
    """Return the alerts of PAINS of a molecule, joined by ``; ``.

    Parameters
    ----------
    screened : bool
        Whether fingerprints preselect the patterns: the same result, faster for many molecules.

    >>> pains(Chem.MolFromSmiles("Oc1ccccc1O")), pains(Chem.MolFromSmiles("CCO"), screened=True)
    ('catechol_A(92)', 'none')
    """
    if screened:
        entries, patterns = _screen()
        possible = np.flatnonzero(~(patterns & ~_bits(mol)).any(axis=1)).tolist()  # by the fingerprint of the molecule
        return _joined(entries[k] for k in possible if entries[k].HasFilterMatch(mol))
    return _joined(_catalogue("PAINS").GetMatches(mol))


def brenk(mol: Chem.Mol) -> str:
    """Return the alerts of Brenk et al. of a molecule, joined by ``; ``."""
    return _joined(_catalogue("BRENK").GetMatches(mol))


def _joined(entries: Any) -> str:
    return "; ".join(sorted({entry.GetDescription() for entry in entries})) or NO_HITS


@cache
def _screen() -> tuple[list[FilterCatalog.FilterCatalogEntry], _Bits]:
    """Return the entries of PAINS and the fingerprints of their patterns; an unknown fingerprint excludes nothing."""
    catalogue, patterns = _catalogue("PAINS"), _patterns()
    entries = [catalogue.GetEntryWithIdx(k) for k in range(catalogue.GetNumEntries())]
    unknown = np.zeros(_N_BITS // 8, dtype=np.uint8)
    return entries, np.stack([patterns.get(entry.GetDescription(), unknown) for entry in entries])


def _patterns() -> dict[str, _Bits]:
    """Return the fingerprint of each pattern by its name."""
    bits = {}
    with _PATTERNS.open(encoding="utf-8", newline="") as stream:
        for smarts, name in csv.reader(stream):
            pattern = Chem.MolFromSmarts(smarts, mergeHs=True)  # a molecule has no drawn hydrogens
            pattern.UpdatePropertyCache(strict=False)
            Chem.FastFindRings(pattern)
            bits[name.removeprefix("<regId=").removesuffix(">")] = _bits(pattern)
    return bits


def _bits(mol: Chem.Mol) -> _Bits:
    """Return RDKit's fingerprint for the screening of substructures, eight bits each, shape (n_bits // 8,)."""
    return np.frombuffer(DataStructs.BitVectToBinaryText(Chem.PatternFingerprint(mol, _N_BITS)), dtype=np.uint8)


@cache
def _catalogue(name: str) -> FilterCatalog.FilterCatalog:
    parameters = FilterCatalog.FilterCatalogParams()
    parameters.AddCatalog(getattr(FilterCatalog.FilterCatalogParams.FilterCatalogs, name))
    return FilterCatalog.FilterCatalog(parameters)
