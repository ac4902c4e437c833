"""The library: rooms along the flow of data, ground floor first.

A module imports only from its own room or from an earlier one in `ROOMS`; the empty name is the room of the modules in
this folder, the Python interface. The core never imports the rooms of `extras`.
"""

ROOMS = (
    *("base", "kernels", "run", "fit", "formats", "entry", "sources.own", "sources", "components", "instance"),
    *("molecule", "matching", "drawing", "exposure", "exits", "answers.observed", "complex", "answers.pockets"),
    *("answers", "series", "selfcheck", "results", "report", "steps"),
    *("extras.protac", "extras.programs", "extras.degraders", ""),
)
