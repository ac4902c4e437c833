"""Instances and their neighbourhoods on disk, between the stages of one shard."""

import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache, partial
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from tethermap.base.arrays import packed_arrays, unpacked_arrays
from tethermap.instance.model import Instance, Neighbourhood, Surroundings

T = TypeVar("T")


def packed_fields(stem: str, value: Any) -> bytes:
    """Return a dataclass of arrays and of values that `json` knows as a record of an instance."""
    named = {field.name: getattr(value, field.name) for field in fields(value)}
    arrays = {name: one for name, one in named.items() if isinstance(one, np.ndarray)}
    return packed_arrays(stem, arrays, **{name: one for name, one in named.items() if name not in arrays})


def fields_of_record(kind: Callable[..., T], record: bytes) -> T:
    """Return the dataclass in a record of `packed_fields`."""
    arrays, values = unpacked_arrays(record)
    copies = {name: array.copy() for name, array in arrays.items()}  # not as parts of the whole record
    plain = {name: tuple(one) if isinstance(one, list) else one for name, one in values.items() if name != "stem"}
    return kind(**copies, **plain)


packed_neighbourhood, neighbourhood_of_record = packed_fields, partial(fields_of_record, Neighbourhood)
packed_surroundings, surroundings_of_record = packed_fields, partial(fields_of_record, Surroundings)


def instance_of_line(line: bytes) -> Instance:
    """Return the instance of a line of `json_line`."""
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
