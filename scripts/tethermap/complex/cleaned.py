"""Build the cleaned complex of one instance as a gemmi structure and as PDB or mmCIF text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import gemmi
import numpy as np

from tethermap.base.arrays import BoolArray, IntArray
from tethermap.base.elements import covalent_radii
from tethermap.complex.placement import DEPOSITED, Placement
from tethermap.complex.scene import Copy, Scene
from tethermap.entry.atoms import NON_POLYMER, POLYMER, text
from tethermap.entry.cif_names import quote_names
from tethermap.entry.near import distances
from tethermap.entry.reader import DISPLACEMENT
from tethermap.instance.bonds import Bond, defined_bonds
from tethermap.instance.kinds import KindRules
from tethermap.instance.model import Residue
from tethermap.molecule.geometry import bonds_are_strained, open_metal_bonds

MOST_CHAINS = 62
MOST_ATOMS = 99_999
MOST_RESIDUE_NUMBER = 9_999
LEAST_RESIDUE_NUMBER = -999
"""Range of the columns of the PDB format (wwPDB format 3.3)."""

LONGEST_NAME = 7
"""Letters of a chain's name that gemmi has room for in its columns: those of copies can be longer."""

CONECT_BONDS = (0.6, 1.3)
"""Shortest and longest bond of a CONECT record, as multiples of the sum of covalent radii: strained and
metal bonds too."""

_REMARK = re.compile(".{1,68}", re.DOTALL)
_DROPPED = -9.0


@dataclass(frozen=True, slots=True)
class RenamedName:
    """A name that was changed in the PDB file: `what` is ``chain``, ``component`` or ``copy``."""

    what: str
    name_in_pdb: str
    name: str
    copy: str = ""


@dataclass(frozen=True)
class CleanedComplex:
    """A cleaned complex ready to be written.

    Parameters
    ----------
    pdb : str or None
        Text of the PDB file; None when it doesn't fit the format.
    mmcif : str or None
        Text with full names, where names had to be shortened or the PDB format is too small.
    serial : ndarray of int, shape (n_ligand,)
        Serial numbers of the ligand's heavy atoms in the order they were given.
    renamed : tuple of RenamedName
        Names that differ from the deposition.
    comp_id, chain : str
        Names of the ligand's head component and chain in the file.
    """

    pdb: str | None
    mmcif: str | None
    serial: IntArray
    renamed: tuple[RenamedName, ...]
    comp_id: str
    chain: str


@dataclass(frozen=True)
class Ligand:
    """A ligand in one conformer.

    Parameters
    ----------
    atoms : ndarray of int
        Indices of its heavy atoms in the chosen conformer, component by component.
    residues : tuple of Residue
        Residues of the ligand.
    head : int
        Index of the one that names it.
    links : tuple of Bond
        Bonds to its surroundings.
    members : ndarray of int
        All its atoms, hydrogens included, component by component.
    label : bytes
        Label of the conformer.
    """

    atoms: IntArray
    residues: tuple[Residue, ...]
    head: int
    links: tuple[Bond, ...]
    members: IntArray
    label: bytes


def clean_complex(
    scene: Scene,
    ligand: Ligand,
    copies: Sequence[Copy],
    remarks: Iterable[str],
    rules: KindRules,
    *,
    keep_hydrogens: bool = False,
) -> CleanedComplex:
    """Return the cleaned complex of one instance: some bodies and the ligand, one conformer.

    Parameters
    ----------
    scene : Scene
        The entry's bodies.
    ligand : Ligand
        The instance.
    copies : sequence of Copy
        The bodies to write.
    remarks : iterable of str
        Lines for REMARK 6.
    rules : KindRules
        Knows the components, for bonds.
    keep_hydrogens : bool
        Whether deposited hydrogens are written too.
    """
    members = scene.mask(ligand.label) & (scene.atoms.heavy | keep_hydrogens)
    structure, copy_names = _assemble(scene, ligand, copies, members)
    names = [chain.name for chain in structure[0]]
    codes = sorted(name for name in structure[0].get_all_residue_names() if len(name) > 3)
    flat = _columns(structure)
    numbers = np.asarray(flat.resnums)
    in_range = numbers.min() >= LEAST_RESIDUE_NUMBER and numbers.max() <= MOST_RESIDUE_NUMBER
    fits = bool(in_range and len(names) <= MOST_CHAINS and len(flat) + len(names) <= MOST_ATOMS)
    structure.assign_serial_numbers(numbered_ter=fits)
    serial_of = _serials(scene, flat, structure)
    mmcif = None
    if not fits or codes or any(len(name) > 1 and name not in copy_names for name in names):
        mmcif = _mmcif_text(structure)
    renamed: list[RenamedName] = []
    pdb = None
    if fits:
        structure.shorten_ccd_codes()
        structure.shorten_chain_names()
        renamed = [RenamedName("component", new, old) for old, new in structure.shortened_ccd_codes if old in codes]
        for old, chain in zip(names, structure[0], strict=True):
            if old in copy_names:
                renamed.append(RenamedName("copy", chain.name, old, copy_names[old]))
            elif old != chain.name:
                renamed.append(RenamedName("chain", chain.name, old))
        places = [f" (operator {name.copy})" if name.copy else "" for name in renamed]
        changes = [f"{r.what} {r.name_in_pdb} is {r.name}{place}" for r, place in zip(renamed, places, strict=True)]
        pdb = _pdb_text(structure, _bonds(scene, ligand, serial_of, rules), [*remarks, *changes])
    head = ligand.residues[ligand.head]
    new = {(r.what, r.name): r.name_in_pdb for r in reversed(renamed)}
    code = new.get(("component", head.comp_id), head.comp_id)
    chain_name = new.get(("chain", head.auth_asym_id), head.auth_asym_id)
    return CleanedComplex(pdb, mmcif, serial_of[ligand.atoms], tuple(renamed), code, chain_name)


def _assemble(
    scene: Scene, ligand: Ligand, copies: Sequence[Copy], written: BoolArray
) -> tuple[gemmi.Structure, dict[str, str]]:
    """Combine the atoms of the bodies and the ligand, which are marked `written`, into one structure.

    Returns
    -------
    structure : gemmi.Structure
        One model; copies have chains named ``A-2``. Serial numbers are indices in the entry's atoms, -1 in copies.
    copy_names : dict of str to str
        Operator by name of a copied chain.
    """
    by_place: dict[str, tuple[Placement, list[IntArray]]] = {DEPOSITED.name: (DEPOSITED, [ligand.atoms])}
    for copy in copies:
        by_place.setdefault(copy.placement.name, (copy.placement, []))[1].append(copy.body.atoms.members)
    structure = None
    copy_names: dict[str, str] = {}
    for placement, parts in by_place.values():
        whole = np.zeros(len(scene.atoms.starts), dtype=np.bool_)
        whole[scene.atoms.residue[np.concatenate(parts)]] = True
        piece = _selected(scene, np.flatnonzero(whole[scene.atoms.residue] & written), placement)
        if structure is None:
            structure = piece
            for chain in piece[0]:
                if not chain.name.strip():  # old files: the chain of the ligand
                    chain.name = ligand.residues[ligand.head].auth_asym_id or "X"
            continue
        for chain in piece[0]:
            name = f"{chain.name}-{placement.name}"
            copy_names[name] = placement.name
            chain.name = name
            structure[0].add_chain(chain)
    assert structure is not None
    structure.merge_chain_parts()
    structure.helices.clear()
    structure.sheets.clear()
    structure.name = scene.entry.entry_id.upper()
    structure.connections.clear()
    for connection in scene.entry.structure.connections:
        ends = (structure[0].find_cra(partner).atom for partner in (connection.partner1, connection.partner2))
        if connection.type != gemmi.ConnectionType.Hydrog and all(end is not None for end in ends):
            structure.connections.append(connection)
    return structure, copy_names


def _selected(scene: Scene, members: IntArray, placement: Placement) -> gemmi.Structure:
    """Return some atoms of the entry as a structure, moved, without labels of alternates."""
    flat = gemmi.FlatStructure(scene.entry.structure)
    occupancy = np.full(len(flat), _DROPPED, dtype=np.float32)
    occupancy[members] = scene.atoms.occupancy[members]
    flat.occ[:] = occupancy
    flat.b_iso[:] = np.nan_to_num(scene.atoms.b_iso)  # 0 is the format's value for atoms without B factor
    flat.altlocs[:] = 0
    # Declared a polymer, but a ligand or a glycan: the writer would otherwise end the chain after it.
    flat.entity_type[(flat.entity_type == POLYMER) & ~scene.in_polymer] = NON_POLYMER
    # Names may occur twice; until all atoms are renumbered, the number identifies the atom of the entry.
    flat.serials[:] = -1 if placement.name else np.arange(len(flat))
    if placement.name:
        flat.pos[:] = placement.apply(scene.atoms.xyz)
    flat.leave_only(f"q>{_DROPPED + 1}")
    return flat.generate_structure()


def _columns(structure: gemmi.Structure) -> gemmi.FlatStructure:
    """Return the atoms of a structure as columns; chains have numbers as names if a name is too long."""
    names = [chain.name for chain in structure[0]]
    if max(map(len, names)) <= LONGEST_NAME:
        return gemmi.FlatStructure(structure)
    for number, chain in enumerate(structure[0]):
        chain.name = str(number)
    flat = gemmi.FlatStructure(structure)
    for name, chain in zip(names, structure[0], strict=True):
        chain.name = name
    return flat


def _serials(scene: Scene, flat: gemmi.FlatStructure, structure: gemmi.Structure) -> IntArray:
    """Return the serial numbers of the entry's atoms in a structure, 0 for those not written.

    `flat` contains its atoms from before they were numbered: the index of each in the entry, -1 in copies.
    """
    index = np.asarray(flat.serials)
    serials = np.asarray(_columns(structure).serials)
    serial_of = np.zeros(len(scene.atoms), dtype=np.int64)
    serial_of[index[index >= 0]] = serials[index >= 0]
    return serial_of


def _mmcif_text(structure: gemmi.Structure) -> str:
    groups = gemmi.MmcifOutputGroups(
        False, block_name=True, entry=True, cell=True, symmetry=True, entity=True, entity_poly=True,
        entity_poly_seq=True, struct_asym=True, chem_comp=True, conn=True, atoms=True, group_pdb=True,
        auth_all=True, title_keywords=True, exptl=True,
    )  # fmt: skip
    block = structure.make_mmcif_block(groups)
    block.find_mmcif_category("_atom_site_anisotrop.").erase()
    quote_names(block, structure)
    return str(block.as_string())


def _pdb_text(structure: gemmi.Structure, bonds: Iterable[tuple[int, int]], remarks: Iterable[str]) -> str:
    """Return a structure as a PDB file.

    Parameters
    ----------
    structure : gemmi.Structure
        The complex, its names shortened and its atoms numbered.
    bonds : iterable of tuple of int
        Serial numbers of atoms for CONECT.
    remarks : iterable of str
        Lines for REMARK 6.
    """
    resolution, ascii_lines = structure.resolution, (line.encode("ascii", "replace").decode() for line in remarks)
    structure.raw_remarks = [
        *([f"REMARK   2 RESOLUTION. {resolution:7.2f} ANGSTROMS."] if resolution > 0 else []),
        *(f"REMARK   6 {part}" for line in ascii_lines for part in _REMARK.findall(line)),  # at most 80 columns
    ]
    structure.clear_conect()
    for first, second in bonds:
        structure.add_conect(first, second, 1)
    options = gemmi.PdbWriteOptions()
    options.conect_records = True
    options.preserve_serial = True
    return DISPLACEMENT.sub("", str(structure.make_pdb_string(options)))


def _bonds(scene: Scene, ligand: Ligand, serial_of: IntArray, rules: KindRules) -> Iterator[tuple[int, int]]:
    """Yield the serial numbers of each two bonded atoms of a ligand, and of its links in the file.

    Bonds of a residue are the dictionary's if its atom names are, else those that distances show.
    """
    atoms, xyz = scene.atoms, scene.atoms.xyz[ligand.atoms]
    radii = covalent_radii(atoms.element[ligand.atoms])
    ratio = distances(xyz, xyz) / (radii[:, None] + radii[None, :])
    shortest, longest = CONECT_BONDS
    bonded = np.argwhere(np.triu((ratio < longest) & (ratio > shortest), k=1)).tolist()
    pairs = {(i, j) for i, j in bonded}
    elements = [text(element) for element in atoms.element[ligand.atoms].tolist()]
    labels = [text(name) for name in atoms.name[ligand.atoms].tolist()]
    places: dict[int, dict[str, int]] = {}
    for k, residue in enumerate(atoms.residue[ligand.atoms].tolist()):
        places.setdefault(residue, {})[labels[k]] = k
    if len(labels) == sum(map(len, places.values())):
        for residue, place in places.items():
            component = rules.component(text(atoms.comp_id[atoms.starts[residue]]))
            defined = defined_bonds(component, place, elements)
            own = set(place.values())
            seen = {pair for pair in pairs if own.issuperset(pair)}
            if defined is None or defined == seen:
                continue
            orders = [(i, j, 1) for i, j in sorted(defined)]
            if bonds_are_strained(xyz, elements, orders):
                pairs = pairs - seen | defined - open_metal_bonds(xyz, elements, orders)
    serial = serial_of[ligand.atoms].tolist()
    yield from ((serial[i], serial[j]) for i, j in sorted(pairs))
    members = frozenset(ligand.atoms.tolist())
    for link in ligand.links:
        if link.first in members and serial_of[link.second]:
            yield int(serial_of[link.first]), int(serial_of[link.second])
