"""Definitions of components among a user's files: restraint and component CIF files, tables of SMILES."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tethermap.base.identifiers import SMILES_COLUMN, SMILES_EXTENSION
from tethermap.base.layout import walk
from tethermap.base.packed import DamagedGzip, ending_of, unpacked

_LARGEST = 4 << 20
"""Bytes up to which a file may be a definition."""

_ENDINGS = ("cif", "mmcif", "smi", "csv", "tsv")
_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_CHEMISTRY = re.compile(
    r"[A-Za-z0-9@+\-\[\]()=#$/\\%.:*]*(?:[()=#\[\]]|[cC]{2}|[CNOS]$)[A-Za-z0-9@+\-\[\]()=#$/\\%.:*]*"
)
"""Characters of a SMILES, with a bond sign, brackets or the letters of a chain."""


def is_definition(path: Path) -> bool:
    """Return whether a file, packed or not, defines components: CIF without a model, a table of codes and SMILES."""
    try:
        if ending_of(path.name) not in _ENDINGS or path.stat().st_size > _LARGEST:
            return False
        data = unpacked(path.read_bytes(), _LARGEST)
    except (OSError, DamagedGzip):
        return False
    if ending_of(path.name) in ("cif", "mmcif"):
        return b"_chem_comp_atom." in data and b"_atom_site." not in data
    return _is_table(data.decode("utf-8-sig", "replace"))


def definitions_among(paths: Iterable[str]) -> Iterator[Path]:
    """Yield the files that define components among files and folders, in a fixed order.

    Parameters
    ----------
    paths : iterable of str
        Files and folders, as ``source.files`` has them.
    """
    for path in map(Path, paths):
        yield from filter(is_definition, [path] if path.is_file() else map(Path, walk(path)))


def _is_table(text: str) -> bool:
    """Return whether the first lines are codes and SMILES, in either order, or have a matching header."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")][:20]
    words = (re.split(r"[,;\s]+", SMILES_EXTENSION.sub("", line).strip()) for line in lines)
    rows = [[cell.strip('"') for cell in line if cell] for line in words]
    if not rows or any(len(row) < 2 for row in rows):
        return False
    if any(map(SMILES_COLUMN.fullmatch, rows[0])):
        return True
    return all(
        any(_CODE.fullmatch(code) and _CHEMISTRY.fullmatch(smiles) for code, smiles in (row[:2], row[1::-1]))
        for row in rows
    )
