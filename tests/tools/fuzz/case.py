"""One case: which file, damaged how. A case is text such as ``4cup odd_numbers+cut_off 17``."""

from __future__ import annotations

import gzip
import random
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.tools.fuzz.mutations import MUTATIONS
from tests.tools.runs import ARCHIVE_IDS, ROOT
from tests.tools.small_entry import atom_line, benzene, strand, write_entry

LARGEST = 60_000
"""Files of a mirror up to this compressed size are damaged: small ones make a campaign fast."""

_LONG = (b"_atom_site_anisotrop.", b"_pdbx_poly_seq_scheme.", b"_pdbx_validate", b"_chem_comp_atom.")


@dataclass(frozen=True, slots=True)
class Case:
    """A damaged file.

    Parameters
    ----------
    base : str
        Id of an entry of the embedded archive or the mirror, or ``made``.
    mutations : tuple of str
        Names, applied one after another.
    seed : int
        Seed of the random numbers.
    """

    base: str
    mutations: tuple[str, ...]
    seed: int

    def __str__(self) -> str:
        """Return the case as text."""
        return f"{self.base} {'+'.join(self.mutations)} {self.seed}"

    @classmethod
    def of(cls, text: str) -> Case:
        """Return the case that a text names."""
        base, mutations, seed = text.split()
        return cls(base, tuple(mutations.split("+")), int(seed))

    @classmethod
    def number(cls, number: int, bases: Mapping[str, bytes]) -> Case:
        """Return a case of a campaign: base and one to three mutations drawn by its number."""
        chance = random.Random(f"0/{number}")
        count = chance.choice((1, 1, 1, 2, 2, 3))
        names = sorted(MUTATIONS)
        return cls(chance.choice(sorted(bases)), tuple(chance.choice(names) for _ in range(count)), number)

    def content(self, bases: Mapping[str, bytes]) -> bytes:
        """Return the damaged file."""
        data = bases[self.base]
        for place, name in enumerate(self.mutations):
            data = MUTATIONS[name](random.Random(f"{name}/{self.seed}/{place}"), data)
        return data


def archive_bases() -> dict[str, bytes]:
    """Return the files to damage that are always there: the embedded archive and a made-up entry."""
    folder = ROOT / "data" / "archive"
    files = {path.name.partition(".")[0]: path for path in sorted(folder.glob("*.gz"))}
    return {**{name: _read(files[name]) for name in ARCHIVE_IDS}, "made": made_entry()}


def mirror_bases(mirror: Path) -> dict[str, bytes]:
    """Return the small files of a mirror."""
    found = {}
    for path in sorted(mirror.glob("*.gz")):
        name = path.name.partition(".")[0]
        if path.stat().st_size < LARGEST and name not in found:
            found[name] = _read(path)
    return found


def made_entry() -> bytes:
    """Return a small entry of two strands with a ligand, two ions and water, in PDB format."""
    ring = [line.replace("BNZ", "DRG") for line in benzene("A", 99, (10.0, 0.0, 5.0))]
    ions = [atom_line(920 + k, "ZN", "ZN", "B", 200 + k, (12.0, 3.0 * k, 6.0), element="ZN") for k in range(2)]
    water = [atom_line(930, "O", "HOH", "A", 300, (8.0, -4.0, 3.0), element="O")]
    header = (
        "EXPDTA    X-RAY DIFFRACTION\n"
        "REMARK 350 BIOMOLECULE: 1\nREMARK 350 APPLY THE FOLLOWING TO CHAINS: A, B\n"
        "REMARK 350   BIOMT1   1  1.000000  0.000000  0.000000        0.00000\n"
        "REMARK 350   BIOMT2   1  0.000000  1.000000  0.000000        0.00000\n"
        "REMARK 350   BIOMT3   1  0.000000  0.000000  1.000000        0.00000\n"
        "CRYST1   40.000   40.000   40.000  90.00  90.00  90.00 P 21 21 21    4\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        parts = (strand("A", 1), strand("B", 100, (0.0, 0.0, 10.0)), ring, ions, water)
        return write_entry(Path(folder), *parts, header=header).read_bytes()


def _read(path: Path) -> bytes:
    """Return the text of a file without long categories that are irrelevant here."""
    data = gzip.decompress(path.read_bytes())
    if b"_atom_site." not in data:
        return data
    parts = re.split(rb"(?<=\n)#[ \t]*\n", data)
    return b"#\n".join(part for part in parts if not any(name in part[:400] for name in _LONG))
