"""The version of Tethermap."""

__version__ = "0.3.0"
