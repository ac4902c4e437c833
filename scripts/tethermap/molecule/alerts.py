"""Structural alerts of molecules, by RDKit's filter catalogues.

PAINS (Baell & Holloway 2010, doi:10.1021/jm901137j), Brenk et al. 2008 (doi:10.1002/cmdc.200700139), and those of QED
(Bickerton et al. 2012, doi:10.1038/nchem.1243). Fingerprints are compared with those of the patterns first, which
leaves few to match.
"""

import csv
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rdkit import Chem, DataStructs, RDConfig
from rdkit.Chem import QED, FilterCatalog

from tethermap.molecule.prepared import prepared

NO_HITS = "none"
"""Text of a column of alerts if there is none, so that it differs from "not computed"."""

_PATTERNS = Path(RDConfig.RDDataDir, "Pains", "wehi_pains.csv")
"""The patterns of RDKit's catalogue as SMARTS, each with its name as ``<regId=name>``."""

_N_BITS = 2048

_Bits = npt.NDArray[np.uint8]


def alerts(mol: Chem.Mol) -> tuple[str, str, int]:
    """Return the names of a molecule's alerts of PAINS and of Brenk et al., joined by ``; ``, and the number of QED's.

    >>> alerts(Chem.MolFromSmiles("Oc1ccccc1O"))
    ('catechol_A(92)', 'catechol', 1)
    """
    entries, bits = _pains()
    possible = np.flatnonzero(~(bits & ~_bits(mol)).any(axis=1)).tolist()  # by the fingerprint of the molecule
    return (
        _joined(entries[k] for k in possible if k < len(entries) and entries[k].HasFilterMatch(mol)),
        _joined(_catalogue("BRENK").GetMatches(mol)),
        sum(mol.HasSubstructMatch(QED.StructuralAlerts[k - len(entries)]) for k in possible if k >= len(entries)),
    )


def _joined(entries: Any) -> str:
    return "; ".join(sorted({entry.GetDescription() for entry in entries})) or NO_HITS


@cache
def _pains() -> tuple[list[FilterCatalog.FilterCatalogEntry], _Bits]:
    """Return the entries of PAINS, and `pattern_bits`."""
    catalogue = _catalogue("PAINS")
    return [catalogue.GetEntryWithIdx(k) for k in range(catalogue.GetNumEntries())], pattern_bits()


def pattern_bits(*, again: bool = False) -> _Bits:
    """Return the fingerprints of the patterns of PAINS, then of QED; an unknown fingerprint excludes nothing.

    Parameters
    ----------
    again : bool
        Whether to write their file even if it exists.
    """
    return prepared("alerts", _of_patterns, again=again)


def _of_patterns() -> _Bits:
    with _PATTERNS.open(encoding="utf-8", newline="") as stream:
        smarts = {name.removeprefix("<regId=").removesuffix(">"): text for text, name in csv.reader(stream)}
    catalogue = _catalogue("PAINS")
    names = (catalogue.GetEntryWithIdx(k).GetDescription() for k in range(catalogue.GetNumEntries()))
    # a molecule has no drawn hydrogens; a pattern without bits excludes nothing
    patterns = [Chem.MolFromSmarts(smarts.get(name, ""), mergeHs=True) for name in names]
    return np.stack([_bits(pattern) for pattern in (*patterns, *map(Chem.Mol, QED.StructuralAlerts))])


def _bits(mol: Chem.Mol) -> _Bits:
    """Return RDKit's fingerprint for the screening of substructures, eight bits each, shape (n_bits // 8,)."""
    return np.frombuffer(DataStructs.BitVectToBinaryText(Chem.PatternFingerprint(mol, _N_BITS)), dtype=np.uint8)


@cache
def _catalogue(name: str) -> FilterCatalog.FilterCatalog:
    parameters = FilterCatalog.FilterCatalogParams()
    parameters.AddCatalog(getattr(FilterCatalog.FilterCatalogParams.FilterCatalogs, name))
    return FilterCatalog.FilterCatalog(parameters)
