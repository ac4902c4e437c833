"""Renders pages: everything a page shows is escaped, nothing in it comes from elsewhere."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from service.responses import PAGE_POLICY


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def page(name: str, status: int = 200, headers: dict[str, str] | None = None, **values: Any) -> HTMLResponse:
    """Return a page.

    Parameters
    ----------
    name : str
        Name of the template.
    status : int
        HTTP status.
    headers : dict of str to str or None
        Further headers.
    **values
        What the template shows.
    """
    text = _environment().get_template(f"{name}.html.j2").render(**values)
    return HTMLResponse(text, status, {"Content-Security-Policy": PAGE_POLICY, **(headers or {})})
