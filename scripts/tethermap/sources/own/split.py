"""Files that state the bonds of a whole complex, Maestro's and mol2 of proteins: as mmCIF, poses next to it as SDF."""

import io
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import gemmi
import numpy as np
from rdkit import Chem, rdBase

from tethermap.base.packed import DamagedGzip, unpacked
from tethermap.base.tables import by_key
from tethermap.formats.text import structure_text
from tethermap.sources.own.archives import ArchiveError, Parts
from tethermap.sources.own.merge import add_ligands, atom_of, residue_of
from tethermap.sources.own.mol2 import elements_of, read_mol2, read_sections
from tethermap.sources.own.poses import LigandPose, part_of, pose_of, with_names
from tethermap.sources.own.sniff import stem_of

_LEAST_LIGAND = 5
"""Number of heavy atoms of a residue whose bonds come from the file."""

_LEAST_POLYMER = 4
"""Fewest linked residues of a structure."""

_CHAIN = 5
_ATOM_WORDS = 7
_NAMED = re.compile(r"(?P<name>[A-Za-z]{1,4})(?P<number>-?\d+)|(?P<code>\w{3})(?P<digits>-?\d+)")

Key = tuple[str, int, str, str]
"""Chain, number, insertion code and name of a residue."""


@dataclass(slots=True)
class _Member:
    key: Key
    atoms: list[gemmi.Atom] = field(default_factory=list)
    indices: list[int] = field(default_factory=list)
    is_linked: bool = False
    pose: LigandPose | str = ""


def complexes_of(path: Path) -> Parts:
    """Yield the files extracted from a Maestro file or a mol2 file of a protein: name, size and content.

    Raises
    ------
    ArchiveError
        If it can't be read.
    """
    stem = stem_of(path.name)
    try:
        text = structure_text(unpacked(path.read_bytes()))
        read, ending = (_of_mol2, "mol2") if "@<TRIPOS>MOLECULE" in text else (_of_maestro, "sdf")
        with rdBase.BlockLogs():
            complexes, ligands = read(text)
            number = "-{}" if len(complexes) > 1 else ""
            files = {f"{stem}{number.format(k)}.cif": _complex(stem, one) for k, one in enumerate(complexes, start=1)}
        if ligands:
            files[f"{stem}{'_ligand' if files else ''}.{ending}"] = "".join(ligands)
    except (DamagedGzip, ValueError, LookupError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:100] or type(error).__name__
        raise ArchiveError(f"damaged ({reason}); export it as PDB or mmCIF, ligands as SDF") from error
    for name, made in files.items():
        data = made.encode()
        yield name, len(data), io.BytesIO(data)


def _of_maestro(text: str) -> tuple[list[list[_Member]], list[str]]:
    """Return the residues of each complex, and the other structures as SDF."""
    supplier = Chem.MaeMolSupplier()
    supplier.SetData(text, sanitize=False, removeHs=False)
    complexes, ligands = list[list[_Member]](), list[str]()
    for mol in supplier:
        residues = _residues_of(mol)
        if sum(residue.is_linked for residue in residues) < _LEAST_POLYMER:
            for name in ("s_m_title", "_Name"):
                if mol.HasProp(name):
                    mol.SetProp("_Name", mol.GetProp(name))
            ligands.append(f"{Chem.MolToMolBlock(mol, kekulize=False)}{_fields(mol)}$$$$\n")
            continue
        for residue in filter(_is_ligand, residues):
            names = [atom.name for atom in residue.atoms]
            residue.pose = pose_of(with_names(part_of(mol, residue.indices), names))
        complexes.append(residues)
    if not complexes and not ligands:
        raise ValueError("no structure is in it")
    return complexes, ligands


def _fields(mol: Chem.Mol) -> str:
    """Return scores and other numbers of a Maestro structure as fields of SDF."""
    names = [name for name in mol.GetPropNames() if re.match(r"[ri]_(?!m_|st_|rdkit_)", name)]
    return "".join(f">  <{name}>\n{mol.GetProp(name)}\n\n" for name in names)


def _residues_of(mol: Chem.Mol) -> list[_Member]:
    atoms: list[tuple[Key, gemmi.Atom]] = []
    xyz = mol.GetConformer().GetPositions().tolist() if mol.GetNumConformers() else []
    for atom, place in zip(mol.GetAtoms(), xyz, strict=False):
        info: Chem.AtomPDBResidueInfo | None = atom.GetPDBResidueInfo()
        key = ("", 1, " ", "LIG")
        if info is not None:
            code = info.GetResidueName().strip() or "UNK"
            key = (info.GetChainId().strip(), info.GetResidueNumber(), info.GetInsertionCode() or " ", code)
        name = (info.GetName().strip() if info is not None else "") or f"{atom.GetSymbol()}{atom.GetIdx() + 1}"
        facts = (info.GetOccupancy(), info.GetTempFactor()) if info is not None else ()
        atoms.append((key, atom_of(name, atom.GetSymbol(), place, atom.GetFormalCharge(), *facts)))
    return _members(atoms, [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in mol.GetBonds()])


def _members(atoms: Sequence[tuple[Key, gemmi.Atom]], bonds: Sequence[tuple[int, int]]) -> list[_Member]:
    """Return residues from all atoms with the keys of their residues, and the bonds between atoms."""
    residues: dict[Key, _Member] = {}
    for index, (key, atom) in enumerate(atoms):
        residue = residues.setdefault(key, _Member(key))
        residue.atoms.append(atom)
        residue.indices.append(index)
    for one, other in ((residues[atoms[begin][0]], residues[atoms[end][0]]) for begin, end in bonds):
        if one is not other:
            one.is_linked = other.is_linked = True
    return list(residues.values())


def _is_ligand(residue: _Member) -> bool:
    return not residue.is_linked and sum(not atom.is_hydrogen() for atom in residue.atoms) >= _LEAST_LIGAND


def _of_mol2(text: str) -> tuple[list[list[_Member]], list[str]]:
    """Return the residues of each complex, and poses after the first as mol2."""
    complexes, ligands = list[list[_Member]](), list[str]()
    for part in re.split(r"^@<TRIPOS>MOLECULE.*$", text, flags=re.MULTILINE)[1:]:
        sections = read_sections(part.splitlines())
        residues = _mol2_residues(sections)
        if complexes and sum(residue.is_linked for residue in residues) < _LEAST_POLYMER:  # poses after the receptor
            ligands.append(f"@<TRIPOS>MOLECULE{part}")
            continue
        for residue in filter(_is_ligand, residues):
            residue.pose = _mol2_pose(sections, residue)
        complexes.append(residues)
    return complexes, ligands


def _mol2_residues(sections: Mapping[str, list[list[str]]]) -> list[_Member]:
    rows = sections["ATOM"]
    xyz = [[float(value) for value in row[2:5]] for row in rows]
    chains = {row[0]: row[5] for row in sections.get("SUBSTRUCTURE", []) if len(row) > _CHAIN and row[5].isalnum()}
    atoms: list[tuple[Key, gemmi.Atom]] = []
    for row, place, element in zip(rows, xyz, elements_of(rows, np.array(xyz)), strict=True):
        number, label = row[6:8] if len(row) > _ATOM_WORDS else ("1", "LIG")
        named = _NAMED.fullmatch(label)
        code = (named["name"] or named["code"]) if named else label[:4]
        shown = (named["number"] or named["digits"]) if named else number
        atoms.append(((chains.get(number, ""), int(shown), " ", code), atom_of(row[1][:8], element or "X", place)))
    place_of = {row[0]: index for index, row in enumerate(rows)}
    return _members(atoms, [(place_of[row[1]], place_of[row[2]]) for row in sections.get("BOND", [])])


def _mol2_pose(sections: Mapping[str, list[list[str]]], residue: _Member) -> LigandPose | str:
    """Return a residue of a mol2 file with the bonds that it has."""
    atoms = [sections["ATOM"][index] for index in residue.indices]
    inside = {row[0] for row in atoms}
    bonds = [row for row in sections.get("BOND", []) if row[1] in inside and row[2] in inside]
    lines = ["@<TRIPOS>MOLECULE", "", "@<TRIPOS>ATOM", *map(" ".join, atoms), "@<TRIPOS>BOND", *map(" ".join, bonds)]
    made = next(read_mol2("\n".join(lines)))
    return made if isinstance(made, str) else pose_of(with_names(made[0], made[1]))


def _complex(name: str, residues: Sequence[_Member]) -> str:
    """Return residues as mmCIF; residues with a pose get its atoms and, after the model, its bonds."""
    model, chains = gemmi.Model(1), by_key((residue.key[0] or "A", residue) for residue in residues)
    for chain_name, members in chains.items():
        chain = gemmi.Chain(chain_name)
        for member in members:
            _, number, ins_code, code = member.key
            made = residue_of(member.pose, number) if isinstance(member.pose, LigandPose) else gemmi.Residue()
            for atom in () if isinstance(member.pose, LigandPose) else member.atoms:
                made.add_atom(atom)
            made.name, made.seqid = code, gemmi.SeqId(number, ins_code)
            made.het_flag = "A" if member.is_linked else "H"
            chain.add_residue(made)
        model.add_chain(chain)
    structure = gemmi.Structure()
    structure.name = name
    structure.add_model(model)
    structure.setup_entities()
    document = structure.make_mmcif_document()
    written = (residue for chain in structure[0] for residue in chain)
    pairs = zip(written, itertools.chain(*chains.values()), strict=True)
    found = [(residue.subchain, one.pose) for residue, one in pairs if isinstance(one.pose, LigandPose)]
    add_ligands(document, [asym for asym, _ in found], [pose for _, pose in found])
    return str(document.as_string())
