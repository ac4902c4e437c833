"""Structural alerts of molecules, by RDKit's filter catalogues.

PAINS (Baell & Holloway 2010, doi:10.1021/jm901137j) and Brenk et al. 2008 (doi:10.1002/cmdc.200700139). Of many
molecules the fingerprints are compared with those of the 480 patterns of PAINS first: few are left to match.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from rdkit import Chem, DataStructs
from rdkit.Chem import FilterCatalog

NO_HITS = "none"
"""What a column of alerts holds when there is none, so that it differs from "not computed"."""

WORTH_SCREENING = 50
"""Molecules from which on the fingerprints of a catalogue's patterns cost less than they save."""

_PICKLE = b"\xef\xbe\xad\xde"
"""What a pickled molecule begins with; its size stands before it."""

_Bits = npt.NDArray[np.uint8]


def pains(mol: Chem.Mol, *, screened: bool = False) -> str:
    """Return the alerts of PAINS of a molecule, joined by ``; ``.

    Parameters
    ----------
    screened : bool
        Whether fingerprints tell first which patterns may match: the same answer, sooner where many are asked for.

    >>> pains(Chem.MolFromSmiles("Oc1ccccc1O")), pains(Chem.MolFromSmiles("CCO"), screened=True)
    ('catechol_A(92)', 'none')
    """
    if screened:
        return _joined(entry for entry in _possible(mol) if entry.HasFilterMatch(mol))
    return _joined(_catalogue("PAINS").GetMatches(mol))


def brenk(mol: Chem.Mol) -> str:
    """Return the alerts of Brenk et al. of a molecule, joined by ``; ``."""
    return _joined(_catalogue("BRENK").GetMatches(mol))


def _joined(entries: Any) -> str:
    return "; ".join(sorted({entry.GetDescription() for entry in entries})) or NO_HITS


def _possible(mol: Chem.Mol) -> list[FilterCatalog.FilterCatalogEntry]:
    """Return the entries of PAINS whose patterns the fingerprint of a molecule does not rule out."""
    entries, patterns = _screen()
    left: list[int] = np.flatnonzero(~(patterns & ~_bits(mol)).any(axis=1)).tolist()
    return [entries[k] for k in left]


@cache
def _screen() -> tuple[list[FilterCatalog.FilterCatalogEntry], _Bits]:
    """Return the entries of PAINS and the fingerprints of their patterns."""
    catalogue = _catalogue("PAINS")
    entries = [catalogue.GetEntryWithIdx(k) for k in range(catalogue.GetNumEntries())]
    return entries, np.stack([_bits(_pattern(entry)) for entry in entries])


def _pattern(entry: FilterCatalog.FilterCatalogEntry) -> Chem.Mol:
    """Return the pattern of an entry, which RDKit shows nowhere but in the entry's serialised form."""
    text = entry.Serialize()
    begin = text.index(_PICKLE)
    pattern = Chem.Mol(text[begin : begin + int(text[:begin].split()[-1])])
    pattern.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(pattern)
    return pattern


def _bits(mol: Chem.Mol) -> _Bits:
    """Return RDKit's fingerprint for the screening of substructures, shape (256,)."""
    return np.frombuffer(DataStructs.BitVectToBinaryText(Chem.PatternFingerprint(mol)), dtype=np.uint8)


@cache
def _catalogue(name: str) -> FilterCatalog.FilterCatalog:
    parameters = FilterCatalog.FilterCatalogParams()
    parameters.AddCatalog(getattr(FilterCatalog.FilterCatalogParams.FilterCatalogs, name))
    return FilterCatalog.FilterCatalog(parameters)
