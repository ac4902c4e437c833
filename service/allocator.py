"""How the C library hands out memory to the threads of a server that runs for months."""

from __future__ import annotations

import ctypes

_ARENA_MAX = -8
"""``M_ARENA_MAX`` of glibc's mallopt(3)."""

ARENAS = 2


def limit_arenas() -> bool:
    """Keep the threads to few arenas, as each holds on to what its threads once needed; return whether that worked.

    Other C libraries than glibc have no such thing and are left alone.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and bool(mallopt(_ARENA_MAX, ARENAS))
