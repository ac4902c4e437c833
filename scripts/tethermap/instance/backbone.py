"""The Cα trace of the target chain next to an instance, in memory and on disk."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tethermap.base.arrays import BytesArray, FloatArray, TextArray, packed_arrays, unpacked_arrays

GAP, TRUNCATED, RSRZ_OUTLIER, TOUCHED = 1, 2, 4, 8
"""Bits of `Backbone.marks`: the chain is broken next to a residue; its side chain lacks atoms; it fits the density
worse than its kind; it touches the ligand."""

TOUCHES_WITHIN = 4.5
"""A residue with a heavy atom this near to one of the ligand touches it, in angstroms. House rule."""


@dataclass(frozen=True, eq=False)
class Backbone:
    """The residues with a Cα of the target chain that an instance touches most.

    Parameters
    ----------
    chain : str
        Author name of the chain.
    sequence : str
        One-letter codes, modified residues as their parents, ``X`` for others; length n.
    xyz : ndarray of float, shape (n, 3)
        Cα atoms in angstroms, in the frame of the instance.
    marks : ndarray of int8, shape (n,)
        `GAP`, `TRUNCATED`, `RSRZ_OUTLIER` and `TOUCHED`, added up.
    numbers : ndarray of str, shape (n,)
        Author residue numbers with insertion code.
    b_mean, b_sd : float
        Mean and standard deviation of the B of the Cα atoms, in square angstroms; NaN for fewer than two.
    uniprot : ndarray of bytes, shape (n,) or (0,)
        UniProt accession and number of each residue (``P00533:790``), empty if unknown.
    others : tuple of str
        UniProt accession and number of residues of other target chains that touch the ligand and that this chain lacks.
    partner : tuple of str
        Name and chains of the assembly outside the target.
    """

    chain: str
    sequence: str
    xyz: FloatArray
    marks: npt.NDArray[np.int8]
    b_mean: float
    b_sd: float
    numbers: TextArray = field(default_factory=lambda: np.zeros(0, dtype=np.str_))
    uniprot: BytesArray = field(default_factory=lambda: np.zeros(0, dtype=np.bytes_))
    others: tuple[str, ...] = ()
    partner: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.sequence)

    @property
    def pocket_uniprot(self) -> tuple[str, ...]:
        """UniProt accession and number of each residue of a target chain that touches the ligand, where known."""
        touched = np.flatnonzero(self.marks[: len(self.uniprot)] & TOUCHED)
        return *(name.decode() for name in self.uniprot[touched].tolist() if name), *self.others


NO_BACKBONE = Backbone("", "", np.zeros((0, 3)), np.zeros(0, dtype=np.int8), float("nan"), float("nan"))
"""Backbone of an instance whose nearest target chain has no Cα atoms."""


def packed_backbone(stem: str, backbone: Backbone) -> bytes:
    """Return the backbone next to an instance as a record."""
    arrays = {name: getattr(backbone, name) for name in ("xyz", "marks", "numbers", "uniprot")}
    values = {name: getattr(backbone, name) for name in ("chain", "sequence", "others", "partner")}
    return packed_arrays(stem, {"b": np.array([backbone.b_mean, backbone.b_sd]), **arrays}, **values)


def backbone_of_record(record: bytes) -> Backbone:
    """Return the content of a record of `packed_backbone`."""
    arrays, values = unpacked_arrays(record)
    b_mean, b_sd = arrays.pop("b").tolist()
    own: dict[str, Any] = {name: array.copy() for name, array in arrays.items()}  # not as parts of the whole record
    own |= {name: tuple(values[name]) for name in ("others", "partner")}
    return Backbone(values["chain"], values["sequence"], b_mean=b_mean, b_sd=b_sd, **own)
