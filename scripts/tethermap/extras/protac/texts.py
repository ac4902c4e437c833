"""Ligands as PDB files."""

import itertools
from collections.abc import Collection, Mapping, Sequence

from tethermap.base.arrays import FloatArray
from tethermap.exits.graph import LigandGraph
from tethermap.extras.protac.side import Side
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


def ligand_pdb(graph: LigandGraph, names: Sequence[str], side: Side, kept: Collection[int] | None = None) -> str:
    """Return heavy atoms of a ligand as a PDB file of one residue, bonds as CONECT records.

    Every bond is listed once, for any order, as in the ligands and masks of DeepTernary, which are compared as graphs.

    Parameters
    ----------
    names : sequence of str
        Names of its atoms.
    side : Side
        Names of residue and chain.
    kept : collection of int or None
        SDF indices of the atoms to write, None for all; the serial of atom k is always k + 1.
    """
    wanted = [k for k in range(len(graph)) if kept is None or k in kept]
    rows = [(k + 1, names[k], graph.element[k], graph.xyz[k]) for k in wanted]
    shown = set(wanted)
    near = {k + 1: [other + 1 for other in graph.near[k] if other in shown] for k in wanted}
    return residue_pdb(rows, near, side.residue_name, side.ligand_chain)


def residue_pdb(
    atoms: Sequence[tuple[int, str, str, FloatArray]], near: Mapping[int, Sequence[int]], residue: str, chain: str
) -> str:
    """Return one residue as PDB with each bond as one CONECT.

    Parameters
    ----------
    atoms : sequence of (int, str, str, ndarray)
        Serial, name, element and place in angstroms of each.
    near : mapping of int to sequence of int
        Serials of the atoms bonded to each.
    residue, chain : str
        Names of the atoms.
    """
    lines = [_atom_line(*atom, f"{residue} {chain}", len(near[atom[0]])) for atom in atoms]
    for serial, bonded in near.items():
        parts = (bonded[start : start + 4] for start in range(0, len(bonded), 4))
        lines += [f"CONECT{serial:5d}" + "".join(f"{other:5d}" for other in part) for part in parts]
    return "\n".join([*lines, "END"]) + "\n"


def _atom_line(serial: int, name: str, element: str, xyz: FloatArray, residue: str, bonds: int) -> str:
    shown = name if len(name) == _LONGEST_NAME or len(element) > 1 else f" {name}"
    x, y, z = xyz.tolist()
    return (
        f"HETATM{serial:5d} {shown:<4s} {residue}   1    "
        f"{x:8.3f}{y:8.3f}{z:8.3f}  1.00  0.00          {element.upper():>2s}"
        f"{_CHARGES.get((element, bonds), '')}"
    )
