"""Read one entry's file: structure, atoms, and what its header says."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import gemmi

from scripts.lib.entry.atoms import Atoms
from scripts.lib.entry.metadata import EntryMetadata, from_mmcif, from_pdb
from scripts.lib.instance.model import EntryBond


class EntryError(Exception):
    """An entry that can't be used; becomes its status row.

    Parameters
    ----------
    reason : str
        Code of `scripts.lib.reasons.REASONS`.
    value : str
        The detail, for the status table.
    """

    def __init__(self, reason: str, value: str = "") -> None:
        super().__init__(f"{reason}: {value}" if value else reason)
        self.reason = reason
        self.value = value


@dataclass(frozen=True, slots=True)
class Entry:
    """One deposited entry, first model.

    Parameters
    ----------
    entry_id : str
        Lower-case id.
    structure : gemmi.Structure
        As read, with entities, assemblies, connections, cell.
    atoms : Atoms
        Its atoms as columns, in the order of `structure`.
    metadata : EntryMetadata
        What the header says.
    bonds : dict of str to tuple of EntryBond
        The entry's own component bonds, empty for PDB files.
    molecules : dict of str to str
        BIRD id by label_asym_id (``_pdbx_molecule``).
    is_mmcif : bool
        Whether chains have mmCIF names of their own.
    n_models : int
        Models in the file.
    in_crystal_frame : bool
        Whether the coordinates stand in the crystal; some capsids are deposited in a frame of
        their own and give the way back as an operator.
    """

    entry_id: str
    structure: gemmi.Structure
    atoms: Atoms
    metadata: EntryMetadata
    bonds: dict[str, tuple[EntryBond, ...]]
    molecules: dict[str, str]
    is_mmcif: bool
    n_models: int
    in_crystal_frame: bool


def read_entry(path: Path, entry_id: str) -> Entry:
    """Read an mmCIF or PDB file, gzipped or not.

    Parameters
    ----------
    path : Path
        The file; its content, not its name, says which format it is.
    entry_id : str
        Id under which the entry goes, lower case.

    Returns
    -------
    Entry

    Raises
    ------
    EntryError
        If the file is empty, cut off, no structure, unreadable or without atoms.
    """
    text = _read_text(path)
    is_mmcif = _is_mmcif(text)
    try:
        parse = _parse_mmcif if is_mmcif else _parse_pdb
        parsed = parse(text, entry_id)
    except (ValueError, RuntimeError, IndexError) as error:
        raise EntryError("file_unreadable", str(error).splitlines()[0][:200]) from error
    structure = parsed.structure
    n_models = len(structure)
    if n_models == 0 or structure[0].count_atom_sites() == 0:
        raise EntryError("no_atoms")
    while len(structure) > 1:
        del structure[-1]
    structure.setup_entities()
    return Entry(
        entry_id=entry_id,
        structure=structure,
        atoms=Atoms.of(structure),
        metadata=parsed.metadata,
        bonds=parsed.bonds,
        molecules=parsed.molecules,
        is_mmcif=is_mmcif,
        n_models=n_models,
        in_crystal_frame=parsed.in_crystal_frame,
    )


def _read_text(path: Path) -> str:
    """Return the text of a file, decompressed when it is a gzip."""
    data = path.read_bytes()
    if not data:
        raise EntryError("file_empty")
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise EntryError("file_truncated", str(error)[:200]) from error
    if not data.strip():
        raise EntryError("file_empty")
    return data.decode("utf-8", "replace")


def _is_mmcif(text: str) -> bool:
    """Tell mmCIF from PDB by the first words; refuse what is neither."""
    for line in text[:20_000].splitlines():
        if line.startswith("data_"):
            return True
        if line.strip() and not line.startswith("#"):
            break
    head = text[:400].lstrip().lower()
    if head.startswith(("<!doctype", "<html", "<?xml", "{")):
        raise EntryError("file_not_structure", "the content is a page, not a structure")
    records = ("HEADER", "ATOM  ", "HETATM", "CRYST1", "REMARK", "MODEL ", "TITLE ", "COMPND", "OBSLTE", "EXPDTA")
    if not any(line.startswith(records) for line in text.splitlines()[:200]):
        raise EntryError("file_not_structure", "neither mmCIF nor PDB records at its beginning")
    return False


class _Parsed(NamedTuple):
    structure: gemmi.Structure
    metadata: EntryMetadata
    bonds: dict[str, tuple[EntryBond, ...]]
    molecules: dict[str, str]
    in_crystal_frame: bool


def _parse_mmcif(text: str, entry_id: str) -> _Parsed:
    document = gemmi.cif.read_string(text)
    block = next((b for b in document if b.find_values("_atom_site.Cartn_x")), document[0])
    structure = gemmi.make_structure_from_block(block)
    molecules = {row.str(1): row.str(0) for row in block.find("_pdbx_molecule.", ["prd_id", "asym_id"])}
    return _Parsed(
        structure,
        from_mmcif(block, entry_id=entry_id),
        _component_bonds(block),
        molecules,
        in_crystal_frame=not _has_frame_of_its_own(block),
    )


def _has_frame_of_its_own(block: gemmi.cif.Block) -> bool:
    """Return whether an operator other than the identity leads from the file to the crystal frame."""
    tags = ["type", "matrix[1][1]", "matrix[2][2]", "matrix[3][3]", "vector[1]", "vector[2]", "vector[3]"]
    for row in block.find("_pdbx_struct_oper_list.", tags):
        if "crystal frame" in row.str(0):
            numbers = [gemmi.cif.as_number(row[i]) for i in range(1, 7)]
            if any(abs(number - expected) > 1e-3 for number, expected in zip(numbers, (1, 1, 1, 0, 0, 0), strict=True)):
                return True
    return False


def _parse_pdb(text: str, entry_id: str) -> _Parsed:
    # Files from before 1996 carry the entry id and a line number in columns 73-80,
    # where later ones have segment, element and charge.
    first = text[:80].split("\n", 1)[0]
    numbered = first.startswith("HEADER") and len(first) >= 76 and first[72:76] == first[62:66] != "    "
    structure = gemmi.read_pdb_string(text, max_line_length=72 if numbered else 0)
    return _Parsed(structure, from_pdb(text, entry_id=entry_id), {}, {}, in_crystal_frame=True)


def _component_bonds(block: gemmi.cif.Block) -> dict[str, tuple[EntryBond, ...]]:
    tags = ["comp_id", "atom_id_1", "atom_id_2", "value_order", "?pdbx_aromatic_flag"]
    bonds: dict[str, list[EntryBond]] = {}
    for row in block.find("_chem_comp_bond.", tags):
        aromatic = row.has(4) and row.str(4).upper() == "Y"
        bonds.setdefault(row.str(0), []).append(EntryBond(row.str(1), row.str(2), row.str(3).lower(), aromatic))
    return {comp_id: tuple(listed) for comp_id, listed in bonds.items()}
