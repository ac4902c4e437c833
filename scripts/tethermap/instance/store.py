"""Instances and their neighbourhoods on disk, between the stages of one shard."""

import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache, partial
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from tethermap.base.arrays import as_bytes, as_text, packed_arrays, unpacked_arrays
from tethermap.instance.model import Instance, Neighbourhood, Surroundings

T = TypeVar("T")

_ARRAYS = tuple(field.name for field in fields(Neighbourhood) if field.name != "largest")


def packed_neighbourhood(stem: str, around: Neighbourhood) -> bytes:
    """Return the neighbourhood of an instance as a record."""
    return packed_arrays(stem, {name: getattr(around, name) for name in _ARRAYS}, largest=int(around.largest))


def neighbourhood_of_record(record: bytes) -> Neighbourhood:
    """Return the content of a record of `packed_neighbourhood`."""
    arrays, values = unpacked_arrays(record)
    return Neighbourhood(**arrays, largest=values["largest"])


def packed_surroundings(stem: str, around: Surroundings) -> bytes:
    """Return the surroundings of an instance as a record; 15 bytes an atom."""
    arrays = {"xyz": around.xyz, "element": as_bytes(around.element), "context": around.context}
    return packed_arrays(stem, arrays, largest=int(around.largest))


def surroundings_of_record(record: bytes) -> Surroundings:
    """Return the content of a record of `packed_surroundings`."""
    arrays, values = unpacked_arrays(record)
    element = as_text(arrays.pop("element"))
    return Surroundings(**arrays, element=element, largest=values["largest"])


def instance_line(instance: Instance) -> bytes:
    """Return an instance as a line of JSON."""
    return json_line(instance)


def instance_of_line(line: bytes) -> Instance:
    """Return the instance of a line of `instance_line`."""
    return of_plain(Instance, json.loads(line))


def json_line(value: Any) -> bytes:
    """Return a value as a line of JSON; it may contain dataclasses, arrays and sets."""
    return json.dumps(value, separators=(",", ":"), default=_plain).encode() + b"\n"


def of_plain(kind: Callable[..., T], value: Any) -> T:
    """Return a dataclass from the values that `json` reads of a line of `json_line`."""
    made: T = _reader(kind)(value)
    return made


def _plain(value: Any) -> Any:
    """Return a dataclass, an array or a set as values for `json`, which converts nested parts in turn."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, frozenset):
        return sorted(value)
    return {field.name: getattr(value, field.name) for field in fields(value)}


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    """Return the function that makes a value of a type of the model from the plain value of `_plain`."""
    origin, arguments = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and is_dataclass(kind):
        readers = {name: read for name, hint in get_type_hints(kind).items() if (read := _reader(hint)) is not _same}
        # Lines of an earlier version lack the fields that are new; these have defaults.
        return lambda record: kind(
            **record | {name: read(record[name]) for name, read in readers.items() if name in record}
        )
    if origin is get_origin(npt.NDArray[Any]):  # since NumPy 2.5 an alias with the scalar type as its only argument
        return partial(np.array, dtype=(get_args(arguments[-1]) or arguments)[0])
    if origin is tuple:
        read_part = _reader(arguments[0])
        return tuple if read_part is _same else lambda values: tuple(map(read_part, values))
    if origin is dict:
        read_part = _reader(arguments[1])
        return lambda values: {key: read_part(value) for key, value in values.items()}
    if origin is frozenset:
        return frozenset
    if origin is UnionType and is_dataclass(arguments[0]):
        return lambda value: None if value is None else _reader(arguments[0])(value)
    return _same


def _same(value: Any) -> Any:
    return value
