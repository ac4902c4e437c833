"""Read one entry's file: structure, atoms, and what its header says."""

from __future__ import annotations

import gzip
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import gemmi
import numpy as np

from scripts.lib.entry.atoms import Atoms
from scripts.lib.entry.metadata import EntryMetadata, from_mmcif, from_pdb
from scripts.lib.instance.model import EntryBond, IntArray

FARTHEST = 99_999.0
"""Largest coordinate, and edge of a unit cell, in angstroms that counts as one."""

HALF_TURN = 180.0
"""Angles of a unit cell are smaller, in degrees."""

OCCUPANCIES, B_FACTORS = (-1.0, 999.0), (-1e5, 1e5)
"""Ranges wide enough for what is deposited, odd values included."""


MARGIN, LEAST_ROOM = 3.0, 3.0
"""Least room of a heavy atom in the box of all, in cubic angstroms, the box made larger by a margin in angstroms;
packed protein has 17."""


_ODD_COLUMNS = re.compile(
    r"""^(?:ATOM|HETA|atom|heta)
    (?!
        (?:(?<=ATOM)\ \ |(?<=HETA)TM)
        [ -~]{16}
        (?=(?=\ *-?\d)[-\d ]{4}|[A-Za-z]\w{3})      # 23-26: a residue number, hybrid-36 too
        [ -~]{8}
        (?=(?:\ *-?\d*\.\d*){3})                     # 31-54: three numbers with points at 35, 43, 51
        [ -~]{4}\.[ -~]{7}\.[ -~]{7}\.
        (?:[\d ]{3}[-\d. ]{6}[ -~]*|[-\d. ]{0,8})   # 55-60: an occupancy
        \r?$
    )""",
    re.MULTILINE | re.VERBOSE,
)
"""Lines of atoms that would be misread, letters other than ASCII among them."""

_ELEMENTS = re.compile(r"^(?:ATOM  |HETATM)[^\r\n]{70}(?!  )([^\r\n]{2})", re.MULTILINE)
"""Columns 77-78 of an atom where they are not blank."""

_SYMBOLS = frozenset(
    spelling
    for name in ("D", *(gemmi.Element(number).name for number in range(119)))  # 0 is X, unknown
    for spelling in (name.rjust(2), name.ljust(2), name.upper().rjust(2), name.upper().ljust(2), name.lower().rjust(2))
)
"""What can stand there; anything else, such as the types of other formats, leaves the element to the atom's name."""

_LAST_ASCII = 126

WATER_MODELS = frozenset(
    ("SOL", "SPC", "SPCE", "T3P", "T4P", "T5P", "TIP", "TIP3", "TIP4", "TIP5", "TP3", "TP4", "TP5", "OPC", "WTR")
)
"""What programs of simulation and refinement call water; some are codes of other components in the dictionary."""

LONGEST_BOND = 2.0
"""Atoms of one component nearer than this belong to one molecule, in angstroms."""


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
    if not _is_possible(structure.cell):
        structure.cell = gemmi.UnitCell()  # none, as for what is no crystal
    n_models = len(structure)
    if n_models == 0 or structure[0].count_atom_sites() == 0:
        raise EntryError("no_atoms")
    while len(structure) > 1:
        del structure[-1]
    try:
        atoms = _atoms(structure)
    except RuntimeError as error:  # names that gemmi has no room for
        raise EntryError("file_unreadable", str(error).splitlines()[0][:200]) from error
    _check_names(atoms)
    _check_numbers(atoms)
    return Entry(
        entry_id=entry_id,
        structure=structure,
        atoms=atoms,
        metadata=parsed.metadata,
        bonds=parsed.bonds,
        molecules=parsed.molecules,
        is_mmcif=is_mmcif,
        n_models=n_models,
        in_crystal_frame=parsed.in_crystal_frame,
    )


def _atoms(structure: gemmi.Structure) -> Atoms:
    """Return the atoms of a structure, whose het groups are put together and rid of repeated atoms."""
    _name_waters(structure)
    _join_het_groups(structure)
    structure.setup_entities()
    atoms = Atoms.of(structure)
    repeated = _repeated(atoms)
    if len(repeated):
        _remove(structure, set(repeated.tolist()))
        atoms = Atoms.of(structure)
    return atoms


def _name_waters(structure: gemmi.Structure) -> None:
    """Give water the PDB's name where it goes by that of a model: only oxygens, beside hydrogens and virtual sites."""
    model = structure[0]
    if WATER_MODELS.isdisjoint(name.upper() for name in model.get_all_residue_names()):
        return
    for chain in model:
        for residue in chain:
            if residue.name.upper() not in WATER_MODELS:
                continue
            if {atom.element.name for atom in residue} - {"H", "D", gemmi.Element(0).name} == {"O"}:
                residue.name = "HOH"
                residue.entity_type = gemmi.EntityType.Water


def _check_names(atoms: Atoms) -> None:
    """Refuse names that no output can hold, and residues without number."""
    for what, column in (
        ("atoms", atoms.name),
        ("components", atoms.comp_id),
        ("chains", atoms.auth_asym_id),
        ("chains", atoms.label_asym_id),
        ("alternates", atoms.altloc),
        ("residues", atoms.ins_code),
    ):
        if (np.ascontiguousarray(column).view(np.uint8) > _LAST_ASCII).any():
            raise EntryError("file_unreadable", f"names of {what} have other letters than ASCII")
    if (atoms.auth_seq_id == np.iinfo(np.int32).min).any():
        raise EntryError("file_unreadable", "residues have no number")


def _join_het_groups(structure: gemmi.Structure) -> None:
    """Join the parts of a het group whose atoms stand in several places of the file, bonded as they are."""
    model = structure[0]
    parts: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
    for number, chain in enumerate(model):
        for place, residue in enumerate(chain):
            if residue.het_flag == "H" and not residue.is_water():
                parts.setdefault((chain.name, str(residue.seqid), residue.name), []).append((number, place))
    joined: list[tuple[int, int]] = []
    for places in parts.values():
        whole = max(places, key=lambda at: len(model[at[0]][at[1]]))
        left = [at for at in places if at != whole]
        residue = model[whole[0]][whole[1]]
        while near := [at for at in left if _bonded(residue, model[at[0]][at[1]])]:
            for number, place in near:
                for atom in model[number][place]:
                    residue.add_atom(atom)
            joined += near
            left = [at for at in left if at not in near]
    for number, place in sorted(joined, reverse=True):
        del model[number][place]
    structure.remove_empty_chains()


def _bonded(one: gemmi.Residue, other: gemmi.Residue) -> bool:
    """Return whether an atom of one residue stands as near to one of the other as bonded atoms do, or in its place."""
    return any(a.pos.dist(b.pos) < LONGEST_BOND for a in one for b in other)


def _repeated(atoms: Atoms) -> IntArray:
    """Return atoms that repeat an earlier one: same residue, name, alternate and place; shape (n_repeated,)."""
    x, y, z = atoms.xyz.T
    order = np.lexsort((z, y, x))
    same = (atoms.xyz[order[:-1]] == atoms.xyz[order[1:]]).all(axis=1)
    order = np.sort(order[np.append(same, False) | np.append(False, same)])  # those that share their place
    order = order[np.lexsort((atoms.altloc[order], atoms.name[order], z[order], y[order], x[order]))]
    before, after = order[:-1], order[1:]
    same = (atoms.xyz[before] == atoms.xyz[after]).all(axis=1)
    before, after = before[same], after[same]
    names = (atoms.name, atoms.altloc, atoms.auth_seq_id, atoms.ins_code, atoms.comp_id, atoms.auth_asym_id)
    for column in (*names, atoms.label_asym_id):
        equal = column[before] == column[after]
        before, after = before[equal], after[equal]
    repeated: IntArray = after.astype(np.int64)
    return repeated


def _remove(structure: gemmi.Structure, indices: set[int]) -> None:
    """Remove atoms by their place in the file order of the first model."""
    place = 0
    for chain in structure[0]:
        for residue in chain:
            count = len(residue)
            for k in range(count - 1, -1, -1):
                if place + k in indices:
                    del residue[k]
            place += count
    structure.remove_empty_chains()


def _is_possible(cell: gemmi.UnitCell) -> bool:
    """Return whether a unit cell encloses a volume and fits the columns of a file."""
    lengths, angles = cell.parameters[:3], cell.parameters[3:]
    return (
        all(0 < length < FARTHEST for length in lengths)
        and all(0 < angle < HALF_TURN for angle in angles)
        and cell.volume > 0
    )


def _check_numbers(atoms: Atoms) -> None:
    """Refuse atoms whose place, occupancy or B factor no structure can have."""
    for what, values, low, high in (
        ("coordinates", np.abs(atoms.xyz).max(axis=1), 0.0, FARTHEST),
        ("occupancies", atoms.occupancy, *OCCUPANCIES),
        ("B factors", atoms.b_iso, *B_FACTORS),
    ):
        wrong = int((~((values >= low) & (values <= high))).sum())  # not a number is in no range
        if wrong:
            raise EntryError("file_unreadable", f"{what} of {wrong} atoms are missing or out of range")
    room = float(np.prod(np.ptp(atoms.xyz, axis=0) + MARGIN)) / max(1, atoms.fullest_conformer(slice(None)))
    if room < LEAST_ROOM:
        raise EntryError("file_unreadable", f"the atoms have {room:.2g} cubic angstroms each")


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
    if odd := len(_ODD_COLUMNS.findall(text)):
        raise EntryError("file_unreadable", f"{odd} coordinate lines do not keep to the columns of the PDB format")
    numbered = first.startswith("HEADER") and len(first) >= 76 and first[72:76] == first[62:66] != "    "
    if not numbered and not {*_ELEMENTS.findall(text)} <= _SYMBOLS:
        text = _ELEMENTS.sub(lambda match: match[0] if match[1] in _SYMBOLS else f"{match[0][:-2]}  ", text)
    structure = gemmi.read_pdb_string(text, max_line_length=72 if numbered else 0)
    return _Parsed(structure, from_pdb(text, entry_id=entry_id), {}, {}, in_crystal_frame=True)


def _component_bonds(block: gemmi.cif.Block) -> dict[str, tuple[EntryBond, ...]]:
    tags = ["comp_id", "atom_id_1", "atom_id_2", "value_order", "?pdbx_aromatic_flag"]
    bonds: dict[str, list[EntryBond]] = {}
    for row in block.find("_chem_comp_bond.", tags):
        aromatic = row.has(4) and row.str(4).upper() == "Y"
        bonds.setdefault(row.str(0), []).append(EntryBond(row.str(1), row.str(2), row.str(3).lower(), aromatic))
    return {comp_id: tuple(listed) for comp_id, listed in bonds.items()}
