"""The HTTP service: rooms over the pipeline's library, ground floor first.

A module imports only from its own room or from an earlier one in `ROOMS`, and from the library the names in
`tethermap.public`. The empty name is the lowest room; modules in `TOP` are above all rooms. Modules of
`extras` are imported by name if the settings enable them: no other module imports them.
"""

ROOMS = ("", "jobs", "index", "http", "results", "runs", "pages", "routes", "extras")
TOP = ("app", "__main__", "build_examples")
