"""Read and write the files between two stages of a shard as a whole, in tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

from tethermap.base.atomic import replacing
from tethermap.base.records import MAGIC, Source, read_records
from tethermap.instance.backbone import Backbone, backbone_of_record
from tethermap.instance.model import Instance, Neighbourhood
from tethermap.instance.store import instance_line, instance_of_line, neighbourhood_of_record, packed_neighbourhood
from tethermap.molecule.record import LigandMolecule
from tethermap.molecule.store import molecule_of_record, packed_molecule


@contextmanager
def record_file(path: Path) -> Iterator[BinaryIO]:
    """Yield the stream of a new file of records, which appears when the block ends well."""
    with replacing(path) as temporary, temporary.open("wb") as stream:
        stream.write(MAGIC)
        yield stream


class _Write(Protocol):
    def __call__(self, instance: Instance, neighbourhood: Neighbourhood) -> None: ...


@contextmanager
def instance_writer(instances: Path, neighbourhoods: Path) -> Iterator[_Write]:
    """Yield a function that appends one instance; the files appear when the block ends well.

    Parameters
    ----------
    instances : Path
        JSON, one line an instance.
    neighbourhoods : Path
        Records of their neighbourhoods.
    """
    with replacing(instances) as temporary, temporary.open("wb") as lines, record_file(neighbourhoods) as records:

        def write(instance: Instance, neighbourhood: Neighbourhood) -> None:
            lines.write(instance_line(instance))
            records.write(packed_neighbourhood(instance.stem, neighbourhood))

        yield write


def read_instances(instances: Source, neighbourhoods: Source) -> Iterator[tuple[Instance, Neighbourhood]]:
    """Yield the instances of a shard with their neighbourhoods, in the order they were written.

    Parameters
    ----------
    instances, neighbourhoods : Path
        Files of `instance_writer`.
    """
    around = map(neighbourhood_of_record, read_records(neighbourhoods))
    yield from zip(read_instances_alone(instances), around, strict=True)


def read_instances_alone(instances: Source) -> Iterator[Instance]:
    """Yield the instances of a shard without their neighbourhoods.

    Parameters
    ----------
    instances : Path
        File of `instance_writer`.
    """
    with instances.open("rb") as stream:
        yield from map(instance_of_line, stream)


def write_molecules(path: Path, records: Iterable[LigandMolecule]) -> None:
    """Write molecules one after the other; the file appears when all are written.

    Parameters
    ----------
    records : iterable of LigandMolecule
        Taken one at a time, so that a generator needs no more memory than one molecule.
    """
    with record_file(path) as stream:
        for record in records:
            stream.write(packed_molecule(record))


def read_molecules(path: Source) -> Iterator[LigandMolecule]:
    """Yield the molecules of a file in the order they were written.

    Raises
    ------
    ValueError
        If the file is not one of `write_molecules` or is cut off.
    """
    return map(molecule_of_record, read_records(path))


def read_backbones(path: Path) -> Iterator[Backbone]:
    """Yield the backbones of the instances of a shard, in the order they were written."""
    return map(backbone_of_record, read_records(path))
