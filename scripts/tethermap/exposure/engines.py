"""Lee-Richards areas of nested sets of atoms by FreeSASA, as a check on the compiled loop."""

import numpy as np

from tethermap.base.arrays import FloatArray, IntArray
from tethermap.base.errors import UserError


def freesasa_areas(
    xyz: FloatArray, radii: FloatArray, level: IntArray, n_levels: int, count: int, probe_radius: float, slices: int
) -> FloatArray:
    """Return the SASA of the first atoms in nested sets (Mitternacht 2016, doi:10.12688/f1000research.7931.1).

    Parameters
    ----------
    xyz, radii : ndarray of float, shapes (n_atoms, 3) and (n_atoms,)
        In angstroms.
    level : ndarray of int, shape (n_atoms,)
        Smallest set that contains each atom; a set contains those below it.
    n_levels : int
        Number of sets.
    count : int
        Number of leading atoms whose area is returned.
    probe_radius : float
        In angstroms.
    slices : int
        Slices of each atom.

    Returns
    -------
    ndarray of float, shape (n_levels, count)
        In square angstroms. If atoms coincide, the largest (then the first) gets the whole area.

    Raises
    ------
    UserError
        If FreeSASA is not installed.
    """
    try:
        import freesasa
    except ImportError:
        raise UserError(
            "sasa.engine is freesasa, and FreeSASA is not installed: install the package freesasa"
            " (freesasa-python with conda), or set sasa.engine to kernel.",
            kind="input",
        ) from None
    settings = {"algorithm": freesasa.LeeRichards, "n-slices": slices, "probe-radius": probe_radius, "n-threads": 1}
    parameters = freesasa.Parameters(settings)
    areas = np.zeros((n_levels, count))
    for k in range(n_levels):
        members = np.flatnonzero(level <= k)
        if k and not np.any(level == k):
            areas[k] = areas[k - 1]
            continue
        # FreeSASA gives coinciding atoms no area at all: the largest, then the first, represents them.
        by_size = members[np.lexsort((members, -radii[members]))]
        chosen = np.sort(by_size[np.unique(xyz[by_size], axis=0, return_index=True)[1]])
        result = freesasa.calcCoord(xyz[chosen].ravel().tolist(), radii[chosen].tolist(), parameters)
        for place, atom in enumerate(chosen[chosen < count].tolist()):
            areas[k, atom] = result.atomArea(place)
    return areas
