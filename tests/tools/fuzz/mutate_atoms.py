"""Mutations of atoms: places, names, numbers."""

import random
import re

from tests.tools.fuzz.mutation import ATOM, NUMBERS, TEXTS, atom_lines, het_lines, is_cif, lines_of, mutation, some


@mutation
def lost_atoms(chance: random.Random, data: bytes) -> bytes:
    """Remove random atoms."""
    lines = lines_of(data)
    share = chance.choice((0.02, 0.5, 0.95))
    return b"".join(line for line in lines if not (ATOM.match(line) and chance.random() < share))


@mutation
def lost_polymer(chance: random.Random, data: bytes) -> bytes:
    """Remove all atoms of the polymer, or all other atoms."""
    word = chance.choice((b"ATOM", b"HETATM"))
    return b"".join(line for line in lines_of(data) if not re.match(word + rb"\b", line))


@mutation
def repeated_atoms(chance: random.Random, data: bytes) -> bytes:
    """Write atoms of a het group twice."""
    lines = lines_of(data)
    for k in sorted(some(chance, het_lines(lines), 30), reverse=True):
        lines.insert(chance.choice((k, k, chance.randint(0, len(lines)))), lines[k])
    return b"".join(lines)


@mutation
def atoms_in_one_place(chance: random.Random, data: bytes) -> bytes:
    """Give several atoms the coordinates of one."""
    lines = lines_of(data)
    chosen = some(chance, chance.choice((het_lines, atom_lines))(lines), 40)
    places = [_coordinates(data, lines[k]) for k in chosen[:1]]
    for k in chosen:
        lines[k] = _with_coordinates(data, lines[k], places[0])
    return b"".join(lines)


@mutation
def far_atoms(chance: random.Random, data: bytes) -> bytes:
    """Move atoms far away."""
    lines = lines_of(data)
    for k in some(chance, chance.choice((het_lines, atom_lines))(lines), chance.choice((1, 10))):
        far = [chance.choice((b"9999.999", b"-999.999", b"99999999", b"1.0e+06", b"   0.000")) for _ in range(3)]
        lines[k] = _with_coordinates(data, lines[k], far)
    return b"".join(lines)


@mutation
def scaled_coordinates(chance: random.Random, data: bytes) -> bytes:
    """Give all coordinates in another unit, or flatten them."""
    factor = chance.choice((0.0, 0.1, 10.0, -1.0, 1e-6))
    lines = lines_of(data)
    for k in atom_lines(lines):
        try:
            place = [f"{float(part) * factor:8.3f}".encode() for part in _coordinates(data, lines[k])]
        except ValueError:
            continue
        lines[k] = _with_coordinates(data, lines[k], place)
    return b"".join(lines)


@mutation
def odd_numbers(chance: random.Random, data: bytes) -> bytes:
    """Put something else in place of numbers of atoms."""
    lines = lines_of(data)
    for k in some(chance, chance.choice((het_lines, atom_lines))(lines), chance.choice((1, 5, 50))):
        lines[k] = _with_number(chance, data, lines[k], chance.choice(NUMBERS).encode())
    return b"".join(lines)


@mutation
def odd_names(chance: random.Random, data: bytes) -> bytes:
    """Put something else in place of names of atoms, components, chains."""
    lines = lines_of(data)
    text = chance.choice(TEXTS).encode()
    for k in some(chance, chance.choice((het_lines, atom_lines))(lines), chance.choice((1, 5, 50))):
        lines[k] = _with_name(chance, data, lines[k], text)
    return b"".join(lines)


@mutation
def one_residue(chance: random.Random, data: bytes) -> bytes:
    """Give all atoms, or all of het groups, one residue number, chain or name."""
    lines = lines_of(data)
    chosen = chance.choice((het_lines, atom_lines))(lines)
    if not is_cif(data):
        begin, end = chance.choice(((22, 27), (17, 20), (21, 22), (12, 16), (17, 27)))
        for k in chosen:
            lines[k] = lines[k][:begin] + lines[chosen[0]][begin:end] + lines[k][end:]
        return b"".join(lines)
    column = chance.randrange(2, 25)
    for k in chosen:
        cells, first = lines[k].split(), lines[chosen[0]].split()
        if column < min(len(cells), len(first)):
            cells[column] = first[column]
            lines[k] = b" ".join(cells) + b"\n"
    return b"".join(lines)


@mutation
def swapped_fields(chance: random.Random, data: bytes) -> bytes:
    """Swap two fields of some or all atoms."""
    lines = lines_of(data)
    chosen = atom_lines(lines)
    chosen = chosen if chance.random() < 0.5 else some(chance, chosen, 20)
    if not is_cif(data):
        first, second = sorted(chance.sample(((6, 11), (12, 16), (17, 20), (22, 26), (30, 38), (54, 60), (76, 78)), 2))
        for k in chosen:
            line = lines[k].ljust(80)
            one, two = line[slice(*first)], line[slice(*second)]
            width = len(one), len(two)
            line = line[: first[0]] + two.strip().rjust(width[0])[: width[0]] + line[first[1] :]
            lines[k] = line[: second[0]] + one.strip().rjust(width[1])[: width[1]] + line[second[1] :]
        return b"".join(lines)
    one_column, two_column = chance.sample(range(20), 2)
    for k in chosen:
        cells = lines[k].split()
        if max(one_column, two_column) < len(cells):
            cells[one_column], cells[two_column] = cells[two_column], cells[one_column]
            lines[k] = b" ".join(cells) + b"\n"
    return b"".join(lines)


@mutation
def shifted_columns(chance: random.Random, data: bytes) -> bytes:
    """Shift lines by a blank, or lose or add a field."""
    lines = lines_of(data)
    for k in some(chance, atom_lines(lines), chance.choice((1, 30))):
        place = chance.randint(5, max(5, len(lines[k]) - 2))
        change = chance.choice((b" ", b"", b"\t", b"X", b" X "))
        lines[k] = lines[k][:place] + change + lines[k][place + (not change) :]
    return b"".join(lines)


@mutation
def alternates(chance: random.Random, data: bytes) -> bytes:
    """Give atoms labels of alternates, with occupancies that make no sense."""
    lines = lines_of(data)
    labels = chance.choice((b"AB", b"A ", b"?1", b"ABCDEFGH"))
    for k in chance.choice((het_lines, atom_lines))(lines):
        label = bytes([chance.choice(labels)])
        if not is_cif(data):
            occupancy = chance.choice((b"  0.00", b"  0.50", b"999.99", b" -1.00", b"      "))
            lines[k] = lines[k][:16] + label + lines[k][17:54] + occupancy + lines[k][60:]
            continue
        cells = lines[k].split()
        if len(cells) > 4:
            cells[4] = label.strip() or b"."
            lines[k] = b" ".join(cells) + b"\n"
    return b"".join(lines)


def _coordinates(data: bytes, line: bytes) -> list[bytes]:
    if not is_cif(data):
        return [line[30:38], line[38:46], line[46:54]]
    cells = line.split()
    return cells[10:13] if len(cells) > 12 else [b"0"] * 3


def _with_coordinates(data: bytes, line: bytes, place: list[bytes]) -> bytes:
    if not is_cif(data):
        return line[:30] + b"".join(part.rjust(8)[:8] for part in place) + line[54:]
    cells = line.split()
    if len(cells) > 12:
        cells[10:13] = [part.strip() for part in place]
    return b" ".join(cells) + b"\n"


def _with_number(chance: random.Random, data: bytes, line: bytes, number: bytes) -> bytes:
    if not is_cif(data):
        begin, end = chance.choice(((6, 11), (22, 26), (30, 38), (38, 46), (46, 54), (54, 60), (60, 66), (78, 80)))
        return line[:begin] + number.rjust(end - begin)[: end - begin] + line[end:]
    cells = line.split()
    column = chance.choice((1, 8, 10, 11, 12, 13, 14, 15, 16, 20))
    if column < len(cells):
        cells[column] = number or b"?"
    return b" ".join(cells) + b"\n"


def _with_name(chance: random.Random, data: bytes, line: bytes, name: bytes) -> bytes:
    if not is_cif(data):
        begin, end = chance.choice(((0, 6), (12, 16), (16, 17), (17, 20), (21, 22), (26, 27), (72, 76), (76, 78)))
        return line[:begin] + name.ljust(end - begin)[: end - begin] + line[end:]
    cells = line.split()
    column = chance.choice((0, 2, 3, 4, 5, 6, 7, 9, 17, 18, 19))
    if column < len(cells):
        cells[column] = name
    return b" ".join(cells) + b"\n"
