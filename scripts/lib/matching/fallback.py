"""The least that can be said of a ligand: its atoms, without bonds."""

from __future__ import annotations

import numpy as np
from rdkit import Chem
from rdkit.Chem.rdMolDescriptors import CalcMolFormula

from scripts.lib.components.formula import spaced_formula
from scripts.lib.instance.model import Instance
from scripts.lib.molecule.record import NAME, LigandMolecule
from scripts.lib.molecule.stereo import set_coordinates
from scripts.lib.molecule.template import assemble


def bare_ligand(instance: Instance) -> LigandMolecule:
    """Return the heavy atoms of an instance as separate atoms, for one that no method could handle.

    It is flagged ``not_sanitised`` and ``perceived_bonds``; its layout is a flat view of the coordinates.
    """
    atoms = instance.atoms
    heavy = atoms.heavy
    elements = [atoms.element[index] for index in heavy.tolist()]
    mol = assemble(elements, [0] * len(elements), [], [0] * len(elements))
    for atom, index in zip(mol.GetAtoms(), heavy.tolist(), strict=True):
        atom.SetProp(NAME, instance.atom_label(index))
    set_coordinates(mol, atoms.xyz[heavy])
    mol.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(mol)
    smiles = str(Chem.MolToSmiles(mol))
    n_heavy = len(heavy)
    return LigandMolecule(
        stem=instance.stem,
        comp_id=instance.name.comp_id,
        component_names=instance.component_names,
        title="",
        type="",
        formula=spaced_formula(CalcMolFormula(mol)),
        mol=mol.GetMol(),
        atom_index=heavy,
        residue=atoms.component[heavy],
        dictionary_names=("",) * n_heavy,
        layout=np.asarray(atoms.xyz[heavy, :2], dtype=np.float64),
        smiles=smiles,
        parent_smiles=smiles,
        observed_smiles=smiles,
        inchikey="",
        smiles_index=np.full(n_heavy, -1, dtype=np.int64),
        symmetry_class=np.arange(n_heavy, dtype=np.int64),
        bond_source="perceived",
        atoms_missing=(),
        hydrogens="none",
        charge=0,
        sanitised=False,
        flags=("not_sanitised", "perceived_bonds"),
    )
