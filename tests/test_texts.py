"""The catalogues of texts: complete, without unused entries, and values of clients stay escaped."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
import yaml
from jinja2 import Environment, nodes
from markupsafe import Markup, escape

from service.pages import render, texts as of_pages
from tests.tools.prose import texts as prose
from tests.tools.runs import ROOT
from tethermap.base.texts import PageText, check_texts, used_texts
from tethermap.report import templating, texts as of_report


class Catalogue(NamedTuple):
    """Texts of the pages or of the report, with the files that use them."""

    folder: Path
    texts: SimpleNamespace
    templates: Path
    modules: Path
    scripts: Sequence[Path]

    def areas(self) -> dict[str, dict[str, Any]]:
        """Return the content of the YAML files."""
        return {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in self.folder.glob("*.yaml")}

    def sources(self) -> Iterator[tuple[Path, str]]:
        """Yield the templates."""
        return ((path, path.read_text(encoding="utf-8")) for path in sorted(self.templates.rglob("*.j2")))

    def of_scripts(self) -> set[tuple[str, str]]:
        """Return area and name of the texts that are sent to scripts."""
        return {(area, name) for area, values in self.areas().items() for name in values.get("scripts", ())}


CATALOGUES = {
    "pages": Catalogue(of_pages.FOLDER, of_pages.TEXTS, render.FOLDER, ROOT / "service",
                       sorted((render.FOLDER.parent / "static/js").rglob("*.js"))),
    "report": Catalogue(of_report.FOLDER, of_report.TEXTS, templating.TEMPLATES, templating.TEMPLATES.parent,
                        sorted(templating.TEMPLATES.glob("*.js.j2"))),
}  # fmt: skip
HOSTILE = '"><script>alert(1)</script>{n}&'

of_each = pytest.mark.parametrize("catalogue", CATALOGUES.values(), ids=CATALOGUES)


def of_paths(paths: Iterable[Path]) -> pytest.MarkDecorator:
    """Return the mark of a test of each file."""
    return pytest.mark.parametrize("path", list(paths), ids=lambda path: path.name)


of_templates = of_paths(
    path for each in CATALOGUES.values() for path, _ in each.sources() if path.name.endswith(".html.j2")
)
of_scripts = of_paths(path for each in CATALOGUES.values() for path in each.scripts)
of_modules = of_paths(
    path for folder in (ROOT / "service/pages", templating.TEMPLATES.parent) for path in folder.glob("*.py")
)


@of_each
def test_every_text_is_used(catalogue: Catalogue) -> None:
    used = {pair for _, source in catalogue.sources() for pair in used_texts(source)} | catalogue.of_scripts()
    for path in catalogue.modules.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        used |= set(re.findall(r"\bTEXTS\.(\w+)\.(\w+)", source))
        for area in re.findall(r"^_T = TEXTS\.(\w+)$", source, re.MULTILINE):
            used |= {(area, name) for name in re.findall(r"\b_T\.(\w+)", source)}
    areas = catalogue.areas()
    assert {(area, name) for area, values in areas.items() for name in values if name != "scripts"} <= used


@of_each
def test_report_and_pages_use_no_unknown_text(catalogue: Catalogue) -> None:
    check_texts(catalogue.templates, catalogue.texts)


def test_scripts_use_the_texts_that_their_areas_list() -> None:
    pages = CATALOGUES["pages"]
    used = {
        name for path in pages.scripts for name in re.findall(r"(?<![\w.])t\.(\w+)", path.read_text(encoding="utf-8"))
    }
    assert used == {name for _, name in pages.of_scripts()}


@of_each
def test_texts_of_scripts_are_plain(catalogue: Catalogue) -> None:
    areas = catalogue.areas()
    assert not [(area, name) for area, name in catalogue.of_scripts() if re.search("[<>&]", str(areas[area][name]))]


@of_each
def test_texts_in_attributes_have_no_markup(catalogue: Catalogue) -> None:
    areas = catalogue.areas()
    for path, source in catalogue.sources():
        named = {
            name for attribute in _SHOWN_ATTRIBUTE.findall(source) for name in re.findall(r"\bt\.(\w+)", attribute)
        }
        shown = {name: str(areas[area][name]) for area, name in used_texts(source) if name in named}
        assert not {name for name, text in shown.items() if {*'"<>'} & {*text}}, path.name


def test_template_with_an_unknown_text_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "new.html.j2").write_text("{% set t = texts.front %}{{ t.heading }}{{ t.nothing_of_this_name }}")
    with pytest.raises(LookupError, match=r"new\.html\.j2 .* front\.yaml .* nothing_of_this_name"):
        check_texts(tmp_path, of_pages.TEXTS)


def test_values_of_clients_are_escaped_and_never_filled_again() -> None:
    text = PageText("<b>{name}</b> of {n} file", "<b>{name}</b> of {n} files")
    shown = Environment(autoescape=True).from_string("{{ t(name=name, n=2) }}").render(t=text, name=HOSTILE)
    assert shown == f"<b>{escape(HOSTILE)}</b> of 2 files"
    assert text(name=Markup("<i>"), n=1) == "<b><i></b> of 1 file"
    assert text.plain(name=HOSTILE, n=1) == f"<b>{HOSTILE}</b> of 1 file"


@of_each
def test_prose_gate_reads_every_sentence_of_the_catalogue(catalogue: Catalogue) -> None:
    for path in catalogue.folder.glob("*.yaml"):
        read = {text.text for text in prose(path)}
        plain = [value for value in vars(getattr(catalogue.texts, path.stem)).values() if type(value) is PageText]
        missed = [text for text in plain if " " in text and not {*"<{"} & {*text} and text not in read]
        assert not missed


_SHOWN_ATTRIBUTE = re.compile(r"\b(?:title|aria-label|placeholder|alt)=\"([^\"]*)\"")
_WORDS = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}|^[A-Z][a-z]+")


def own_texts(template: str) -> list[str]:
    """Return the texts that a template shows and does not take from the catalogue."""
    tree = render.environment().parse(template)
    tree.body = [node for node in tree.body if getattr(node, "name", "") != "main_class"]
    shown = [part for output in tree.find_all(nodes.Output) for part in output.nodes]
    html = "".join(part.data if isinstance(part, nodes.TemplateData) else "\0" for part in shown)
    texts = re.sub(r"<[^>]*>|[a-z-]+=\"[^\"]*\"", "|", html).split("|") + _SHOWN_ATTRIBUTE.findall(html)
    literals = [literal.value for part in shown for literal in part.find_all(nodes.Const)]
    return [text for text in texts if re.search("[A-Za-z]", text)] + [
        value for value in literals if isinstance(value, str) and _WORDS.search(value)
    ]


@of_templates
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
    code = re.sub(r"\"use strict\";|/\*.*?\*/|(?<![:\"'`])//[^\n]*", "", script, flags=re.DOTALL)
    code = re.sub(r"(?:querySelector(?:All)?|closest)\([^()]*\)|class(?:Name)?: \"[^\"]*\"|className = .*", "", code)
    literals = re.findall(r"\"((?:[^\"\\\n]|\\.)*)\"|`((?:[^`\\]|\\.)*)`", code)
    texts = [plain or re.sub(r"\$\{[^}]*\}", "0", template) for plain, template in literals]
    return [text for text in texts if re.search(r"[A-Za-z]{2,} [A-Za-z]{2,}|[a-z]{2,} 0|0 [a-z]{2,}", text)]


@of_scripts
def test_scripts_contain_no_sentence(path: Path) -> None:
    assert own_literals(path.read_text(encoding="utf-8")) == []


def test_own_sentence_of_a_script_is_found() -> None:
    assert own_literals('button.textContent = "Go there"; // "no text"') == ["Go there"]
    assert own_literals("say(`${n} rows`); a.querySelector(`.big ${x} tr`);") == ["0 rows"]
    assert own_literals('make("i", { class: "small quiet" });') == []


NO_TEXT = {"%s is left out of the report: %s", "number bar rest xX"}
"""Strings of modules with several words that no page shows: a log message, classes of a cell."""


@of_modules
def test_modules_of_pages_and_report_contain_no_sentence(path: Path) -> None:
    assert {text.text for text in prose(path) if text.kind == "message"} <= NO_TEXT
