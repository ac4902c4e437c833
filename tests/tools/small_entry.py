"""A small artificial entry in PDB format: a strand of alanines, and the ligands of a test."""

from collections.abc import Sequence
from pathlib import Path

import gemmi

from tests.tools.ligands import Xyz

STRAND_LENGTH = 8
RISE = 3.4
"""Advance of an extended strand per residue, in angstroms."""

_ALANINE = (
    ("N", 0.0, 0.0, 0.0),
    ("CA", 1.2, 0.8, 0.0),
    ("C", 2.3, -0.2, 0.0),
    ("O", 2.3, -1.4, 0.0),
    ("CB", 1.2, 1.7, 1.2),
)


def atom_line(
    serial: int, name: str, comp_id: str, chain: str, number: int, xyz: Sequence[float], *, element: str,
    record: str = "HETATM", altloc: str = " ", ins_code: str = " ", occupancy: float = 1.0, b: float = 20.0,
    tail: str = "",
) -> str:  # fmt: skip
    """Return one coordinate line of the PDB format; `tail` begins in column 67 and replaces the element."""
    x, y, z = xyz
    padded = name if len(name) == 4 or len(element) == 2 else f" {name}"
    return (
        f"{record:<6}{serial % 100000:5d} {padded:<4}{altloc}{comp_id:>3} {chain}{number:4d}{ins_code}   "
        f"{x:8.3f}{y:8.3f}{z:8.3f}{occupancy:6.2f}{b:6.2f}{tail or f'          {element:>2}'}\n"
    )


def strand(chain: str, start: int, offset: Xyz = (0.0, 0.0, 0.0), *, length: int = STRAND_LENGTH) -> list[str]:
    """Return a strand of alanines along x that begins at `offset`, ended by TER."""
    lines: list[str] = []
    for number in range(length):
        for name, x, y, z in _ALANINE:
            place = (x + RISE * number + offset[0], y + offset[1], z + offset[2])
            serial = start + len(lines)
            lines.append(atom_line(serial, name, "ALA", chain, number + 1, place, element=name[0], record="ATOM"))
    return [*lines, f"TER   {start + len(lines):5d}      ALA {chain}{length:4d}\n"]


def write_entry(folder: Path, *parts: list[str], header: str = "") -> Path:
    """Write an entry of the given parts and return its file ``1abc.pdb``."""
    path = folder / "1abc.pdb"
    first = "HEADER    TEST                                    01-JAN-20   1ABC\n"
    path.write_text(first + header + "".join(line for part in parts for line in part) + "END\n", encoding="ascii")
    return path


def carbons(
    comp_id: str, chain: str, number: int, first: Xyz, step: Xyz, count: int, *, start: int = 900, altloc: str = " "
) -> list[str]:
    """Return the atoms C1, C2 … of a component in a row: the first, and each other one a step farther."""
    return [
        atom_line(start + k, f"C{k + 1}", comp_id, chain, number, place, element="C", altloc=altloc)
        for k in range(count)
        for place in [(first[0] + k * step[0], first[1] + k * step[1], first[2] + k * step[2])]
    ]


def cif_of(path: Path, folder: Path) -> Path:
    """Write an entry's PDB file as mmCIF and return the new file."""
    target = folder / f"{path.name.split('.')[0]}.cif"
    structure = gemmi.read_structure(str(path))
    structure.setup_entities()
    structure.make_mmcif_document().write_file(str(target))
    return target


def benzene(chain: str, number: int, centre: Xyz, *, start: int = 900) -> list[str]:
    """Return benzene (BNZ) in the plane z = const; as an additive it must be requested by name."""
    corners = ((1.39, 0.0), (0.695, 1.204), (-0.695, 1.204), (-1.39, 0.0), (-0.695, -1.204), (0.695, -1.204))
    return [
        atom_line(start + i, f"C{i + 1}", "BNZ", chain, number, (centre[0] + x, centre[1] + y, centre[2]), element="C")
        for i, (x, y) in enumerate(corners)
    ]
