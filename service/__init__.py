"""The HTTP service: rooms over the pipeline's library, ground floor first.

A module imports what lies in its own room or in one before it in `ROOMS`, and of the library what
`tethermap.public` names. The empty name is the ground floor; what `TOP` names stands above all rooms. Modules of
`extras` are imported by name if the settings say so: no other module imports them.
"""

ROOMS = ("", "jobs", "index", "http", "results", "runs", "pages", "routes", "extras")
TOP = ("app", "__main__", "build_examples")
