"""Molecules of ligands by another path: RDKit's own bonds from distances, orders from a template.

Nothing here is shared with the pipeline but the dictionary's definitions: atoms go through a PDB
block, RDKit connects them by distance, and `AssignBondOrdersFromTemplate` gives the orders of a
template, which is the dictionary's molecule without the atoms that were not observed.
"""

from collections.abc import Callable, Sequence

from rdkit import Chem, rdBase
from rdkit.Chem import AllChem
from rdkit.Chem.MolStandardize import rdMolStandardize

from tests.tools.small_entry import atom_line
from tethermap.components.component import Component
from tethermap.instance.model import Instance

Find = Callable[[str], Component | None]

_ORDERS = {1: Chem.BondType.SINGLE, 2: Chem.BondType.DOUBLE, 3: Chem.BondType.TRIPLE}


def template_smiles(instance: Instance, find: Find, names: Sequence[str]) -> str:
    """Return the neutral molecule of an instance as isomeric SMILES, stereo from the coordinates.

    Parameters
    ----------
    instance : Instance
        The ligand.
    find : callable
        Returns components by code.
    names : sequence of str
        Dictionary name of each heavy atom, in deposited order.

    Raises
    ------
    ValueError
        If RDKit finds no match of the template, or a component is not in the dictionary.
    """
    template = _template(instance, find, names)
    with rdBase.BlockLogs():
        observed = Chem.MolFromPDBBlock(_pdb_block(instance), sanitize=False, removeHs=False)
        Chem.SanitizeMol(observed, Chem.SanitizeFlags.SANITIZE_ALL ^ Chem.SanitizeFlags.SANITIZE_PROPERTIES)
        mol = AllChem.AssignBondOrdersFromTemplate(template, observed)  # type: ignore[no-untyped-call]
    for atom in mol.GetAtoms():
        atom.SetNoImplicit(False)
    Chem.SanitizeMol(mol)
    return canonical(mol)


def canonical(mol: Chem.Mol) -> str:
    """Return a molecule with a 3D conformer as neutral isomeric SMILES, without meaningless phosphorus centres."""
    neutral = rdMolStandardize.Uncharger().uncharge(mol)
    Chem.AssignStereochemistryFrom3D(neutral)
    for atom in neutral.GetAtoms():
        if atom.GetAtomicNum() in (15, 16):
            atom.SetChiralTag(Chem.ChiralType.CHI_UNSPECIFIED)
    Chem.AssignStereochemistry(neutral, cleanIt=True, force=True)
    return str(Chem.MolToSmiles(Chem.MolFromSmiles(Chem.MolToSmiles(neutral))))


def _template(instance: Instance, find: Find, names: Sequence[str]) -> Chem.Mol:
    """Join the dictionary's atoms that were observed, by name, with the dictionary's bonds and charges."""
    template = Chem.RWMol()
    number: dict[tuple[int, str], int] = {}
    heavy = instance.atoms.heavy.tolist()
    for index, name in zip(heavy, names, strict=True):
        number[int(instance.atoms.component[index]), name] = -1
    for residue, description in enumerate(instance.components):
        component = find(description.comp_id)
        if component is None:
            raise ValueError(f"{description.comp_id} is not in the dictionary")
        atoms = component.atoms
        for atom in atoms:
            if (residue, atom.name) in number:
                made = Chem.Atom(atom.element)
                made.SetFormalCharge(atom.charge)
                number[residue, atom.name] = template.AddAtom(made)
        for bond in component.bonds:
            ends = (residue, atoms[bond.first].name), (residue, atoms[bond.second].name)
            if ends[0] in number and ends[1] in number:
                template.AddBond(number[ends[0]], number[ends[1]], _ORDERS[bond.order])
    key = {index: (int(instance.atoms.component[index]), name) for index, name in zip(heavy, names, strict=True)}
    for first, second in instance.inner_links:
        template.AddBond(number[key[first]], number[key[second]], Chem.BondType.SINGLE)
    with rdBase.BlockLogs():
        Chem.SanitizeMol(template)
    return template.GetMol()


def _pdb_block(instance: Instance) -> str:
    atoms = instance.atoms
    rows = (
        (serial, atoms.element[k].upper(), atoms.xyz[k].tolist()) for serial, k in enumerate(atoms.heavy.tolist(), 1)
    )
    return "".join(atom_line(k, element, "LIG", "A", 1, xyz, element=element) for k, element, xyz in rows) + "END\n"
