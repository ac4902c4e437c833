"""Small ligands and surroundings, made from SMILES and rows."""

from collections.abc import Sequence

import numpy as np
from rdkit import Chem
from rdkit.Chem import rdDepictor, rdDistGeom

from tethermap.base.arrays import FloatArray
from tethermap.base.contexts import CONTEXTS
from tethermap.instance.model import Instance, LigandAtoms, Link, Neighbourhood, Residue
from tethermap.molecule.protonation import forms_at_ph
from tethermap.molecule.record import LigandMolecule

Xyz = tuple[float, float, float]
Partner = tuple[str, str, str, str, str, Xyz, str, str]

RESIDUE = Residue("A", "B", "LIG", 1)


def instance_of(
    residue: Residue,
    names: Sequence[str],
    elements: Sequence[str],
    xyz: FloatArray,
    links: tuple[Link, ...] = (),
    *,
    entry_id: str = "1abc",
    first: int = 1,
) -> Instance:
    """Return a ligand of one component, complete and without alternates; serial numbers begin at `first`."""
    n_atoms = len(names)
    atoms = LigandAtoms(
        component=np.zeros(n_atoms, dtype=np.int64),
        name=tuple(names),
        element=tuple(elements),
        xyz=xyz,
        occupancy=np.ones(n_atoms),
        b_iso=np.full(n_atoms, 20.0),
        charge=np.zeros(n_atoms, dtype=np.int64),
        altloc=("",) * n_atoms,
        serial=np.arange(first, first + n_atoms, dtype=np.int64),
    )
    return Instance(
        entry_id=entry_id,
        stem=f"{entry_id}_{residue.auth_asym_id}_{residue.comp_id}_{residue.residue_id}",
        components=(residue,),
        head=0,
        kind="ligand",
        atoms=atoms,
        inner_links=(),
        links=links,
        altloc="",
        target_chains=(residue.auth_asym_id,),
        pdb_comp_id=residue.comp_id[:3],
        pdb_chain_id=residue.auth_asym_id,
    )


def in_space(smiles: str, seed: int = 7) -> Chem.Mol:
    """Return a molecule in three dimensions with its hydrogens."""
    mol = Chem.AddHs(Chem.MolFromSmiles(smiles))
    assert rdDistGeom.EmbedMolecule(mol, randomSeed=seed) == 0
    return mol


def small_ligand(
    smiles: str, xyz: Sequence[Xyz], links: tuple[Link, ...] = (), *, entry_id: str = "1abc", residue: Residue = RESIDUE
) -> tuple[Instance, LigandMolecule]:
    """Return an instance (LIG A 1 of 1abc) and its molecule; atoms are named by element and number."""
    mol = Chem.AddHs(Chem.MolFromSmiles(smiles))
    n_heavy = len(xyz)
    elements = tuple(mol.GetAtomWithIdx(i).GetSymbol() for i in range(n_heavy))
    names = tuple(f"{element}{i + 1}" for i, element in enumerate(elements))
    rdDepictor.Compute2DCoords(mol)
    layout = mol.GetConformer().GetPositions()[:n_heavy, :2]
    mol.RemoveAllConformers()
    conformer = Chem.Conformer(mol.GetNumAtoms())
    for atom in mol.GetAtoms():
        parent = atom.GetIdx() if atom.GetIdx() < n_heavy else atom.GetNeighbors()[0].GetIdx()
        conformer.SetAtomPosition(atom.GetIdx(), xyz[parent])
    mol.AddConformer(conformer)
    for atom in mol.GetAtoms():
        atom.SetProp("name", names[atom.GetIdx()] if atom.GetIdx() < n_heavy else f"H{atom.GetIdx()}")
    order = np.arange(n_heavy, dtype=np.int64)
    instance = instance_of(
        residue, names, elements, np.array(xyz, dtype=np.float64), links, entry_id=entry_id, first=101
    )
    molecule = LigandMolecule(
        stem=instance.stem,
        comp_id=residue.comp_id,
        component_names=residue.comp_id,
        title="",
        type="",
        formula="",
        mol=mol,
        atom_index=order,
        residue=np.zeros(n_heavy, dtype=np.int64),
        dictionary_names=names,
        layout=layout,
        smiles=smiles,
        parent_smiles=smiles,
        observed_smiles=smiles,
        inchikey="",
        at_ph=forms_at_ph(smiles),
        smiles_index=order,
        symmetry_class=order,
        bond_source="dictionary",
        atoms_missing=(),
        hydrogens="added",
        charge=0,
        sanitised=True,
    )
    return instance, molecule


def small_neighbourhood(*atoms: Partner) -> Neighbourhood:
    """Return surroundings from (chain, residue, comp, atom, element, xyz, copy, context) rows."""
    columns = list(zip(*atoms, strict=True)) if atoms else [()] * 8
    return Neighbourhood(
        xyz=np.array(columns[5], dtype=np.float64).reshape(-1, 3),
        element=np.array(columns[4], dtype=np.str_),
        comp_id=np.array(columns[2], dtype=np.str_),
        atom_name=np.array(columns[3], dtype=np.str_),
        auth_asym_id=np.array(columns[0], dtype=np.str_),
        residue_id=np.array(columns[1], dtype=np.str_),
        copy_name=np.array(columns[6], dtype=np.str_),
        context=np.array([CONTEXTS.index(name) for name in columns[7]], dtype=np.int64),
        largest=len(CONTEXTS) - 1,
    )
