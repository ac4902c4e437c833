"""The catalogue of page texts: complete, without unused entries, and values of clients stay escaped."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from jinja2 import Environment, nodes
from markupsafe import Markup, escape

from service.pages.render import FOLDER as TEMPLATES
from service.pages.render import environment
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
    for path in (ROOT / "service").glob("*/*.py"):
        source = path.read_text(encoding="utf-8")
        used |= set(re.findall(r"\bTEXTS\.(\w+)\.(\w+)", source))
        for area in re.findall(r"^_T = TEXTS\.(\w+)$", source, re.MULTILINE):
            used |= {(area, name) for name in re.findall(r"\b_T\.(\w+)", source)}
    unused = {(area, name) for area, values in AREAS.items() for name in values if name != "scripts"} - used
    assert not unused


def test_scripts_use_the_texts_that_their_areas_list() -> None:
    used = {name for path in SCRIPTS for name in re.findall(r"(?<![\w.])t\.(\w+)", path.read_text(encoding="utf-8"))}
    assert used == {name for _, name in of_scripts()}


def test_texts_of_scripts_are_plain() -> None:
    assert not [pair for pair in of_scripts() if re.search("[<>&]", str(AREAS[pair[0]][pair[1]]))]


def test_texts_in_attributes_have_no_markup() -> None:
    for path in TEMPLATES.rglob("*.j2"):
        source = path.read_text(encoding="utf-8")
        named = {
            name for attribute in _SHOWN_ATTRIBUTE.findall(source) for name in re.findall(r"\bt\.(\w+)", attribute)
        }
        texts = {name: str(AREAS[area][name]) for area, name in used_texts(source) if name in named}
        assert not {name for name, text in texts.items() if {*'"<>'} & {*text}}, path.name


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


_SHOWN_ATTRIBUTE = re.compile(r"\b(?:title|aria-label|placeholder|alt)=\"([^\"]*)\"")
_WORDS = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}|^[A-Z][a-z]+")


def own_texts(template: str) -> list[str]:
    """Return the texts that a template shows and does not take from the catalogue."""
    tree = environment().parse(template)
    tree.body = [node for node in tree.body if getattr(node, "name", "") != "main_class"]
    shown = [part for output in tree.find_all(nodes.Output) for part in output.nodes]
    html = "".join(part.data if isinstance(part, nodes.TemplateData) else "\0" for part in shown)
    texts = re.sub(r"<[^>]*>|[a-z-]+=\"[^\"]*\"", "|", html).split("|") + _SHOWN_ATTRIBUTE.findall(html)
    literals = [literal.value for part in shown for literal in part.find_all(nodes.Const)]
    return [text for text in texts if re.search("[A-Za-z]", text)] + [
        value for value in literals if isinstance(value, str) and _WORDS.search(value)
    ]


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.html.j2")), ids=lambda path: path.name)
def test_templates_contain_no_text(path: Path) -> None:
    assert own_texts(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "template",
    [
        "<p>Hello</p>",
        "<p>{{ t.heading }} of {{ name }}</p>",
        '<i title="Close">×</i>',
        "{% if x %}<b>and more</b>{% endif %}",
        '{{ "Not found" if x else t.found }}',
        '{% macro m(x) %}{{ m("two words") }}{% endmacro %}',
    ],
)
def test_own_text_of_a_template_is_found(template: str) -> None:
    assert own_texts(template)


def own_literals(script: str) -> list[str]:
    """Return string literals of a script with several words, without selectors and classes."""
    code = re.sub(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", "", script, flags=re.DOTALL)
    code = re.sub(r"(?:querySelector(?:All)?|closest)\([^()]*\)|class(?:Name)?: \"[^\"]*\"|className = .*", "", code)
    literals = re.findall(r"\"((?:[^\"\\\n]|\\.)*)\"|`((?:[^`\\]|\\.)*)`", code)
    texts = [plain or re.sub(r"\$\{[^}]*\}", "0", template) for plain, template in literals]
    return [text for text in texts if re.search(r"[A-Za-z]{2,} [A-Za-z]{2,}|[a-z]{2,} 0|0 [a-z]{2,}", text)]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_contain_no_sentence(path: Path) -> None:
    assert own_literals(path.read_text(encoding="utf-8")) == []


def test_own_sentence_of_a_script_is_found() -> None:
    assert own_literals('button.textContent = "Go there"; // "no text"') == ["Go there"]
    assert own_literals("say(`${n} rows`); a.querySelector(`.big ${x} tr`);") == ["0 rows"]
    assert own_literals('make("i", { class: "small quiet" });') == []
