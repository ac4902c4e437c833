"""A ranked exit and the evidence on it, as values."""

from dataclasses import dataclass

from tethermap.base.contexts import HEADLINE_CONTEXT
from tethermap.exits.candidates import Candidate
from tethermap.exits.geometry import Opening
from tethermap.exits.prior import PRIOR


@dataclass(frozen=True, slots=True)
class Evidence:
    """Experimental support of the atoms that fix an exit: the anchor and its neighbours.

    Parameters
    ----------
    grade : str
        ``A`` to ``D``.
    reasons : tuple of str
        Codes of `tethermap.base.reasons.EXIT_EVIDENCE` against it, the most serious first.
    occupancy : float
        The least of these atoms.
    b_iso : float
        Their mean B, in square angstroms.
    b_normalised : float
        B factor in standard deviations from the mean of the chain's Cα atoms; NaN if these don't vary.
    """

    grade: str
    reasons: tuple[str, ...]
    occupancy: float
    b_iso: float
    b_normalised: float


@dataclass(frozen=True, eq=False)
class Exit:
    """A candidate with its terms and its place in the ranking.

    Parameters
    ----------
    candidate : Candidate
        Proposed change of the ligand.
    chem_class : str
        Its chemistry, a key of `tethermap.exits.prior.PRIOR`.
    site : int
        Number of its exit site, from 1.
    opening : Opening or None
        Geometry of the exit; None if it can't be scored.
    area_lost : float
        Buried surface of the leaving group, in square angstroms.
    score : float
        NaN for one that can't be scored.
    hbonds_lost, hbonds_anchor : int
        Hydrogen bonds of the leaving group and of the anchor to the protein.
    rank, site_rank : int or None
        Of the anchor among anchors, from 1, and of its site among sites.
    equivalents : tuple of int
        Symmetry-equivalent anchors, which share the rank.
    closed : bool
        Whether the structure shows no open way out.
    reason : str
        Reason for a missing rank, a code of `tethermap.base.reasons.EXIT_REASONS`; empty if there is a rank.
    evidence : Evidence or None
        Support by the structure; None if the exit can't be scored or was not graded.
    """

    candidate: Candidate
    chem_class: str
    site: int
    opening: Opening | None = None
    area_lost: float = float("nan")
    score: float = float("nan")
    hbonds_lost: int = 0
    hbonds_anchor: int = 0
    rank: int | None = None
    site_rank: int | None = None
    equivalents: tuple[int, ...] = ()
    closed: bool = False
    reason: str = ""
    evidence: Evidence | None = None

    @property
    def prior(self) -> float:
        """Prior of its class."""
        return PRIOR[self.chem_class]

    @property
    def way_out(self) -> float:
        """Free share of the way out in the headline context; NaN for a candidate that was not scored."""
        return self.opening.way_out[HEADLINE_CONTEXT] if self.opening else float("nan")
