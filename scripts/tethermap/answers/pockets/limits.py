"""Cut-offs of groups, sites and superpositions, which the report shows too."""

LEAST_IDENTITY, LEAST_COVERAGE = 0.6, 0.5
"""Least identity and coverage of target chains in one group (house rule). Above 50 % identity the cores of two
chains differ by about 1 angstrom or less (Chothia and Lesk 1986, doi:10.1002/j.1460-2075.1986.tb04288.x)."""

LEAST_OVERLAP = 0.5
"""Least share that two instances have in common of all residues that either touches (Jaccard index; house rule)."""

POCKET_RADIUS = 12.0
"""A residue with its Cα this near to a heavy atom of the ligand belongs to the pocket, in angstroms (house rule)."""

FEWEST_PAIRS = 8
"""Fewest pairs of Cα atoms that fix a superposition (house rule)."""

LONGEST_PAIR = 2.0
"""Pairs farther apart than this after the fit are removed, in angstroms, as in matchmaker of UCSF Chimera and ChimeraX
(Meng et al. 2006, doi:10.1186/1471-2105-7-339): each time 10 % of all pairs or half of the long ones, whichever is
fewer, and the fit is repeated until all are short enough."""

LARGEST_RMSD = 1.5
"""RMSD of the pairs that were used above which an instance is left out, in angstroms (house rule)."""
