"""One half of a degrader with its files, and both halves."""

import math
import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from rdkit import Chem

from tethermap.base.arrays import FloatArray
from tethermap.extras.protac.ligand import RankedExit, RankedLigand
from tethermap.extras.protac.linker_length import shortest_linker
from tethermap.extras.protac.pose import Pose, degrader_pose, matched_halves
from tethermap.extras.protac.protein import Protein
from tethermap.extras.protac.round_trip import OpenBabel
from tethermap.extras.protac.side import Side
from tethermap.extras.protac.subject import FoldedHalf, FoldedLigand, Subject, folded_half
from tethermap.extras.protac.warhead import Warhead, core_cut, cut_warhead

MOST_APART = 40.0
"""Anchors farther apart than this, in angstroms, are not those of one complex (house rule)."""


@dataclass(frozen=True, eq=False)
class LigandHalf:
    """A ligand as half of a degrader: one of its ranked exits, cut as the degrader keeps it, and its protein.

    Parameters
    ----------
    target_name, gene : str
        Target of its job; gene of the E3 ligase, if degraders recruit it.
    side : Side
        Side of the half.
    ligand, exit : RankedLigand, RankedExit
        The ligand and its exit.
    complex_text : str or None
        Its cleaned complex as PDB.
    protein : Protein
        Its file and chains, or why there is none.
    smiles : str
        The warhead with ``[*]`` for the linker.
    babel : OpenBabel or None
        If given, heads are converted with PRosettaC's method.
    """

    target_name: str
    gene: str
    side: Side
    ligand: RankedLigand
    exit: RankedExit
    complex_text: str | None
    protein: Protein
    smiles: str
    babel: OpenBabel | None

    @cached_property
    def cut(self) -> tuple[int, tuple[int, ...]]:
        """Anchor and leaving atoms of the part that the degrader keeps."""
        return core_cut(self.ligand.graph, self.exit.anchor, self.exit.leaving)

    @cached_property
    def warhead(self) -> Warhead:
        """The part of the ligand that the degrader keeps."""
        return cut_warhead(self.ligand.molecule, *self.cut)

    @property
    def number(self) -> int:
        """Rank of its exit site; file names end with it."""
        return self.exit.site_rank

    @property
    def anchor(self) -> FloatArray:
        """Position of the atom that the linker is bonded to, in angstroms."""
        place: FloatArray = self.warhead.mol.GetConformer().GetPositions()[self.warhead.anchor]
        return place

    @property
    def direction(self) -> FloatArray:
        """Unit vector from the anchor to the linker's first atom."""
        return np.array([float(self.exit.row[f"vector_{axis}"] or 0.0) for axis in "xyz"])

    def folded(self) -> FoldedHalf | None:
        """Return its protein for co-folding programs; None without a protein file."""
        if self.complex_text is None or not self.protein.letters:
            return None
        xyz = self.ligand.graph.xyz
        return folded_half(self.complex_text, self.protein.letters, xyz[list(self.warhead.kept)], xyz[self.cut[0]])


def in_one_frame(first: LigandHalf, second: LigandHalf) -> bool:
    """Return whether two halves are in one complex of one entry."""
    entries = first.ligand.instance.entry_id, second.ligand.instance.entry_id
    return entries[0] == entries[1] and 0 < math.dist(first.anchor, second.anchor) <= MOST_APART


@dataclass(frozen=True, eq=False, slots=True)
class BothPlaced:
    """Both halves in one frame.

    Parameters
    ----------
    mol : Chem.Mol
        Both as one molecule of heavy atoms with one conformer, in angstroms; the first half's atoms come first.
    anchors : (int, int)
        Their anchors in `mol`.
    proteins : tuple of str
        Text of the protein of each; empty if it has none.
    linker_atoms : int
        Heavy atoms of the degrader's linker; if the degrader is not known, the fewest that reach from anchor to anchor.
    """

    mol: Chem.Mol
    anchors: tuple[int, int]
    proteins: tuple[str, ...]
    linker_atoms: int


@dataclass(frozen=True, eq=False)
class Halves:
    """One half of a degrader or both.

    Parameters
    ----------
    ordered : tuple of LigandHalf
        The half, or that of the E3 ligase and the target's.
    degrader : str
        SMILES of the degrader; empty if it is not known.
    """

    ordered: tuple[LigandHalf, ...]
    degrader: str = ""

    @cached_property
    def pose(self) -> Pose | None:
        """The degrader in the frame of the first half; None if it is not known or no conformation fits."""
        warheads = tuple(half.warhead for half in self.ordered)
        return degrader_pose(self.degrader, warheads) if self.degrader else None

    @cached_property
    def placed(self) -> BothPlaced | None:
        """Both halves in the frame of their entry, else in that of the degrader's pose; None without one."""
        if len(self.ordered) < 2:
            return None
        first, second = self.ordered
        mol, proteins = second.warhead.mol, [half.protein.text for half in self.ordered]
        if not in_one_frame(first, second):
            if self.pose is None:
                return None
            mol, proteins[1] = self.pose.with_second(mol), self.pose.moved(proteins[1])
        both = Chem.CombineMols(first.warhead.mol, mol)
        if Chem.SanitizeMol(both, catchErrors=True) != Chem.SanitizeFlags.SANITIZE_NONE:
            return None
        anchors = first.warhead.anchor, first.warhead.mol.GetNumAtoms() + second.warhead.anchor
        if self.degrader:
            atoms = Chem.MolFromSmiles(self.degrader).GetNumAtoms() - both.GetNumAtoms()
        else:
            way = np.subtract(*both.GetConformer().GetPositions()[list(anchors)])
            atoms = max(1, shortest_linker(float(np.linalg.norm(way))))
        return BothPlaced(both, anchors, tuple(proteins), atoms)

    @cached_property
    def subject(self) -> Subject | None:
        """The job of co-folding programs; None if a protein file is missing, or of two halves without a degrader."""
        halves = tuple(folded for half in self.ordered if (folded := half.folded()))
        if len(halves) < len(self.ordered) or (len(halves) > 1 and not self.degrader):
            return None
        if self.degrader:
            matches = matched_halves(Chem.MolFromSmiles(self.degrader), tuple(half.warhead for half in self.ordered))
            places = [match[half.warhead.anchor] for half, match in zip(self.ordered, matches, strict=False)]
            ligand = FoldedLigand("X", self.degrader, anchors=tuple(places))
        else:
            ligand = _alone(self.ordered[0], halves[0])
        words = [word for half in self.ordered for word in (half.target_name, half.ligand.instance.stem)]
        return Subject(re.sub("[^A-Za-z0-9]", "_", "_".join(words)), halves, ligand)


def _alone(half: LigandHalf, folded: FoldedHalf) -> FoldedLigand:
    """Return the ligand of one half, by the code of its component if it is one complete component."""
    instance, molecule = half.ligand.instance, half.ligand.molecule
    names = molecule.dictionary_names
    known = len(instance.components) == 1 and molecule.bond_source == "dictionary" and all(names)
    comp_id = instance.name.comp_id if known else ""
    links = [link for link in instance.links if link.kind == "covalent" and link.atom in molecule.atom_index]
    bond = None
    if comp_id and links:
        partner = links[0].partner
        place = folded.places.get((partner.auth_asym_id, partner.residue_id))
        own = names[molecule.atom_index.tolist().index(links[0].atom)]
        bond = (place, links[0].partner_atom, own) if place else None
    anchor: str | int = names[half.cut[0]] if comp_id else int(molecule.smiles_index[half.cut[0]])
    return FoldedLigand(half.side.ligand_chain, molecule.observed_smiles, comp_id, (anchor,), bond)
