"""Normalise variants of files: names of water, scattered het groups, repeated atoms."""

import gemmi
import numpy as np

from tethermap.base.arrays import IntArray
from tethermap.entry.atoms import Atoms

_MODELS = "SOL SPC SPCE T3P T4P T5P TIP TIP2 TIP3 TIP4 TIP5 TP3 TP4 TP5 OPC WTR OH2 OHH HHO HH0 T3H"
WATER_MODELS = frozenset(_MODELS.split())
"""Names of water in programs of simulation and refinement, VMD and MDTraj among them; some are codes of other
components in the dictionary."""

LONGEST_BOND = 2.0
"""Atoms of one component nearer than this belong to one molecule, in angstroms."""


def name_waters(structure: gemmi.Structure) -> None:
    """Rename water models to the PDB's name if they have only oxygens, besides hydrogens and virtual sites."""
    model = structure[0]
    if WATER_MODELS.isdisjoint(name.upper() for name in model.get_all_residue_names()):
        return
    for residue in (one for chain in model for one in chain if one.name.upper() in WATER_MODELS):
        if {atom.element.name for atom in residue} - {"H", "D", gemmi.Element(0).name} == {"O"}:
            residue.name = "HOH"
            residue.entity_type = gemmi.EntityType.Water


def join_het_groups(structure: gemmi.Structure) -> None:
    """Join the parts of a het group whose atoms are in several places of the file; bonds are kept.

    Atoms that have only their elements as names, as in PDB files of Open Babel, are numbered.
    """
    model = structure[0]
    parts: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
    for number, chain in enumerate(model):
        for place, residue in enumerate(chain):
            if residue.het_flag == "H" and not residue.is_water():
                parts.setdefault((chain.name, str(residue.seqid), residue.name), []).append((number, place))
    joined: list[tuple[int, int]] = []
    for places in parts.values():
        whole = max(places, key=lambda at: len(model[at[0]][at[1]]))
        left = [at for at in places if at != whole]
        residue = model[whole[0]][whole[1]]
        while near := [at for at in left if _bonded(residue, model[at[0]][at[1]])]:
            for number, place in near:
                for atom in model[number][place]:
                    residue.add_atom(atom)
            joined += near
            left = [at for at in left if at not in near]
        names = [atom.name for atom in residue]
        if names.count("C") > 1 and all(atom.name == atom.element.name.upper() for atom in residue):
            for place, atom in enumerate(residue):
                atom.name += str(names[: place + 1].count(atom.name))
    for number, place in sorted(joined, reverse=True):
        del model[number][place]
    structure.remove_empty_chains()


def number_residues(structure: gemmi.Structure) -> frozenset[tuple[str, str]]:
    """Give residues without a number the next free number of their chain; return chain and number of each."""
    numbered = set()
    for chain in structure[0]:
        last = max((residue.seqid.num for residue in chain if residue.seqid.num is not None), default=0)
        for residue in chain:
            if residue.seqid.num is None:
                last = residue.seqid.num = last + 1
                numbered.add((chain.name.strip(), str(residue.seqid)))
    return frozenset(numbered)


def _bonded(one: gemmi.Residue, other: gemmi.Residue) -> bool:
    """Return whether atoms of two residues are within bonding distance or coincide."""
    return any(a.pos.dist(b.pos) < LONGEST_BOND for a in one for b in other)


def repeated_atoms(atoms: Atoms) -> IntArray:
    """Return atoms that repeat an earlier one: same residue, name, alternate and place; shape (n_repeated,)."""
    x, y, z = atoms.xyz.T
    mixed = x + np.sqrt(2.0) * y + np.sqrt(3.0) * z  # one number for all coinciding atoms
    ordered = np.sort(mixed)
    order = np.flatnonzero(np.isin(mixed, ordered[1:][ordered[1:] == ordered[:-1]]))
    order = order[np.lexsort((atoms.altloc[order], atoms.name[order], z[order], y[order], x[order]))]
    before, after = order[:-1], order[1:]
    same = (atoms.xyz[before] == atoms.xyz[after]).all(axis=1)
    before, after = before[same], after[same]
    names = (atoms.name, atoms.altloc, atoms.auth_seq_id, atoms.ins_code, atoms.comp_id, atoms.auth_asym_id)
    for column in (*names, atoms.label_asym_id):
        equal = column[before] == column[after]
        before, after = before[equal], after[equal]
    return np.asarray(after, dtype=np.int64)


def remove_atoms(structure: gemmi.Structure, indices: set[int]) -> None:
    """Remove atoms by their place in the file order of the first model."""
    place = 0
    for chain in structure[0]:
        for residue in chain:
            count = len(residue)
            for k in range(count - 1, -1, -1):
                if place + k in indices:
                    del residue[k]
            place += count
    structure.remove_empty_chains()
