"""Binding sites: instances of one group that touch the same residues."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain

import numpy as np
import numpy.typing as npt

from tethermap.answers.pockets.groups import Group, Placed, entry_count
from tethermap.answers.pockets.limits import LEAST_OVERLAP
from tethermap.base.reasons import MAIN
from tethermap.base.tables import by_key

BLOCK = 256
"""Rows that are compared with all others at once; a job can have ten thousand."""


@lru_cache(maxsize=512)  # four tables request those of each group; the cache is limited for long-lived processes
def binding_sites(group: Group) -> Mapping[str, str]:
    """Return the name of the binding site of each instance of a group, by its stem.

    Instances are linked by the overlap of the residues they touch, in the numbering of the group's
    reference (single linkage). The site of most entries is ``main``, the others are ``other_1`` and
    so on. Instances without a chain to compare are all of one site.
    """
    if not group.name:
        return {copy.member.stem: MAIN for copy in group.placed}
    by_residues = by_key((copy.touched, copy) for copy in group.placed)
    distinct = sorted(by_residues, key=lambda residues: by_residues[residues][0].member.rank)
    sites = [[copy for k in part for copy in by_residues[distinct[k]]] for part in _linked(_touches(distinct))]
    sites.sort(key=lambda site: (-entry_count(site), min(copy.member.rank for copy in site)))
    names = [MAIN, *(f"other_{number}" for number in range(1, len(sites)))]
    return {copy.member.stem: name for name, site in zip(names, sites, strict=True) for copy in site}


def by_site(group: Group) -> Iterator[tuple[dict[str, str], list[Placed]]]:
    """Yield the copies of each binding site of a group, the main site first, with the cells that name it in tables."""
    sites, names = binding_sites(group), {"group": group.name, "protein": group.protein}
    for site in dict.fromkeys([MAIN, *sorted(set(sites.values()))]):
        of_site = {**names, "site": site, "site_class": site_class(site)}
        yield of_site, [copy for copy in group.placed if sites[copy.member.stem] == site]


def site_class(site: str) -> str:
    """Return ``main`` or ``other_site``; empty if no site is known.

    >>> site_class("other_2")
    'other_site'
    """
    return {MAIN: "main", "": ""}.get(site, "other_site")


def _touches(residues: Sequence[tuple[int | str, ...]]) -> npt.NDArray[np.float32]:
    """Return a row of ones and zeros for each set of residues, with a column for each residue."""
    column = {name: k for k, name in enumerate(dict.fromkeys(chain.from_iterable(residues)))}
    touches = np.zeros((len(residues), len(column)), dtype=np.float32)
    for number, touched in enumerate(residues):
        touches[number, [column[name] for name in touched]] = 1
    return touches


def _linked(touches: npt.NDArray[np.float32]) -> list[list[int]]:
    """Return the rows that are linked by overlaps, each part by its first row."""
    sizes = touches.sum(axis=1)
    unlinked = np.ones(len(touches), dtype=bool)
    parts = []
    for start in range(len(touches)):
        if unlinked[start]:
            part, front = [start], [start]
            unlinked[start] = False
            while front:
                block, front = front[:BLOCK], front[BLOCK:]
                others = np.flatnonzero(unlinked)
                common = touches[block] @ touches[others].T
                either = sizes[block, None] + sizes[others] - common
                overlaps = (common >= LEAST_OVERLAP * either) & (common > 0)
                linked = others[overlaps.any(axis=0)].tolist()
                unlinked[linked] = False
                part += linked
                front += linked
            parts.append(sorted(part))
    return parts
