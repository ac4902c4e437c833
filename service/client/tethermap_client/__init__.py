"""Client of a Tethermap service."""

from tethermap_client.client import Tethermap
from tethermap_client.errors import (
    NotAnsweredError,
    NotReadyError,
    RefusedError,
    TethermapError,
    TookTooLongError,
    UnauthorizedError,
)
from tethermap_client.model import Job

__all__ = [
    "Job",
    "NotAnsweredError",
    "NotReadyError",
    "RefusedError",
    "Tethermap",
    "TethermapError",
    "TookTooLongError",
    "UnauthorizedError",
]
__version__ = "0.3.0"
