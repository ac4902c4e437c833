"""The catalogue of page texts: complete, without unused entries, and values of clients stay escaped."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from jinja2 import Environment
from markupsafe import Markup, escape

from service.pages.render import FOLDER as TEMPLATES
from service.pages.texts import FOLDER, TEXTS, PageText, check_texts, used_texts
from tests.tools.prose import texts
from tests.tools.runs import ROOT

AREAS: dict[str, dict[str, Any]] = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.yaml"))
}
SCRIPTS = sorted((TEMPLATES.parent / "static/js").rglob("*.js"))
HOSTILE = '"><script>alert(1)</script>{n}&'


def of_scripts() -> set[tuple[str, str]]:
    return {(area, name) for area, values in AREAS.items() for name in values.get("scripts", ())}


def test_every_text_is_used() -> None:
    sources = [path.read_text(encoding="utf-8") for path in TEMPLATES.rglob("*.j2")]
    used = {pair for source in sources for pair in used_texts(source)} | of_scripts()
    for path in (ROOT / "service").rglob("*.py"):
        used |= set(re.findall(r"\bTEXTS\.(\w+)\.(\w+)", path.read_text(encoding="utf-8")))
    unused = {(area, name) for area, values in AREAS.items() for name in values if name != "scripts"} - used
    assert not unused


def test_scripts_use_the_texts_that_their_areas_list() -> None:
    used = {name for path in SCRIPTS for name in re.findall(r"(?<![\w.])t\.(\w+)", path.read_text(encoding="utf-8"))}
    assert used == {name for _, name in of_scripts()}


def test_texts_of_scripts_are_plain() -> None:
    assert not [pair for pair in of_scripts() if re.search("[<>&]", str(AREAS[pair[0]][pair[1]]))]


def test_template_with_an_unknown_text_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "new.html.j2").write_text("{% set t = texts.front %}{{ t.heading }}{{ t.nothing_of_this_name }}")
    with pytest.raises(LookupError, match=r"new\.html\.j2 .* front\.yaml .* nothing_of_this_name"):
        check_texts(tmp_path)


def test_values_of_clients_are_escaped_and_never_filled_again() -> None:
    text = PageText("<b>{name}</b> of {n} file", "<b>{name}</b> of {n} files")
    shown = Environment(autoescape=True).from_string("{{ t(name=name, n=2) }}").render(t=text, name=HOSTILE)
    assert shown == f"<b>{escape(HOSTILE)}</b> of 2 files"
    assert text(name=Markup("<i>"), n=1) == "<b><i></b> of 1 file"
    assert text.plain(name=HOSTILE, n=1) == f"<b>{HOSTILE}</b> of 1 file"


def test_prose_gate_reads_every_sentence_of_the_catalogue() -> None:
    for path in FOLDER.glob("*.yaml"):
        read = {text.text for text in texts(path)}
        plain = [value for value in vars(getattr(TEXTS, path.stem)).values() if type(value) is PageText]
        missed = [text for text in plain if " " in text and not {*"<{"} & {*text} and text not in read]
        assert not missed
