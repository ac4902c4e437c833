"""The library: rooms along the flow of data, ground floor first.

A module imports what lies in its own room or in one before it in `ROOMS`, never the other way; the empty name stands
for the modules beside this one, the Python interface. The core never imports the rooms of `extras`.
"""

ROOMS = (
    "base",
    "kernels",
    "run",
    "fit",
    "formats",
    "entry",
    "sources.own",
    "sources",
    "components",
    "instance",
    "molecule",
    "matching",
    "drawing",
    "exposure",
    "exits",
    "answers.observed",
    "complex",
    "answers.pockets",
    "answers",
    "series",
    "selfcheck",
    "results",
    "report",
    "steps",
    "extras.protac",
    "extras.programs",
    "extras.degraders",
    "",
)
