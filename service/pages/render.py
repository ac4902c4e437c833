"""Renders pages: everything a page shows is escaped, nothing in it comes from elsewhere."""

import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse

from service.addresses import ROOT_PATH, serves
from service.jobs.record import FINAL
from service.pages.assets import Assets
from service.pages.depiction import step
from service.pages.texts import TEXTS
from tethermap.base.identifiers import plain_name
from tethermap.base.reasons import BOND_SOURCES
from tethermap.base.root import __version__
from tethermap.base.texts import check_texts
from tethermap.exits.words import copies_noun

ASSETS = Assets()
"""Assets of pages, loaded when the service starts."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self';"
    " worker-src blob:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
"""For pages: nothing inline, no eval, nothing from another host. 3Dmol reads structures in a worker made from a blob,
and makes pictures as blobs; style sheets of Swagger UI contain their icons as data."""

_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
FOLDER = Path(__file__).with_name("templates")


@cache
def environment(assets: Assets = ASSETS) -> Environment:
    """Return the environment that renders templates; they load files of `assets`."""
    loader = FileSystemLoader(FOLDER)
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.globals |= {"root": ROOT_PATH.get, "serves": serves, "asset": assets.url, "has_asset": assets.has}
    made.globals |= {"version": __version__, "final_states": FINAL, "bond_sources": BOND_SOURCES, "texts": TEXTS}
    made.globals |= {"copies_noun": copies_noun, "step": step, "plain_name": plain_name}
    check_texts(FOLDER, TEXTS)
    return made


def page(name: str, status: int = 200, headers: dict[str, str] | None = None, **values: Any) -> HTMLResponse:
    """Return a page.

    Templates extend ``base.html.j2``, refer to their files by ``asset("house.css")`` and can check with ``has_asset``
    whether a vendored one exists. Scripts get values from ``<script type="application/json">{{ value | tojson
    }}</script>``.

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
    text = environment().get_template(f"{name}.html.j2").render(**values)
    return HTMLResponse(_below_root(text, ROOT_PATH.get()), status, {**_HEADERS, **(headers or {})})


def _below_root(text: str, root: str) -> str:
    """Put the path below which a proxy serves us before every address in attributes that hasn't it yet."""
    if not root:
        return text
    return re.sub(rf'(\s(?:href|src|action|data-[a-z-]+)=")(?=/(?!/))(?!{re.escape(root)}[/"])', rf"\1{root}", text)


environment()  # the service does not start if a template uses an unknown text
