"""The files of PRosettaC, PROTAC_ternary and DeepTernary for one side of a degrader.

The formats are those of the programs' repositories, read in 2026: LondonLab/PRosettaC (``README``, ``main.py``,
``protac_lib.py``, ``utils.py``), karanicolaslab/PROTAC_ternary (``README.md``, ``PROTAC_ternary/Utils.py``,
``Example/``) and youqingxiaozhua/DeepTernary (``README.md``, ``predict_btk.py``, ``data/BTK_CRBN/``).
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence

from rdkit import Chem

from scripts.lib.exits.graph import LigandGraph
from scripts.lib.instance.model import FloatArray, Instance
from scripts.lib.molecule.record import LigandMolecule
from scripts.lib.protac.side import Side
from scripts.lib.protac.warhead import Warhead

COLLINEAR = 0.17
"""Sine of the smallest angle (10 degrees) of three points that fix a rotation."""

_LONGEST_NAME = 4


def head_sdf(warhead: Warhead, title: str, fields: Mapping[str, str], *, kekulize: bool) -> str:
    """Return a warhead as a head of PRosettaC: one record of heavy atoms in the bound frame.

    PRosettaC reads heads with RDKit, which leaves hydrogens out, and numbers the anchor among the atoms that
    remain (``translate_anchors``); a head without hydrogens has one numbering only. It adds them itself.

    Parameters
    ----------
    warhead : Warhead
        What stays of the ligand.
    title : str
        First line.
    fields : mapping of str to str
        Data fields.
    kekulize : bool
        Whether RDKit can assign the molecule's bonds.
    """
    mol = Chem.Mol(warhead.mol)
    mol.SetProp("_Name", title)
    block = Chem.MolToMolBlock(mol, includeStereo=True, kekulize=kekulize)
    return block + "".join(f">  <{name}>\n{value}\n\n" for name, value in fields.items()) + "$$$$\n"


def params_text(side: Side, letters: str, head: str, anchor: int) -> str:
    """Return the parameters of PRosettaC's manual mode with the other side left open.

    It reads six lines by their order, the E3 ligase first; what is missing is in capitals and stops
    the program at once.

    Parameters
    ----------
    side : Side
        The side that is known.
    letters : str
        Chains of its protein.
    head : str
        File name of its head.
    anchor : int
        1-based number of its anchor.
    """
    own = (f"{side.name}.pdb", letters, head, str(anchor))
    other = side.other
    open_end = (f"{other}.pdb", f"{other.upper()}_CHAINS", f"{other}_head.sdf", f"{other.upper()}_ANCHOR")
    first, second = (own, open_end) if side.number == 1 else (open_end, own)
    keys = ("Structures", "Chains", "Heads", "Anchor atoms")
    lines = [f"{key}: {a} {b}" for key, a, b in zip(keys, first, second, strict=True)]
    return "\n".join([*lines, "Protac: protac.smi", "Full: True"]) + "\n"


def atom_names(molecule: LigandMolecule, instance: Instance) -> tuple[str, ...]:
    """Return a name of each heavy atom that is its own in the whole ligand and fits a PDB file.

    The deposited name where it does, else, as for a name with a blank, the element with the first free number.

    Parameters
    ----------
    molecule, instance : LigandMolecule, Instance
        The ligand.
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

    Every bond stands once, whatever its order, as in the ligands and masks of DeepTernary, which are compared
    as graphs.

    Parameters
    ----------
    graph : LigandGraph
        The ligand.
    names : sequence of str
        Names of its atoms.
    side : Side
        Names of residue and chain.
    kept : collection of int or None
        SDF indices of the atoms to write, None for all; the serial of atom k is always k + 1.
    """
    wanted = [k for k in range(len(graph)) if kept is None or k in kept]
    lines = [_atom_line(k + 1, names[k], graph.element[k], graph.xyz[k], side) for k in wanted]
    shown = set(wanted)
    for k in wanted:
        bonded = [other + 1 for other in graph.near[k] if other in shown]
        for start in range(0, len(bonded), 4):
            others = "".join(f"{other:5d}" for other in bonded[start : start + 4])
            lines.append(f"CONECT{k + 1:5d}{others}")
    return "\n".join([*lines, "END"]) + "\n"


def _atom_line(serial: int, name: str, element: str, xyz: FloatArray, side: Side) -> str:
    shown = name if len(name) == _LONGEST_NAME or len(element) > 1 else f" {name}"
    x, y, z = xyz.tolist()
    return (
        f"HETATM{serial:5d} {shown:<4s} {side.residue_name} {side.ligand_chain}   1    "
        f"{x:8.3f}{y:8.3f}{z:8.3f}  1.00  0.00          {element.upper():>2s}"
    )


def alignment_atoms(graph: LigandGraph, anchor: int, kept: Collection[int]) -> tuple[int, ...]:
    """Return the atoms by which PROTAC_ternary lays a linker on a warhead: two steps away, one, the anchor.

    Parameters
    ----------
    graph : LigandGraph
        The ligand.
    anchor : int
        Atom that the linker is bonded to.
    kept : collection of int
        Atoms that stay.

    Returns
    -------
    tuple of int
        SDF indices of three atoms that are not on one line; fewer where the warhead has none.
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
    """Return atoms as PROTAC_ternary lists them, residue and atom name, one on each line."""
    return "".join(f"{side.residue_name} {names[k]}\n" for k in atoms)
