"""Client of a Tethermap service."""

from tethermap_client.client import Tethermap as Tethermap
from tethermap_client.errors import NotAnsweredError as NotAnsweredError
from tethermap_client.errors import NotReadyError as NotReadyError
from tethermap_client.errors import RefusedError as RefusedError
from tethermap_client.errors import TethermapError as TethermapError
from tethermap_client.errors import TookTooLongError as TookTooLongError
from tethermap_client.errors import UnauthorizedError as UnauthorizedError
from tethermap_client.model import Job as Job

__version__ = "0.3.0"
