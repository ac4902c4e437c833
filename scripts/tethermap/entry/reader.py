"""Read one entry's file: structure, atoms, and header."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import gemmi
import numpy as np

from tethermap.base.errors import ReasonError
from tethermap.base.identifiers import short_code
from tethermap.base.packed import DamagedGzip, unpacked
from tethermap.base.tables import by_key
from tethermap.entry.additions import NONE, Additions, read_additions, shorten_codes
from tethermap.entry.atoms import NON_POLYMER, POLYMER, Atoms, text as decoded
from tethermap.entry.metadata import EntryMetadata, from_mmcif, from_pdb
from tethermap.entry.model import PREDICTED, EntryBond
from tethermap.entry.near import box_around
from tethermap.entry.pdb_polymers import peptide_like_chains
from tethermap.entry.polymers import decide_polymers, has_sequences, has_strays
from tethermap.entry.repair import join_het_groups, name_waters, number_residues, remove_atoms, repeated_atoms
from tethermap.entry.text_search import PDB_START, find_mark
from tethermap.entry.uniprot import References, Stated, stated_in_mmcif, stated_in_pdb
from tethermap.formats.cif_repair import complete_atoms, with_plain_numbers
from tethermap.formats.pdb_columns import NO_COORDINATE
from tethermap.formats.pdb_repair import repaired_pdb
from tethermap.formats.text import FormatError, structure_text

FARTHEST = 99_999.0
"""Largest coordinate, and edge of a unit cell, in angstroms that counts as one."""

HALF_TURN = 180.0
"""Angles of a unit cell are smaller, in degrees."""

_NO_NUMBER = np.iinfo(np.int32).min
"""Of a residue whose number the file does not give, in gemmi's columns."""

LARGEST_NUMBER = 99_999_999
"""Atom numbers of a residue; values beyond 32 bits are read as another number."""

OCCUPANCIES, B_FACTORS, CHARGES = (-1.0, 999.0), (-1e5, 1e5), (-9.0, 9.0)
"""Ranges wide enough for deposited values, odd ones included; charges have one digit in PDB files."""


MARGIN, LEAST_ROOM = 3.0, 3.0
"""Least volume per heavy atom in the bounding box of all, in cubic angstroms, and the margin of the box in angstroms;
packed protein has 17."""


_LAST_ASCII = 126

_CIF_START = re.compile(r"(?:\s|#[^\n]*\n)*data_", re.IGNORECASE)
_PDB_START = re.compile(PDB_START)

_WORD = re.compile(r"[A-Za-z]{3}")

DISPLACEMENT = re.compile("\nANISOU[^\n]*")
"""Anisotropic displacements of a PDB file: nearly half of its lines, which nothing here uses."""

_B_FACTOR = "_atom_site.B_iso_or_equiv"

_BLANK_B = re.compile(r"(\n(?:ATOM  |HETATM)[^\n]{54}) {6}")
_UNKNOWN_B = "-99999"
"""Stands for a missing B factor of a PDB file while gemmi reads it, which takes blanks for zero."""

_MODEL_LAST = re.compile(r"\nloop_\n(?:_atom_site\.\S+ *\n)*_atom_site\.pdbx_PDB_model_num *\n(?=ATOM |HETATM )")
"""The tags of the atoms if the model is at the end of each row."""


class EntryError(ReasonError):
    """An entry whose file can't be read."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One deposited entry, first model.

    Parameters
    ----------
    entry_id : str
        Lower-case id.
    structure : gemmi.Structure
        Structure from the reader, with entities, assemblies, connections, cell.
    atoms : Atoms
        Its atoms as columns, in the order of `structure`.
    metadata : EntryMetadata
        Header of the entry.
    bonds : dict of str to tuple of EntryBond
        The entry's own component bonds, empty for PDB files.
    molecules : dict of str to str
        BIRD id by label_asym_id (``_pdbx_molecule``); of PDB files the record that names the chain (REMARK 400).
    is_mmcif : bool
        Whether chains have separate mmCIF names.
    n_models : int
        Models in the file.
    in_crystal_frame : bool
        Whether the coordinates are in the crystal's frame; some capsids are deposited in another frame and give the
        transformation as an operator.
    references : References
        UniProt numbers and mutations.
    additions : Additions
        Additions to a user's model: ligands from separate files, confidences.
    numbered : frozenset of (str, str)
        Author chain and number of residues that have no number in the file.
    poses : frozenset of int
        Residues that are ligands with bonds from a file: several may be poses of one, none is bonded to another.
    conect : dict of int to tuple of (int, int)
        By atom of a het group: later atoms of it that ``CONECT`` records of a PDB file bond to it, each with the
        number of its mentions in one record.
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
    references: References
    additions: Additions = NONE
    numbered: frozenset[tuple[str, str]] = frozenset()
    poses: frozenset[int] = frozenset()
    conect: dict[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)

    @property
    def flags(self) -> tuple[str, ...]:
        """Codes of `tethermap.base.reasons.FLAGS` that all its ligands have."""
        holds = {"first_model": self.n_models > 1, "withdrawn": self.metadata.withdrawn}
        return tuple(flag for flag in holds if holds[flag])

    @property
    def confidence_scale(self) -> float:
        """Factor from the B factors of a prediction to its pLDDT of 0 to 100; 0 if they are B factors."""
        if self.metadata.methods != (PREDICTED,):
            return 0.0
        return 1.0 if (self.atoms.b_iso > 1.0).any() else 100.0


def read_entry(path: Path, entry_id: str) -> Entry:
    """Read an mmCIF or PDB file, gzipped or not.

    Parameters
    ----------
    path : Path
        The file; its format is detected from its content, not from its name.
    entry_id : str
        Id of the entry, lower case.

    Returns
    -------
    Entry

    Raises
    ------
    EntryError
        If the file is empty, cut off, no structure, unreadable or without atoms.
    """
    parsed = _parsed(read_text(path), entry_id, whole=False)
    structure, is_mmcif = parsed.structure, parsed.block is not None
    if not _is_possible(structure.cell):
        structure.cell = gemmi.UnitCell()  # no cell, as in files without crystals
    n_models = len(structure)
    while len(structure) > 1:
        del structure[-1]
    named = _ligand_names(structure) if parsed.additions.ligands else {}
    try:
        atoms = _atoms(structure, is_mmcif=is_mmcif)
        numbered = frozenset[tuple[str, str]]()
        if (atoms.auth_seq_id == _NO_NUMBER).any():
            numbered = number_residues(structure)
            atoms = _atoms(structure, is_mmcif=is_mmcif)
    except RuntimeError as error:  # the name is too long for gemmi, which ends its message with it
        name = str(error).split()[-1][:40]
        raise EntryError("file_unreadable", f"the name {name} is too long: shorten it to 7 characters") from error
    _check_names(atoms)
    _check_numbers(atoms)
    additions = parsed.additions
    if named:  # the reader gives ligands of files without sequences another label_asym_id
        now = {named[name]: asym for name, asym in _ligand_names(structure).items() if name in named}
        additions = additions.renamed(now)
    ligands = [asym.encode() for asym in additions.ligands]
    poses = np.flatnonzero(np.isin(atoms.label_asym_id[atoms.starts], ligands)).tolist() if ligands else ()
    return Entry(
        entry_id=entry_id,
        structure=structure,
        atoms=atoms,
        metadata=parsed.metadata,
        bonds=parsed.bonds,
        molecules=parsed.molecules if is_mmcif else _by_asym(atoms, parsed.molecules),
        is_mmcif=is_mmcif,
        n_models=n_models,
        in_crystal_frame=parsed.in_crystal_frame,
        references=References(structure, parsed.stated),
        additions=additions,
        numbered=numbered,
        poses=frozenset(poses),
        conect=_conect(structure, atoms),
    )


def _conect(structure: gemmi.Structure, atoms: Atoms) -> dict[int, tuple[tuple[int, int], ...]]:
    """Return the bonds within het groups by ``CONECT``, without those of ambiguous serial numbers."""
    if not structure.conect_map:
        return {}
    het = np.flatnonzero(atoms.entity_type == NON_POLYMER)
    serials = np.array(gemmi.FlatStructure(structure).serials)[het].tolist()
    counts = Counter(serials)
    number = {serial: index for serial, index in zip(serials, het.tolist(), strict=True) if counts[serial] == 1}
    times: dict[tuple[int, int], int] = {}
    for serial, others in structure.conect_map.items():
        for other, count in Counter(others).items():
            first, second = sorted((number.get(serial, -1), number.get(other, -1)))
            if 0 <= first < second and atoms.residue[first] == atoms.residue[second]:
                times[first, second] = max(count, times.get((first, second), 0))
    bonds = by_key((first, (second, count)) for (first, second), count in sorted(times.items()))
    return {first: tuple(others) for first, others in bonds.items()}


def _ligand_names(structure: gemmi.Structure) -> dict[tuple[str, str, str], str]:
    """Return label_asym_id by chain, number and component of residues outside of polymers."""
    hets = [(chain.name, one) for chain in structure[0] for one in chain if one.het_flag == "H"]
    return {(chain, str(residue.seqid), residue.name): residue.subchain for chain, residue in hets}


def parse_file(path: Path, entry_id: str) -> Parsed:
    """Read a file with all its models, the residues of the first sorted into polymer and others.

    Raises
    ------
    EntryError
        See `read_entry`.
    """
    parsed = _parsed(read_text(path), entry_id)
    parsed.sort(parsed.structure)
    return parsed


def _first_model_of(text: str) -> str:
    """Return an mmCIF file without the unused loops of the wwPDB, which take half of the reading time.

    These are the loop of anisotropic displacements and the atoms of all models except the first.
    """
    begin = text.find("\nloop_\n_atom_site_anisotrop.")
    end = find_mark(text, "\n#", begin + 1)
    text = text[:begin] + text[end:] if 0 <= begin < end else text
    if (tags := _MODEL_LAST.search(text)) is None:
        return text
    last_atom = max(text.rfind("\nATOM "), text.rfind("\nHETATM ")) + 1
    lines = (text[at : text.find("\n", at)] for at in (tags.end(), last_atom))
    first, last = (line.rstrip().rpartition(" ")[2] for line in lines)
    if first == last or not first.isdecimal():
        return text
    end = find_mark(text, "\n#", tags.end()) + 1
    number, at, starts = int(first) + 1, tags.end(), list[int]()
    # Columns are as wide as their longest word, and rows have no other trailing text.
    while (at := text.find(f" {number:<{len(last)}} \n", at, end)) >= 0:
        starts.append(text.rfind("\n", 0, at) + 1)
        number += 1
    if str(number - 1) != last or text.find(f" {first:<{len(last)}} \n", starts[0], end) >= 0:
        return text
    kept = (text[start : text.index("\n", start) + 1] for start in starts)
    return text[: starts[0]] + "".join(kept) + text[end:]


def _parsed(text: str, entry_id: str, *, whole: bool = True) -> Parsed:
    """Read a file, completely or only the parts for `read_entry`."""
    is_mmcif = _is_mmcif(text)
    if "\0" in text:  # gemmi ends a line there
        raise EntryError("file_unreadable", f"a zero byte in line {text[: text.index(chr(0))].count(chr(10)) + 1}")
    if not whole:
        text = _first_model_of(text) if is_mmcif else DISPLACEMENT.sub("", text)
    try:
        parsed = (_parse_mmcif if is_mmcif else _parse_pdb)(text, entry_id)
    except (ValueError, RuntimeError, IndexError) as error:
        raise EntryError("file_unreadable", str(error).splitlines()[0][:200]) from error
    if not len(parsed.structure) or parsed.structure[0].count_atom_sites() == 0:
        raise EntryError("no_atoms")
    return parsed


def _sort_residues(structure: gemmi.Structure, *, is_mmcif: bool) -> None:
    """Join the het groups of the first model and mark the polymer residues."""
    name_waters(structure)
    join_het_groups(structure)
    if has_sequences(structure, is_mmcif=is_mmcif):
        structure.setup_entities()
    else:
        decide_polymers(structure)
    if not is_mmcif and has_strays(structure):
        decide_polymers(structure)


def _atoms(structure: gemmi.Structure, *, is_mmcif: bool) -> Atoms:
    """Return the atoms of a structure, with het groups joined, without repeated atoms and those without coordinates.

    A het group none of whose atoms has coordinates is not removed.
    """
    _sort_residues(structure, is_mmcif=is_mmcif)
    try:
        atoms = Atoms.of(structure)
    except RuntimeError:
        _shorten_subchains(structure)
        atoms = Atoms.of(structure)
    unplaced = atoms.unplaced
    absent = np.logical_and.reduceat(unplaced, atoms.starts)[atoms.residue] & (atoms.entity_type == NON_POLYMER)
    gone = {*repeated_atoms(atoms).tolist(), *np.flatnonzero(unplaced & ~absent).tolist()}
    if 0 < len(gone) < len(atoms):
        remove_atoms(structure, gone)
        atoms = Atoms.of(structure)
    return atoms


def _shorten_subchains(structure: gemmi.Structure) -> None:
    """Give short names to subchains whose names gemmi has made too long for its arrays, of seven letters."""
    named = {residue.subchain for chain in structure[0] for residue in chain if len(residue.subchain) > 7}
    short = {name: f"x{number}" for number, name in enumerate(sorted(named), start=1)}
    for residue in (residue for chain in structure[0] for residue in chain):
        residue.subchain = short.get(residue.subchain, residue.subchain)
    parts = [part for assembly in structure.assemblies for part in assembly.generators]
    for owner in (*structure.entities, *parts):
        owner.subchains = [short.get(name, name) for name in owner.subchains]


def _check_names(atoms: Atoms) -> None:
    """Reject names and numbers that do not fit any output format."""
    names = ("atoms", "components", "chains", "chains", "alternates", "residues")
    columns = (atoms.name, atoms.comp_id, atoms.auth_asym_id, atoms.label_asym_id, atoms.altloc, atoms.ins_code)
    for what, column in zip(names, columns, strict=True):
        if column.view(np.uint8).max() > _LAST_ASCII:
            raise EntryError("file_unreadable", f"names of {what} have other letters than ASCII")
    if (np.abs(atoms.auth_seq_id) > LARGEST_NUMBER).any():
        raise EntryError("file_unreadable", f"residues have numbers beyond {LARGEST_NUMBER:,}")


def _is_possible(cell: gemmi.UnitCell) -> bool:
    """Return whether a unit cell encloses a volume and fits the columns of a file."""
    largest = (FARTHEST,) * 3 + (HALF_TURN,) * 3
    return all(0 < value < limit for value, limit in zip(cell.parameters, largest, strict=True)) and cell.volume > 0


def _check_numbers(atoms: Atoms) -> None:
    """Refuse atoms whose place, occupancy or B factor no structure can have."""
    for what, values, low, high in (
        ("coordinates", atoms.xyz, -FARTHEST, FARTHEST),
        ("occupancies", atoms.occupancy[:, None], *OCCUPANCIES),
        ("B factors", np.nan_to_num(atoms.b_iso)[:, None], *B_FACTORS),
        ("charges", atoms.charge[:, None], *CHARGES),
    ):
        if not (low <= values.min() and values.max() <= high):  # NaN is in no range
            wrong = int((~((values >= low) & (values <= high)).all(axis=1)).sum())
            raise EntryError("file_unreadable", f"{what} of {wrong} atoms are missing or out of range")
    lowest, highest = box_around(atoms.xyz)
    room = float(np.prod(highest - lowest + MARGIN)) / max(1, atoms.fullest_conformer(slice(None)))
    if room < LEAST_ROOM:
        raise EntryError("file_unreadable", f"the atoms have {room:.2g} cubic angstroms each")


def read_text(path: Path) -> str:
    """Return the text of a file, unpacked, BinaryCIF and mmJSON as mmCIF."""
    try:
        data = unpacked(path.read_bytes())
    except DamagedGzip as error:
        raise EntryError("file_truncated", str(error)[:200]) from error
    if not data or data.isspace():
        raise EntryError("file_empty")
    try:
        return structure_text(data)
    except FormatError as error:
        raise EntryError("file_unreadable", str(error)) from error


def _is_mmcif(text: str) -> bool:
    """Return whether the first words are of mmCIF rather than PDB; reject other files."""
    if _CIF_START.match(text):
        return True
    if text[:400].lstrip().lower().startswith(("<!doctype", "<html", "<?xml", "{")):
        raise EntryError("file_not_structure", "the content is a page, not a structure")
    if not _PDB_START.match(text):
        raise EntryError("file_not_structure", "neither mmCIF nor PDB records at its beginning")
    return False


class Parsed(NamedTuple):
    """A parsed file: the structure with all its models, its block if it is mmCIF, and its header."""

    structure: gemmi.Structure
    block: gemmi.cif.Block | None
    metadata: EntryMetadata
    bonds: dict[str, tuple[EntryBond, ...]]
    molecules: dict[str, str]
    in_crystal_frame: bool
    stated: Stated
    additions: Additions = NONE

    def sort(self, structure: gemmi.Structure) -> None:
        """Mark the polymer residues of the first model of a structure of this file."""
        _sort_residues(structure, is_mmcif=self.block is not None)


def _parse_mmcif(text: str, entry_id: str) -> Parsed:
    document = gemmi.cif.read_string(text)
    block = plain = _block_of_atoms(document)
    if not text.isascii():
        if not all(value.isascii() for row in block.find_mmcif_category("_atom_site.") for value in row):
            raise EntryError("file_unreadable", "names of atoms or residues have characters outside ASCII")
        plain = _block_of_atoms(gemmi.cif.read_string(_ascii(text)))
    complete_atoms(plain)  # other programs write few items, and quoted numbers
    for symbol in map(gemmi.cif.as_string, set(plain.find_values("_atom_site.type_symbol"))):
        if _WORD.match(symbol):  # gemmi reads the first letters, CARBON as calcium
            raise EntryError("file_unreadable", f"{symbol[:20]} is no element")
    _mark_unknown_b(plain)
    try:
        structure = gemmi.make_structure_from_block(plain)
    except ValueError:
        with_plain_numbers(plain)
        structure = gemmi.make_structure_from_block(plain)
    except RuntimeError:  # UniProt numbers of other residues than those of the atoms
        plain.find_mmcif_category("_pdbx_sifts_xref_db.").erase()
        structure = gemmi.make_structure_from_block(plain)
    if any(math.isnan(model.calculate_center_of_mass().length()) for model in structure):
        values = {value for axis in "xyz" for value in plain.find_values(f"_atom_site.Cartn_{axis}")}
        numberless = {value.lower() for value in values if math.isnan(gemmi.cif.as_number(value))}
        if wrong := numberless - NO_COORDINATE:
            raise EntryError("file_unreadable", f"{min(wrong)[:20]} is no coordinate")
    if len(structure) and any(short_code(name) != name for name in structure[0].get_all_residue_names()):
        shorten_codes(block)
        shorten_codes(plain)
        structure = gemmi.make_structure_from_block(plain)
    molecules = {row.str(1): row.str(0) for row in block.find("_pdbx_molecule.", ["prd_id", "asym_id"])}
    return Parsed(
        structure,
        block,
        from_mmcif(block, entry_id=entry_id),
        _component_bonds(block),
        molecules,
        in_crystal_frame=not _has_frame_of_its_own(block),
        stated=stated_in_mmcif(block),
        additions=read_additions(document, block),
    )


def _mark_unknown_b(block: gemmi.cif.Block) -> None:
    """Write missing B factors of a block's atoms as NaN; gemmi reads them as 20."""
    loop: gemmi.cif.Loop | None = block.find_mmcif_category("_atom_site.").loop
    if loop is not None:
        if _B_FACTOR not in loop.tags:
            loop.add_columns([_B_FACTOR], "?")
        column = block.find_values(_B_FACTOR)
        for place, value in enumerate(column):
            if value in ("?", "."):
                column[place] = "nan"


def _block_of_atoms(document: gemmi.cif.Document) -> gemmi.cif.Block:
    """Return the first block with atoms, else the first one."""
    return next((b for b in document if b.find_values("_atom_site.Cartn_x")), document[0])


def _ascii(text: str) -> str:
    """Return a file for gemmi, which writes PDB columns by bytes and cuts other characters in the middle."""
    return text.encode("ascii", "replace").decode()


def _has_frame_of_its_own(block: gemmi.cif.Block) -> bool:
    """Return whether an operator other than the identity leads from the file to the crystal frame."""
    tags = ["type", "matrix[1][1]", "matrix[2][2]", "matrix[3][3]", "vector[1]", "vector[2]", "vector[3]"]
    rows = [row for row in block.find("_pdbx_struct_oper_list.", tags) if "crystal frame" in row.str(0)]
    identity = enumerate((1, 1, 1, 0, 0, 0), start=1)
    return any(abs(gemmi.cif.as_number(row[i]) - number) > 1e-3 for i, number in identity for row in rows)


def _parse_pdb(text: str, entry_id: str) -> Parsed:
    text, odd = repaired_pdb(text)
    if odd:
        raise EntryError("file_unreadable", f"{odd} coordinate lines do not keep to the columns of the PDB format")
    marked, blanks = _BLANK_B.subn(rf"\1{_UNKNOWN_B}", f"\n{text}")
    structure = gemmi.read_pdb_string(_ascii(marked[1:]))
    if blanks:
        for atom in (cra.atom for model in structure for cra in model.all()):
            if atom.b_iso == float(_UNKNOWN_B):
                atom.b_iso = float("nan")
    molecules = dict.fromkeys(peptide_like_chains(text), "REMARK 400")
    return Parsed(structure, None, from_pdb(text, entry_id=entry_id), {}, molecules, True, stated_in_pdb(text))


def _by_asym(atoms: Atoms, molecules: dict[str, str]) -> dict[str, str]:
    """Return values by label_asym_id of polymers, from values by author chain."""
    if not molecules:
        return {}
    polymer = atoms.starts[atoms.entity_type[atoms.starts] == POLYMER]
    pairs = zip(atoms.label_asym_id[polymer].tolist(), atoms.auth_asym_id[polymer].tolist(), strict=True)
    return {decoded(asym): molecules[name] for asym, chain in set(pairs) if (name := decoded(chain)) in molecules}


def _component_bonds(block: gemmi.cif.Block) -> dict[str, tuple[EntryBond, ...]]:
    tags = ["comp_id", "atom_id_1", "atom_id_2", "value_order", "?pdbx_aromatic_flag"]
    bonds = by_key(
        (row.str(0), EntryBond(row.str(1), row.str(2), row.str(3).lower(), row.has(4) and row.str(4).upper() == "Y"))
        for row in block.find("_chem_comp_bond.", tags)
    )
    return {comp_id: tuple(listed) for comp_id, listed in bonds.items()}
