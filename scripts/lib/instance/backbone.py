"""The Cα trace of the target chain beside an instance, in memory and on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scripts.lib.atomic import replacing
from scripts.lib.instance.model import FloatArray

GAP, TRUNCATED = 1, 2
"""Bits of `Backbone.marks`: the chain is broken beside a residue; its side chain lacks atoms."""


@dataclass(frozen=True, eq=False)
class Backbone:
    """The residues with a Cα of the target chain nearest to an instance.

    Parameters
    ----------
    chain : str
        Author name of the chain.
    sequence : str
        One-letter codes, modified residues as their parents, ``X`` for others; length n.
    xyz : ndarray of float, shape (n, 3)
        Cα atoms in angstroms, in the frame of the instance.
    marks : ndarray of int8, shape (n,)
        `GAP` and `TRUNCATED`, added up.
    b_mean, b_sd : float
        Mean and standard deviation of the B of the Cα atoms, in square angstroms; NaN for fewer than two.
    """

    chain: str
    sequence: str
    xyz: FloatArray
    marks: npt.NDArray[np.int8]
    b_mean: float
    b_sd: float

    def __len__(self) -> int:
        return len(self.sequence)


NO_BACKBONE = Backbone("", "", np.zeros((0, 3)), np.zeros(0, dtype=np.int8), float("nan"), float("nan"))
"""Of an instance whose nearest target chain has no Cα atoms."""


@contextmanager
def backbone_writer(path: Path) -> Iterator[Callable[[Backbone], None]]:
    """Yield a function that appends the backbone of one instance; the file appears when the block ends well.

    Parameters
    ----------
    path : Path
        NumPy archive; 26 bytes a residue.
    """
    parts: list[Backbone] = []
    yield parts.append
    columns: dict[str, Any] = {
        "chain": np.array([part.chain for part in parts], dtype=np.str_),
        "sequence": np.frombuffer("".join(part.sequence for part in parts).encode("ascii"), dtype="S1"),
        "xyz": np.concatenate([NO_BACKBONE.xyz, *(part.xyz for part in parts)]),
        "marks": np.concatenate([NO_BACKBONE.marks, *(part.marks for part in parts)]),
        "ends": np.cumsum([len(part) for part in parts], dtype=np.int64),
        "b": np.array([(part.b_mean, part.b_sd) for part in parts], dtype=np.float64).reshape(-1, 2),
    }
    with replacing(path) as temporary, temporary.open("wb") as stream:
        np.savez(stream, **columns)


def read_backbones(path: Path) -> Iterator[Backbone]:
    """Yield the backbones of the instances of a shard, in the order they were written.

    Parameters
    ----------
    path : Path
        File of `backbone_writer`.
    """
    with np.load(path) as archive:
        columns = {name: archive[name] for name in ("chain", "sequence", "xyz", "marks", "ends", "b")}
    begin = 0
    for number, end in enumerate(columns["ends"].tolist()):
        yield Backbone(
            chain=str(columns["chain"][number]),
            sequence=columns["sequence"][begin:end].tobytes().decode("ascii"),
            xyz=columns["xyz"][begin:end],
            marks=columns["marks"][begin:end],
            b_mean=float(columns["b"][number, 0]),
            b_sd=float(columns["b"][number, 1]),
        )
        begin = end
