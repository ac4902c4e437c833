"""Fit of a residue, of a ligand and of an entry to the experiment."""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from tethermap.base.reference import rows_of

ASSESSED, NOT_ASSESSED, NO_REPORT = "assessed", "not_assessed", "no_report"
"""Whether there is a fit to density: reported; missing in the report (NMR, EM, no structure factors); no report."""


class FitValue(NamedTuple):
    """A row of ``fit_values.csv``: a value of a residue, an entry or Mogul, and its name in reports and tables."""

    of: str
    name: str
    kind: str
    mmcif: str
    xml: str
    column: str


@cache
def fit_values(*of: str) -> tuple[FitValue, ...]:
    """Return the values of residues, entries or Mogul.

    >>> [value.column for value in fit_values("mogul") if value.kind == "number"]
    ['mogul_bonds_RMSZ', 'mogul_angles_RMSZ']
    """
    return tuple(FitValue(**row) for row in rows_of("fit_values") if row["of"] in of)


@dataclass(frozen=True, slots=True)
class ResidueFit:
    """Reported fit of one conformer of one residue; None if the report lacks a value, which is not zero.

    Parameters
    ----------
    rscc, rsr, rsrz : float or None
        Real-space correlation, real-space R and its Z score among residues of its kind (polymers only).
    n_atoms : int or None
        Atoms that these were measured over.
    mean_occupancy : float or None
        Mean occupancy of the residue's atoms.
    bonds_rmsz, angles_rmsz : float or None
        Root mean square of Mogul's Z scores.
    n_bonds, n_angles : int or None
        Mean occupancy and B factor of the residue.
    n_clashes : int or None
        Clashes that MolProbity lists with this residue; None if it was not run.
    edia_m, opia : float or None
        EDIAm, and the share of atoms with good density (Meyder et al. 2017, doi:10.1021/acs.jcim.7b00391).
    q_score, residue_inclusion : float or None
        Of electron microscopy: Q score (Pintilie et al. 2020, doi:10.1038/s41592-020-0731-1) and the share of
        atoms inside the contour level.
    """

    rscc: float | None = None
    rsr: float | None = None
    rsrz: float | None = None
    n_atoms: int | None = None
    mean_occupancy: float | None = None
    bonds_rmsz: float | None = None
    angles_rmsz: float | None = None
    n_bonds: int | None = None
    n_angles: int | None = None
    n_clashes: int | None = None
    edia_m: float | None = None
    opia: float | None = None
    q_score: float | None = None
    residue_inclusion: float | None = None

    @property
    def assessed(self) -> bool:
        """Whether the fit to density was measured."""
        return self.rscc is not None or self.rsr is not None


UNKNOWN = ResidueFit()
"""Fit of a residue that a report does not name."""


@dataclass(frozen=True, slots=True)
class EntryFit:
    """Reported fit of an entry; None if the report lacks a value.

    Parameters
    ----------
    r_free, r_free_recalculated : float or None
        As deposited, and by the wwPDB's own calculation (DCC).
    clashscore, percent_rsrz_outliers, data_completeness : float or None
        Clashes per thousand atoms; percentages.
    q_score, atom_inclusion : float or None
        Of electron microscopy, over all atoms.
    created : str
        Date of the report, as written in it: reports are renewed from time to time.
    """

    r_free: float | None = None
    r_free_recalculated: float | None = None
    clashscore: float | None = None
    percent_rsrz_outliers: float | None = None
    data_completeness: float | None = None
    q_score: float | None = None
    atom_inclusion: float | None = None
    created: str = ""


NO_ENTRY_FIT = EntryFit()
"""Fit of an entry without a report."""


@dataclass(frozen=True, slots=True)
class LigandFit:
    """The fit of an instance: as a whole and, for a linked group, of each residue.

    Parameters
    ----------
    status : str
        `ASSESSED`, `NOT_ASSESSED` or `NO_REPORT`.
    whole : ResidueFit
        Reported fit of one residue. Of several: RSCC, RSR, occupancy, EDIAm, OPIA, Q score and inclusion are means
        weighted by atoms, RMSZ are pooled over bonds and angles, atoms and clashes are added up.
    residues : tuple of ResidueFit
        One for each component; empty without a report.
    entry : EntryFit
        Fit of its entry.
    source : str
        Source of RSCC: ``report``, ``map`` (the user's); empty if there is none.
    atom_rscc : tuple of float or None
        RSCC of each heavy atom in a map of the user's own, in deposited order; empty without one.
    """

    status: str = NO_REPORT
    whole: ResidueFit = UNKNOWN
    residues: tuple[ResidueFit, ...] = ()
    entry: EntryFit = NO_ENTRY_FIT
    source: str = ""
    atom_rscc: tuple[float | None, ...] = ()


NO_FIT = LigandFit()
"""Fit of an instance whose entry has no report."""
