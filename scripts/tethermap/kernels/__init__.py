"""Compiled loops over spheres."""

from importlib import import_module

MODULE = "tethermap.kernels._kernels"
"""The extension module that pip builds from `kernels.c`."""


def compiler() -> str:
    """Return the version of the compiler that built the loops; empty if they are not built."""
    try:
        return str(import_module(MODULE).COMPILER)
    except ImportError:
        return ""
