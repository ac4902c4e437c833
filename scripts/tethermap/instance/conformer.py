"""Choice of one conformer among several: the best occupied one, by the same rule everywhere."""

import numpy as np

from tethermap.base.arrays import BoolArray, IntArray
from tethermap.base.tables import by_key
from tethermap.entry.atoms import Atoms

OCCUPANCY_DECIMALS = 3
"""Occupancies are compared at this precision; files give two or three decimals."""


def best_altloc(atoms: Atoms, members: IntArray, by_mean: bool = False) -> bytes:
    """Return the label of the best occupied conformer among some atoms.

    The highest summed occupancy wins; then the higher mean; then the alphabet. `by_mean` compares the mean first, for
    alternates of different size.

    Parameters
    ----------
    atoms : Atoms
        Atoms of the entry.
    members : ndarray of int, shape (n_members,)
        Atoms to judge by.

    Returns
    -------
    bytes
        Empty when none of the atoms has a label.
    """
    labels = atoms.altloc[members]

    def key(label: bytes) -> tuple[float, float]:
        occupancy = atoms.occupancy[members[labels == label]].astype(np.float64)
        total, mean = (round(float(value), OCCUPANCY_DECIMALS) for value in (occupancy.sum(), occupancy.mean()))
        return (mean, total) if by_mean else (total, mean)

    return max(map(bytes, np.unique(labels[labels != b""])), key=key, default=b"")


class Conformers:
    """The choice of conformer for every residue of an entry, given that of a ligand.

    Parameters
    ----------
    atoms : Atoms
        Atoms of the entry.
    """

    def __init__(self, atoms: Atoms) -> None:
        self._atoms = atoms
        self._masks: dict[bytes, BoolArray] = {}
        labelled = np.flatnonzero(atoms.altloc != b"")
        # Alternates of different components under one number are one site (microheterogeneity).
        columns = (atoms.label_asym_id, atoms.auth_seq_id, atoms.ins_code)
        keys = zip(*(column[labelled].tolist() for column in columns), strict=True)
        sites = by_key(zip(keys, labelled.tolist(), strict=True))
        self._sites = [np.array(members, dtype=np.int64) for members in sites.values()]
        several = [bool((atoms.residue[site] != atoms.residue[site[0]]).any()) for site in self._sites]
        self._best = [best_altloc(atoms, *one) for one in zip(self._sites, several, strict=True)]

    def mask(self, label: bytes) -> BoolArray:
        """Return the atoms of one consistent conformer of the whole entry.

        A residue has the given label if it exists in it, else its own best one.

        Parameters
        ----------
        label : bytes
            Label of the ligand's conformer, empty for none.

        Returns
        -------
        ndarray of bool, shape (n_atoms,)
        """
        if label not in self._masks:
            chosen = self._atoms.altloc == b""
            for members, best in zip(self._sites, self._best, strict=True):
                labels = self._atoms.altloc[members]
                chosen_label = label if label and (labels == label).any() else best
                chosen[members[labels == chosen_label]] = True
            self._masks[label] = chosen
        return self._masks[label]
