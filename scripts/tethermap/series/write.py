"""Write the series of a job without their cores, distributed over shards."""

import logging
from collections.abc import Iterator, Sequence, Set as AbstractSet
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO

from rdkit import Chem, rdBase

from tethermap.base.records import MAGIC, Source, named_records, write_archive
from tethermap.molecule.store import molecule_of_record
from tethermap.series.ligands import Series, SeriesLigand, collect_ligands, packed_series
from tethermap.series.series import clustered

log = logging.getLogger(__name__)

_SPOOLED = 1 << 20
"""Bytes of a shard's series in memory; more wait on disk."""


def write_series(
    molecules: Sequence[Source], shards: Sequence[str], plan: Path, *, left_out: AbstractSet[str] = frozenset()
) -> None:
    """Write the series of a job without their cores, an archive with those of each shard.

    Parameters
    ----------
    molecules : sequence of Source
        Molecules of all shards.
    shards : sequence of str
        Numbers of the shards over which the series are distributed.
    plan : Path
        The archive.
    left_out : set of str
        Stems of skipped instances.
    """
    with rdBase.BlockLogs():
        records = chain.from_iterable(map(named_records, molecules))
        collected = collect_ligands(
            (molecule_of_record(record), record) for stem, record in records if stem not in left_out
        )
        found = list(_series(collected))
    with ExitStack() as files:
        parts: dict[str, IO[bytes]] = {}
        for number, shard in enumerate(shards):
            parts[shard] = files.enter_context(SpooledTemporaryFile(_SPOOLED, dir=str(plan.parent)))
            parts[shard].write(MAGIC)
            parts[shard].writelines(map(packed_series, found[number :: len(shards)]))  # the large ones come first
        write_archive(plan, parts)


def _series(ligands: Sequence[SeriesLigand]) -> Iterator[Series]:
    """Yield the series, those with most ligands first; then each ligand that is in none, without a name."""
    listed: list[SeriesLigand] = []
    unread: list[SeriesLigand] = []

    def parents() -> Iterator[Chem.Mol]:
        for ligand in ligands:
            parent = ligand.parent()
            if parent is not None:
                listed.append(ligand)
                yield parent
            else:
                log.warning("%s is in no series: RDKit cannot read %s", ligand.component_names, ligand.parent_smiles)
                unread.append(ligand)

    groups = clustered(parents())
    groups.sort(key=lambda group: (-len(group), -sum(len(listed[index].members) for index in group), group))
    for number, group in enumerate(groups, start=1):
        yield Series(f"S{number:03d}", tuple(listed[index] for index in group))
    for ligand in unread:
        yield Series("", (ligand,))
