"""A large mirror made of a small one: its entries again and again under distinct ids, as links."""

import string
from collections.abc import Iterator, Sequence
from itertools import islice, product
from pathlib import Path
from typing import TypeVar

from tethermap.sources.folders import walk
from tethermap.sources.mirror import choose_files
from tethermap.sources.own.sniff import StructureFile

_T = TypeVar("_T")


def entry_ids() -> Iterator[str]:
    """Yield distinct PDB ids of four characters in order, 466,560 of them."""
    signs = string.digits + string.ascii_lowercase
    for parts in product(string.digits, signs, signs, signs):
        yield "".join(parts)


def structures(mirror: Path) -> list[StructureFile]:
    """Return the files of a mirror, one an entry, by size and then id."""
    files, _ = choose_files(walk(mirror))
    return sorted(files, key=lambda file: (file.path.stat().st_size, file.entry_id))


def repeated(files: Sequence[_T], count: int) -> list[_T]:
    """Return so many files: all of them as often as they fit in, the rest evenly from the small to the large.

    Parameters
    ----------
    files : sequence
        By size.
    count : int
        Number of files to return.
    """
    whole, rest = divmod(count, len(files))
    return [*files] * whole + [files[int((k + 0.5) * len(files) / rest)] for k in range(rest)]


def link_mirror(folder: Path, source: Path, count: int) -> list[str]:
    """Make a mirror of so many entries in the divided layout; return their ids.

    Parameters
    ----------
    folder : Path
        Created; it contains only links.
    source : Path
        A mirror of real entries.
    count : int
        Number of entries.
    """
    ids = list(islice(entry_ids(), count))
    for entry_id, file in zip(ids, repeated(structures(source), count), strict=True):
        place = folder / entry_id[1:3]
        place.mkdir(parents=True, exist_ok=True)
        suffix = ".cif.gz" if file.is_mmcif else ".pdb.gz"
        (place / f"{entry_id}{suffix}").symlink_to(file.path.resolve())
    return ids
