"""Clean real entries in-process, with a brute-force view of their assemblies for comparison."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import gemmi
import numpy as np

from tests.tools.parts import instances_of
from tethermap.base import layout
from tethermap.base.arrays import FloatArray
from tethermap.base.contexts import CONTEXTS
from tethermap.base.records import part, read_records
from tethermap.base.tables import NAME_MAP, read_table
from tethermap.complex.clean import CleanedEntry, KeptInstance, clean_entry
from tethermap.complex.experiment import NO_EXPERIMENT, Experiment
from tethermap.complex.settings import CleanSettings
from tethermap.components.component import Component
from tethermap.entry.reader import Entry, read_entry
from tethermap.entry.target_query import TargetQuery
from tethermap.exposure.method import FREESASA, KERNEL
from tethermap.exposure.radii import PolymerRadii, RadiusTable
from tethermap.exposure.sasa import Exposure, Sasa
from tethermap.instance.kinds import KindRules
from tethermap.instance.model import Instance, Neighbourhood
from tethermap.instance.store import neighbourhood_of_record
from tethermap.molecule.record import LigandMolecule
from tethermap.molecule.store import molecule_of_record

Find = Callable[[str], Component | None]
PlacedAtom = tuple[gemmi.Position | gemmi.Vec3, str, gemmi.Atom]
"""An atom with its place and the component code of its residue."""

ANY_TARGET = CleanSettings(TargetQuery("no such target"))
"""Settings under which every polymer counts as target."""


@dataclass(frozen=True)
class Sample:
    """One kept instance, cleaned here or by a job.

    Parameters
    ----------
    instance, neighbourhood : Instance, Neighbourhood
        An instance that the pipeline found.
    pdb : str or None
        The PDB file of its complex; None if it has other names than the entry.
    molecule : LigandMolecule or None
        Its molecule, where a job has made it.
    """

    instance: Instance
    neighbourhood: Neighbourhood
    pdb: str | None
    molecule: LigandMolecule | None = None

    @property
    def xyz(self) -> FloatArray:
        """Heavy atoms of the ligand in angstroms, shape (n_heavy, 3), in the order of its molecule if it has one."""
        atoms = self.instance.atoms
        return atoms.xyz[atoms.heavy if self.molecule is None else self.molecule.atom_index]


def clean_file(
    path: Path, find: Find, settings: CleanSettings = ANY_TARGET, experiment: Experiment = NO_EXPERIMENT
) -> tuple[Entry, CleanedEntry]:
    """Read and clean one file; its entry id is the file's name up to the first dot."""
    entry = read_entry(path, path.name.split(".")[0].removeprefix("pdb"))
    rules, radii = KindRules(find), PolymerRadii(find)
    return entry, clean_entry(entry, settings, rules, radii, experiment)


def clean_sample(kept: KeptInstance) -> Sample:
    """Return an instance that was cleaned here."""
    return Sample(kept.instance, kept.neighbourhood, None if kept.cleaned.renamed else kept.cleaned.pdb)


def job_samples(job: Path) -> Iterator[Sample]:
    """Yield all instances of a finished job."""
    renamed = {row["stem"] for row in read_table(job / layout.NAME_MAP, NAME_MAP)}
    for shard in (folder.name for folder in layout.shard_folders(job)):
        around = read_records(part(job, shard, "clean_complexes/neighbourhoods"))
        molecules = read_records(part(job, shard, "match_ligands/molecules"))
        for instance, near, molecule in zip(instances_of(job, shard), around, molecules, strict=True):
            path = job / layout.war_pdb(instance.stem)
            pdb = path.read_text(encoding="utf-8") if path.exists() and instance.stem not in renamed else None
            yield Sample(instance, neighbourhood_of_record(near), pdb, molecule_of_record(molecule))


def radii_of(sample: Sample, find: Find) -> tuple[FloatArray, FloatArray]:
    """Return the radii of the ligand, by element only if it has no molecule, and of the atoms around it."""
    table, around = RadiusTable(), sample.neighbourhood
    if sample.molecule is None:
        own = [table.of_element(sample.instance.atoms.element[k]) for k in sample.instance.atoms.heavy]
    else:
        own = [table.of_atom(sample.molecule.mol.GetAtomWithIdx(k)) for k in range(sample.molecule.n_heavy)]
    return np.array(own), PolymerRadii(find).of_all(around.comp_id, around.atom_name, around.element)


def exposure_of(sample: Sample, find: Find, slices: int = 100) -> Exposure:
    """Return the areas of a ligand with the default method of the pipeline."""
    own, around = radii_of(sample, find)
    return Sasa(1.4, slices).exposure(sample.xyz, own, sample.neighbourhood, around)


def largest_difference(sample: Sample, context: str, whole: Sequence[PlacedAtom], find: Find) -> float:
    """Compare the areas in a context with those in a complete set of atoms, in square angstroms."""
    own, _ = radii_of(sample, find)
    xyz = np.array([place.tolist() for place, _, _ in whole])
    names = [(comp_id, atom.name, atom.element.name) for _, comp_id, atom in whole]
    radii = PolymerRadii(find).of_all(*map(np.array, zip(*names, strict=True)))
    areas = Sasa(1.4, 100).areas(np.concatenate([sample.xyz, xyz]), np.concatenate([own, radii]), len(own))
    return float(np.abs(exposure_of(sample, find).bound[context] - areas).max())


def differ_from_freesasa(samples: Sequence[Sample], find: Find) -> list[str]:
    """Return the ligands whose areas differ between the two engines, unbound or in any context.

    The kernel is given some atoms around twice, FreeSASA, which has no areas then, once.
    """
    differ = []
    names = [field.name for field in fields(Neighbourhood) if field.name != "largest"]
    kernel, freesasa = (Sasa(probe_radius=1.4, slices=100, engine=engine) for engine in (KERNEL, FREESASA))
    for sample in samples:
        own, around = radii_of(sample, find)
        near = sample.neighbourhood
        twice = np.append(np.arange(len(near)), np.arange(len(near))[::7])
        doubled = replace(near, **{name: getattr(near, name)[twice] for name in names})
        one = kernel.exposure(sample.xyz, own, doubled, around[twice])
        other = freesasa.exposure(sample.xyz, own, near, around)
        pairs = [(one.free, other.free), *((one.bound[name], other.bound[name]) for name in CONTEXTS)]
        same = [np.allclose(*pair, rtol=0, atol=1e-9, equal_nan=True) for pair in pairs]
        if not all(same):
            differ.append(sample.instance.stem)
    return differ


def read_cleaned(sample: Sample) -> list[PlacedAtom] | None:
    """Return all atoms of a cleaned PDB file but the ligand's, read back with gemmi.

    None if names were shortened, because radii depend on the full names, or if the file rounds coordinates: those of
    moved copies, and those deposited with more than three decimals (7AVW).
    """
    around = sample.neighbourhood
    if sample.pdb is None or _is_rounded(around.xyz[around.context <= CONTEXTS.index("target")]):
        return None
    structure = gemmi.read_pdb_string(sample.pdb)
    serials = set(sample.instance.atoms.serial.tolist())
    return [(atom.pos, residue.name, atom) for residue, atom in _atoms_of(structure[0]) if atom.serial not in serials]


def _atoms_of(model: gemmi.Model) -> Iterator[tuple[gemmi.Residue, gemmi.Atom]]:
    return ((residue, atom) for chain in model for residue in chain for atom in residue)


def _is_rounded(xyz: FloatArray) -> bool:
    """Return whether a PDB file's three decimals change coordinates."""
    return bool(np.any(np.abs(np.round(xyz, 3) - xyz) > 1e-9))


def brute_force_assembly(entry: Entry, sample: Sample) -> list[PlacedAtom] | None:
    """Return the polymer atoms of the first assembly with the ligand in its deposited place, using only gemmi.

    None if other atoms than polymers are near, if a chain is the ligand, if there are alternates, or if the assembly
    lacks the deposited place: these cases would need the pipeline's own rules.
    """
    around = sample.neighbourhood
    polymers = [residue for chain in entry.structure[0] for residue in chain if _is_polymer(residue)]
    simple = set(around.comp_id[around.context < 3].tolist()) <= {residue.name for residue in polymers}
    simple &= sample.instance.name.label_asym_id not in {residue.subchain for residue in polymers}
    if not simple or entry.molecules or (entry.atoms.altloc != b"").any():
        return None
    deposited = gemmi.Position(*sample.xyz[0].tolist())
    for assembly in entry.structure.assemblies:
        atoms = list(_atoms_of(gemmi.make_assembly(assembly, entry.structure[0], gemmi.HowToNameCopiedChain.AddNumber)))
        if any(atom.pos.dist(deposited) < 1e-6 for _, atom in atoms):
            heavy = ((one, atom) for one, atom in atoms if _is_polymer(one) and not atom.is_hydrogen())
            return [(atom.pos, residue.name, atom) for residue, atom in heavy]
    return None


def _is_polymer(residue: gemmi.Residue) -> bool:
    return bool(residue.entity_type == gemmi.EntityType.Polymer)
