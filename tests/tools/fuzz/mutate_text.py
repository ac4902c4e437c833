"""Mutations of bytes and lines, independent of structures."""

import gzip
import random

from tests.tools.fuzz.mutation import lines_of, mutation, some, span


@mutation
def flipped_bits(chance: random.Random, data: bytes) -> bytes:
    """Flip single bits anywhere."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 3, 30))):
        if changed:
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


@mutation
def random_bytes(chance: random.Random, data: bytes) -> bytes:
    """Write random bytes over a stretch."""
    begin, end = span(chance, len(data), 200)
    return data[:begin] + chance.randbytes(end - begin) + data[end:]


@mutation
def zeroed_bytes(chance: random.Random, data: bytes) -> bytes:
    """Write zeros over a stretch, as a disk that failed does."""
    begin, end = span(chance, len(data), 4096)
    return data[:begin] + bytes(end - begin) + data[end:]


@mutation
def lost_bytes(chance: random.Random, data: bytes) -> bytes:
    """Remove a range of bytes."""
    begin, end = span(chance, len(data), chance.choice((1, 50, 5000)))
    return data[:begin] + data[end:]


@mutation
def repeated_bytes(chance: random.Random, data: bytes) -> bytes:
    """Write a stretch twice."""
    begin, end = span(chance, len(data), 2000)
    return data[:end] + data[begin:end] + data[end:]


@mutation
def cut_off(chance: random.Random, data: bytes) -> bytes:
    """End anywhere."""
    return data[: chance.randint(0, len(data))]


@mutation
def cut_gzip(chance: random.Random, data: bytes) -> bytes:
    """Compress and end anywhere."""
    packed = gzip.compress(data, 1, mtime=0)
    return packed[: chance.randint(0, len(packed))]


@mutation
def damaged_gzip(chance: random.Random, data: bytes) -> bytes:
    """Compress and flip bits, or append data."""
    packed = gzip.compress(data, 1, mtime=0)
    if chance.random() < 0.3:
        return packed + chance.choice((b"\0" * 100, b"garbage", packed[:50], packed))
    return flipped_bits(chance, packed)


@mutation
def packed_twice(chance: random.Random, data: bytes) -> bytes:
    """Compress twice."""
    return gzip.compress(gzip.compress(data, 1, mtime=0), chance.choice((0, 1)), mtime=0)


@mutation
def other_encoding(chance: random.Random, data: bytes) -> bytes:
    """Write in another encoding, or with a mark of the byte order."""
    text = data.decode("utf-8", "replace")
    return chance.choice((b"\xef\xbb\xbf" + data, text.encode("utf-16"), text.encode("cp500", "replace")))


# Lines.


@mutation
def lost_lines(chance: random.Random, data: bytes) -> bytes:
    """Remove lines."""
    lines = lines_of(data)
    begin, end = span(chance, len(lines), chance.choice((1, 20, 500)))
    return b"".join(lines[:begin] + lines[end:])


@mutation
def repeated_lines(chance: random.Random, data: bytes) -> bytes:
    """Write lines twice, there or elsewhere."""
    lines = lines_of(data)
    begin, end = span(chance, len(lines), 60)
    place = chance.choice((end, chance.randint(0, len(lines))))
    return b"".join(lines[:place] + lines[begin:end] + lines[place:])


@mutation
def shuffled_lines(chance: random.Random, data: bytes) -> bytes:
    """Put lines in another order."""
    lines = lines_of(data)
    begin, end = span(chance, len(lines), 80)
    part = lines[begin:end]
    chance.shuffle(part)
    return b"".join(lines[:begin] + part + lines[end:])


@mutation
def other_line_ends(chance: random.Random, data: bytes) -> bytes:
    """Write other line ends."""
    return data.replace(b"\n", chance.choice((b"\r\n", b"\r", b"\n\n", b" \n", b"\n\x0c")))


@mutation
def joined_lines(chance: random.Random, data: bytes) -> bytes:
    """Lose some line ends."""
    lines = lines_of(data)
    for k in some(chance, list(range(len(lines))), 5):
        lines[k] = lines[k].rstrip(b"\n")
    return b"".join(lines)
