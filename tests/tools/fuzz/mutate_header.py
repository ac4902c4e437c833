"""Mutations of mmCIF categories and PDB records: cell, symmetry, assemblies, models, tags."""

import random
import re
from itertools import pairwise

from tests.tools.fuzz.mutate_text import lost_lines
from tests.tools.fuzz.mutation import ATOM, NUMBERS, TEXTS, atom_lines, is_cif, lines_of, mutation, some


def _categories(data: bytes) -> list[bytes]:
    """Return the parts of an mmCIF file between lines ``#``, or runs of one PDB record."""
    if is_cif(data):
        return re.split(rb"(?<=\n)#[ \t]*\n", data)
    lines = lines_of(data)
    ends = [k for k, (one, other) in enumerate(pairwise(lines), start=1) if one[:6] != other[:6]]
    return [b"".join(lines[begin:end]) for begin, end in pairwise([0, *ends, len(lines)])]


def _joined(data: bytes, parts: list[bytes]) -> bytes:
    return (b"#\n" if is_cif(data) else b"").join(parts)


@mutation
def lost_categories(chance: random.Random, data: bytes) -> bytes:
    """Remove categories or records."""
    parts = _categories(data)
    share = chance.choice((0.05, 0.3, 0.9))
    return _joined(data, [part for part in parts if b"_atom_site.Cartn" in part or chance.random() >= share])


@mutation
def repeated_categories(chance: random.Random, data: bytes) -> bytes:
    """Write a category or record twice."""
    parts = _categories(data)
    part = chance.choice(parts)
    return _joined(data, [*parts[: len(parts) // 2], part, *parts[len(parts) // 2 :]])


@mutation
def shuffled_categories(chance: random.Random, data: bytes) -> bytes:
    """Put categories or records in another order."""
    parts = _categories(data)
    head, rest = parts[:1], parts[1:]
    chance.shuffle(rest)
    return _joined(data, head + rest)


@mutation
def damaged_categories(chance: random.Random, data: bytes) -> bytes:
    """Damage values in the header: cell, symmetry, assemblies, connections, sequences."""
    parts = _categories(data)
    chosen = [k for k, part in enumerate(parts) if not ATOM.search(part[:200])]
    for k in some(chance, chosen, chance.choice((2, 20))):
        words = re.split(rb"(\s+)", parts[k])
        places = [i for i, word in enumerate(words) if word.strip() and not word.startswith((b"_", b"loop_", b"data_"))]
        for i in some(chance, places, chance.choice((1, 10))):
            words[i] = chance.choice((*NUMBERS, *TEXTS)).encode()
        parts[k] = b"".join(words)
    return _joined(data, parts)


@mutation
def damaged_crystal(chance: random.Random, data: bytes) -> bytes:
    """Put odd numbers in cell, symmetry and operators of assemblies."""
    words = (b"CRYST1", b"SCALE", b"ORIGX", b"MTRIX", b"REMARK 290", b"REMARK 350", b"_cell.", b"_symmetry.",
             b"_pdbx_struct_oper", b"_pdbx_struct_assembly", b"_atom_sites.", b"_struct_ncs")  # fmt: skip
    parts = _categories(data)
    for k, part in enumerate(parts):
        if any(word in part[:400] for word in words):
            parts[k] = re.sub(
                rb"(?<![\w.])-?\d+\.\d+(?![\w.])",
                lambda match: chance.choice(NUMBERS).encode() or b"0" if chance.random() < 0.1 else match[0],
                part,
            )
    return _joined(data, parts)


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
    lines = lines_of(data)
    for k in atom_lines(lines):
        cells = lines[k].split()
        lines[k] = b" ".join(cells[:column] + cells[column + 1 :]) + b"\n"
    return b"".join(lines)


@mutation
def empty_loop(chance: random.Random, data: bytes) -> bytes:
    """Remove all rows of a loop, or add a truncated one."""
    parts = _categories(data)
    loops = [k for k, part in enumerate(parts) if part.startswith(b"loop_")]
    for k in some(chance, loops, 3):
        lines = lines_of(parts[k])
        tags = [line for line in lines if line.startswith((b"loop_", b"_"))]
        parts[k] = b"".join(tags) if chance.random() < 0.7 else parts[k] + b"1 2 \n"
    return _joined(data, parts)


@mutation
def several_models(chance: random.Random, data: bytes) -> bytes:
    """Write the atoms as several models, or number the models oddly."""
    lines = lines_of(data)
    atoms = atom_lines(lines)
    if not atoms:
        return data
    if is_cif(data):
        for k in atoms:
            cells = lines[k].split()
            cells[-1] = chance.choice((b"1", b"2", b"0", b"-1", b"99999999999", b"x"))
            lines[k] = b" ".join(cells) + b"\n"
        return b"".join(lines)
    head, body, tail = lines[: atoms[0]], lines[atoms[0] : atoms[-1] + 1], lines[atoms[-1] + 1 :]
    names = [chance.choice((b"1", b"2", b"", b"x", b"-3")) for _ in range(3)]
    models = [line for name in names for line in (b"MODEL     " + name + b"\n", *body, b"ENDMDL\n")]
    return b"".join(head + models + tail)
