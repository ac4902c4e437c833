"""Address of the service: the prefix of its paths, behind a proxy that also serves other applications."""

from collections.abc import Collection
from contextvars import ContextVar

WES = "/ga4gh/wes/v1"
"""Path of GA4GH's Workflow Execution Service, whose specification defines all its responses, including errors."""

ROOT_PATH: ContextVar[str] = ContextVar("root_path", default="")
"""The path of the request that is being answered, without a slash at its end."""


PATHS: ContextVar[Collection[str] | None] = ContextVar("paths", default=None)
"""The paths of all routes of the service that answers the request; None outside of a request."""


def serves(path: str) -> bool:
    """Return whether the service has a route, as Starlette writes it: pages link to no extra that is off."""
    paths = PATHS.get()
    return paths is None or path in paths


def address(path: str) -> str:
    """Return the address of a path of this service for clients."""
    return ROOT_PATH.get() + path
