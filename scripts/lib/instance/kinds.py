"""What kind of het group a component is: ligand, cofactor, additive, ion, glycan and so on."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from scripts.lib.molecule.component import Component

UNKNOWN_COMPONENTS = frozenset({"UNL", "UNX", "UNK", "UPL", "DUM", "N", "DN", "ASX", "GLX"})
"""Codes that the dictionary keeps for what could not be identified."""

CAPS = frozenset({"ACE", "NH2", "NME", "FOR"})
"""Caps of chain ends that some files write outside their polymer."""

STANDARD_RESIDUES = frozenset(
    {
        *("ALA", "ARG", "ASN", "ASP", "CYS", "GLN", "GLU", "GLY", "HIS", "ILE"),
        *("LEU", "LYS", "MET", "PHE", "PRO", "SER", "THR", "TRP", "TYR", "VAL"),
        *("A", "C", "G", "U", "I", "DA", "DC", "DG", "DT", "DU", "DI"),
    }
)
"""Residues of proteins, RNA and DNA that are no het groups inside a polymer."""

BOUND_COPIES = 1.0
BOUND_SHARE = 0.8
BOUND_HEAVY_ATOMS = 5
BOUND_DISTANCE = 4.0
"""An additive of the rule ``unless_bound`` is taken for a ligand when it has at least
`BOUND_HEAVY_ATOMS` heavy atoms, at most `BOUND_COPIES` copies per polymer chain, and at least
`BOUND_SHARE` of its heavy atoms within `BOUND_DISTANCE` angstroms of the polymer: what fills
a site is seen once a chain and wrapped; what sticks to a surface is neither. House rule."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What decides whether something on the additive list is bound like a ligand.

    Parameters
    ----------
    heavy_atoms : int
        Observed heavy atoms.
    copies_per_chain : float
        Copies in the entry by its polymer chains.
    contact_share : float
        Share of the heavy atoms within `BOUND_DISTANCE` of the polymer, 0 to 1.
    covalent : bool
        Whether it is covalently linked to the polymer.
    """

    heavy_atoms: int
    copies_per_chain: float
    contact_share: float
    covalent: bool

    @property
    def like_a_ligand(self) -> bool:
        """Whether it is bound as a ligand is."""
        return self.covalent or (
            self.heavy_atoms >= BOUND_HEAVY_ATOMS
            and self.copies_per_chain <= BOUND_COPIES
            and self.contact_share >= BOUND_SHARE
        )


@dataclass(frozen=True, slots=True)
class Listed:
    """A row of a reference list: its class or role, its rule, and the reason."""

    role: str
    rule: str
    reason: str


class KindRules:
    """The reference lists and the rules over them.

    Parameters
    ----------
    additives, cofactors : Path
        The lists of ``data/reference``.
    find : callable
        Look-up of a component by its code, None when unknown.
    """

    def __init__(self, additives: Path, cofactors: Path, find: Callable[[str], Component | None]) -> None:
        self.additives = _read_list(additives, "role")
        self.cofactors = _read_list(cofactors, "class")
        self.component = find

    def is_saccharide(self, comp_id: str) -> bool:
        """Return whether the dictionary calls a component a sugar."""
        component = self.component(comp_id)
        return component is not None and "saccharide" in component.type.lower()

    def is_unknown(self, comp_id: str) -> bool:
        """Return whether a code stands for something unidentified that nobody has defined."""
        component = self.component(comp_id)
        return comp_id in UNKNOWN_COMPONENTS and (component is None or component.origin != "user")

    def of_component(self, comp_id: str, surroundings: Surroundings, *, wanted: bool) -> tuple[str, str]:
        """Return the kind of a free het group that is no ion, glycan or part of a polymer.

        Parameters
        ----------
        comp_id : str
            Its code.
        surroundings : Surroundings
            How it is bound.
        wanted : bool
            Whether the job asks for it by name: then no list makes it an additive.

        Returns
        -------
        kind : str
            Of `scripts.lib.reasons.KINDS`.
        reason : str
            Why, for the status table.
        """
        if self.is_unknown(comp_id):
            return "unknown", "code of an unidentified component"
        if comp_id in self.cofactors:
            listed = self.cofactors[comp_id]
            return "cofactor", f"{listed.role}: {listed.reason}"
        if comp_id not in self.additives:
            return "ligand", ""
        listed = self.additives[comp_id]
        if wanted:
            return "ligand", f"{listed.role}, but asked for by name"
        if listed.rule == "unless_bound" and surroundings.like_a_ligand:
            return "ligand", f"{listed.role}, but bound like a ligand"
        return "additive", f"{listed.role}: {listed.reason}"


def _read_list(path: Path, role: str) -> dict[str, Listed]:
    with path.open(encoding="utf-8", newline="") as stream:
        return {row["comp_id"]: Listed(row[role], row.get("rule", ""), row["reason"]) for row in csv.DictReader(stream)}
