"""Programs that compute SASA."""

KERNEL, FREESASA = "kernel", "freesasa"
ENGINES = (KERNEL, FREESASA)
"""Programs that compute areas: the compiled loops of `tethermap.kernels`, and the FreeSASA library."""
