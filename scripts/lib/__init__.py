"""The library: rooms along the flow of data, ground floor first.

A module imports what lies in its own room or in one before it in `ROOMS`, never the other way; the empty name is
the ground floor, the modules beside this one.
"""

ROOMS = (
    "",
    "kernels",
    "run",
    "validation",
    "entry",
    "own",
    "sources",
    "components",
    "instance",
    "molecule",
    "matching",
    "drawing",
    "exposure",
    "exits",
    "observed",
    "complex",
    "consensus",
    "answers",
    "cofolding",
    "protac",
    "degraders",
    "series",
    "check",
    "steps",
    "results",
    "report",
)
