"""The atoms of het groups straight from a deposited file, by other code than the pipeline's reader."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import gemmi

from tethermap.base.elements import SYMBOLS
from tethermap.base.identifiers import short_code
from tethermap.base.packed import unpacked

HYDROGEN = frozenset(("H", "D"))

UNKNOWN_ELEMENT = "X"
"""An atom whose element the file doesn't tell; gemmi's name for it."""

_TAGS = (
    "label_atom_id",
    "auth_atom_id",
    "label_comp_id",
    "auth_comp_id",
    "auth_asym_id",
    "label_asym_id",
    "auth_seq_id",
    "pdbx_PDB_ins_code",
    "label_alt_id",
    "type_symbol",
    "Cartn_x",
    "Cartn_y",
    "Cartn_z",
    "pdbx_PDB_model_num",
)

_TAG_LINES = re.compile(r"loop_\n(?:_atom_site\.\S+[ ]*\n)+")


@dataclass(frozen=True, slots=True)
class DepositedAtom:
    """One atom as deposited; empty text where the file gives nothing, coordinates in angstroms."""

    name: str
    element: str
    altloc: str
    xyz: tuple[float, float, float]


ResidueKey = tuple[str, str, str]
"""Author chain, component, author number with insertion code."""


def read_deposited(path: Path, comp_ids: frozenset[str]) -> dict[ResidueKey, list[DepositedAtom]]:
    """Return the heavy atoms of some components in the first model.

    Parameters
    ----------
    path : Path
        mmCIF or PDB file, gzipped or not.

    Returns
    -------
    dict of ResidueKey to list of DepositedAtom
        Atoms of all conformers in file order; of those of one name in one place the first.
    """
    text = unpacked(path.read_bytes()).decode("utf-8", "replace")
    is_mmcif = not text.startswith("HEADER") and "_atom_site." in text
    rows = _mmcif_atoms(text, comp_ids) if is_mmcif else _pdb_atoms(text, comp_ids)
    residues: dict[ResidueKey, dict[tuple[object, ...], DepositedAtom]] = {}
    for key, atom in rows:
        residues.setdefault(key, {}).setdefault((atom.name, atom.altloc, atom.xyz), atom)
    return {key: [atom for atom in atoms.values() if atom.element not in HYDROGEN] for key, atoms in residues.items()}


def _mmcif_atoms(text: str, comp_ids: frozenset[str]) -> Iterator[tuple[ResidueKey, DepositedAtom]]:
    """Yield the wanted atoms from the loop of atom sites, without building a structure."""
    for block in gemmi.cif.read_string(_rows_of(text, comp_ids) or text):
        loop = block.find_loop("_atom_site.Cartn_x").get_loop()
        if loop is not None:
            break
    else:
        return
    tags = [tag.removeprefix("_atom_site.") for tag in loop.tags]
    column_of = {name: tags.index(name) for name in _TAGS if name in tags}
    comp_column = column_of["auth_comp_id" if "auth_comp_id" in column_of else "label_comp_id"]
    comps = list(block.find_loop(f"_atom_site.{tags[comp_column]}"))
    wanted = {comp for comp in set(comps) if short_code(gemmi.cif.as_string(comp)) in comp_ids}
    model = loop[0, column_of["pdbx_PDB_model_num"]] if "pdbx_PDB_model_num" in column_of else ""

    def cell(row: int, *names: str) -> str:
        for name in names:
            if name in column_of and (value := gemmi.cif.as_string(loop[row, column_of[name]])) not in ("", "?", "."):
                return value
        return ""

    for row, comp in enumerate(comps):
        if comp not in wanted or (model and loop[row, column_of["pdbx_PDB_model_num"]] != model):
            continue
        number = cell(row, "auth_seq_id") + cell(row, "pdbx_PDB_ins_code")
        key = cell(row, "auth_asym_id", "label_asym_id"), short_code(cell(row, "auth_comp_id", "label_comp_id")), number
        x, y, z = (float(cell(row, f"Cartn_{axis}").partition("(")[0]) for axis in "xyz")
        name = cell(row, "auth_atom_id", "label_atom_id")
        element = cell(row, "type_symbol").capitalize()
        element = element if element in SYMBOLS else UNKNOWN_ELEMENT
        yield key, DepositedAtom(name, element, cell(row, "label_alt_id"), (x, y, z))


def _rows_of(text: str, comp_ids: frozenset[str]) -> str:
    """Return the loop of atom sites with its first row and those of some components, as a file of its own.

    Empty where the file is not written as the wwPDB does it: a row on each line, names of components without quotes,
    ``#`` at the end.
    """
    begin = text.find("\nloop_\n_atom_site.") + 1
    end = text.find("#", begin)  # in the first column, where nothing before it has one
    while end > 0 and text[end - 1] != "\n":
        end = text.find("#", end + 1)
    head = _TAG_LINES.match(text, begin)
    if not 0 < begin < end or head is None:
        return ""
    atoms = text[head.end() : end]
    lines = [atoms.partition("\n")[0], *lines_with(atoms, [f" {comp_id} " for comp_id in comp_ids])]
    rows = [line.split() for line in lines]
    tags = [tag.removeprefix("_atom_site.") for tag in head[0].split()[1:]]
    if "Cartn_x" not in tags or any(len(row) != len(tags) for row in rows):
        return ""
    column = tags.index("auth_comp_id" if "auth_comp_id" in tags else "label_comp_id")
    return f"data_\n{head[0]}" + "\n".join(lines) if {row[column] for row in rows} >= comp_ids else ""


def lines_with(text: str, words: Iterable[str]) -> list[str]:
    """Return the lines that hold one of some words, in their order."""
    lines: dict[int, int] = {}
    for word in words:
        at = text.find(word)
        while at >= 0:
            end = text.find("\n", at)
            end = end if end >= 0 else len(text)
            lines[text.rfind("\n", 0, at) + 1] = end
            at = text.find(word, end)
    return [text[begin : lines[begin]] for begin in sorted(lines)]


def _pdb_atoms(text: str, comp_ids: frozenset[str]) -> Iterator[tuple[ResidueKey, DepositedAtom]]:
    """Yield the wanted atoms by the columns of the PDB format, up to the end of the first model."""
    codes = tuple({code for comp in comp_ids for code in (comp.rjust(3), comp.ljust(3))})
    first_model = text.partition("\nENDMDL")[0]
    header = text[:80].split("\n", 1)[0]  # files from before 1996 number their lines where later ones have the element
    numbered = len(header) >= 76 and header[72:76] == header[62:66] != "    "
    for line in lines_with(first_model, codes):
        if not line.startswith(("ATOM  ", "HETATM")) or not line.startswith(codes, 17):
            continue
        name = line[12:16]
        element = "" if numbered else line[76:78].strip().capitalize()
        if element not in SYMBOLS and element != UNKNOWN_ELEMENT:
            element = _element(name)
        key = line[21].strip(), line[17:20].strip(), line[22:27].strip()
        xyz = float(line[30:38]), float(line[38:46]), float(line[46:54])
        yield key, DepositedAtom(name.strip(), element, line[16].strip(), xyz)


def _element(name: str) -> str:
    """Return the element that a four-character atom name stands for: right-justified in its first two."""
    if not name[:2].strip():
        return UNKNOWN_ELEMENT
    first = name[:2].strip().capitalize()
    if first in SYMBOLS and not (name.strip()[0] in "HD" and len(name.strip()) == 4):
        return first
    if name[:2].isalpha() and name.strip()[0].upper() not in "HD":
        return UNKNOWN_ELEMENT  # two letters that are no element, such as a word
    letters = [letter for letter in name if letter.isalpha()]
    return letters[0].upper() if letters and letters[0].upper() in SYMBOLS else UNKNOWN_ELEMENT
