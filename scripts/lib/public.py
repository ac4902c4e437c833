"""What of the library the HTTP service may import: names, words and texts, none of the science.

A test holds the service to it, so that what stands here can't change without a look at who else reads it.
"""

MODULES = (
    "atomic",
    "column_words",
    "complex.polymer_lines",
    "config",
    "contexts",
    "drawing.interactions",
    "drawing.marks",
    "drawing.ramp",
    "exits.words",
    "exposure.method",
    "fasta",
    "identifiers",
    "layout",
    "links",
    "packed",
    "protac.programs",
    "reasons",
    "recorded_search",
    "run.display",
    "run.events",
    "run.job_log",
    "run.logs",
    "run.slurm",
    "run.told",
    "sources.naming",
    "tables",
    "validation.limits",
    "version",
)
"""Modules of `scripts.lib`."""
