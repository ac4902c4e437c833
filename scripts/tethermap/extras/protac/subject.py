"""Common inputs of all co-folding programs: complete sequences, the ligand, and the residues around it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import gemmi
import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.entry.near import distances
from tethermap.instance.backbone import TOUCHES_WITHIN

MOST_POCKET = 12
"""Most residues of a pocket that are named, the nearest first: more only repeat them (house rule)."""


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
    places : mapping of (str, str) to SequencePlace
        Each residue by chain and number of the complex.
    """

    chains: tuple[Chain, ...]
    pocket: tuple[SequencePlace, ...]
    at_exit: SequencePlace | None
    distance: float
    places: Mapping[tuple[str, str], SequencePlace] = field(repr=False)


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
        ligand, else its index in `smiles`. Empty if unknown.
    bond : (SequencePlace, str, str) or None
        A covalent bond of a ligand with a `comp_id`: residue of the protein, its atom, the ligand's atom by its name.
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

    def sequences(self, component: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return chains and ligand as AlphaFold 3 and Boltz list them, the ligand by `component` if it has a code."""
        proteins = [{"protein": {"id": chain.letter, "sequence": chain.sequence}} for chain in self.chains]
        identity = component if self.ligand.comp_id else {"smiles": self.ligand.smiles}
        return [*proteins, {"ligand": {"id": self.ligand.letter, **identity}}]


def folded_half(complex_text: str, letters: Mapping[str, str], xyz: FloatArray, anchor: FloatArray) -> FoldedHalf:
    """Return the protein of a cleaned complex with whole sequences, and the residues around its ligand.

    Parameters
    ----------
    complex_text : str
        The complex as PDB; the sequences are those of SEQRES, else of the residues that were observed.
    letters : mapping of str to str
        Chain of the complex → letter in the job, for the chains in use.
    xyz : ndarray of float, shape (n, 3)
        The ligand's atoms, in angstroms.
    anchor : ndarray of float, shape (3,)
        The atom that the linker is bonded to.
    """
    structure = gemmi.read_pdb_string(complex_text)
    structure.setup_entities()
    structure.assign_label_seq_id()
    chains: list[Chain] = []
    places: dict[tuple[str, str], SequencePlace] = {}
    points: list[list[float]] = []
    of_points: list[SequencePlace] = []
    for chain in structure[0]:
        polymer = chain.get_polymer()
        if chain.name not in letters or not len(polymer):
            continue
        names = [name.split(",")[0] for name in structure.get_entity_of(polymer).full_sequence]
        numbers = [residue.label_seq or 0 for residue in polymer]
        if not names or 0 in numbers:
            names, numbers = [residue.name for residue in polymer], list(range(1, len(polymer) + 1))
        letter, sequence = letters[chain.name], "".join(map(_letter, names))
        chains.append(Chain(letter, sequence))
        for residue, number in zip(polymer, numbers, strict=True):
            place = SequencePlace(letter, number, sequence[number - 1])
            places[chain.name, str(residue.seqid)] = place
            points += [atom.pos.tolist() for atom in residue]
            of_points += [place] * len(residue)
    if not points:
        return FoldedHalf(tuple(chains), (), None, 0.0, places)
    away = distances(np.array(points), xyz).min(axis=1)
    touching = [of_points[k] for k in np.argsort(away, kind="stable").tolist() if away[k] <= TOUCHES_WITHIN]
    from_anchor = np.linalg.norm(np.array(points) - anchor, axis=1)
    k = int(from_anchor.argmin())
    pocket = tuple(dict.fromkeys(touching))[:MOST_POCKET]
    return FoldedHalf(tuple(chains), pocket, of_points[k], float(from_anchor[k]), places)


def _letter(name: str) -> str:
    """Return the letter of a residue, of a modified one that of its parent."""
    letter = gemmi.find_tabulated_residue(name).one_letter_code.upper()
    return letter if letter.isalpha() else "X"
