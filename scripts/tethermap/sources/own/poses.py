"""Read ligands from files of their own: SDF and mol2 with their bonds, PDBQT and PDB with the SMILES they may name."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rdkit import Chem, rdBase

from tethermap.base.arrays import FloatArray
from tethermap.base.elements import SYMBOLS
from tethermap.base.packed import DamagedGzip, unpacked

LIGAND = "LIG"
"""Code of a ligand whose file gives none; the wwPDB keeps it free for such."""

MOST_POSES = 2000
"""Poses of one file that are taken."""

_FLAT = 0.01
"""A molecule of more than three atoms all of whose z differ by less, in angstroms, is a drawing."""

_ORDERS = {
    Chem.BondType.SINGLE: "sing",
    Chem.BondType.DOUBLE: "doub",
    Chem.BondType.TRIPLE: "trip",
    Chem.BondType.AROMATIC: "arom",
}
_SMILES = re.compile(r"^REMARK +SMILES +(\S+)\s*$", re.MULTILINE)
_AUTODOCK = {"A": "C", "OA": "O", "NA": "N", "NS": "N", "SA": "S", "HD": "H", "HS": "H", "G": "C", "CG": "C"}
"""Elements of AutoDock's atom types that are not called by them (AutoDock 4.2 user guide)."""


class LigandFileError(Exception):
    """A ligand file that can't be used; the message says why, and what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class LigandPose:
    """One ligand in one place.

    Parameters
    ----------
    names, elements : tuple of str
        Of its atoms, hydrogens included; names are all different.
    xyz : ndarray of float, shape (n_atoms, 3)
        Coordinates in angstroms, as the file has them.
    charges : tuple of int
        Formal charges.
    bonds : tuple of (int, int, str) or None
        Atoms and order as mmCIF writes it; None where the file has none.
    smiles : str
        What the file says the molecule is, where it has no bonds.
    title : str
        Name of the molecule.
    comp_id : str
        Its code.
    """

    names: tuple[str, ...]
    elements: tuple[str, ...]
    xyz: FloatArray
    charges: tuple[int, ...]
    bonds: tuple[tuple[int, int, str], ...] | None
    smiles: str
    title: str
    comp_id: str = LIGAND


def read_poses(path: Path) -> tuple[list[LigandPose], list[str]]:
    """Return the poses of a ligand file, and a sentence on each that can't be used.

    Raises
    ------
    LigandFileError
        If none can.
    """
    try:
        data = unpacked(path.read_bytes())
    except DamagedGzip as error:
        raise LigandFileError(f"{path.name}: the gzip is damaged; upload it again") from error
    ending = path.name.lower().removesuffix(".gz").rpartition(".")[2]
    reader = {"sdf": _of_sdf, "sd": _of_sdf, "mol": _of_sdf, "mol2": _of_mol2}.get(ending, _of_coordinates)
    poses: list[LigandPose] = []
    notes: list[str] = []
    with rdBase.BlockLogs():
        for number, pose in enumerate(reader(data), start=1):
            if isinstance(pose, str):
                notes.append(f"{path.name}, molecule {number}: {pose}.")
            elif len(poses) == MOST_POSES:
                notes.append(f"{path.name}: only its first {MOST_POSES} poses are taken.")
                break
            else:
                poses.append(pose)
    if not poses:
        raise LigandFileError(notes[0].rstrip(".") if notes else f"{path.name}: no molecule is in it")
    return poses, notes


def _of_sdf(data: bytes) -> Iterator[LigandPose | str]:
    # Without RDKit's checks: what it would not accept is for the pipeline to flag, not to drop.
    for mol in Chem.ForwardSDMolSupplier(io.BytesIO(data), sanitize=False, removeHs=False):
        yield _of_molecule(mol)


def _of_mol2(data: bytes) -> Iterator[LigandPose | str]:
    text = data.decode("utf-8", "replace")
    for part in text.split("@<TRIPOS>MOLECULE")[1:]:
        block = f"@<TRIPOS>MOLECULE{part}"
        mol = _mol2(block)
        if mol is None:
            yield "RDKit can't read its atom types; write it as SDF"
            continue
        with contextlib.suppress(Chem.KekulizeException):
            Chem.Kekulize(mol)
        yield _of_molecule(mol, [atom.GetProp("_TriposAtomName") for atom in mol.GetAtoms()])


def _mol2(block: str) -> Chem.Mol | None:
    """Return a molecule as RDKit reads it; where its checks fail, as it stands."""
    checked: Chem.Mol | None = Chem.MolFromMol2Block(block, sanitize=True, removeHs=False)
    if checked is not None:
        return checked
    return Chem.MolFromMol2Block(block, sanitize=False, removeHs=False, cleanupSubstructures=False)


def _of_molecule(mol: Chem.Mol | None, names: Sequence[str] = ()) -> LigandPose | str:
    """Return a molecule with coordinates as a pose, or what is wrong with it."""
    if mol is None:
        return "RDKit can't read it; write it again as SDF with another program"
    count = mol.GetNumAtoms()
    if not count:
        return "it has no atoms"
    if not mol.GetNumConformers():
        return "it has no coordinates; dock or place it first"
    xyz = np.asarray(mol.GetConformer().GetPositions(), dtype=np.float64)
    if not np.isfinite(xyz).all() or (count > 1 and (np.ptp(xyz, axis=0) == 0).all()):
        return "it has no coordinates; dock or place it first"
    if count > 3 and np.ptp(xyz[:, 2]) < _FLAT and abs(float(xyz[0, 2])) < _FLAT:
        return "it is a drawing, all of whose z are 0; dock or place it first"
    if unknown := sorted({atom.GetSymbol() for atom in mol.GetAtoms()} - SYMBOLS):
        return f"it has atoms of no element ({', '.join(unknown)}); write the real atoms"
    title = mol.GetProp("_Name").strip() if mol.HasProp("_Name") else ""
    all_elements = tuple(atom.GetSymbol() for atom in mol.GetAtoms())
    all_names = _atom_names(all_elements, names)
    # Polar hydrogens alone, as docking programs write them: their number says nothing.
    kept = [k for k in range(count) if all_elements[k] != "H"] if _lacks_hydrogens(mol) else list(range(count))
    place = {atom: k for k, atom in enumerate(kept)}
    bonds = tuple(
        (place[begin], place[end], _ORDERS.get(bond.GetBondType(), "sing"))
        for bond in mol.GetBonds()
        if (begin := bond.GetBeginAtomIdx()) in place and (end := bond.GetEndAtomIdx()) in place
    )
    charges = tuple(mol.GetAtomWithIdx(k).GetFormalCharge() for k in kept)
    elements = tuple(all_elements[k] for k in kept)
    return LigandPose(tuple(all_names[k] for k in kept), elements, xyz[kept], charges, bonds, "", title)


def _lacks_hydrogens(mol: Chem.Mol) -> bool:
    """Tell whether a molecule has some of its hydrogens and lacks others."""
    checked = Chem.Mol(mol)
    checked.UpdatePropertyCache(strict=False)
    return any(atom.GetAtomicNum() == 1 for atom in mol.GetAtoms()) and any(
        atom.GetTotalNumHs() > 0 for atom in checked.GetAtoms() if atom.GetAtomicNum() > 1
    )


def _of_coordinates(data: bytes) -> Iterator[LigandPose | str]:
    """Yield the models of a PDBQT or PDB file of a ligand alone."""
    text = data.decode("utf-8", "replace")
    models = re.split(r"^MODEL\b.*$", text, flags=re.MULTILINE)
    first_smiles = _SMILES.search(text)
    for model in models[1:] or models:
        lines = [line for line in model.splitlines() if line.startswith(("ATOM  ", "HETATM"))]
        if not lines:
            continue
        try:
            xyz = np.array([[float(line[at : at + 8]) for at in (30, 38, 46)] for line in lines])
        except ValueError:
            yield "its columns are not those of the PDB format; write it as SDF"
            continue
        elements = tuple(_element(line) for line in lines)
        if not all(elements):
            yield "an atom's element can't be told; write it as SDF"
            continue
        smiles = _SMILES.search(model) or first_smiles
        names = _atom_names(elements, [line[12:16].strip() for line in lines])
        title = next((line[12:].strip() for line in model.splitlines() if line.startswith("REMARK  Name")), "")
        code = lines[0][17:20].strip() or LIGAND
        told = smiles[1] if smiles else ""
        yield LigandPose(names, elements, xyz, (0,) * len(lines), None, told, title.lstrip("= "), code)


def _element(line: str) -> str:
    """Return the element of a coordinate line: AutoDock's type or the element's own column, else by the name."""
    last = line[76:80].strip()
    for text in (_AUTODOCK.get(last, last), line[12:14].strip(), line[12:16].strip()[:1]):
        if text.capitalize() in SYMBOLS:
            return text.capitalize()
    return ""


def _atom_names(elements: tuple[str, ...], given: Sequence[str]) -> tuple[str, ...]:
    """Return the names given where they are usable and all different, else element and number."""
    if len(given) == len(set(given)) == len(elements) and all(0 < len(name) <= 4 for name in given):
        return tuple(given)
    counts: dict[str, int] = {}
    names = []
    for element in elements:
        counts[element] = counts.get(element, 0) + 1
        names.append(f"{element.upper()}{counts[element]}")
    return tuple(names)
