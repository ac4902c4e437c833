"""Common inputs of all co-folding programs: complete sequences, the ligand, and the residues around it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import gemmi
import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.entry.near import distances
from tethermap.instance.backbone import TOUCHES_WITHIN

MOST_POCKET = 12
"""Most residues of a pocket that are named, the nearest first: more only repeat them (house rule)."""


SEQUENCES = """\
Sequences are those of SEQRES, with modified residues as their parents, of the chains near the ligand.
"""
"""Line of the READMEs of all of them."""


NEEDS = "a protein file of each half and, of both halves, the degrader's SMILES"
"""Data for their jobs."""


@dataclass(frozen=True, slots=True)
class Chain:
    """One protein chain: its letter in the job and its whole sequence, unknown residues ``X``."""

    letter: str
    sequence: str


@dataclass(frozen=True, slots=True)
class SequencePlace:
    """One residue: letter of its chain, 1-based number in the sequence, one-letter name."""

    letter: str
    number: int
    name: str


@dataclass(frozen=True, slots=True)
class FoldedHalf:
    """One protein with the residues around its ligand.

    Parameters
    ----------
    chains : tuple of Chain
        Chains of the protein.
    pocket : tuple of SequencePlace
        Residues around the ligand, the nearest first.
    at_exit : SequencePlace or None
        The residue nearest to the atom that the linker is bonded to.
    distance : float
        From that atom to the residue, in angstroms.
    """

    chains: tuple[Chain, ...]
    pocket: tuple[SequencePlace, ...]
    at_exit: SequencePlace | None
    distance: float


@dataclass(frozen=True, slots=True)
class FoldedLigand:
    """The degrader, or the ligand of one half.

    Parameters
    ----------
    letter : str
        Its chain in the job.
    smiles, comp_id : str
        Component code of the ligand; empty to use SMILES.
    anchors : tuple of str or int
        For each half, the atom that the linker is bonded to: its name in the dictionary if `comp_id` defines the
        ligand, else its index in `smiles`; empty if unknown.
    bond : (SequencePlace, str, str) or None
        A covalent bond to the protein: residue, its atom, the ligand's atom by its name in the dictionary.
    """

    letter: str
    smiles: str
    comp_id: str = ""
    anchors: tuple[str | int, ...] = ()
    bond: tuple[SequencePlace, str, str] | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """All of one job: a name of letters, digits and ``_``, its halves, its ligand."""

    name: str
    halves: tuple[FoldedHalf, ...]
    ligand: FoldedLigand

    @property
    def chains(self) -> tuple[Chain, ...]:
        """All protein chains."""
        return tuple(chain for half in self.halves for chain in half.chains)

    @property
    def pocket(self) -> tuple[SequencePlace, ...]:
        """All residues around the ligand."""
        return tuple(place for half in self.halves for place in half.pocket)


class Numbering:
    """The chains of a cleaned complex with their whole sequences, and each residue's number in them.

    Parameters
    ----------
    complex_text : str
        The complex as PDB; the sequences are those of SEQRES, else of the residues that were observed.
    letters : mapping of str to str
        Chain of the complex → letter in the job, for the chains in use.
    """

    def __init__(self, complex_text: str, letters: Mapping[str, str]) -> None:
        structure = gemmi.read_pdb_string(complex_text)
        structure.setup_entities()
        structure.assign_label_seq_id()
        self.chains: list[Chain] = []
        self.places: dict[tuple[str, str], SequencePlace] = {}
        self._xyz: list[FloatArray] = []
        self._of: list[SequencePlace] = []
        for chain in structure[0]:
            polymer = chain.get_polymer()
            if chain.name not in letters or not len(polymer):
                continue
            names = [name.split(",")[0] for name in structure.get_entity_of(polymer).full_sequence]
            numbers = [residue.label_seq or 0 for residue in polymer]
            if not names or 0 in numbers:
                names, numbers = [residue.name for residue in polymer], list(range(1, len(polymer) + 1))
            letter, sequence = letters[chain.name], "".join(map(_letter, names))
            self.chains.append(Chain(letter, sequence))
            for residue, number in zip(polymer, numbers, strict=True):
                place = SequencePlace(letter, number, sequence[number - 1])
                self.places[chain.name, str(residue.seqid)] = place
                for atom in residue:
                    self._xyz.append(np.array(atom.pos.tolist()))
                    self._of.append(place)

    def half(self, xyz: FloatArray, anchor: FloatArray) -> FoldedHalf:
        """Return the protein with the residues around a ligand.

        Parameters
        ----------
        xyz : ndarray of float, shape (n, 3)
            The ligand's atoms, in angstroms.
        anchor : ndarray of float, shape (3,)
            The atom that the linker is bonded to.
        """
        if not self._xyz:
            return FoldedHalf(tuple(self.chains), (), None, 0.0)
        places = np.array(self._xyz)
        away = distances(places, xyz).min(axis=1)
        nearest: dict[SequencePlace, float] = {}
        for k in np.argsort(away, kind="stable").tolist():
            if away[k] <= TOUCHES_WITHIN:
                nearest.setdefault(self._of[k], float(away[k]))
        from_anchor = np.linalg.norm(places - anchor, axis=1)
        k = int(from_anchor.argmin())
        pocket = tuple(list(nearest)[:MOST_POCKET])
        return FoldedHalf(tuple(self.chains), pocket, self._of[k], float(from_anchor[k]))


def _letter(name: str) -> str:
    """Return the letter of a residue, of a modified one that of its parent."""
    letter = gemmi.find_tabulated_residue(name).one_letter_code.upper()
    return letter if letter.isalpha() else "X"


def told_name(parts: Sequence[str]) -> str:
    """Return a job's name of letters, digits and ``_``."""
    return "_".join("".join(c if c.isascii() and c.isalnum() else "_" for c in part) for part in parts)
