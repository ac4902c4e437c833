"""Support of a structure for an exit: a grade, with its reasons.

The grade is that of the most serious reason (`tethermap.base.reasons.EXIT_EVIDENCE`): A without reasons, B for a doubt,
C for a serious one, D if the structure gives no evidence. It is reported next to the rank and
never changes it. Occupancy, alternates and crystal packing near a ligand are the exclusion criteria of the Iridium set
(Warren et al. 2012, doi:10.1016/j.drudis.2012.06.011); all limits without a source are house rules. The fit to the
density is that of the validation report
(`tethermap.fit`); without a report or a measured value, it does not affect the grade.
"""

from collections.abc import Iterator

import numpy as np

from tethermap.base.contexts import HEADLINE_CONTEXT
from tethermap.base.reasons import EXIT_EVIDENCE
from tethermap.exits.graph import LigandGraph
from tethermap.exits.limits import BOND, MOBILE, VERY_MOBILE
from tethermap.exits.model import Evidence, Exit
from tethermap.fit.fit import has_geometry_outliers, is_rsrz_outlier
from tethermap.fit.limits import fits_poorly
from tethermap.instance.backbone import GAP, RSRZ_OUTLIER, TRUNCATED, Backbone
from tethermap.instance.model import Instance
from tethermap.molecule.record import LigandMolecule

MODERATE_RESOLUTION, LOW_RESOLUTION = 2.5, 3.0
"""Resolutions in angstroms above which the resolution is a doubt, and a serious one (house rule)."""

HALF_OCCUPANCY = 0.5
"""An occupancy below this is a serious doubt, below 1 a doubt (Iridium requires 1)."""

CONFIDENT, LITTLE_CONFIDENCE = 70.0, 50.0
"""Limits below which the pLDDT of atoms is low, and very low (Jumper et al. 2021, doi:10.1038/s41586-021-03819-2)."""

LARGE_ERROR = 10.0
"""An expected error of a ligand's position above this, in angstroms, is a serious doubt (house rule: the width of a
ligand)."""

GAP_WITHIN, BESIDE_WAY = 10.0, 8.0
"""Distance of a Cα from the way out, in angstroms, within which unobserved or badly fitting atoms may block it (house
rule)."""

WAY_LENGTH = 8.0
"""Examined length of the way out, in angstroms from the linker's first atom."""

ROOM_TAKEN, WAY_TAKEN = 0.1, 0.2
"""Decrease of E or F in a larger context from which a neighbour counts as blocking the way (house rule)."""

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
"""Reason by flag of the instance (`tethermap.base.reasons.FLAGS`)."""

_MARKS = (
    (GAP, GAP_WITHIN, "chain_gap"),
    (TRUNCATED, BESIDE_WAY, "side_chain_incomplete"),
    (RSRZ_OUTLIER, BESIDE_WAY, "pocket_poor_fit"),
)
"""Reason by mark of a residue of the backbone, if its Cα is this near to the way out."""

_GRAVITY = {code: (-ord(reason.grade), place) for place, (code, reason) in enumerate(EXIT_EVIDENCE.items())}
"""Sort key of each reason: the most serious first, then the order of their table."""


class Witness:
    """A structure that gives evidence on its exits.

    Parameters
    ----------
    backbone : Backbone
        The target chain next to it.
    """

    def __init__(self, instance: Instance, molecule: LigandMolecule, graph: LigandGraph, backbone: Backbone) -> None:
        self._graph = graph
        atoms, heavy = instance.atoms, molecule.atom_index
        self._occupancy = atoms.occupancy[heavy].tolist()
        self._b_iso = atoms.b_iso[heavy]
        self._alternate = [bool(atoms.altloc[k]) for k in heavy.tolist()]
        self._b = backbone.b_mean, backbone.b_sd
        marked = backbone.marks & (GAP | TRUNCATED | RSRZ_OUTLIER) > 0
        self._marked, marks = backbone.xyz[marked], backbone.marks[marked]
        of_marks = ((np.flatnonzero(marks & mark), within, reason) for mark, within, reason in _MARKS)
        self._of_marks = [(where, within, reason) for where, within, reason in of_marks if len(where)]
        fits = instance.fit.residues
        poor = [fits_poorly(one.rscc, one.rsr) or is_rsrz_outlier(one) for one in fits] if len(fits) > 1 else []
        self._in_poor_part = [poor[part] for part in molecule.residue.tolist()] if any(poor) else [False] * len(heavy)
        facts, fit, flags = instance.facts, instance.fit, {*instance.flags, *molecule.flags}
        self._predicted = facts.confidence_scale > 0 and not facts.docked
        self._observed = not self._predicted and not facts.docked
        self._confidence_scale = facts.confidence_scale if self._predicted else float("nan")
        resolution = (facts.resolution or 0.0) if self._observed else 0.0
        of_entry = {
            **dict.fromkeys((reason for flag, reason in FLAG_REASONS.items() if flag in flags), True),
            "docked": facts.docked,
            "predicted": self._predicted,
            "place_uncertain": self._predicted and (facts.aligned_error or 0.0) > LARGE_ERROR,
            "no_resolution": self._observed and facts.resolution is None,
            "low_resolution": resolution > LOW_RESOLUTION,
            "moderate_resolution": MODERATE_RESOLUTION < resolution <= LOW_RESOLUTION,
            "poor_fit": fits_poorly(fit.whole.rscc, fit.whole.rsr),
            "geometry_outliers": has_geometry_outliers(fit.whole),
        }
        self._of_entry = {reason for reason, holds in of_entry.items() if holds}

    def evidence(self, exit_: Exit) -> Evidence:
        """Return the evidence on one exit that could be scored."""
        anchor = exit_.candidate.anchor
        fixing = [anchor, *self._graph.near[anchor]]
        occupancy = min(self._occupancy[atom] for atom in fixing)
        b_iso = float(np.add.reduce(self._b_iso[fixing])) / len(fixing)
        mean, spread = self._b
        normalised = (b_iso - mean) / spread if spread > 0 and self._observed else float("nan")
        plddt = b_iso * self._confidence_scale
        doubts = {
            "zero_occupancy": occupancy <= 0,
            "low_occupancy": 0 < occupancy < HALF_OCCUPANCY,
            "partial_occupancy": HALF_OCCUPANCY <= occupancy < 1,
            "very_low_confidence": plddt < LITTLE_CONFIDENCE,
            "low_confidence": LITTLE_CONFIDENCE <= plddt < CONFIDENT,
            "very_mobile": normalised > VERY_MOBILE,
            "mobile": MOBILE < normalised <= VERY_MOBILE,
            "alternate_places": any(self._alternate[atom] for atom in fixing),
            "anchor_poor_fit": self._in_poor_part[anchor],
            "closed": exit_.closed,
            "end_not_modelled": exit_.candidate.unseen is not None,
        }
        found = {reason for reason, holds in doubts.items() if holds}.union(self._of_surroundings(exit_))
        reasons = sorted(found | self._of_entry, key=_GRAVITY.__getitem__)
        grade = EXIT_EVIDENCE[reasons[0]].grade if reasons else "A"
        occupancy = occupancy if self._predicted or self._observed else float("nan")
        return Evidence(grade, tuple(reasons), occupancy, b_iso if self._observed else float("nan"), normalised)

    def _of_surroundings(self, exit_: Exit) -> Iterator[str]:
        opening = exit_.opening
        assert opening is not None
        if self._of_marks:
            away = self._marked - (self._graph.xyz[exit_.candidate.anchor] + BOND * opening.direction)
            along = np.minimum(np.maximum(away @ opening.direction, 0.0), WAY_LENGTH)
            apart = np.linalg.norm(away - along[:, None] * opening.direction, axis=1)  # from the start of the way out
            for where, within, reason in self._of_marks:
                if apart[where].min() < within:
                    yield reason
        before = HEADLINE_CONTEXT
        for context, reason in (("assembly", "assembly_in_way"), ("crystal", "crystal_in_way")):
            room = opening.room[before] - opening.room[context]
            way = opening.way_out[before] - opening.way_out[context]
            if room >= ROOM_TAKEN or way >= WAY_TAKEN:
                yield reason
            before = context
