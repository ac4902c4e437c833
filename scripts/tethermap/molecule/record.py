"""A ligand as a molecule: the output of chemistry for exposure, tables and pictures."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
from rdkit import Chem

from tethermap.base.arrays import FloatArray, IntArray
from tethermap.molecule.flat import flat_molecule, without_hydrogens
from tethermap.molecule.names import common_name
from tethermap.molecule.protonation import NO_FORMS, FormsAtPh

BOND_SOURCES = ("file", "entry", "dictionary", "dictionary_alt", "matched", "user", "perceived")
"""Sources of bonds, the most trusted first (`LigandMolecule.bond_source`)."""

NAME = "name"
"""Atom property with the atom's label (`Instance.atom_label`)."""

AtomKey = tuple[int, str]
"""An atom in all copies of its ligand: the number of its residue in the group, and its name in the dictionary."""


@dataclass(frozen=True)
class LigandMolecule:
    """The molecule of one ligand instance.

    Heavy atoms come first, component by component in dictionary order, hydrogens after them.
    "Heavy atom k" is atom k of `mol`.

    Parameters
    ----------
    stem : str
        Stem of the instance.
    mol : Chem.Mol
        Neutralised molecule with all hydrogens; conformer 0 is in the deposited frame, in
        angstroms. Each atom has the property ``name``.
    atom_index : ndarray of int, shape (n_heavy,)
        Index of heavy atom k in `Instance.atoms`.
    dictionary_names : tuple of str
        Name of heavy atom k in the dictionary, without a residue; empty if unknown.
    layout : ndarray of float, shape (n_heavy, 2)
        Depiction coordinates, the same for all instances of one component.
    smiles : str
        SMILES of the dictionary's molecule as stored, or of the observed one if there is none.
    observed_smiles : str
        Isomeric SMILES of `mol`, stereo read from the coordinates.
    inchi, inchikey : str
        InChI of `observed_smiles` and InChIKey of `mol`; empty if InChI fails, the first also for a metal complex.
    smiles_index : ndarray of int, shape (n_heavy,)
        Position of heavy atom k among the heavy atoms of `observed_smiles`; -1 if it has none.
    symmetry_class : ndarray of int, shape (n_heavy,)
        Equivalent atoms have the same number.
    bond_source : str
        One of `BOND_SOURCES`; of a group the least trusted among its components. The last resort,
        ``perceived``, covers names trusted in spite of impossible lengths (flag ``strained_bonds``).
    atoms_missing : tuple of str
        Labels of heavy atoms in the dictionary that are missing in the structure, without leaving atoms of bonds.
    hydrogens : str
        Source of the hydrogens: deposited, added, mixed or none.
    charge : int
        Net formal charge of `mol`.
    sanitised : bool
        Whether `mol` passed RDKit's checks.
    smiles_adduct : str
        For covalent ligands: the molecule with the linked protein atom, the rest of the protein
        as ``*``; else empty.
    flags : tuple of str
        Codes of `tethermap.base.reasons.FLAGS` that chemistry adds, sorted.
    notes : dict of str to str
        Detail of a flag by its code.
    comp_id, component_names : str
        Code that names the instance, and all its components joined by ``+``.
    title, type, formula : str
        Name, type and formula of the definition; the parts of a group joined by ``+``. Name and type are empty without
        a definition.
    residue : ndarray of int, shape (n_heavy,)
        Index of heavy atom k's residue in `Instance.components`.
    synonyms : tuple of str
        Other names of its definition; none of a group.
    at_ph : FormsAtPh
        The complete definition in its charge state at pH 7.4.
    """

    stem: str
    mol: Chem.Mol
    atom_index: IntArray
    dictionary_names: tuple[str, ...]
    layout: FloatArray
    smiles: str
    parent_smiles: str
    observed_smiles: str
    inchikey: str
    smiles_index: IntArray
    symmetry_class: IntArray
    bond_source: str
    atoms_missing: tuple[str, ...]
    hydrogens: str
    charge: int
    sanitised: bool
    smiles_adduct: str = ""
    flags: tuple[str, ...] = ()
    notes: dict[str, str] = field(default_factory=dict)
    comp_id: str = ""
    component_names: str = ""
    title: str = ""
    type: str = ""
    formula: str = ""
    residue: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    synonyms: tuple[str, ...] = ()
    inchi: str = ""
    at_ph: FormsAtPh = NO_FORMS

    @property
    def n_heavy(self) -> int:
        """Number of heavy atoms."""
        return len(self.atom_index)

    @property
    def common_name(self) -> str:
        """The name by which it is best known; of a group its systematic one."""
        return common_name(self.title, self.synonyms, self.type)

    @cached_property
    def flat(self) -> bytes:
        """The molecule as its depictions draw it, laid out without hydrogens once for all of them."""
        return flat_molecule(without_hydrogens(self.mol), self.layout)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Labels of the heavy atoms in order."""
        return tuple(self.mol.GetAtomWithIdx(k).GetProp(NAME) for k in range(self.n_heavy))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Labels of all atoms in order."""
        return tuple(self.mol.GetAtomWithIdx(k).GetProp(NAME) for k in range(self.mol.GetNumAtoms()))


def atom_keys(molecule: LigandMolecule) -> tuple[AtomKey, ...]:
    """Return the keys of a molecule's heavy atoms."""
    numbers = molecule.residue.tolist() or [0] * molecule.n_heavy
    names = molecule.dictionary_names
    if not all(names):
        names = tuple(name or label for name, label in zip(names, molecule.names, strict=True))
    return tuple(map(_shared_key, zip(numbers, names, strict=True)))


_shared_key: Callable[[AtomKey], AtomKey] = lru_cache(maxsize=65_536)(lambda key: key)
"""Returns the first of all equal keys: thousands of copies of a ligand are in memory at once."""
