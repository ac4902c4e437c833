"""What a job asks of the cleaning."""

from __future__ import annotations

from dataclasses import dataclass

from tethermap.entry.target_query import TargetQuery
from tethermap.exposure.method import KERNEL
from tethermap.exposure.sasa import Sasa


@dataclass(frozen=True, slots=True)
class CleanSettings:
    """What a job asks of the cleaning.

    Parameters
    ----------
    target : TargetQuery
        What names the target.
    kinds : frozenset of str
        Kinds of het groups to keep.
    only_ligands, always_keep, named : frozenset of str
        Component codes: the only ones to keep (empty: all); those to keep whatever their kind;
        those that the query names.
    context : str
        What the cleaned complex holds: ``chain``, ``target``, ``assembly`` or ``entry``.
    keep_hydrogens : bool
        Whether deposited hydrogens are written to the cleaned complex.
    probe_radius : float
        Of the exposure, in angstroms; sets how far the neighbourhood reaches.
    engine : str
        Program that computes areas, one of `tethermap.exposure.method.ENGINES`.
    min_rscc, max_rfree : float or None
        Limits of the fit to the experiment; None for no limit.
    own_files : bool
        Whether the entry is a file of the user's: then what the dictionary cannot identify (UNL, UNK) is
        a ligand, and occupancies of zero, which simulation programs write, say nothing.
    predicted : bool
        Whether what is no experiment's is a prediction, whose B factors are confidences.
    """

    target: TargetQuery
    kinds: frozenset[str] = frozenset({"ligand"})
    only_ligands: frozenset[str] = frozenset()
    always_keep: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    context: str = "target"
    keep_hydrogens: bool = False
    probe_radius: float = 1.4
    engine: str = KERNEL
    min_rscc: float | None = None
    max_rfree: float | None = None
    own_files: bool = False
    predicted: bool = False

    def sasa(self, slices: int) -> Sasa:
        """Return the method that computes areas with a number of slices."""
        return Sasa(self.probe_radius, slices, self.engine)
