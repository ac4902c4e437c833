"""Rows of the index for structure files; several processes read many files."""

import os
import struct
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from tethermap.base.errors import isolate_errors
from tethermap.base.identifiers import unique
from tethermap.base.packed import DAMAGED, GZIP, open_unpacked, unpacked
from tethermap.entry.metadata import EntryMetadata, metadata_of
from tethermap.entry.proteins import may_be_target
from tethermap.sources.base import EntrySummary
from tethermap.sources.own.sniff import StructureFile

_MANY = 1500
"""Least number of files for which further processes pay."""

_CHUNK = 50
_ATOMS_PER_BYTE = 1 / 90
_STEP = 1 << 16
_LONGEST_HEADER = 1 << 24
"""Bytes of a PDB file in which its first coordinate is searched for; headers of the archive have some megabytes."""
_UNREADABLE: tuple[type[Exception], ...] = (OSError, ValueError, *DAMAGED)


@dataclass(frozen=True, slots=True)
class IndexRow:
    """One entry for the index.

    Parameters
    ----------
    summary : EntrySummary
        Metadata of the entry.
    successors : tuple of str
        Entries that replace it, by its header.
    texts : tuple of str
        Searchable text: ids, title, names, genes, organisms, ligands, other.
    names : tuple of tuple of str
        Names of its proteins and ligands to suggest: name, kind, key, further names.
    """

    summary: EntrySummary
    successors: tuple[str, ...]
    texts: tuple[str, ...]
    names: tuple[tuple[str, str, str, str], ...] = ()


def read_rows(files: Sequence[StructureFile]) -> Iterator[IndexRow]:
    """Yield the row of each file, in order."""
    workers = min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, 16)
    if len(files) < _MANY or workers < 2:
        yield from map(read_row, files)
        return
    from concurrent.futures import ProcessPoolExecutor  # only for many files; slow to load
    from multiprocessing import get_context

    context = get_context("fork" if sys.platform == "linux" else "spawn")
    chunks = iter([files[start : start + _CHUNK] for start in range(0, len(files), _CHUNK)])
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        # Few chunks at a time: results are buffered in memory until they are consumed.
        waiting = deque(pool.submit(_read_chunk, chunk) for chunk in islice(chunks, 4 * workers))
        try:
            while waiting:
                yield from waiting.popleft().result()
                waiting.extend(pool.submit(_read_chunk, chunk) for chunk in islice(chunks, 1))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _read_chunk(files: Sequence[StructureFile]) -> list[IndexRow]:
    return [read_row(file) for file in files]


def read_row(file: StructureFile) -> IndexRow:
    """Return the row of one file; only the id if the file can't be read."""
    row = _row(file, EntryMetadata(file.entry_id), 0)
    with isolate_errors(file.entry_id), suppress(*_UNREADABLE):
        content = _content(file)
        metadata = metadata_of(content, is_mmcif=file.is_mmcif, entry_id=file.entry_id)
        row = _row(file, metadata, _atoms(file, content))
    return row


def _row(file: StructureFile, metadata: EntryMetadata, size: int) -> IndexRow:
    texts = _texts(metadata, file.path)
    return IndexRow(summary_of(metadata, size), metadata.successors, texts, _names(metadata))


def summary_of(metadata: EntryMetadata, size: int | None) -> EntrySummary:
    """Return an entry's metadata in the form that the search returns."""
    entities = metadata.entities
    return EntrySummary(
        entry_id=metadata.entry_id,
        title=metadata.title,
        methods=metadata.methods,
        resolution=metadata.resolution,
        release_date=metadata.release_date,
        organisms=unique(name for entity in entities for name in entity.organisms),
        uniprot=unique(name for entity in entities for name in entity.uniprot),
        genes=unique(name for entity in entities for name in entity.genes),
        descriptions=unique(entity.description for entity in entities),
        ligands=unique(ligand.comp_id for ligand in metadata.ligands),
        size=size,
    )


def _content(file: StructureFile) -> bytes:
    """Return the whole of an mmCIF file, of a PDB file the part before its first coordinate."""
    if file.is_mmcif:
        return unpacked(file.path.read_bytes())
    with open_unpacked(file.path) as reader:
        data = bytearray()
        while len(data) < _LONGEST_HEADER and (part := reader.read(_STEP)):
            begin = max(0, len(data) - len(b"\nHETATM"))
            data += part
            if ends := [at for word in (b"\nATOM  ", b"\nHETATM") if (at := data.find(word, begin)) >= 0]:
                return bytes(data[: min(ends)])
        return bytes(data)


def _atoms(file: StructureFile, content: bytes) -> int:
    """Return the approximate number of atoms of a file, from its uncompressed size."""
    if file.is_mmcif:
        return int(len(content) * _ATOMS_PER_BYTE)
    with file.path.open("rb") as stream:
        magic, size = stream.read(len(GZIP)), stream.seek(0, os.SEEK_END)
        if magic == GZIP and size > 18:
            stream.seek(-4, os.SEEK_END)
            size = struct.unpack("<I", stream.read(4))[0]
    return int(size * _ATOMS_PER_BYTE)


def _names(metadata: EntryMetadata) -> tuple[tuple[str, str, str, str], ...]:
    """Return the names to suggest, without those of peptides."""
    names = []
    for entity in filter(may_be_target, metadata.entities):
        key = entity.uniprot[0] if entity.uniprot else ""
        protein, gene = (
            ", ".join(unique([name, *entity.organisms[:1]]))
            for name in (entity.description, entity.genes[0] if entity.genes else "")
        )
        words = [name for name in (entity.description, *entity.names) if "_" not in name]  # no EGFR_HUMAN
        names += [(name, "gene", key, protein) for name in entity.genes]
        names += [(name, "accession", name, protein) for name in entity.uniprot]
        names += [(name, "protein", key, gene) for name in words]
    for ligand in metadata.ligands:
        words = [ligand.comp_id, ligand.name, *ligand.synonyms.split(";")]
        names += [(name.strip(), "ligand", ligand.comp_id, ligand.name) for name in words]
    return tuple(dict.fromkeys(name for name in names if name[0]))


def _texts(metadata: EntryMetadata, path: Path) -> tuple[str, ...]:
    entities, ligands = metadata.entities, metadata.ligands
    return (
        f"{metadata.entry_id} {path.name}",
        f"{metadata.title} ; {metadata.citation}" if metadata.citation != metadata.title else metadata.title,
        " ; ".join(text for entity in entities for text in (entity.description, *entity.names)),
        " ; ".join(text for entity in entities for text in (*entity.genes, *entity.uniprot)),
        " ; ".join(name for entity in entities for name in entity.organisms),
        " ; ".join(text for ligand in ligands for text in (ligand.comp_id, ligand.name, ligand.synonyms)),
        f"{metadata.method} ; {metadata.keywords}",
    )
