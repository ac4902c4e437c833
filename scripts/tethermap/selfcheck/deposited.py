"""Atoms of het groups of a deposited file, read by gemmi directly or by the pipeline's reader."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import gemmi

from tethermap.base.identifiers import short_code
from tethermap.base.packed import unpacked
from tethermap.entry.reader import read_entry

UNKNOWN_ELEMENT = "X"
"""gemmi's symbol of an atom whose element the file does not give."""


@dataclass(frozen=True, slots=True)
class Atom:
    """One atom; empty text if the file gives nothing, coordinates in angstroms."""

    name: str
    element: str
    altloc: str
    xyz: tuple[float, float, float]


_COLUMNS = re.compile(rb"loop_\s+(?:_atom_site\.\S+\s+)+")

ResidueKey = tuple[str, str, str]
"""Author chain, component, author number with insertion code."""


def read_deposited(path: Path, comp_ids: Collection[str]) -> dict[ResidueKey, list[Atom]]:
    """Return the heavy atoms of components of the first model, read by gemmi."""
    content = unpacked(path.read_bytes())
    if columns := _COLUMNS.search(content):
        block = gemmi.cif.read_string(b"data_\n" + columns.group() + b"".join(_atom_lines(content, comp_ids)))[0]
        structure = gemmi.make_structure_from_block(block)
    else:
        first_model = content.partition(b"\nENDMDL")[0]
        structure = gemmi.read_pdb_string(b"".join(_atom_lines(first_model, comp_ids)))
    return _heavy_atoms(structure, comp_ids)


def _atom_lines(content: bytes, comp_ids: Collection[str]) -> Iterator[bytes]:
    """Yield the lines of atoms that contain the name of a component: gemmi needs far longer for a whole entry."""
    for name in map(str.encode, comp_ids):
        end = 0
        while (place := content.find(name, end)) >= 0:
            begin, end = content.rfind(b"\n", 0, place) + 1, content.find(b"\n", place) + 1 or len(content)
            if content.startswith((b"ATOM", b"HETATM"), begin):
                yield content[begin:end]


def read_as_pipeline(path: Path, entry_id: str, comp_ids: Collection[str]) -> dict[ResidueKey, list[Atom]]:
    """Return the same atoms by the pipeline's reader, which repairs odd files.

    Raises
    ------
    EntryError
        If the file can't be read.
    """
    return _heavy_atoms(read_entry(path, entry_id).structure, comp_ids)


def _heavy_atoms(structure: gemmi.Structure, comp_ids: Collection[str]) -> dict[ResidueKey, list[Atom]]:
    """Return atoms of all conformers in file order, without repeated ones."""
    found: dict[ResidueKey, dict[Atom, None]] = {}
    for chain in next(iter(structure), ()):  # the first model
        for residue in chain:
            comp_id = residue.name if residue.name in comp_ids else short_code(residue.name)
            if comp_id in comp_ids:
                atoms = (atom_of(atom) for atom in residue if not atom.is_hydrogen())
                found.setdefault((chain.name.strip(), comp_id, str(residue.seqid)), {}).update(dict.fromkeys(atoms))
    return {key: list(atoms) for key, atoms in found.items()}


def atom_of(atom: gemmi.Atom) -> Atom:
    """Return an atom of a structure."""
    x, y, z = atom.pos.tolist()
    return Atom(atom.name, atom.element.name, atom.altloc.strip("\0 "), (x, y, z))
