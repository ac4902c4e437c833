"""The ligands of a job, each once: what its instances have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from rdkit import Chem, rdBase

from scripts.lib.instance.model import FloatArray
from scripts.lib.molecule.drawing import without_hydrogens
from scripts.lib.molecule.layout2d import molecule_layout
from scripts.lib.molecule.record import LigandMolecule

MOST_PIECES = 4
"""Unconnected parts of an observed ligand that are looked for in its parent; the time grows with the power of them."""

AtomKey = tuple[int, str]
"""Residue of a ligand and atom name in the dictionary: the same in all instances."""


@dataclass(frozen=True, slots=True)
class Member:
    """An instance of a ligand: its stem and its heavy atoms in SDF order."""

    stem: str
    atoms: tuple[AtomKey, ...]


@dataclass(slots=True)
class Ligand:
    """A ligand with all its instances.

    Parameters
    ----------
    comp_id, component_names : str
        Code that names it, and all its components joined by ``+``.
    title, type, formula, smiles, parent_smiles : str
        As in `LigandMolecule`, of `fullest`.
    source : str
        Where its definition comes from: ``dictionary``, ``user`` or ``observed``.
    members : list of Member
        Its instances.
    fullest : LigandMolecule
        The instance with most atoms, which stands for the others.
    """

    comp_id: str
    component_names: str
    title: str
    type: str
    formula: str
    smiles: str
    parent_smiles: str
    source: str
    fullest: LigandMolecule
    members: list[Member] = field(default_factory=list)

    def parent(self) -> Chem.Mol | None:
        """Return the neutral parent, None where RDKit cannot read it."""
        with rdBase.BlockLogs():
            mol = Chem.MolFromSmiles(self.parent_smiles)
        return mol if mol is not None and mol.GetNumAtoms() else None  # type: ignore[redundant-expr]

    def parent_atoms(self, parent: Chem.Mol) -> dict[AtomKey, int]:
        """Return which atom of the parent each observed atom is; empty where that cannot be told."""
        observed = without_hydrogens(self.fullest.mol)
        if len(Chem.GetMolFrags(observed)) > MOST_PIECES:
            return {}
        match = parent.GetSubstructMatch(observed)
        if not match:
            settings: Any = Chem.AdjustQueryParameters.NoAdjustments()
            settings.makeBondsGeneric = True
            observed.UpdatePropertyCache(strict=False)
            match = parent.GetSubstructMatch(Chem.AdjustQueryProperties(observed, settings))
        return dict(zip(atom_keys(self.fullest), match, strict=True)) if match else {}

    def parent_layout(self, parent: Chem.Mol, atoms: Mapping[AtomKey, int]) -> FloatArray:
        """Return depiction coordinates of the parent: those of the instances where they are complete."""
        if len(set(atoms.values())) < parent.GetNumAtoms():
            return molecule_layout(parent)
        layout = np.zeros((parent.GetNumAtoms(), 2))
        for row, key in zip(self.fullest.layout, atom_keys(self.fullest), strict=True):
            layout[atoms[key]] = row
        return layout


def atom_keys(record: LigandMolecule) -> tuple[AtomKey, ...]:
    """Return what each heavy atom is called in all instances of its ligand."""
    names = (known or label for known, label in zip(record.dictionary_names, record.names, strict=True))
    return tuple(zip(record.residue.tolist(), names, strict=True))


def collect_ligands(records: Iterable[LigandMolecule]) -> list[Ligand]:
    """Return the ligands of a job, those with most instances first, whatever the order of the records.

    Parameters
    ----------
    records : iterable of LigandMolecule
        Taken one at a time; one of each ligand is kept.
    """
    found: dict[tuple[str, str], Ligand] = {}
    for record in records:
        key = record.component_names, record.parent_smiles
        ligand = found.get(key)
        if ligand is None:
            ligand = found[key] = _ligand(record, [])
        elif (-record.n_heavy, record.stem) < (-ligand.fullest.n_heavy, ligand.fullest.stem):
            ligand = found[key] = _ligand(record, ligand.members)
        ligand.members.append(Member(record.stem, atom_keys(record)))
    for ligand in found.values():
        ligand.members.sort(key=lambda member: member.stem)
    return sorted(found.values(), key=lambda one: (-len(one.members), one.component_names, one.parent_smiles))


def _ligand(record: LigandMolecule, members: list[Member]) -> Ligand:
    """Return a ligand as one of its instances describes it."""
    return Ligand(
        comp_id=record.comp_id,
        component_names=record.component_names,
        title=record.title,
        type=record.type,
        formula=record.formula,
        smiles=record.smiles,
        parent_smiles=record.parent_smiles,
        source=_source(record),
        fullest=record,
        members=members,
    )


def core_of_member(member: Member, atoms: Mapping[AtomKey, int], core: Sequence[int]) -> list[int]:
    """Return the SDF index of each core atom in an instance, -1 for one that was not observed.

    Parameters
    ----------
    member : Member
        The instance.
    atoms : mapping of AtomKey to int
        Atom of the parent that each observed atom is.
    core : sequence of int
        Atoms of the parent that are the core's, in its order.
    """
    index = {atoms[key]: k for k, key in enumerate(member.atoms) if key in atoms}
    return [index.get(atom, -1) for atom in core]


def _source(record: LigandMolecule) -> str:
    if "perceived_bonds" in record.flags:
        return "observed"
    return "user" if record.bond_source == "user" else "dictionary"
