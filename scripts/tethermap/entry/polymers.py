"""Find the polymer residues in files without sequences: by bonds and component types, never by TER.

Programs for modelling and docking write TER records at any place or not at all; deposited files have their sequence.
"""

from itertools import pairwise

import gemmi

LONGEST_LINK = 2.0
"""Longest bond between two residues of a polymer, C–N or O3'–P, in angstroms: 1.5 times its length, for models."""

_LINKS = (("C", "N"), ("O3'", "P"), ("O3*", "P"))
_ENDS = frozenset(name for link in _LINKS for name in link)


def has_sequences(structure: gemmi.Structure, *, is_mmcif: bool) -> bool:
    """Return whether a file defines its polymers: SEQRES, or an entity of that type."""
    if is_mmcif:
        return any(entity.entity_type == gemmi.EntityType.Polymer for entity in structure.entities)
    return any(entity.full_sequence for entity in structure.entities)


def has_strays(structure: gemmi.Structure) -> bool:
    """Return whether TER records make polymer of residues that SEQRES doesn't have and that no other is bonded to.

    This finds ligands before a TER in files of programs that keep the SEQRES of a deposited entry.
    """
    sequences: dict[str, set[str]] = {}
    for entity in structure.entities:
        if entity.entity_type == gemmi.EntityType.Polymer:
            names = {name for names in entity.full_sequence for name in names.split(",")}
            sequences |= dict.fromkeys(entity.subchains, names)
    for chain in structure[0]:
        residues = [residue for residue in chain if residue.entity_type == gemmi.EntityType.Polymer]
        for place, residue in enumerate(residues):
            if residue.name in sequences.get(residue.subchain, ()) or _is_standard(residue):
                continue
            pairs = pairwise(residues[max(0, place - 1) : place + 2])
            if not any(_linked(one, other) for one, other in pairs):
                return True
    return False


def decide_polymers(structure: gemmi.Structure) -> None:
    """Set type and subchain of every residue of the first model, also in assemblies; forget what TER records suggested.

    A residue is polymer when it is bonded to the one before or after it, or when it is a
    standard residue written as ATOM in a chain that has others: traces of Cα, and single residues between gaps.
    """
    structure.entities = gemmi.EntityList()
    before = [residue.subchain for chain in structure[0] for residue in chain]
    for chain in structure[0]:
        residues = [residue for residue in chain if not residue.is_water()]
        linked = [place for place, pair in enumerate(pairwise(residues)) if _linked(*pair)]
        bonded = {place + step for place in linked for step in (0, 1)}
        standard = {place for place, one in enumerate(residues) if one.het_flag != "H" and _is_standard(one)}
        polymer = bonded | (standard if len(standard) > 1 else set())
        for residue in chain:
            residue.subchain = residue.entity_id = ""
            residue.entity_type = gemmi.EntityType.Water
        for place, residue in enumerate(residues):  # without waters
            residue.entity_type = gemmi.EntityType.Polymer if place in polymer else gemmi.EntityType.NonPolymer
    structure.setup_entities()
    renamed = set(zip(before, (residue.subchain for chain in structure[0] for residue in chain), strict=True))
    for part in (part for assembly in structure.assemblies for part in assembly.generators):
        part.subchains = sorted({new for old, new in renamed if old in part.subchains})


def _is_standard(residue: gemmi.Residue) -> bool:
    """Return whether a residue is one of the standard ones; UNK, which programs call ligands too, with a backbone."""
    if residue.name == "UNK":
        return any(atom.name == "CA" for atom in residue)
    return gemmi.find_tabulated_residue(residue.name).is_standard()


def _linked(one: gemmi.Residue, other: gemmi.Residue) -> bool:
    """Return whether two residues are bonded as in a polymer; poses with several atoms of such a name are not."""
    for residue in (one, other):
        places = [(atom.name, atom.altloc) for atom in residue if atom.name in _ENDS]
        if len(set(places)) < len(places):
            return False
    ends = [(a, first) for last, first in _LINKS for a in one if a.name == last]
    return any(a.pos.dist(b.pos) < LONGEST_LINK for a, first in ends for b in other if b.name == first)
