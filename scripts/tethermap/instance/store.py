"""Instances and their neighbourhoods on disk, between the stages of one shard."""

import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache, partial
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

from tethermap.base.arrays import as_bytes, as_text, packed_arrays, unpacked_arrays
from tethermap.instance.model import Instance, Neighbourhood, Surroundings

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
    return json.dumps(instance, separators=(",", ":"), default=_plain).encode() + b"\n"


def instance_of_line(line: bytes) -> Instance:
    """Return the instance of a line of `instance_line`."""
    instance: Instance = _reader(Instance)(json.loads(line))
    return instance


def _plain(value: Any) -> Any:
    """Return a dataclass or an array of the model as values for `json`, which converts nested parts in turn."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return {field.name: getattr(value, field.name) for field in fields(value)}


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    """Return the function that makes a value of a type of the model from the plain value of `_plain`."""
    origin, arguments = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and is_dataclass(kind):
        readers = {name: read for name, hint in get_type_hints(kind).items() if (read := _reader(hint)) is not _same}
        return lambda record: kind(**record | {name: read(record[name]) for name, read in readers.items()})
    if origin is np.ndarray:
        return partial(np.array, dtype=get_args(arguments[1])[0])
    if origin is tuple:
        read_part = _reader(arguments[0])
        return tuple if read_part is _same else lambda values: tuple(map(read_part, values))
    if origin is dict:
        read_part = _reader(arguments[1])
        return lambda values: {key: read_part(value) for key, value in values.items()}
    return _same


def _same(value: Any) -> Any:
    return value
