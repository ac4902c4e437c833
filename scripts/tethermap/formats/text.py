"""Structures of any supported format as text: mmCIF from BinaryCIF and mmJSON, without byte order marks."""

import codecs
import io
from collections.abc import Iterator
from typing import Any

from gemmi import cif

MOST_VALUES = 200_000_000
"""Values of a BinaryCIF file; the largest entry of the PDB has a quarter of it."""

MOST_LINES = 10_000_000
"""Lines of a text file, four times those of the PDB's largest entry; lines without content need 50 times their size."""

_LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class FormatError(ValueError):
    """Content that isn't what it seems to be; the message gives the reason."""


def is_binary_cif(data: bytes) -> bool:
    """Return whether content is BinaryCIF: a map in MessagePack with the keys of the format."""
    return data[:1] in (b"\x83", b"\x84", b"\x85", b"\xde", b"\xdf") and b"dataBlocks" in data[:400] + data[-400:]


def is_mmjson(data: bytes) -> bool:
    """Return whether content is mmJSON: an object whose first key is that of a data block."""
    head = data[:200].lstrip()
    return head.startswith(b"{") and head[1:].lstrip().startswith((b'"data_', b"'data_"))


def without_mark(data: bytes) -> bytes:
    """Return content in UTF-8 without the byte order mark that it may begin with."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            data = data[len(mark) :].decode(encoding, "replace").encode()
    return data


def structure_text(data: bytes) -> str:
    """Return unpacked content as text of a PDB or mmCIF file.

    Raises
    ------
    FormatError
        If BinaryCIF or mmJSON can't be read, or a text has more than `MOST_LINES` lines.
    """
    data = without_mark(data)
    try:
        if is_binary_cif(data):
            return _of_binary_cif(data)
        if is_mmjson(data):
            return str(cif.read_mmjson_string(data.decode("utf-8", "replace")).as_string())
    except (ValueError, RuntimeError, KeyError, TypeError, IndexError, EOFError) as error:
        raise FormatError(
            f"BinaryCIF or mmJSON that can't be read: {str(error)[:150] or type(error).__name__}"
        ) from error
    text = data.decode("utf-8", "replace")
    if len(text) > MOST_LINES and sum(map(text.count, _LINE_ENDS)) > MOST_LINES:
        raise FormatError(f"more than {MOST_LINES:,} lines")
    return text.replace("\r", "\n") if "\r" in text and "\n" not in text else text


def _of_binary_cif(data: bytes) -> str:
    import msgpack  # type: ignore[import-untyped]  # as biotite, slow to load, for few files
    from biotite.structure.io.pdbx import BinaryCIFFile

    if sum(_sizes(msgpack.unpackb(data, strict_map_key=False))) > MOST_VALUES:
        raise FormatError(f"more than {MOST_VALUES} values")
    document = cif.Document()
    for name, block in BinaryCIFFile.read(io.BytesIO(data)).items():
        written = document.add_new_block(name.removeprefix("data_") or "model")
        for category, columns in block.items():
            loop = written.init_loop(f"_{category}.", list(columns))
            loop.set_all_values([_column(column) for column in columns.values()])
    return str(document.as_string())


def _sizes(part: Any) -> Iterator[int]:
    """Yield the number of values of each run-length encoding: a file of a few bytes may state any number."""
    if isinstance(part, dict):
        if part.get("kind") == "RunLength":
            yield part["srcSize"]
        for value in part.values():
            yield from _sizes(value)
    elif isinstance(part, list):
        for value in part:
            yield from _sizes(value)


def _column(column: Any) -> list[str]:
    """Return the values of a column in CIF format."""
    array = column.data.array
    if array.dtype.kind == "f":
        digits = 7 if array.dtype.itemsize == 4 else 10
        values = [f"{value:.{digits}g}" for value in array.tolist()]
    else:
        values = [cif.quote(str(value)) if str(value) not in ("?", ".") else str(value) for value in array.tolist()]
    mask = [0] * len(values) if column.mask is None else column.mask.array.tolist()
    return [value if state == 0 else ".?"[state - 1] for value, state in zip(values, mask, strict=True)]
