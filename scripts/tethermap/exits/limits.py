"""Cut-offs and weights of exits, which the report shows too; those of a single module are defined there."""

LARGEST_LEAVING = 9
"""Most heavy atoms of a group that can leave: N-methylpiperazine with its carbonyl has 9."""

COLLINEAR = 0.17
"""Sine of the smallest angle (10 degrees) of three points, or of two directions, that fix a rotation."""

BOND = 1.5
"""Length of the bond to the linker's first atom, in angstroms."""

LINKER_RADIUS = 1.7
"""Radius of the linker's first atom, in angstroms."""

RAY_START, RAY_END = 0.5, 10.0
"""Start and end of the sphere's path on a ray, in angstroms from the linker's first atom."""

MOBILE, VERY_MOBILE = 2.0, 4.0
"""Normalised B factors above which mobility is a doubt, and a serious one (house rule). Normalised is (B - mean) / sd
over the Cα atoms
of the chain (Parthasarathy and Murthy 1997, doi:10.1002/pro.5560061208); exposed residues have about 0.4."""

PRIOR_WEIGHT = 2.0
"""Weight of the prior next to E and F, which have weight 1; chosen on the development set (`make bench-exits`)."""

AREA_WEIGHT = 0.003
"""Penalty of the score per square angstrom of buried surface of the leaving group; chosen on the same set."""

LARGE_AREA, LARGE_AREA_WEIGHT = 120.0, 0.01
"""Buried surface of the leaving group in square angstroms, and the additional penalty per square angstrom above it: a
group with much of the binding doesn't open its own way out. House rule."""

HBOND_WEIGHT = 0.15
"""Penalty of the score per hydrogen bond to the protein of the leaving group or the anchor. House rule."""

SHOWN_SITES = 5
"""Sites that get an arrow; all are in the table."""
