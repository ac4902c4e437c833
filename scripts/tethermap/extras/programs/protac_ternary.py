"""The files of PROTAC_ternary for one side of a degrader.

The format is that of the program's repository, read in 2026: karanicolaslab/PROTAC_ternary (``README.md``,
``PROTAC_ternary/Utils.py``, ``Example/``).
"""

import itertools
from collections.abc import Collection, Iterable, Sequence

from tethermap.exits.graph import LigandGraph
from tethermap.exits.limits import COLLINEAR
from tethermap.extras.protac.half import Halves, LigandHalf
from tethermap.extras.protac.ligand import RankedLigand
from tethermap.extras.protac.program import Program, SiteFiles, text_of
from tethermap.extras.protac.side import Side
from tethermap.extras.protac.texts import residue_pdb


def alignment_atoms(graph: LigandGraph, anchor: int, kept: Collection[int]) -> tuple[int, ...]:
    """Return the atoms that PROTAC_ternary aligns a linker with: two bonds from the anchor, its neighbour, the anchor.

    Parameters
    ----------
    anchor : int
        Atom that the linker is bonded to.
    kept : collection of int
        Atoms that stay.

    Returns
    -------
    tuple of int
        SDF indices of three atoms that are not on one line; fewer if the warhead has none.
    """
    near = [first for first in graph.near[anchor] if first in kept]
    for first in near:
        for second in graph.near[first]:
            if second in kept and second != anchor and _sine(graph, anchor, first, second) > COLLINEAR:
                return second, first, anchor
    return (near[0], anchor) if near else (anchor,)


def _sine(graph: LigandGraph, anchor: int, first: int, second: int) -> float:
    one, two = graph.xyz[anchor] - graph.xyz[first], graph.xyz[second] - graph.xyz[first]
    lengths = float((one @ one) * (two @ two))
    return (1 - min(1.0, float(one @ two) ** 2 / lengths)) ** 0.5 if lengths > 0 else 0.0


def atom_list(atoms: Sequence[int], names: Sequence[str], side: Side) -> str:
    """Return atoms in PROTAC_ternary's format, residue and atom name, one on each line."""
    return "".join(f"{side.residue_name} {names[k]}\n" for k in atoms)


def names_with_hydrogens(ligand: RankedLigand) -> tuple[str, ...]:
    """Return the name of each atom of a ligand, hydrogens by the first numbers that no other atom has."""
    used = set(ligand.names)
    free = (name for k in itertools.count(1) if (name := f"H{k}") not in used)
    return (*ligand.names, *itertools.islice(free, ligand.molecule.mol.GetNumAtoms() - len(ligand.names)))


def _with_hydrogens(ligand: RankedLigand, atoms: Iterable[int]) -> list[int]:
    """Return heavy atoms, each followed by its hydrogens."""
    mol, count = ligand.molecule.mol, ligand.molecule.n_heavy
    near = {k: sorted(other.GetIdx() for other in mol.GetAtomWithIdx(k).GetNeighbors()) for k in atoms}
    return [one for k, others in near.items() for one in (k, *(other for other in others if other >= count))]


def _lists(half: LigandHalf) -> dict[str, str]:
    """Return the atoms by which a linker is aligned, and those to delete."""
    names, (anchor, leaving) = names_with_hydrogens(half.ligand), half.cut
    aligned = alignment_atoms(half.ligand.graph, anchor, half.warhead.kept)
    deleted = _with_hydrogens(half.ligand, (*leaving, anchor))
    return {"list": atom_list(aligned, names, half.side), "delete": atom_list(deleted, names, half.side)}


def _site(half: LigandHalf) -> SiteFiles:
    """Return the lists of an exit, and the ligand with its hydrogens."""
    ligand, side = half.ligand, half.side
    paths = {kind: f"protac_ternary/decoy_atom_{kind}_{side.name}_{half.number}.txt" for kind in ("list", "delete")}
    pdb = residue_pdb(ligand.molecule.mol, names_with_hydrogens(ligand), side.residue_name, side.ligand_chain)
    files = {f"protac_ternary/{side.ligand_file}": pdb}
    files |= {paths[kind]: text for kind, text in _lists(half).items()}
    return SiteFiles(files, {f"atom_{kind}": path for kind, path in paths.items()})


def _halves(halves: Halves) -> dict[str, str]:
    """Return the lists of both halves."""
    if len(halves.ordered) < 2:
        return {}
    first, second = map(_lists, halves.ordered)
    return {f"protac_ternary/decoy_atom_{kind}.txt": first[kind] + second[kind] for kind in first}


PROGRAM = Program(
    lambda side, *_: text_of("protac_ternary").format(side=side.name, other=side.other.says),
    site=_site,
    halves=_halves,
    pair=text_of("protac_ternary_pair"),
)
