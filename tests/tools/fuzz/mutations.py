"""Named mutations of structure files: the input of the fuzz campaign.

A mutation gets the uncompressed text of a file and its own random numbers and returns bytes; equal numbers give equal
bytes, so that the base, the names of the mutations and a seed define a case.
"""

import gzip
import random
import re
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import pairwise

Mutation = Callable[[random.Random, bytes], bytes]
MUTATIONS: dict[str, Mutation] = {}
"""All mutations by name."""

NUMBERS = (
    *("nan", "NaN", "inf", "-inf", "1e308", "-1e308", "1e400", "1e-320", "0", "-0.0", "99999.999", "-9999.999"),
    *("1e15", "2147483648", "-2147483649", "9223372036854775808", "18446744073709551616", "1.2.3", "0x10", "1,5"),
    *("?", ".", "", "''", "1(2)", "+", "-", "٣", "1_000", "1e", "000000000001"),
)
"""Texts in place of a number."""

TEXTS = (
    *("?", ".", "'", '"', "''", ";", "#", "_", "data_", "loop_", "save_", "$", "é", "名前", "\u202e", "\ufeff", "\x00"),
    *("HOH", "DOD", "UNK", "UNL", "UNX", "X", "ATP", "ZN", "HEM", "MSE", "NAG", "A1LU6", "ALA", "DA", "*", "a b"),
    *("A" * 5, "Z" * 200, "../../x", "<script>", "=1+1", "%s", "\t", "-1", "A/B", "CON", "{0}", "\\", "|", "&amp;"),
)
"""Texts in place of a name."""

ATOM = re.compile(rb"(?:ATOM|HETATM)\b")

Field = int | tuple[int, int]
"""Column of an atom in mmCIF, or begin and end of its characters in PDB."""

NUMBER_FIELDS: tuple[Sequence[Field], Sequence[Field]] = (
    ((6, 11), (22, 26), (30, 38), (38, 46), (46, 54), (54, 60), (60, 66), (78, 80)),
    (1, 8, 10, 11, 12, 13, 14, 15, 16, 20),
)
NAME_FIELDS: tuple[Sequence[Field], Sequence[Field]] = (
    ((0, 6), (12, 16), (16, 17), (17, 20), (21, 22), (26, 27), (72, 76), (76, 78)),
    (0, 2, 3, 4, 5, 6, 7, 9, 17, 18, 19),
)
RESIDUE_FIELDS: tuple[Sequence[Field], Sequence[Field]] = (
    ((22, 27), (17, 20), (21, 22), (12, 16), (17, 27)),
    range(2, 25),
)
SWAPPED_FIELDS: tuple[Sequence[Field], Sequence[Field]] = (
    ((6, 11), (12, 16), (17, 20), (22, 26), (30, 38), (54, 60), (76, 78)),
    range(20),
)
PLACE_FIELDS: tuple[Sequence[Field], Sequence[Field]] = (((30, 38), (38, 46), (46, 54)), (10, 11, 12))
"""Fields in PDB and in mmCIF."""


class Lines(list[bytes]):
    """The lines of a file with their ends."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data.splitlines(keepends=True))
        self.is_cif = is_cif(data)

    def atoms(self) -> list[int]:
        """Return the numbers of the lines of atoms."""
        return [k for k, line in enumerate(self) if ATOM.match(line)]

    def hets(self) -> list[int]:
        """Return the lines of het groups other than water, or of all atoms if there are none."""
        found = [k for k, line in enumerate(self) if line.startswith(b"HETATM") and b"HOH" not in line]
        return found or self.atoms()

    def either(self, chance: random.Random) -> list[int]:
        """Return the lines of het groups or of all atoms."""
        return chance.choice((self.hets, self.atoms))()

    def get(self, k: int, field: Field) -> bytes:
        """Return a field of an atom; empty if the line lacks it."""
        if isinstance(field, tuple):
            return self[k][slice(*field)]
        return b"".join(self[k].split()[field : field + 1])

    def put(self, k: int, field: Field, text: bytes, *, pad: Callable[[bytes, int], bytes] = bytes.rjust) -> None:
        """Write a field of an atom; skip a line of mmCIF that lacks the column."""
        if isinstance(field, tuple):
            begin, end = field
            self[k] = self[k][:begin] + pad(text, end - begin)[: end - begin] + self[k][end:]
        elif field < len(cells := self[k].split()):
            cells[field] = text or b"?"
            self[k] = b" ".join(cells) + b"\n"

    def place(self, k: int) -> list[bytes]:
        """Return the coordinates of an atom."""
        return [self.get(k, field) for field in PLACE_FIELDS[self.is_cif]]

    def move(self, k: int, place: Sequence[bytes]) -> None:
        """Write the coordinates of an atom."""
        for field, part in zip(PLACE_FIELDS[self.is_cif], place, strict=True):
            self.put(k, field, part.strip())


def is_cif(data: bytes) -> bool:
    """Return whether the text is mmCIF."""
    return b"_atom_site." in data


def mutation(function: Mutation) -> Mutation:
    """Enter a mutation under the name of its function."""
    MUTATIONS[function.__name__] = function
    return function


def of_lines(function: Callable[[random.Random, Lines], Sequence[bytes] | None]) -> Mutation:
    """Enter a mutation that returns other lines, or changes the lines and returns None."""

    @wraps(function)
    def whole(chance: random.Random, data: bytes) -> bytes:
        lines = Lines(data)
        changed = function(chance, lines)
        return b"".join(lines if changed is None else changed)

    return mutation(whole)


def of_categories(function: Callable[[random.Random, list[bytes]], Sequence[bytes] | None]) -> Mutation:
    """Enter a mutation of the parts of an mmCIF file between lines ``#``, or of runs of one PDB record."""

    @wraps(function)
    def whole(chance: random.Random, data: bytes) -> bytes:
        if is_cif(data):
            parts = re.split(rb"(?<=\n)#[ \t]*\n", data)
        else:
            lines = Lines(data)
            ends = [k for k, (one, other) in enumerate(pairwise(lines), start=1) if one[:6] != other[:6]]
            parts = [b"".join(lines[begin:end]) for begin, end in pairwise([0, *ends, len(lines)])]
        changed = function(chance, parts)
        return (b"#\n" if is_cif(data) else b"").join(parts if changed is None else changed)

    return mutation(whole)


def span(chance: random.Random, length: int, most: int) -> tuple[int, int]:
    """Return the begin and end of a stretch of at most `most` items."""
    size = chance.randint(1, max(1, min(most, length)))
    begin = chance.randint(0, max(0, length - size))
    return begin, begin + size


def some(chance: random.Random, items: Sequence[int], most: int) -> list[int]:
    """Return at most `most` of the items, one at least if there are any."""
    return chance.sample(items, min(len(items), chance.randint(1, most))) if items else []


# Bytes.


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
    return cut_off(chance, gzip.compress(data, 1, mtime=0))


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


@mutation
def other_line_ends(chance: random.Random, data: bytes) -> bytes:
    """Write other line ends."""
    return data.replace(b"\n", chance.choice((b"\r\n", b"\r", b"\n\n", b" \n", b"\n\x0c")))


# Lines.


@of_lines
def lost_lines(chance: random.Random, lines: Lines) -> None:
    """Remove lines."""
    begin, end = span(chance, len(lines), chance.choice((1, 20, 500)))
    del lines[begin:end]


@of_lines
def repeated_lines(chance: random.Random, lines: Lines) -> None:
    """Write lines twice, there or elsewhere."""
    begin, end = span(chance, len(lines), 60)
    place = chance.choice((end, chance.randint(0, len(lines))))
    lines[place:place] = lines[begin:end]


@of_lines
def shuffled_lines(chance: random.Random, lines: Lines) -> None:
    """Put lines in another order."""
    begin, end = span(chance, len(lines), 80)
    part = lines[begin:end]
    chance.shuffle(part)
    lines[begin:end] = part


@of_lines
def joined_lines(chance: random.Random, lines: Lines) -> None:
    """Lose some line ends."""
    for k in some(chance, range(len(lines)), 5):
        lines[k] = lines[k].rstrip(b"\n")


# Atoms.


@of_lines
def lost_atoms(chance: random.Random, lines: Lines) -> list[bytes]:
    """Remove random atoms."""
    share = chance.choice((0.02, 0.5, 0.95))
    return [line for line in lines if not (ATOM.match(line) and chance.random() < share)]


@of_lines
def lost_polymer(chance: random.Random, lines: Lines) -> list[bytes]:
    """Remove all atoms of the polymer, or all other atoms."""
    word = chance.choice((b"ATOM", b"HETATM"))
    return [line for line in lines if not re.match(word + rb"\b", line)]


@of_lines
def repeated_atoms(chance: random.Random, lines: Lines) -> None:
    """Write atoms of a het group twice."""
    for k in sorted(some(chance, lines.hets(), 30), reverse=True):
        lines.insert(chance.choice((k, k, chance.randint(0, len(lines)))), lines[k])


@of_lines
def atoms_in_one_place(chance: random.Random, lines: Lines) -> None:
    """Give several atoms the coordinates of one."""
    chosen = some(chance, lines.either(chance), 40)
    for k in chosen:
        lines.move(k, lines.place(chosen[0]))


@of_lines
def far_atoms(chance: random.Random, lines: Lines) -> None:
    """Move atoms far away."""
    for k in some(chance, lines.either(chance), chance.choice((1, 10))):
        far = (b"9999.999", b"-999.999", b"99999999", b"1.0e+06", b"   0.000")
        lines.move(k, [chance.choice(far) for _ in range(3)])


@of_lines
def scaled_coordinates(chance: random.Random, lines: Lines) -> None:
    """Give all coordinates in another unit, or flatten them."""
    factor = chance.choice((0.0, 0.1, 10.0, -1.0, 1e-6))
    for k in lines.atoms():
        try:
            place = [f"{float(part) * factor:8.3f}".encode() for part in lines.place(k)]
        except ValueError:
            continue
        lines.move(k, place)


@of_lines
def odd_numbers(chance: random.Random, lines: Lines) -> None:
    """Put something else in place of numbers of atoms."""
    for k in some(chance, lines.either(chance), chance.choice((1, 5, 50))):
        number = chance.choice(NUMBERS).encode()
        lines.put(k, chance.choice(NUMBER_FIELDS[lines.is_cif]), number)


@of_lines
def odd_names(chance: random.Random, lines: Lines) -> None:
    """Put something else in place of names of atoms, components, chains."""
    text = chance.choice(TEXTS).encode()
    for k in some(chance, lines.either(chance), chance.choice((1, 5, 50))):
        lines.put(k, chance.choice(NAME_FIELDS[lines.is_cif]), text, pad=bytes.ljust)


@of_lines
def one_residue(chance: random.Random, lines: Lines) -> None:
    """Give all atoms, or all of het groups, one residue number, chain or name."""
    chosen = lines.either(chance)
    field = chance.choice(RESIDUE_FIELDS[lines.is_cif])
    for k in chosen:
        lines.put(k, field, lines.get(chosen[0], field))


@of_lines
def swapped_fields(chance: random.Random, lines: Lines) -> None:
    """Swap two fields of some or all atoms."""
    chosen = lines.atoms()
    chosen = chosen if chance.random() < 0.5 else some(chance, chosen, 20)
    fields = chance.sample(SWAPPED_FIELDS[lines.is_cif], 2)
    for k in chosen:
        lines[k] = lines[k].ljust(80)
        texts = [lines.get(k, field).strip() for field in fields]
        for field, text in zip(fields, reversed(texts), strict=True):
            lines.put(k, field, text)


@of_lines
def shifted_columns(chance: random.Random, lines: Lines) -> None:
    """Shift lines by a blank, or lose or add a field."""
    for k in some(chance, lines.atoms(), chance.choice((1, 30))):
        place = chance.randint(5, max(5, len(lines[k]) - 2))
        change = chance.choice((b" ", b"", b"\t", b"X", b" X "))
        lines[k] = lines[k][:place] + change + lines[k][place + (not change) :]


@of_lines
def alternates(chance: random.Random, lines: Lines) -> None:
    """Give atoms labels of alternates, with occupancies that make no sense."""
    labels = chance.choice((b"AB", b"A ", b"?1", b"ABCDEFGH"))
    for k in lines.either(chance):
        label = bytes([chance.choice(labels)])
        if lines.is_cif:
            lines.put(k, 4, label.strip() or b".")
        else:
            lines.put(k, (16, 17), label)
            lines.put(k, (54, 60), chance.choice((b"  0.00", b"  0.50", b"999.99", b" -1.00", b"      ")))


# Categories of mmCIF and records of PDB: cell, symmetry, assemblies, models, tags.


@of_categories
def lost_categories(chance: random.Random, parts: list[bytes]) -> list[bytes]:
    """Remove categories or records."""
    share = chance.choice((0.05, 0.3, 0.9))
    return [part for part in parts if b"_atom_site.Cartn" in part or chance.random() >= share]


@of_categories
def repeated_categories(chance: random.Random, parts: list[bytes]) -> None:
    """Write a category or record twice."""
    parts.insert(len(parts) // 2, chance.choice(parts))


@of_categories
def shuffled_categories(chance: random.Random, parts: list[bytes]) -> None:
    """Put categories or records in another order."""
    rest = parts[1:]
    chance.shuffle(rest)
    parts[1:] = rest


@of_categories
def damaged_categories(chance: random.Random, parts: list[bytes]) -> None:
    """Damage values in the header: cell, symmetry, assemblies, connections, sequences."""
    chosen = [k for k, part in enumerate(parts) if not ATOM.search(part[:200])]
    for k in some(chance, chosen, chance.choice((2, 20))):
        words = re.split(rb"(\s+)", parts[k])
        places = [i for i, word in enumerate(words) if word.strip() and not word.startswith((b"_", b"loop_", b"data_"))]
        for i in some(chance, places, chance.choice((1, 10))):
            words[i] = chance.choice((*NUMBERS, *TEXTS)).encode()
        parts[k] = b"".join(words)


@of_categories
def damaged_crystal(chance: random.Random, parts: list[bytes]) -> None:
    """Put odd numbers in cell, symmetry and operators of assemblies."""
    words = (b"CRYST1", b"SCALE", b"ORIGX", b"MTRIX", b"REMARK 290", b"REMARK 350", b"_cell.", b"_symmetry.",
             b"_pdbx_struct_oper", b"_pdbx_struct_assembly", b"_atom_sites.", b"_struct_ncs")  # fmt: skip
    for k, part in enumerate(parts):
        if any(word in part[:400] for word in words):
            parts[k] = re.sub(
                rb"(?<![\w.])-?\d+\.\d+(?![\w.])",
                lambda match: chance.choice(NUMBERS).encode() or b"0" if chance.random() < 0.1 else match[0],
                part,
            )


@of_categories
def empty_loop(chance: random.Random, parts: list[bytes]) -> None:
    """Remove all rows of a loop, or add a truncated one."""
    loops = [k for k, part in enumerate(parts) if part.startswith(b"loop_")]
    for k in some(chance, loops, 3):
        tags = [line for line in Lines(parts[k]) if line.startswith((b"loop_", b"_"))]
        parts[k] = b"".join(tags) if chance.random() < 0.7 else parts[k] + b"1 2 \n"


@mutation
def small_cell(chance: random.Random, data: bytes) -> bytes:
    """Make the cell too small, too large, or flat."""
    size = chance.choice((b"0.01", b"1.00", b"3.00", b"9.50", b"99999.0", b"1e9"))
    data = re.sub(rb"(_cell\.length_[abc]\s+)\S+", lambda match: match[1] + size, data)
    angle = chance.choice((b"90.00", b"90.00", b"0.00", b"180.00", b"1.00"))
    data = re.sub(rb"(_cell\.angle_[a-z]+\s+)\S+", lambda match: match[1] + angle, data)
    record = b"CRYST1" + size.rjust(9)[:9] * 3 + angle.rjust(7)[:7] * 3
    return re.sub(rb"(?m)^CRYST1.{48}", lambda _: record, data)


@mutation
def renamed_tags(chance: random.Random, data: bytes) -> bytes:
    """Change the names of tags or records."""
    names = sorted(set(re.findall(rb"(?m)^(_\w+\.\w+|[A-Z]{4,6}[0-9]?)\b", data)))
    for name in chance.sample(names, min(len(names), chance.randint(1, 3))):
        other = chance.choice((name.upper(), name[:-1] + b"x", chance.choice(names), b"_x.y"))
        data = re.sub(rb"(?m)^" + re.escape(name) + rb"\b", other.replace(b"\\", b"\\\\"), data)
    return data


@mutation
def lost_tag(chance: random.Random, data: bytes) -> bytes:
    """Remove tags of the atoms with or without their column."""
    tags = re.findall(rb"(?m)^_atom_site\.\S+[ \t]*\n", data)
    if not tags:
        return lost_lines(chance, data)
    column = chance.randrange(len(tags))
    data = data.replace(tags[column], b"", 1)
    if chance.random() < 0.3:
        return data
    lines = Lines(data)
    for k in lines.atoms():
        cells = lines[k].split()
        lines[k] = b" ".join(cells[:column] + cells[column + 1 :]) + b"\n"
    return b"".join(lines)


@of_lines
def several_models(chance: random.Random, lines: Lines) -> list[bytes] | None:
    """Write the atoms as several models, or number the models oddly."""
    atoms = lines.atoms()
    if not atoms:
        return None
    if lines.is_cif:
        for k in atoms:
            lines.put(k, -1, chance.choice((b"1", b"2", b"0", b"-1", b"99999999999", b"x")))
        return None
    head, body, tail = lines[: atoms[0]], lines[atoms[0] : atoms[-1] + 1], lines[atoms[-1] + 1 :]
    names = [chance.choice((b"1", b"2", b"", b"x", b"-3")) for _ in range(3)]
    models = [line for name in names for line in (b"MODEL     " + name + b"\n", *body, b"ENDMDL\n")]
    return [*head, *models, *tail]
