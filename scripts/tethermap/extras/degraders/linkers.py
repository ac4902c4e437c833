"""The curated list of linkers."""

from __future__ import annotations

import csv
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Linker:
    """The part between the bonds on either side.

    Parameters
    ----------
    name : str
        Name in the list.
    smiles : str
        With ``[*:1]`` and ``[*:2]`` for the two sides.
    length : int
        Atoms on the shortest path between the sides.
    kind : str
        Its class: alkyl, PEG, saturated ring, …
    """

    name: str
    smiles: str
    length: int
    kind: str

    def turned(self) -> Linker:
        """Return it the other way round."""
        swapped = self.smiles.replace("[*:1]", "[*:0]").replace("[*:2]", "[*:1]").replace("[*:0]", "[*:2]")
        return Linker(self.name, swapped, self.length, self.kind)


def read_linkers(path: Path, kinds: Collection[str] = ()) -> list[Linker]:
    """Return the linkers of a list, limited to the classes in `kinds` if given.

    Parameters
    ----------
    path : Path
        CSV with the columns name, smiles, length, class, degraders, source.
    """
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return [
        Linker(row["name"], row["smiles"], int(row["length"]), row["class"])
        for row in rows
        if not kinds or row["class"] in kinds
    ]
