"""Method of the SASA calculation."""

from __future__ import annotations

from dataclasses import dataclass

KERNEL, FREESASA = "kernel", "freesasa"
ENGINES = (KERNEL, FREESASA)
"""Programs that compute areas: the compiled loops of `tethermap.kernels`, and the FreeSASA library."""


@dataclass(frozen=True, slots=True)
class Method:
    """How the areas were computed, named in every output.

    Parameters
    ----------
    probe_radius : float
        In angstroms.
    slices : int
        Slices of each atom.
    engine : str
        Program that computed them, one of `ENGINES`.
    """

    probe_radius: float
    slices: int
    engine: str = KERNEL
