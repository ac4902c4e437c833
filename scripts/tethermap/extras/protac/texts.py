"""Ligands as PDB files."""

import itertools
from collections.abc import Collection, Sequence

from rdkit import Chem

from tethermap.instance.model import Instance
from tethermap.molecule.record import LigandMolecule

_LONGEST_NAME = 4

_CHARGES = {("N", 4): "1+", ("B", 4): "1-", ("O", 3): "1+"}
"""Charges without which an atom of so many single bonds is refused."""


def atom_names(molecule: LigandMolecule, instance: Instance) -> tuple[str, ...]:
    """Return a name for each heavy atom that is unique in the whole ligand and fits a PDB file.

    The deposited name if it does, otherwise (or for a name with a blank) the element with the first free number.
    """
    deposited = [instance.atoms.name[k] for k in molecule.atom_index.tolist()]
    used = set(deposited)
    names: list[str] = []
    for k, name in enumerate(deposited):
        if deposited.count(name) == 1 and len(name) <= _LONGEST_NAME and " " not in name:
            names.append(name)
            continue
        symbol = molecule.mol.GetAtomWithIdx(k).GetSymbol().upper()
        names.append(next(f"{symbol}{n}" for n in itertools.count(1) if f"{symbol}{n}" not in used))
        used.add(names[-1])
    return tuple(names)


def residue_pdb(
    mol: Chem.Mol, names: Sequence[str], residue: str, chain: str, kept: Collection[int] | None = None
) -> str:
    """Return atoms of a molecule as a PDB file of one residue, bonds as CONECT records.

    Every bond is listed once, for any order, as in the ligands and masks of DeepTernary, which are compared as graphs.

    Parameters
    ----------
    mol : Chem.Mol
        With one conformer, in angstroms.
    names : sequence of str
        Names of its atoms, or of the first ones.
    residue, chain : str
        Names of residue and chain.
    kept : collection of int or None
        Indices of the atoms to write, None for all with a name; the serial of atom k is always k + 1.
    """
    places = mol.GetConformer().GetPositions().tolist()
    shown = frozenset(range(len(names)) if kept is None else kept)
    atoms, bonds = [], []
    for k in sorted(shown):
        atom = mol.GetAtomWithIdx(k)
        near = sorted(other.GetIdx() for other in atom.GetNeighbors() if other.GetIdx() in shown)
        element, (x, y, z) = atom.GetSymbol(), places[k]
        name = names[k] if len(names[k]) == _LONGEST_NAME or len(element) > 1 else f" {names[k]}"
        atoms.append(
            f"HETATM{k + 1:5d} {name:<4s} {residue} {chain}   1    "
            f"{x:8.3f}{y:8.3f}{z:8.3f}  1.00  0.00          {element.upper():>2s}"
            f"{_CHARGES.get((element, len(near)), '')}"
        )
        parts = (near[start : start + 4] for start in range(0, len(near), 4))
        bonds += [f"CONECT{k + 1:5d}" + "".join(f"{other + 1:5d}" for other in part) for part in parts]
    return "\n".join([*atoms, *bonds, "END"]) + "\n"
