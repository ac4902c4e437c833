"""Jinja2 environment of the report."""

import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined, select_autoescape
from jinja2.bccache import Bucket

from tethermap.base import layout
from tethermap.report.texts import TEXTS

TEMPLATES = Path(__file__).resolve().with_name("templates")
"""Folder of the report's templates and styles."""


class _BesideTemplates(FileSystemBytecodeCache):
    """Caches compiled templates with Python's compiled modules; if the folder is read-only, each run compiles them."""

    def __init__(self) -> None:
        super().__init__(str(TEMPLATES / "__pycache__"))

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a compiled template."""
        with suppress(OSError):
            Path(self.directory).mkdir(exist_ok=True)
            super().dump_bytecode(bucket)


@cache
def environment() -> Environment:
    """Return the environment of the report's templates; those of HTML are escaped."""
    templates = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=select_autoescape(("html.j2",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=None if sys.dont_write_bytecode else _BesideTemplates(),
    )
    templates.globals["texts"] = TEXTS
    templates.filters |= {"g": "{:g}".format, "number": _number, "in_results": _in_results}
    return templates


@cache
def script() -> str:
    """Return the script of the report."""
    return environment().get_template("report.js.j2").render() + "\n"


def _number(value: object, decimals: int) -> str:
    """Format a number, empty when there is none."""
    return f"{value:.{decimals}f}" if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _in_results(path: str) -> str:
    """Return a path of the job folder as a link from the report, which is in the result folder."""
    return quote(path.removeprefix(f"{layout.RESULTS}/"))
