"""The distinct ligands of a job: common properties of their instances."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from rdkit import Chem, rdBase

from tethermap.base.arrays import FloatArray
from tethermap.base.records import packed, unpacked
from tethermap.molecule.flat import without_hydrogens
from tethermap.molecule.layout2d import molecule_layout
from tethermap.molecule.record import AtomKey, LigandMolecule, atom_keys
from tethermap.molecule.store import molecule_of_record

MOST_PIECES = 4
"""Maximum number of unconnected parts of an observed ligand in the search for its parent; the time grows exponentially
with it."""


@dataclass(frozen=True, slots=True)
class SeriesMember:
    """An instance of a ligand: its stem and its heavy atoms in SDF order."""

    stem: str
    atoms: tuple[AtomKey, ...]


@dataclass
class SeriesLigand:
    """A ligand with all its instances.

    Parameters
    ----------
    component_names, parent_smiles : str
        Its components joined by ``+``, and the SMILES of the neutral parent: they identify it.
    record : bytes
        Molecule of the instance with most atoms, which represents the others, packed by `tethermap.molecule.store`.
    members : list of SeriesMember
        All instances.
    """

    component_names: str
    parent_smiles: str
    record: bytes
    members: list[SeriesMember] = field(default_factory=list)

    @cached_property
    def fullest(self) -> LigandMolecule:
        """The instance with most atoms; it needs ten times the memory of its record."""
        return molecule_of_record(self.record)

    def parent(self) -> Chem.Mol | None:
        """Return the neutral parent, None if RDKit cannot read it."""
        with rdBase.BlockLogs():
            mol = Chem.MolFromSmiles(self.parent_smiles)
        return mol if mol is not None and mol.GetNumAtoms() else None  # type: ignore[redundant-expr]

    def parent_atoms(self, parent: Chem.Mol) -> dict[AtomKey, int]:
        """Return the parent atom of each observed atom; empty if it is unknown."""
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
        """Return depiction coordinates of the parent: those of the instances if they are complete."""
        if len(set(atoms.values())) < parent.GetNumAtoms():
            return molecule_layout(parent)
        layout = np.zeros((parent.GetNumAtoms(), 2))
        layout[[atoms[key] for key in atom_keys(self.fullest)]] = self.fullest.layout
        return layout


@dataclass(frozen=True, slots=True)
class Series:
    """A named series: its ligands, the centre first; without a name, a ligand that is in no series."""

    name: str
    ligands: tuple[SeriesLigand, ...]

    @property
    def instances(self) -> list[tuple[str, str]]:
        """Stem and components of each instance."""
        return [(one.stem, ligand.component_names) for ligand in self.ligands for one in ligand.members]

    def without(self, stems: frozenset[str]) -> Series:
        """Return the series without some instances; a ligand of which they are all is left out."""
        left = ((one, [member for member in one.members if member.stem not in stems]) for one in self.ligands)
        return Series(self.name, tuple(replace(ligand, members=members) for ligand, members in left if members))


def packed_series(series: Series) -> bytes:
    """Return a series as records: its instances, then the molecule of each ligand."""
    ligands = [
        [ligand.component_names, ligand.parent_smiles, [[member.stem, member.atoms] for member in ligand.members]]
        for ligand in series.ligands
    ]
    return packed(series.name, {"ligands": ligands}, b"") + b"".join(ligand.record for ligand in series.ligands)


def read_series(records: Iterator[bytes]) -> Iterator[tuple[Series, list[bytes]]]:
    """Yield each series that `packed_series` has packed, with its records."""
    for head in records:
        values, _ = unpacked(head)
        own = [head]
        ligands = []
        for names, parent, members in values["ligands"]:
            own.append(next(records))
            atoms = [SeriesMember(stem, tuple((number, name) for number, name in keys)) for stem, keys in members]
            ligands.append(SeriesLigand(names, parent, own[-1], atoms))
        yield Series(values["stem"], tuple(ligands)), own


def collect_ligands(molecules: Iterable[tuple[LigandMolecule, bytes]]) -> list[SeriesLigand]:
    """Return the ligands of a job, those with most instances first, for any order of the molecules.

    Parameters
    ----------
    molecules : iterable of (LigandMolecule, bytes)
        Read one at a time, each with its record; one record of each ligand is kept in memory.
    """
    ligands: dict[tuple[str, str], SeriesLigand] = {}
    best: dict[tuple[str, str], tuple[int, str]] = {}
    for molecule, record in molecules:
        key = molecule.component_names, molecule.parent_smiles
        ligand = ligands.setdefault(key, SeriesLigand(*key, record))
        rank = -molecule.n_heavy, molecule.stem
        if rank <= best.setdefault(key, rank):
            ligand.record, best[key] = record, rank
        ligand.members.append(SeriesMember(molecule.stem, atom_keys(molecule)))
    for ligand in ligands.values():
        ligand.members.sort(key=lambda member: member.stem)
    return [ligand for _, ligand in sorted(ligands.items(), key=lambda item: (-len(item[1].members), item[0]))]


def core_of_member(member: SeriesMember, atoms: Mapping[AtomKey, int], core: Sequence[int]) -> list[int]:
    """Return the SDF index of each core atom in an instance, -1 for one that was not observed.

    Parameters
    ----------
    atoms : mapping of AtomKey to int
        Atom of the parent that each observed atom is.
    core : sequence of int
        Atoms of the parent that are the core's, in its order.

    >>> member = SeriesMember("1abc_A_LIG_1", ((0, "C1"), (0, "N1")))
    >>> core_of_member(member, {(0, "C1"): 4, (0, "N1"): 7}, [7, 9])
    [1, -1]
    """
    index = {atoms[key]: k for k, key in enumerate(member.atoms) if key in atoms}
    return [index.get(atom, -1) for atom in core]
