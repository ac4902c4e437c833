"""Client of a Tethermap service."""

from tethermap_client.client import Tethermap as Tethermap
from tethermap_client.errors import (
    NotAnsweredError as NotAnsweredError,
    NotReadyError as NotReadyError,
    RefusedError as RefusedError,
    TethermapError as TethermapError,
    TookTooLongError as TookTooLongError,
    UnauthorizedError as UnauthorizedError,
)
from tethermap_client.model import Job as Job

__version__ = "0.3.0"
