"""The version of Tethermap."""

__version__ = "0.2.0"
