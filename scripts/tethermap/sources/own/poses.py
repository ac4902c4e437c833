"""Read ligands from separate files: SDF and mol2 with bonds, PDBQT, DLG and PDB with the SMILES they may name."""

import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import gemmi
import numpy as np
from rdkit import Chem, rdBase

from tethermap.base.arrays import FloatArray
from tethermap.base.elements import SYMBOLS, is_metal
from tethermap.base.identifiers import UNKNOWN_BOND
from tethermap.base.packed import DamagedGzip, ending_of, unpacked
from tethermap.entry.reader import EntryError, Parsed, parse_file
from tethermap.formats.pdb_repair import FLEXIBLE, repaired_pdb
from tethermap.formats.text import FormatError, structure_text
from tethermap.sources.own.mol2 import is_flat, read_mol2
from tethermap.sources.own.sniff import MMCIF, kind_of

LIGAND = "LIG"
"""Code of a ligand whose file has none; the wwPDB reserves it for this purpose."""

MOST_POSES = 2000
"""Maximum number of poses read from one file."""

_LONGEST = 200
"""Characters of a field of a record that are kept."""

_FLAT = 0.01
"""A molecule of more than three atoms all of whose z differ by less, in angstroms, is a drawing."""

_ORDERS = {
    Chem.BondType.SINGLE: "sing",
    Chem.BondType.DOUBLE: "doub",
    Chem.BondType.TRIPLE: "trip",
    Chem.BondType.AROMATIC: "arom",
    Chem.BondType.UNSPECIFIED: UNKNOWN_BOND,
}
_QUERIES = {6: Chem.BondType.SINGLE, 7: Chem.BondType.DOUBLE}
"""Types of bonds that may be aromatic: the order that they have in one of the forms of the ring."""

_SHORT_BOND = 1.42
"""Longest bond in angstroms by which a flat carbon seems to have a double bond. House rule: a carbon of the sugar DXI
in 3K0V is flat in the model and has 1.44."""

_MOST_OXO = {"C": 1, "N": 1, "P": 1, "S": 2}
"""Maximum number of oxygens with double bonds of an atom."""

_OF_IONS = {"B": 4, "N": 4, "O": 3, "P": 4, "S": 3}
"""Sum of the orders of the bonds of an ion."""

_MOST_NEIGHBOURS = {"H": 1, "C": 4, "N": 4, "O": 3}
"""Maximum number of bonded atoms of an atom."""

_WRONG_CFG = re.compile(r"^(M  V30 .*) CFG=[4-9]\b", re.MULTILINE)
"""Mark of a bond's stereochemistry by Open Babel: the number of V2000 in a V3000 file, which RDKit refuses."""

_SMILES = re.compile(r"^REMARK +SMILES +(\S+)\s*$", re.MULTILINE)
_SIDE_CHAIN = re.compile(r"^(?:DOCKED: )?BEGIN_RES\b", re.MULTILINE)
_NOT_FLEXIBLE = "{}: flexible side chains are skipped, those of the receptor count; write each pose with them as PDB."
_ROOT = re.compile(r"^ROOT\b", re.MULTILINE)
_RANK = re.compile(r"rank[_-]?(\d+)", re.IGNORECASE)
_CONFIDENCE = re.compile(r"rank\d+_confidence(-?\d+\.\d+)")
_VINA = re.compile(r"^REMARK +VINA RESULT: +(-?\d+\.\d+)", re.MULTILINE)
_AUTODOCK = re.compile(r"Estimated Free Energy of Binding +=\s*([+-]?\d+\.\d+)")
_LEAST_POSE = 5
"""Fewest atoms of a het group of a model that is a pose."""

_CIF_ORDERS = frozenset({"sing", "doub", "trip", "arom"})
_LEAST_LIGAND = 6
"""Fewest heavy atoms of a fragment of a record that counts as a separate ligand."""

_COORDINATED = 2.8
"""Distance in angstroms up to which a piece belongs to a metal."""


class LigandFileError(Exception):
    """A ligand file that can't be used; the message gives the reason, and what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class LigandPose:
    """A ligand with one set of coordinates.

    Parameters
    ----------
    names, elements : tuple of str
        Of its atoms, hydrogens included; names are all different.
    xyz : ndarray of float, shape (n_atoms, 3)
        Coordinates in angstroms, as the file has them.
    charges : tuple of int
        Formal charges.
    bonds : tuple of (int, int, str) or None
        Atoms and order in mmCIF's notation, `UNKNOWN_BOND` for all if those of the file are unusable; None if the file
        has none.
    smiles : str
        SMILES in the file, if it has no bonds.
    title : str
        Name of the molecule.
    comp_id : str
        Component code.
    source_file : str
        The user's name of its file.
    source_record : int
        Number of its record in the file, from 1.
    pose_rank : int
        Its rank among the poses of its molecule: by the file's name, or the order in the file.
    fields : mapping of str to str
        Scores and other fields of the record.
    graph : str
        SMILES with the configuration of the coordinates; the same for all poses of a molecule, empty without bonds.
    """

    names: tuple[str, ...]
    elements: tuple[str, ...]
    xyz: FloatArray
    charges: tuple[int, ...]
    bonds: tuple[tuple[int, int, str], ...] | None
    smiles: str
    title: str
    comp_id: str = LIGAND
    source_file: str = ""
    source_record: int = 1
    pose_rank: int = 1
    fields: Mapping[str, str] = field(default_factory=dict)
    graph: str = ""


def read_poses(path: Path, label: str = "") -> tuple[list[LigandPose], list[str]]:
    """Return the poses of a ligand file, and a sentence on each that can't be used.

    Raises
    ------
    LigandFileError
        If none can.
    """
    try:
        text = structure_text(unpacked(path.read_bytes()))
    except (DamagedGzip, FormatError) as error:
        reason = error if isinstance(error, FormatError) else "the gzip is damaged; upload it again"
        raise LigandFileError(f"{path.name}: {reason}") from error
    kind = kind_of(path)[0]
    kind = ending_of(path.name) if kind == "text" else kind
    records = _of_mmcif(path) if kind in MMCIF else _READERS.get(kind, _of_coordinates)(text)
    poses: list[LigandPose] = []
    notes: list[str] = []
    ranks: Counter[object] = Counter()
    known: dict[object, object] = {}
    named = _RANK.search(path.name)
    confidence = _CONFIDENCE.search(path.name)
    file = label or path.name
    with rdBase.BlockLogs():
        for number, found in ((k, found) for k, record in enumerate(records, start=1) for found in record):
            if isinstance(found, str):
                notes.append(f"{path.name}, molecule {number}: {found}.")
                continue
            if len(poses) == MOST_POSES:
                notes.append(f"{path.name}: only the first {MOST_POSES} poses are used.")
                break
            key = found.title, *sorted(found.elements)
            ranks[molecule := known.setdefault(found.graph or key, key)] += 1  # GOLD names each pose differently
            rank = int(named[1]) if named and ranks[molecule] == 1 else ranks[molecule]
            fields = {**({"confidence": confidence[1]} if confidence else {}), **found.fields}
            poses.append(replace(found, source_file=file, source_record=number, pose_rank=rank, fields=fields))
    if not poses:
        raise LigandFileError(notes[0].rstrip(".") if notes else f"{path.name}: no molecule is in it")
    notes += [_NOT_FLEXIBLE.format(path.name)] if _SIDE_CHAIN.search(text) else []
    return poses, notes


_Records = Iterator[Iterable["LigandPose | str"]]
"""Ligands of each record, and sentences on those that can't be used."""


def _of_sdf(text: str) -> _Records:
    text = _WRONG_CFG.sub(r"\1", text.replace("\r\n", "\n").replace("\r", "\n"))
    # Each record by itself: RDKit skips the one after a broken record. Without RDKit's checks: the pipeline flags
    # molecules that RDKit would reject, it does not drop them.
    for record in filter(str.strip, re.split(r"^\$\$\$\$.*\n?", text, flags=re.MULTILINE)):
        stream = io.BytesIO(f"{record}\n$$$$\n".encode())
        yield _of_record(next(Chem.ForwardSDMolSupplier(stream, sanitize=False, removeHs=False), None))


def _of_mol2(text: str) -> _Records:
    for made in read_mol2(text):
        if isinstance(made, str):
            yield [made]
        else:
            mol, names, note = made
            yield chain(filter(None, [note]), _of_record(with_names(mol, names)))


def with_names(mol: Chem.Mol, names: Sequence[str]) -> Chem.Mol:
    """Return a molecule whose atoms have the names of a file."""
    for atom, name in zip(mol.GetAtoms(), names, strict=True):
        atom.SetProp("_Name", name)
    return mol


def _of_record(mol: Chem.Mol | None) -> Iterator[LigandPose | str]:
    """Yield the ligands of a record and sentences on the omitted parts: other fragments, dummy atoms."""
    if mol is None:
        yield "RDKit can't read it; write it again as SDF with another program"
        return
    mol = _without_queries(mol)
    unknown = [atom for atom in mol.GetAtoms() if atom.GetSymbol() not in SYMBOLS]
    dummies = [atom.GetIdx() for atom in unknown]
    if 0 < len(dummies) < mol.GetNumAtoms() and all(atom.GetDegree() < 2 for atom in unknown):
        mol = part_of(mol, [k for k in range(mol.GetNumAtoms()) if k not in dummies])
        yield f"{len(dummies)} dummy atoms were left out"
    pieces = _pieces(mol) if mol.GetNumConformers() else [list(range(mol.GetNumAtoms()))]
    heavy = [sum(mol.GetAtomWithIdx(k).GetAtomicNum() > 1 for k in piece) for piece in pieces]
    most = max(heavy, default=0)
    for piece, count in zip(pieces, heavy, strict=True):
        if len(pieces) == 1 or count == most or count >= _LEAST_LIGAND:
            part = mol if len(pieces) == 1 else part_of(mol, piece)
            pose = pose_of(part)
            if isinstance(pose, LigandPose) and (fault := _unusable_orders(part)):
                yield f"{fault}: orders are perceived from the coordinates"
            yield pose
            most = most if count >= _LEAST_LIGAND else most + 1
        else:
            symbols = Counter(mol.GetAtomWithIdx(k).GetSymbol() for k in piece)
            formula = "".join(f"{symbol}{number if number > 1 else ''}" for symbol, number in sorted(symbols.items()))
            yield f"a separate piece, {formula}, was left out"


def _pieces(mol: Chem.Mol) -> list[list[int]]:
    """Return the atoms of each separate molecule of a record; ligands of a metal belong to it."""
    count = mol.GetNumAtoms()
    if count > 1 and mol.GetNumBonds() == 0:
        return [list(range(count))]  # not separate molecules, but a file without bonds
    pieces = [list(piece) for piece in Chem.GetMolFrags(mol)]
    metals = [atom.GetIdx() for atom in mol.GetAtoms() if is_metal(atom.GetSymbol())]
    if len(pieces) < 2 or not metals:
        return pieces
    xyz = mol.GetConformer().GetPositions()
    joined = {k for piece in pieces for k in piece if any(
        np.linalg.norm(xyz[piece] - xyz[metal], axis=1).min() < _COORDINATED for metal in metals)}  # fmt: skip
    return [sorted(joined), *(piece for piece in pieces if piece[0] not in joined)] if joined else pieces


def part_of(mol: Chem.Mol, piece: Sequence[int]) -> Chem.Mol:
    """Return some of the atoms of a molecule, with the bonds between them."""
    part = Chem.RWMol(mol)
    for index in sorted({*range(mol.GetNumAtoms())} - {*piece}, reverse=True):
        part.RemoveAtom(index)
    return part.GetMol()


def pose_of(mol: Chem.Mol) -> LigandPose | str:
    """Return a molecule with coordinates as a pose, or a sentence if it can't be used."""
    count = mol.GetNumAtoms()
    if not count:
        return "it has no atoms"
    xyz = np.asarray(mol.GetConformer().GetPositions() if mol.GetNumConformers() else [np.nan], dtype=np.float64)
    if not np.isfinite(xyz).all() or (count > 1 and (np.ptp(xyz, axis=0) == 0).all()):
        return "it has no coordinates; dock or place it first"
    if count > 3 and np.ptp(xyz[:, 2]) < _FLAT and abs(float(xyz[0, 2])) < _FLAT:
        return "it is a drawing, all of whose z are 0; dock or place it first"
    if unknown := sorted({atom.GetSymbol() for atom in mol.GetAtoms()} - SYMBOLS):
        return f"it has atoms without an element ({', '.join(unknown)}); write the real atoms"
    title = mol.GetProp("_Name").strip() if mol.HasProp("_Name") else ""
    fields = {name: " ".join(mol.GetProp(name).split())[:_LONGEST] for name in mol.GetPropNames()}
    elements = [atom.GetSymbol() for atom in mol.GetAtoms()]
    given = [atom.GetProp("_Name") if atom.HasProp("_Name") else "" for atom in mol.GetAtoms()]
    names = _atom_names(elements, given)
    fault = _unusable_orders(mol)
    if _lacks_hydrogens(mol, fault):  # only polar ones, the usual output of docking programs: their number is no fact
        heavy = [k for k in range(count) if elements[k] != "H"]
        mol, xyz = part_of(mol, heavy), xyz[heavy]
        names, elements = [names[k] for k in heavy], [elements[k] for k in heavy]
    charges = tuple(map(_charge, mol.GetAtoms()))
    bonds = tuple((bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), _ORDERS.get(bond.GetBondType(), "sing"))
                  for bond in mol.GetBonds())  # fmt: skip
    if fault:
        bonds = tuple((first, second, UNKNOWN_BOND) for first, second, _ in bonds)
        charges = tuple(charge if is_metal(element) else 0 for charge, element in zip(charges, elements, strict=True))
    stated = bonds if bonds or sum(element != "H" for element in elements) == 1 else None
    if fault and any(atom.GetDegree() > _MOST_NEIGHBOURS.get(atom.GetSymbol(), count) for atom in mol.GetAtoms()):
        stated = None  # close atoms were taken for bonded ones
    shape = Chem.Mol(mol)
    Chem.AssignStereochemistryFrom3D(shape)
    graph = str(Chem.MolToSmiles(shape)) if stated else ""
    return LigandPose(tuple(names), tuple(elements), xyz, charges, stated, "", title, fields=fields, graph=graph)


def _charge(atom: Chem.Atom) -> int:
    """Return the charge of an atom, also of an ion without hydrogens whose charge the file leaves out."""
    orders = [bond.GetBondTypeAsDouble() for bond in atom.GetBonds()]
    near = {other.GetSymbol() for other in atom.GetNeighbors()}
    symbol, charge = atom.GetSymbol(), atom.GetFormalCharge()
    if charge or "H" in near or 1.5 in orders or near - {"C", "N", "O", "F"} or (symbol in "SP" and near != {"C"}):
        return charge
    if symbol == "C" and near == {"N"} and orders == [3]:  # an isonitrile if the nitrogen has another bond
        return -_charge(atom.GetNeighbors()[0])
    return (-1 if symbol == "B" else 1) if sum(orders) == _OF_IONS.get(symbol) else 0


def _without_queries(mol: Chem.Mol) -> Chem.Mol:
    """Return a molecule with plain bonds instead of query bonds; of unknown orders if a query leaves one open.

    Some programs write aromatic rings by the types 6 and 7 of the format: single or aromatic, double or aromatic.
    X-TOOL, which wrote the SDF files of PDBbind, states of each bond whether it is in a ring; all oxygens of its
    carboxylates and phosphates have double bonds, and the charge is that of the carbon.
    """
    bonds: list[Any] = list(mol.GetBonds())
    queries = [bond for bond in bonds if bond.HasQuery()]
    if not queries:
        return mol
    plain = Chem.RWMol(mol)
    orders = [_QUERIES.get(bond.GetIntProp("_MolFileBondType"), bond.GetBondType()) for bond in queries]
    for bond, order in zip(queries, orders, strict=True):
        plain.RemoveBond(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx())
        plain.AddBond(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), order)
    states_rings = any(bond.GetBondType() != Chem.BondType.UNSPECIFIED for bond in queries)
    for atom in plain.GetAtoms() if states_rings else ():
        ends: list[Any] = [bond for bond in atom.GetBonds() if bond.GetBondType() == Chem.BondType.DOUBLE
                           and bond.GetOtherAtom(atom).GetSymbol() == "O"]  # fmt: skip
        for bond in ends[_MOST_OXO.get(atom.GetSymbol(), len(ends)) :] if atom.GetDegree() > 2 else ():
            bond.SetBondType(Chem.BondType.SINGLE)
            bond.GetOtherAtom(atom).SetFormalCharge(-1)
            atom.SetFormalCharge(int(atom.GetSymbol() == "N"))
    if Chem.BondType.UNSPECIFIED in orders or (states_rings and Chem.DetectChemistryProblems(plain)):
        for bond in plain.GetBonds():
            bond.SetBondType(Chem.BondType.UNSPECIFIED)
    return plain.GetMol()


def _unusable_orders(mol: Chem.Mol) -> str:
    """Return the fault of the orders of a molecule's bonds; empty if there is none."""
    kinds = {bond.GetBondType() for bond in mol.GetBonds()}
    if Chem.BondType.UNSPECIFIED in kinds:
        return "the orders of its bonds are unusable"
    if kinds == {Chem.BondType.SINGLE} and _has_short_bond(mol):
        return "all its bonds are single although it has flat carbons"
    if any(problem.GetType() == "KekulizeException" for problem in Chem.DetectChemistryProblems(mol)):
        return "the double bonds of an aromatic ring can't be placed"
    atom = _impossible_atom(mol)
    return f"its atom {atom.GetSymbol()}{atom.GetIdx() + 1} has too many bonds" if atom is not None else ""


def _impossible_atom(mol: Chem.Mol) -> Chem.Atom | None:
    """Return an atom with too many bonds, as programs write that ignore the hydrogens of a file.

    An oxygen or nitrogen with one too many counts only if another one at the same carbon lacks one; else just its
    charge was left out. Bonds to metals have no order.
    """
    checked = Chem.RWMol(mol)
    checked.UpdatePropertyCache(strict=False)
    Chem.Cleanup(checked)
    for problem in Chem.DetectChemistryProblems(checked):
        if problem.GetType() != "AtomValenceException":
            continue
        atom = checked.GetAtomWithIdx(problem.GetAtomIdx())
        near = atom.GetNeighbors()
        ends = (end for middle in near for end in middle.GetNeighbors() if end.GetIdx() != atom.GetIdx())
        is_sure = atom.GetSymbol() in ("C", "H") or (_has_hydrogens_of_carbon(mol) and any(map(_lacks_bond, ends)))
        if is_sure and not any(is_metal(other.GetSymbol()) for other in near):
            return atom
    return None


def _lacks_bond(atom: Chem.Atom) -> bool:
    missing = {"N": 3, "O": 2}.get(atom.GetSymbol(), 0) - atom.GetValence(Chem.ValenceType.EXPLICIT)
    return missing > 0 and not atom.GetFormalCharge()


def _has_hydrogens_of_carbon(mol: Chem.Mol) -> bool:
    hydrogens = (atom for atom in mol.GetAtoms() if atom.GetAtomicNum() == 1)
    return any(other.GetAtomicNum() == 6 for atom in hydrogens for other in atom.GetNeighbors())


def _has_short_bond(mol: Chem.Mol) -> bool:
    """Return whether a carbon is flat and has a bond too short for a single one."""
    xyz = mol.GetConformer().GetPositions()
    for atom in mol.GetAtoms():
        centre, near = xyz[atom.GetIdx()], list(atom.GetNeighbors())
        heavy = [other.GetIdx() for other in near if other.GetAtomicNum() > 1]
        if atom.GetSymbol() != "C" or atom.GetFormalCharge() or not heavy:
            continue
        shortest = np.linalg.norm(xyz[heavy] - centre, axis=1).min()
        if shortest < _SHORT_BOND and is_flat(centre, xyz[[other.GetIdx() for other in near]]):
            return True
    return False


def _lacks_hydrogens(mol: Chem.Mol, fault: str) -> bool:
    """Return whether a molecule has some of its hydrogens and lacks others.

    With a fault of the orders of its bonds, a hydrogen of a carbon shows that it lacks none.
    """
    if fault and _has_hydrogens_of_carbon(mol):
        return False
    checked = Chem.Mol(mol)
    for atom in checked.GetAtoms():  # the valences stated in a file are those of a molecule without hydrogens
        atom.SetNoImplicit(False)
        atom.SetNumExplicitHs(0)
        atom.SetNumRadicalElectrons(0)
    checked.UpdatePropertyCache(strict=False)
    return (
        mol.GetNumBonds() > 0
        and any(atom.GetAtomicNum() == 1 for atom in mol.GetAtoms())
        and any(atom.GetTotalNumHs() > 0 for atom in checked.GetAtoms() if atom.GetAtomicNum() > 1)
    )


def _of_coordinates(text: str) -> _Records:
    """Yield the models of a PDBQT, DLG or PDB file of a ligand only; each ROOT of a PDBQT file is a ligand."""
    if re.search(r"^DOCKED: ", text, re.MULTILINE):
        text = "\n".join(line[8:] for line in text.splitlines() if line.startswith("DOCKED: "))
    text = FLEXIBLE.sub("", text)
    models = re.split(r"^MODEL\b.*$", text, flags=re.MULTILINE)
    first_smiles = _SMILES.search(text)
    for model in models[1:] or models:
        roots = list(_ROOT.finditer(model))
        cuts = [0, *(_begin_of(model, root.start()) for root in roots[1:]), len(model)]
        for begin, end in pairwise(cuts):
            part = model[begin:end]
            if re.search(r"^(?:ATOM  |HETATM)", part, re.MULTILINE):
                yield [_of_lines(part, first_smiles if len(roots) < 2 else None, model)]


def _begin_of(model: str, root: int) -> int:
    """Return the start of the part of a ROOT: after the previous TORSDOF."""
    before = model.rfind("\nTORSDOF", 0, root)
    return model.find("\n", before + 1) + 1 if before >= 0 else root


def _of_lines(part: str, first_smiles: re.Match[str] | None, model: str) -> LigandPose | str:
    lines = [line for line in repaired_pdb(part)[0].splitlines() if line.startswith(("ATOM  ", "HETATM"))]
    try:
        xyz = np.array([[float(line[at : at + 8]) for at in (30, 38, 46)] for line in lines])
    except ValueError:
        return "its columns are not those of the PDB format; write it as SDF"
    elements = tuple(line[76:78].strip().capitalize() for line in lines)
    given = [line[12:16].strip() for line in lines]
    if unknown := [name for name, element in zip(given, elements, strict=True) if element not in SYMBOLS]:
        return f"the element of atom {unknown[0]} is ambiguous; write the molecule as SDF"
    found = _SMILES.search(part) or first_smiles
    smiles = found[1] if found else ""
    names, charges = tuple(_atom_names(elements, given)), (0,) * len(lines)
    title = next((line[12:].strip().lstrip("= ") for line in part.splitlines() if line.startswith("REMARK  Name")), "")
    code = lines[0][17:20].strip() or LIGAND
    score = _VINA.search(model) or _AUTODOCK.search(model)
    fields = {"score_kcal_mol": score[1]} if score else {}
    return LigandPose(names, elements, xyz, charges, None, smiles, title, code, fields=fields)


def _of_mmcif(path: Path) -> _Records:
    """Yield the het groups of each model of an mmCIF file without polymer, with the bonds that it defines."""
    try:
        parsed = parse_file(path, LIGAND)
    except EntryError as error:
        raise LigandFileError(f"{path.name}: {error.value or 'it has no atoms'}") from error
    for model in parsed.structure:
        yield [_with_bonds(pose, parsed) for pose in het_poses(model, parsed)]


def het_poses(model: gemmi.Model, parsed: Parsed) -> Iterator[LigandPose]:
    """Yield the het groups of a model that repeats or lacks the protein.

    Parameters
    ----------
    model : gemmi.Model
        A model of the file.
    parsed : Parsed
        The file.
    """
    single = gemmi.Structure()
    single.add_model(model)
    parsed.sort(single)  # programs call ligands by names of residues (UNK), and residues by others (HID, HSD)
    for residue in (one for part in single[0] for one in part):
        if residue.entity_type == gemmi.EntityType.NonPolymer and len(residue) >= _LEAST_POSE:
            rows = ((atom.name, atom.element.name, atom.pos.tolist(), atom.charge) for atom in residue)
            names, elements, xyz, charges = zip(*rows, strict=True)
            yield LigandPose(names, elements, np.array(xyz), charges, None, "", "", residue.name or LIGAND)


def _with_bonds(pose: LigandPose, parsed: Parsed) -> LigandPose:
    """Return a pose with the bonds of its component in the file, if they connect all its atoms."""
    place = {name: k for k, name in enumerate(pose.names)}
    listed = parsed.bonds.get(pose.comp_id, ())
    inside = (one for one in listed if one.atom_1 in place and one.atom_2 in place)
    bonds = tuple((place[one.atom_1], place[one.atom_2], one.order) for one in inside)
    ends = {end for first, second, _ in bonds for end in (first, second)}
    is_complete = len(place) == len(ends) == len(pose.names) and {order for *_, order in bonds} <= _CIF_ORDERS
    return replace(pose, bonds=bonds) if is_complete else pose


_READERS: Mapping[str, Callable[[str], _Records]] = {
    "sdf": _of_sdf, "sd": _of_sdf, "mol": _of_sdf, "mol2": _of_mol2,
}  # fmt: skip


def _atom_names(elements: Sequence[str], given: list[str]) -> list[str]:
    """Return the given names if they are usable and unique, else element and number."""
    if len(given) == len(set(given)) and all(0 < len(name) <= 4 for name in given):
        return given
    return [f"{element.upper()}{elements[:place].count(element)}" for place, element in enumerate(elements, start=1)]
