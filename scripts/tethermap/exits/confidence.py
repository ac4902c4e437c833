"""Frequency with which the first site is correct, by features of the answer, measured on published degraders.

`MEASURED` is the calibration table of ``make bench-exits``. A word is used only for bins of enough ligands whose
intervals do not overlap.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tethermap.exits.prior import PRIOR
from tethermap.exits.words import MOSTLY

FEWEST_LIGANDS = 10
"""Fewest ligands of a bin that has a word."""

HIGH_SCORE, COMMON_CLASS = 2.0, 0.5
"""Score and prior of the chemistry that divide the bins."""


class Bin(NamedTuple):
    """A class of answers: open in most copies or not, high score or not, common chemistry or not."""

    open: bool
    high_score: bool
    common: bool

    def __str__(self) -> str:
        opening = "open" if self.open else "blocked"
        score = f"score {'from' if self.high_score else 'below'} {HIGH_SCORE:g}"
        return f"{opening}, {score}, {'common' if self.common else 'rare'} chemistry"


@dataclass(frozen=True, slots=True)
class Share:
    """Share of ligands in a bin whose first place is right, with its 95 % interval."""

    n_ligands: int
    right: float
    low: float
    high: float


def bin_of(score: float, open_share: float, chem_class: str) -> Bin:
    """Return the bin of a place.

    Parameters
    ----------
    open_share : float
        Share of the copies in which it is open.
    chem_class : str
        A key of `tethermap.exits.prior.PRIOR`.
    """
    return Bin(open_share >= MOSTLY, score >= HIGH_SCORE, PRIOR[chem_class] >= COMMON_CLASS)


def words_of(measured: Mapping[Bin, Share]) -> dict[Bin, str]:
    """Return the word of each bin that earns one: high, low, and medium between them.

    Examples
    --------
    >>> good, bad = Bin(True, True, True), Bin(False, False, False)
    >>> words_of({good: Share(12, 0.9, 0.7, 1.0), bad: Share(11, 0.3, 0.1, 0.6)}) == {good: "high", bad: "low"}
    True
    >>> words_of({good: Share(12, 0.9, 0.7, 1.0), bad: Share(11, 0.5, 0.2, 0.8)})
    {}
    """
    sure = {one: share for one, share in measured.items() if share.n_ligands >= FEWEST_LIGANDS}
    if not sure:
        return {}
    best, worst = (choose(sure, key=lambda one: sure[one].right) for choose in (max, min))
    if sure[worst].high >= sure[best].low:
        return {}
    between = [one for one in sure if sure[worst].high < sure[one].low and sure[one].high < sure[best].low]
    return {best: "high", **dict.fromkeys(between, "medium"), worst: "low"}


MEASURED: Mapping[Bin, Share] = {
    Bin(open=True, high_score=True, common=True): Share(8, 0.62, 0.29, 0.90),
    Bin(open=True, high_score=False, common=True): Share(1, 1.0, 1.0, 1.0),
    Bin(open=True, high_score=False, common=False): Share(3, 0.67, 0.0, 1.0),
    Bin(open=False, high_score=False, common=True): Share(1, 1.0, 1.0, 1.0),
}
"""Shares by bin, as `make bench-exits` prints them; with 13 ligands in the mirror of the tests no bin has a word."""

_WORDS = words_of(MEASURED)


def confidence(score: float, open_share: float, chem_class: str) -> str:
    """Return the word of a place, as for `bin_of`; empty if too few ligands are known for one."""
    return _WORDS.get(bin_of(score, open_share, chem_class), "")
