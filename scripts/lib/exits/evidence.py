"""How far a structure supports what is said of an exit: a grade, with its reasons.

The grade is that of the gravest reason (`scripts.lib.reasons.EXIT_EVIDENCE`): A where there is
none, B for a doubt, C for a grave one, D where the structure gives no evidence. It is reported
beside the rank and never changes it. Occupancy, alternate places and packing beside a ligand are
what the Iridium set excludes (Warren et al. 2012, doi:10.1016/j.drudis.2012.06.011); all limits
without a source of their own are house rules. Electron density is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scripts.lib.contexts import HEADLINE_CONTEXT
from scripts.lib.exits.graph import LigandGraph
from scripts.lib.exits.linker import BOND
from scripts.lib.exits.rank import Exit
from scripts.lib.instance.backbone import GAP, TRUNCATED, Backbone
from scripts.lib.instance.model import FloatArray, Instance
from scripts.lib.molecule.record import LigandMolecule
from scripts.lib.reasons import EXIT_EVIDENCE

MODERATE_RESOLUTION, LOW_RESOLUTION = 2.5, 3.0
"""Worse than these, in angstroms, a resolution is a doubt, and a grave one (house rule)."""

HALF_OCCUPANCY = 0.5
"""Below it an occupancy is a grave doubt, below 1 a doubt (Iridium asks for 1)."""

MOBILE, VERY_MOBILE = 2.0, 4.0
"""Above these a normalised B is a doubt, and a grave one (house rule). Normalised is (B - mean) / sd over the
Cα atoms of the chain (Parthasarathy and Murthy 1997, doi:10.1002/pro.5560061208); exposed residues lie about 0.4."""

GAP_WITHIN, TRUNCATED_WITHIN = 10.0, 8.0
"""Distance of a Cα from the way out, in angstroms, within which what was not observed may stand there (house rule)."""

WAY_LENGTH = 8.0
"""Length of the way out that is looked at, in angstroms from the linker's first atom."""

ROOM_TAKEN, WAY_TAKEN = 0.1, 0.2
"""What E or F must lose to a larger context for a neighbour to count as standing in the way (house rule)."""

FLAG_REASONS = {
    "special_position": "special_position",
    "shares_site": "shares_site",
    "perceived_bonds": "bonds_uncertain",
    "strained_bonds": "bonds_uncertain",
    "not_sanitised": "bonds_uncertain",
    "stereo_differs": "stereo_differs",
    "undeclared_link": "link_uncertain",
    "declared_link_too_long": "link_uncertain",
    "link_without_free_valence": "link_uncertain",
    "atoms_missing": "ligand_incomplete",
}
"""Reason by flag of the instance (`scripts.lib.reasons.FLAGS`)."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of the atoms that fix an exit: the anchor and those bonded to it.

    Parameters
    ----------
    grade : str
        ``A`` to ``D``.
    reasons : tuple of str
        Codes of `scripts.lib.reasons.EXIT_EVIDENCE` that speak against it, the gravest first.
    occupancy : float
        The least of these atoms.
    b_iso : float
        Their mean B, in square angstroms.
    b_normalised : float
        The same in standard deviations from the mean of the chain's Cα atoms; NaN where these don't vary.
    """

    grade: str
    reasons: tuple[str, ...]
    occupancy: float
    b_iso: float
    b_normalised: float


class Witness:
    """A structure that is asked for its evidence on one exit after another.

    Parameters
    ----------
    instance, molecule, graph : Instance, LigandMolecule, LigandGraph
        The ligand.
    backbone : Backbone
        The target chain beside it.
    """

    def __init__(self, instance: Instance, molecule: LigandMolecule, graph: LigandGraph, backbone: Backbone) -> None:
        self._graph = graph
        atoms, heavy = instance.atoms, molecule.atom_index
        self._occupancy = atoms.occupancy[heavy]
        self._b_iso = atoms.b_iso[heavy]
        self._alternate = np.array([bool(atoms.altloc[k]) for k in heavy.tolist()], dtype=bool)
        self._b = backbone.b_mean, backbone.b_sd
        self._gaps = backbone.xyz[(backbone.marks & GAP) > 0]
        self._truncated = backbone.xyz[(backbone.marks & TRUNCATED) > 0]
        flags = {*instance.flags, *molecule.flags}
        self._of_entry = [
            *_of_resolution(instance.facts.resolution),
            *dict.fromkeys(reason for flag, reason in FLAG_REASONS.items() if flag in flags),
        ]

    def evidence(self, one: Exit) -> Evidence:
        """Return the evidence on one exit that could be scored."""
        fixing = [one.candidate.anchor, *self._graph.near[one.candidate.anchor]]
        occupancy = float(self._occupancy[fixing].min())
        b_iso = float(self._b_iso[fixing].mean())
        mean, spread = self._b
        normalised = (b_iso - mean) / spread if spread > 0 else float("nan")
        found = {
            *self._of_entry,
            *_of_occupancy(occupancy),
            *_of_motion(normalised),
            *(["alternate_places"] if self._alternate[fixing].any() else []),
            *self._of_surroundings(one),
        }
        reasons = sorted(found, key=lambda code: (-ord(EXIT_EVIDENCE[code].grade), list(EXIT_EVIDENCE).index(code)))
        grade = EXIT_EVIDENCE[reasons[0]].grade if reasons else "A"
        return Evidence(grade, tuple(reasons), occupancy, b_iso, normalised)

    def _of_surroundings(self, one: Exit) -> Iterator[str]:
        opening = one.opening
        assert opening is not None
        if one.closed:
            yield "closed"
        start = self._graph.xyz[one.candidate.anchor] + BOND * opening.direction
        if _beside_way(self._gaps, start, opening.direction) < GAP_WITHIN:
            yield "chain_gap"
        if _beside_way(self._truncated, start, opening.direction) < TRUNCATED_WITHIN:
            yield "side_chain_incomplete"
        before = HEADLINE_CONTEXT
        for context, reason in (("assembly", "assembly_in_way"), ("crystal", "crystal_in_way")):
            room = opening.room[before] - opening.room[context]
            way = opening.way_out[before] - opening.way_out[context]
            if room >= ROOM_TAKEN or way >= WAY_TAKEN:
                yield reason
            before = context


def _of_resolution(resolution: float | None) -> Iterator[str]:
    if resolution is None:
        yield "no_resolution"
    elif resolution > LOW_RESOLUTION:
        yield "low_resolution"
    elif resolution > MODERATE_RESOLUTION:
        yield "moderate_resolution"


def _of_occupancy(occupancy: float) -> Iterator[str]:
    if occupancy <= 0:
        yield "zero_occupancy"
    elif occupancy < HALF_OCCUPANCY:
        yield "low_occupancy"
    elif occupancy < 1:
        yield "partial_occupancy"


def _of_motion(normalised: float) -> Iterator[str]:
    if normalised > VERY_MOBILE:
        yield "very_mobile"
    elif normalised > MOBILE:
        yield "mobile"


def _beside_way(places: FloatArray, start: FloatArray, direction: FloatArray) -> float:
    """Return the least distance of some places from the first part of a way out; infinite without places."""
    if not len(places):
        return float("inf")
    away = places - start
    along = np.clip(away @ direction, 0.0, WAY_LENGTH)
    return float(np.linalg.norm(away - along[:, None] * direction, axis=1).min())
