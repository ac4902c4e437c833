"""Instances and their neighbourhoods on disk, between the stages of one shard."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from scripts.lib.atomic import replacing
from scripts.lib.instance.model import (
    EntryBond,
    EntryFacts,
    Instance,
    LigandAtoms,
    Link,
    Neighbourhood,
    Residue,
    Surroundings,
)

_ARRAYS = tuple(field.name for field in fields(Neighbourhood) if field.name != "largest")

_SURROUNDINGS = ("xyz", "element", "context")


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
        NumPy archive with the neighbourhoods of all instances, one after another.
    """
    around: list[Neighbourhood] = []
    with replacing(instances) as temporary, temporary.open("w", encoding="utf-8") as stream:

        def write(instance: Instance, neighbourhood: Neighbourhood) -> None:
            stream.write(json.dumps(_as_json(instance), separators=(",", ":")) + "\n")
            around.append(neighbourhood)

        yield write
        _write_neighbourhoods(neighbourhoods, around)


def _write_neighbourhoods(path: Path, around: list[Neighbourhood]) -> None:
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(one, name) for one in around]) if around else np.zeros(0) for name in _ARRAYS
    }
    columns["ends"] = np.cumsum([len(one) for one in around], dtype=np.int64)
    columns["largest"] = np.array([one.largest for one in around], dtype=np.int64)
    with replacing(path) as temporary, temporary.open("wb") as stream:
        np.savez(stream, **columns)


def read_instances(instances: Path, neighbourhoods: Path) -> Iterator[tuple[Instance, Neighbourhood]]:
    """Yield the instances of a shard with their neighbourhoods, in the order they were written.

    Parameters
    ----------
    instances, neighbourhoods : Path
        Files of `instance_writer`.
    """
    with np.load(neighbourhoods) as archive:
        columns = {name: archive[name] for name in (*_ARRAYS, "ends", "largest")}
    begin = 0
    for number, instance in enumerate(read_instances_alone(instances)):
        end = int(columns["ends"][number])
        part = {name: columns[name][begin:end] for name in _ARRAYS}
        yield instance, Neighbourhood(**part, largest=int(columns["largest"][number]))
        begin = end


@contextmanager
def surroundings_writer(path: Path) -> Iterator[Callable[[Surroundings], None]]:
    """Yield a function that appends the surroundings of one instance; the file appears when the block ends well.

    Parameters
    ----------
    path : Path
        NumPy archive; 15 bytes an atom.
    """
    parts: list[Surroundings] = []
    yield parts.append
    empty = {"xyz": np.zeros((0, 3), np.float32), "element": np.zeros(0, "S2"), "context": np.zeros(0, np.int8)}
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts]) if parts else empty[name]
        for name in _SURROUNDINGS
    }
    columns["element"] = columns["element"].astype("S2")
    columns["ends"] = np.cumsum([len(part) for part in parts], dtype=np.int64)
    columns["largest"] = np.array([part.largest for part in parts], dtype=np.int64)
    with replacing(path) as temporary, temporary.open("wb") as stream:
        np.savez(stream, **columns)


def read_surroundings(path: Path) -> Iterator[Surroundings]:
    """Yield the surroundings of the instances of a shard, in the order they were written.

    Parameters
    ----------
    path : Path
        File of `surroundings_writer`.
    """
    with np.load(path) as archive:
        columns = {name: archive[name] for name in (*_SURROUNDINGS, "ends", "largest")}
    begin = 0
    for end, largest in zip(columns["ends"].tolist(), columns["largest"].tolist(), strict=True):
        yield Surroundings(
            xyz=columns["xyz"][begin:end],
            element=columns["element"][begin:end].astype("U2"),
            context=columns["context"][begin:end],
            largest=largest,
        )
        begin = end


def read_instances_alone(instances: Path) -> Iterator[Instance]:
    """Yield the instances of a shard without their neighbourhoods.

    Parameters
    ----------
    instances : Path
        File of `instance_writer`.
    """
    with instances.open(encoding="utf-8") as stream:
        for line in stream:
            yield _from_json(json.loads(line))


def count_instances(instances: Iterable[Path]) -> int:
    """Return how many instances some files hold."""
    return sum(sum(1 for _ in path.open(encoding="utf-8")) for path in instances)


def _as_json(value: Any) -> Any:
    """Return a value of the model as `json` takes it; unlike `asdict`, without copying what is plain."""
    if is_dataclass(value):
        return {field.name: _as_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple) and value and is_dataclass(value[0]):
        return [_as_json(item) for item in value]
    if isinstance(value, dict):
        return {key: _as_json(item) for key, item in value.items()}
    return value


def _from_json(record: dict[str, Any]) -> Instance:
    atoms = record["atoms"]
    record["atoms"] = LigandAtoms(
        component=np.array(atoms["component"], dtype=np.int64),
        name=tuple(atoms["name"]),
        element=tuple(atoms["element"]),
        xyz=np.array(atoms["xyz"], dtype=np.float64).reshape(-1, 3),
        occupancy=np.array(atoms["occupancy"], dtype=np.float64),
        b_iso=np.array(atoms["b_iso"], dtype=np.float64),
        charge=np.array(atoms["charge"], dtype=np.int64),
        altloc=tuple(atoms["altloc"]),
        serial=np.array(atoms["serial"], dtype=np.int64),
    )
    record["components"] = tuple(Residue(**residue) for residue in record["components"])
    record["inner_links"] = tuple((int(i), int(j)) for i, j in record["inner_links"])
    record["links"] = tuple(
        Link(**{**link, "partner": Residue(**link["partner"]), "partner_xyz": tuple(link["partner_xyz"])})
        for link in record["links"]
    )
    record["entry_bonds"] = {
        comp_id: tuple(EntryBond(**bond) for bond in bonds) for comp_id, bonds in record["entry_bonds"].items()
    }
    record["facts"] = EntryFacts(**record["facts"])
    record["target_chains"] = tuple(record["target_chains"])
    record["flags"] = tuple(record["flags"])
    return Instance(**record)
