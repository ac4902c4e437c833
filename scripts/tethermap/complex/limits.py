"""Cut-offs of the cleaning and of contacts, also shown in the report; those of a single module are defined there."""

KEPT_WITHIN = 5.0
"""A ligand needs a heavy atom within this distance of a heavy atom of a target chain, in angstroms. House rule."""

WHOLE_CHAINS_WITHIN = 7.0
"""A cleaned complex contains the whole chains with a heavy atom this near to the ligand, in angstroms: more than 1.98 +
1.98 + 2 x 1.4, the reach of two large atoms, so that the file reproduces the exposure."""

BURIED_FROM = 0.75
"""Buried fraction from which an additive of the rule ``unless_bound`` is a ligand: of 34 that an earlier rule (fraction
of atoms near the protein) accepted, the 9 relevant ones have 0.76 to 0.98, and all the rest except one have less."""

SUBJECT_BURIED_FROM = 0.5
"""Buried fraction from which an additive is a ligand if its entry's title is about it: 3KYQ's lipid has 0.67."""

SITE_SHARED_WITHIN = 1.0
"""Atoms of two components nearer than this can't exist together, in angstroms."""

METAL_REACH = 2.8
"""A metal ion within this distance of a polymer atom accompanies that chain, in angstroms. House rule."""

COFACTOR_REACH = 4.0
"""A cofactor or glycan with a heavy atom within this distance of a polymer atom accompanies that chain, in angstroms.
House rule."""

HYDROPHOBIC_MAX = 4.0
HBOND_MAX = 3.5
HBOND_MIN = 2.2
HBOND_MIN_ANGLE = 90.0
IONIC_MAX = 4.0
METAL_MAX = 3.0
HALOGEN_MAX = 4.0
HALOGEN_MIN_ANGLE = 135.0
HALOGEN_PARTNER_ANGLES = (90.0, 150.0)
"""Distances in angstroms and angles in degrees of contacts; `tethermap.complex.contacts` names their sources."""

STACKING_MAX = 5.5
CATION_PI_MAX = 6.0
OFFSET_MAX = 2.0
"""Longest distance of two centres of rings, of a cation and a centre, and longest offset from the axis of the other, in
angstroms."""

WATER_MIN, WATER_MAX = 2.5, 3.5
"""Distances of the oxygen of a bridging water to a donor or acceptor, in angstroms: the shortest of PLIP (Salentin
2015, doi:10.1093/nar/gkv315; Jiang 2005, doi:10.1002/prot.20347) and the longest of a hydrogen bond."""
