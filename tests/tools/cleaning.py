"""Clean real entries in-process, with a brute-force view of their assemblies beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import gemmi
import numpy as np
import numpy.typing as npt

from scripts.lib.complex.clean import CleanedEntry, CleanSettings, KeptInstance, clean_entry
from scripts.lib.contexts import CONTEXTS
from scripts.lib.entry.reader import Entry, EntryError, read_entry
from scripts.lib.entry.target import TargetQuery
from scripts.lib.exposure.radii import RadiusTable
from scripts.lib.instance.kinds import KindRules
from scripts.lib.instance.model import FloatArray
from scripts.lib.molecule.component import Component
from scripts.lib.reference import ADDITIVES, COFACTORS, RADII

Find = Callable[[str], Component | None]
Names = npt.NDArray[np.str_]

ANY_TARGET = CleanSettings(TargetQuery("no such target"))
"""Settings under which every polymer counts as target."""


@dataclass(frozen=True)
class CleanedSample:
    """One kept instance and its entry.

    Parameters
    ----------
    entry : Entry
        As read.
    kept : KeptInstance
        What the pipeline found.
    """

    entry: Entry
    kept: KeptInstance

    @property
    def xyz(self) -> FloatArray:
        """Heavy atoms of the ligand in angstroms, shape (n_heavy, 3)."""
        return self.kept.instance.atoms.xyz[self.kept.instance.atoms.heavy]

    @property
    def elements(self) -> tuple[str, ...]:
        """Their elements."""
        return tuple(self.kept.instance.atoms.element[i] for i in self.kept.instance.atoms.heavy)


@dataclass(frozen=True)
class Surround:
    """Heavy atoms around a ligand, each field of shape (n_atoms,), `xyz` (n_atoms, 3) in angstroms."""

    xyz: FloatArray
    comp_id: Names
    atom_name: Names
    element: Names


def clean_file(path: Path, find: Find, settings: CleanSettings = ANY_TARGET) -> tuple[Entry, CleanedEntry]:
    """Read and clean one file; its entry id is the file's name up to the first dot."""
    entry = read_entry(path, path.name.split(".")[0].removeprefix("pdb"))
    return entry, clean_entry(entry, settings, KindRules(ADDITIVES, COFACTORS, find), RadiusTable(RADII))


def clean_samples(mirror: Path, find: Find, *, most_atoms: int) -> list[CleanedSample]:
    """Return the first two instances of each file of a mirror with at most so many atoms."""
    samples: list[CleanedSample] = []
    for path in sorted(mirror.glob("*.gz")):
        try:
            entry, cleaned = clean_file(path, find)
        except EntryError:
            continue
        if len(entry.atoms) <= most_atoms:
            samples.extend(CleanedSample(entry, kept) for kept in cleaned.kept[:2])
    return samples


def read_cleaned(kept: KeptInstance) -> Surround | None:
    """Return all atoms of a cleaned PDB file but the ligand's, read back with gemmi.

    None where names were shortened, as radii go by the full names, or where the file rounds coordinates:
    those of copies that were moved, and those deposited with more than three decimals (7AVW).
    """
    if kept.cleaned.pdb is None or kept.cleaned.renamed or _is_rounded(_in_file(kept)):
        return None
    structure = gemmi.read_pdb_string(kept.cleaned.pdb)
    serials = set(kept.cleaned.serial.tolist())
    return _surround(
        (atom.pos, residue.name, atom)
        for chain in structure[0]
        for residue in chain
        for atom in residue
        if atom.serial not in serials
    )


def _in_file(kept: KeptInstance) -> FloatArray:
    """Return the coordinates around a ligand that its PDB file holds, shape (n_atoms, 3), in angstroms."""
    around = kept.neighbourhood
    return around.xyz[around.context <= CONTEXTS.index("target")]


def _is_rounded(xyz: FloatArray) -> bool:
    """Tell whether a PDB file's three decimals change coordinates."""
    return bool(np.any(np.abs(np.round(xyz, 3) - xyz) > 1e-9))


def brute_force_assembly(sample: CleanedSample) -> Surround | None:
    """Return the polymer atoms of the first assembly with the ligand in its deposited place, by gemmi alone.

    None where more than polymer is in reach, where there are alternates, or where the assembly
    doesn't hold the deposited place: there the pipeline's own rules would be needed.
    """
    entry, around = sample.entry, sample.kept.neighbourhood
    polymer = {residue.name for residue in _polymer_residues(entry.structure)}
    simple = set(around.comp_id[around.context < 3].tolist()) <= polymer
    if not simple or entry.molecules or (entry.atoms.altloc != b"").any():
        return None
    atoms = list(_assembly_atoms(entry, sample.kept))
    return _surround(atoms) if atoms else None


def _surround(atoms: Iterable[tuple[gemmi.Position | gemmi.Vec3, str, gemmi.Atom]]) -> Surround:
    listed = list(atoms)
    return Surround(
        np.array([position.tolist() for position, _, _ in listed], dtype=np.float64).reshape(-1, 3),
        np.array([name for _, name, _ in listed]),
        np.array([atom.name for _, _, atom in listed]),
        np.array([atom.element.name for _, _, atom in listed]),
    )


def _polymer_residues(structure: gemmi.Structure) -> Iterator[gemmi.Residue]:
    for chain in structure[0]:
        for residue in chain:
            if residue.entity_type == gemmi.EntityType.Polymer:
                yield residue


def _assembly_atoms(entry: Entry, kept: KeptInstance) -> Iterator[tuple[gemmi.Vec3, str, gemmi.Atom]]:
    """Yield the polymer atoms of the first assembly that holds the instance in its deposited place."""
    own = {kept.instance.name.auth_asym_id, kept.instance.name.label_asym_id}
    structure = entry.structure
    places = next((p for p in map(_places, structure.assemblies) if own & p.keys()), None)
    if places is None:
        return
    if not next(places[name][0] for name in own if name in places).is_identity():
        return
    for residue, chain in ((r, c) for c in structure[0] for r in c):
        if residue.entity_type == gemmi.EntityType.Polymer:
            for transform in places.get(residue.subchain, places.get(chain.name, [])):
                for atom in residue:
                    if not atom.is_hydrogen():
                        yield transform.apply(atom.pos), residue.name, atom


def _places(assembly: gemmi.Assembly) -> dict[str, list[gemmi.Transform]]:
    """Return the operators of each chain of an assembly."""
    places: dict[str, list[gemmi.Transform]] = {}
    for generator in assembly.generators:
        for name in {*generator.chains, *generator.subchains}:
            places.setdefault(name, []).extend(operator.transform for operator in generator.operators)
    return places
