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
from tethermap.extras.protac.protein import protein_of
from tethermap.extras.protac.side import Side
from tethermap.extras.protac.subject import FoldedHalf, FoldedLigand, Subject, folded_half
from tethermap.extras.protac.warhead import Warhead, core_cut, cut_warhead

MOST_APART = 40.0
"""Anchors farther apart than this, in angstroms, are not those of one complex (house rule)."""


class AtExit:
    """A ligand with one of its ranked exits, cut as the degrader keeps it."""

    ligand: RankedLigand
    exit: RankedExit

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


@dataclass(frozen=True, eq=False)
class RequestedHalf(AtExit):
    """One requested half.

    Parameters
    ----------
    side : Side
        Side of the half.
    target_name : str
        Target of its job.
    ligand, exit : RankedLigand, RankedExit
        Its ligand and exit.
    complex_text : str or None
        Its cleaned complex as PDB.
    smiles : str
        The warhead with ``[*]`` for the linker.
    gene : str
        Gene of the E3 ligase, if degraders recruit it.
    files : dict of str to str
        Files that need nothing of the other half, by path.
    """

    side: Side
    target_name: str
    ligand: RankedLigand
    exit: RankedExit
    complex_text: str | None
    smiles: str
    gene: str
    files: dict[str, str]

    @property
    def protein(self) -> str:
        """Text of its protein's file; empty if it has none."""
        return self.files.get(self.side.protein_file, "")

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
        if self.complex_text is None:
            return None
        own = {int(serial) for serial in self.ligand.instance.atoms.serial.tolist()} - {0}
        letters = protein_of(self.complex_text, own, self.side, "").letters
        if not letters:
            return None
        xyz = self.ligand.graph.xyz
        return folded_half(self.complex_text, letters, xyz[list(self.warhead.kept)], xyz[self.cut[0]])


def in_one_frame(first: RequestedHalf, second: RequestedHalf) -> bool:
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
    ordered : tuple of RequestedHalf
        The half, or that of the E3 ligase and the target's.
    degrader : str
        SMILES of the degrader; empty if it is not known.
    """

    ordered: tuple[RequestedHalf, ...]
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
        mol, proteins = second.warhead.mol, [half.protein for half in self.ordered]
        if not in_one_frame(first, second):
            if self.pose is None:
                return None
            mol, proteins[1] = self.pose.with_second(mol), self.pose.moved(second.protein)
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


def _alone(half: RequestedHalf, folded: FoldedHalf) -> FoldedLigand:
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
