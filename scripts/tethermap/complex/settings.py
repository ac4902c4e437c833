"""Settings of the cleaning."""

from dataclasses import dataclass

from tethermap.entry.target_query import TargetQuery
from tethermap.exposure.method import KERNEL
from tethermap.exposure.sasa import Sasa


@dataclass(frozen=True, slots=True)
class CleanSettings:
    """Settings of the cleaning.

    Parameters
    ----------
    target : TargetQuery
        Criteria for the target.
    kinds : frozenset of str
        Kinds of het groups to keep.
    only_ligands, always_keep, named : frozenset of str
        Component codes: the only ones to accept (empty: all); those to accept regardless of their kind; those that the
        query names.
    context : str
        Content of the cleaned complex: ``chain``, ``target``, ``assembly`` or ``entry``.
    keep_hydrogens : bool
        Whether deposited hydrogens are written to the cleaned complex.
    probe_radius : float
        Of the exposure, in angstroms; sets how far the neighbourhood reaches.
    engine : str
        Program that computes areas, one of `tethermap.exposure.method.ENGINES`.
    min_rscc, max_rfree : float or None
        Limits of the fit to the experiment; None for no limit.
    own_files : bool
        Whether the entry is a file of the user: then components that the dictionary cannot identify (UNL, UNK) are
        ligands, except single atoms, and occupancies of zero, which simulation programs write, are ignored.
    predicted : bool
        Whether models without an experiment are predictions, whose B factors are confidences.
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
