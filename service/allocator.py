"""Memory allocation of the C library for the threads of a server that runs for months."""

import ctypes

_ARENA_MAX = -8
"""``M_ARENA_MAX`` of glibc's mallopt(3)."""

ARENAS = 2


def limit_arenas() -> bool:
    """Restrict the threads to few arenas, because arenas never shrink; return whether it succeeded.

    Other C libraries than glibc have no such option and are not changed.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and bool(mallopt(_ARENA_MAX, ARENAS))
