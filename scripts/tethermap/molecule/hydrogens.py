"""Hydrogens of a ligand: those that were deposited, and added ones for the rest."""

from collections.abc import Mapping, Sequence

import numpy as np
from rdkit import Chem
from rdkit.Chem import rdMolTransforms
from rdkit.Geometry import Point3D

from tethermap.base.elements import covalent_radii, covalent_radius
from tethermap.instance.model import LigandAtoms
from tethermap.molecule.geometry import LONGEST
from tethermap.molecule.record import NAME
from tethermap.molecule.template import fix_hydrogens

ADDED_NAME = "H"
"""Label of a hydrogen that was not deposited."""

CLASH = 1.35
"""Distance in angstroms of an added hydrogen to other atoms below which its terminal group is rotated. House rule:
hydrogen bonds are longer (Steiner 2002,
doi:10.1002/1521-3773(20020104)41:1<48::AID-ANIE48>3.0.CO;2-U)."""

LEAST_BOND = 0.1
"""Least length in angstroms of the bonds that define a rotation; groups with shorter ones are not rotated."""

TURN, HALF_TURN = 30.0, 180.0
"""Steps of their rotation in degrees; groups on sp2 atoms remain in the plane."""


def hydrogen_parents(atoms: LigandAtoms) -> dict[int, int]:
    """Return the heavy atom of each deposited hydrogen: the nearest in bonding distance.

    Parameters
    ----------
    atoms : LigandAtoms
        Atoms of one instance; hydrogen and deuterium are equivalent.

    Returns
    -------
    dict of int to int
        Indices in `atoms`; a hydrogen too far from every heavy atom is left out.
    """
    heavy = atoms.heavy
    if len(heavy) in (0, len(atoms)):
        return {}
    hydrogens = np.setdiff1d(np.arange(len(atoms)), heavy)
    reach = covalent_radii([atoms.element[i] for i in heavy.tolist()]) + covalent_radius("H")
    distance = np.linalg.norm(atoms.xyz[hydrogens][:, None, :] - atoms.xyz[heavy][None, :, :], axis=2)
    nearest = distance.argmin(axis=1)
    return {
        hydrogen: int(heavy[parent])
        for hydrogen, parent, row in zip(hydrogens.tolist(), nearest.tolist(), distance, strict=True)
        if row[parent] <= LONGEST * reach[parent]
    }


def with_hydrogens(
    mol: Chem.Mol, deposited: Mapping[int, Sequence[tuple[str, Sequence[float]]]]
) -> tuple[Chem.Mol, str]:
    """Return a molecule of heavy atoms with all its hydrogens as atoms after them.

    Deposited hydrogens are used up to the number that the molecule has at an atom, in order of their names; the others
    are added at positions from the geometry of the neighbours.

    Parameters
    ----------
    mol : Chem.Mol
        Heavy atoms with a conformer.
    deposited : mapping of int to sequence of (str, coordinates)
        Deposited hydrogens by heavy atom: label and place in angstroms.

    Returns
    -------
    tuple of (Chem.Mol, str)
        The molecule, and the source of its hydrogens (`record.LigandMolecule.hydrogens`).
    """
    full = Chem.RWMol(mol)
    for heavy in sorted(deposited):
        atom = full.GetAtomWithIdx(heavy)
        count = atom.GetTotalNumHs()
        places = sorted(deposited[heavy], key=lambda item: (item[0], *item[1]))[:count]
        if places:
            fix_hydrogens(atom, count - len(places))
        for label, (x, y, z) in places:
            hydrogen = Chem.Atom(1)
            hydrogen.SetProp(NAME, label)
            number = full.AddAtom(hydrogen)
            full.AddBond(heavy, number, Chem.BondType.SINGLE)
            full.GetConformer().SetAtomPosition(number, Point3D(float(x), float(y), float(z)))
    full.UpdatePropertyCache(strict=False)
    result = Chem.AddHs(full, addCoords=True)
    first_added = full.GetNumAtoms()
    for number in range(first_added, result.GetNumAtoms()):
        result.GetAtomWithIdx(number).SetProp(NAME, ADDED_NAME)
    _turn_away(result, first_added)
    state = {(False, False): "none", (True, False): "deposited", (False, True): "added", (True, True): "mixed"}
    return result, state[first_added > mol.GetNumAtoms(), result.GetNumAtoms() > first_added]


def _turn_away(mol: Chem.Mol, first_added: int) -> None:
    """Rotate hydroxyls and other terminal groups whose hydrogens were all added and clash with other atoms."""
    xyz = mol.GetConformer().GetPositions()
    squared = (xyz**2).sum(axis=1)
    near = squared[first_added:, None] + squared - 2 * xyz[first_added:] @ xyz.T < CLASH**2
    clashing = np.flatnonzero(near.sum(axis=1) > len(("itself", "parent"))) + first_added
    for parent in sorted({mol.GetAtomWithIdx(k).GetNeighbors()[0].GetIdx() for k in clashing.tolist()}):
        around = {other.GetIdx() for other in mol.GetAtomWithIdx(parent).GetNeighbors()}
        hydrogens = sorted(k for k in around if mol.GetAtomWithIdx(k).GetAtomicNum() == 1)
        if len(around) > len(hydrogens) + 1 or hydrogens[0] < first_added:
            continue
        for heavy in around - set(hydrogens):
            _turn(mol, [parent, *sorted(around)], heavy, hydrogens)


def _turn(mol: Chem.Mol, own: Sequence[int], heavy: int, hydrogens: Sequence[int]) -> None:
    """Rotate the hydrogens of a group about its bond to a heavy atom to the position with most space."""
    parent, conformer = own[0], mol.GetConformer()
    beyond = [other.GetIdx() for other in mol.GetAtomWithIdx(heavy).GetNeighbors() if other.GetIdx() != parent]
    if not beyond:
        return
    dihedral = beyond[0], heavy, parent, hydrogens[0]
    places = conformer.GetPositions()
    if np.linalg.norm(np.diff(places[list(dihedral)], axis=0), axis=1).min() < LEAST_BOND:
        return
    start = rdMolTransforms.GetDihedralDeg(conformer, *dihedral)
    if not np.isfinite(start):
        return

    def room(turn: float) -> float:
        rdMolTransforms.SetDihedralDeg(conformer, *dihedral, start + turn)
        places = conformer.GetPositions()
        apart = places[hydrogens][:, None] - np.delete(places, own, axis=0)
        return round(float(np.linalg.norm(apart, axis=2).min(initial=np.inf)), 3)

    flat = mol.GetAtomWithIdx(parent).GetHybridization() == Chem.HybridizationType.SP2
    room(max(np.arange(0.0, 360.0, HALF_TURN if flat else TURN).tolist(), key=room))
