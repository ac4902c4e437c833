"""Texts of the report and of the pages: one YAML file per area, so that one editor can read them all.

A template names its area by ``{% set t = texts.front %}`` and shows ``{{ t.heading }}``, or
``{{ t.stored(hours=24) }}`` for a text with placeholders. Texts may contain HTML; values are escaped.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup, escape

from tethermap.base.config import load_yaml


class PageText(str):
    """A text with placeholders such as ``{hours}``.

    Parameters
    ----------
    text : str
        The text, for one if it has a count ``{n}``.
    others : str or None
        Its form for other counts.

    Examples
    --------
    >>> pairs = PageText("{n} pair of <b>{name}</b>", "{n} pairs of <b>{name}</b>")
    >>> pairs(n=2, name="A&B")
    Markup('2 pairs of <b>A&amp;B</b>')
    >>> pairs.plain(n=1, name="A&B")
    '1 pair of <b>A&B</b>'
    """

    __slots__ = ("others",)
    others: str

    def __new__(cls, text: str, others: str | None = None) -> Self:  # noqa: D102 - see the class
        made = super().__new__(cls, text)
        made.others = text if others is None else others
        return made

    def __html__(self) -> str:
        return self

    def __call__(self, **values: Any) -> Markup:
        """Return the text as HTML with escaped values."""
        return Markup(self.plain(**{name: escape(value) for name, value in values.items()}))  # noqa: S704

    def plain(self, **values: Any) -> str:
        """Return the text with unescaped values, for texts without HTML."""
        form = self if str(values.get("n", 1)) == "1" else self.others
        return form.format_map(values)


def _read(value: Any) -> Any:
    """Return a text, one with a form for each count, or a mapping of texts."""
    if not isinstance(value, Mapping):
        return PageText(value)
    if value.keys() == {"one", "others"}:
        return PageText(value["one"], value["others"])
    return {key: _read(item) for key, item in value.items()}


def _area(path: Path) -> SimpleNamespace:
    values = load_yaml(path)
    scripts = htmlsafe_json_dumps({key: values[key] for key in values.pop("scripts", ())})
    return SimpleNamespace(**{key: _read(value) for key, value in values.items()}, scripts=scripts)


def read_texts(folder: Path) -> SimpleNamespace:
    """Return all texts of a folder by area and name.

    ``{{ t.scripts }}`` is JSON of the texts that a file lists under ``scripts``.
    """
    return SimpleNamespace(**{path.stem: _area(path) for path in sorted(folder.glob("*.yaml"))})


def used_texts(source: str) -> set[tuple[str, str]]:
    """Return the texts that a template uses, as area and name.

    >>> sorted(used_texts("{% set t = texts.front %}<h1>{{ t.heading }}</h1>{{ texts.frame.copy }}"))
    [('frame', 'copy'), ('front', 'heading')]
    """
    area = re.search(r"\{% set t = texts\.(\w+) %\}", source)
    named = set(re.findall(r"\btexts\.(\w+)\.(\w+)", source))
    return named | {(area[1] if area else "", name) for name in re.findall(r"(?<![\w.])t\.(\w+)", source)}


def check_texts(templates: Path, texts: SimpleNamespace) -> None:
    """Check that every text that the templates of a folder use exists.

    Raises
    ------
    LookupError
        If one is missing; the message contains its template, area and name.
    """
    for path in sorted(templates.rglob("*.j2")):
        for area, name in sorted(used_texts(path.read_text(encoding="utf-8"))):
            if not hasattr(getattr(texts, area, None), name):
                raise LookupError(f"{path.name} uses a text that {area}.yaml does not contain: {name}.")
