"""Check the English of docstrings, comments, messages, templates and documents; `prose.yaml` lists the patterns.

``python -m tests.tools.prose`` prints ``path:line: [pattern] sentence`` for all files, or for those of an area.
"""

import ast
import csv
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.tools.runs import ROOT

HASH = (".smk", ".sh", ".toml", ".yml", ".ini", "Snakefile", "Makefile")
SLASHES = (".js", ".css", ".c")

_COMMENT = re.compile(r"^\s*#+ ?(.*)|(?:.*?)(?<=\s)# (.*)")
_SLASH_COMMENT = re.compile(r"/\*+(.*?)\*/|(?:(?<=\s)|^)//+ ?([^\n]*)", re.DOTALL | re.MULTILINE)
_NO_PROSE = re.compile(r"\s*(noqa|type:|fmt:|pragma|!|/usr|ruff|mypy|https?:)")
_CODE = re.compile(r"``[^`]*``|`[^`]*`|\"[^\"]{1,60}\"|'\S+'")
_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!cf\.)(?<!vs\.)(?<!al\.)(?<!etc\.)[\"')]*\s+(?=[A-Z`>\d(])")
_ENTRY = re.compile(r"[\w*, .`]+ : .*|[-= ]{3,}|[\w.]+(, \w+)*|(?:list|dict|tuple|ndarray|iterator) of .*")
_NO_MESSAGE = re.compile(
    r"\s*(SELECT|FROM|WITH|CREATE|COPY|INSERT|WHERE|UPDATE|DELETE|ATTACH|SET)\b"  # SQL
    r"|\s*(if|return) .*\b(and|else|or)\b|[\w\s%]+:[filn]\d?\s"  # Python, columns of a table
)
_MESSAGE = re.compile(r"[A-Z`{X][^\n]* [^\n]* [^\n]*[a-z].*[.!?]$|.*[a-z]{2} [a-z]{2,} [a-z]", re.DOTALL)
_PROSE_KEYS = frozenset(("description", "says", "summary", "help", "title", "message", "detail", "about", "remedy"))
_PROSE_COLUMNS = ("sentence", "meaning", "change", "rule")
_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being) (?:not |never )?\w+(?:ed|en|wn|ilt|ade|ept|old|ent|ead)\b")
_INLINE = re.compile(r"</?(?:a|b|i|em|strong|code|span|abbr|sub|sup|kbd|small|q)\b[^>]*>")


class Text(NamedTuple):
    """A piece of prose: its line, its kind (``docstring``, ``comment``, ``message`` ...), its words."""

    line: int
    kind: str
    text: str


class Finding(NamedTuple):
    """A sentence that matches a pattern."""

    path: str
    line: int
    kind: str
    pattern: str
    sentence: str


@cache
def rules() -> dict[str, Any]:
    """Return the content of `prose.yaml`."""
    loaded: dict[str, Any] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
    return loaded


@cache
def _compiled() -> tuple[re.Pattern[str], dict[str, re.Pattern[str]]]:
    listed = {"allowed": rules()["allowed"], **rules()["patterns"]}
    made = {
        name: re.compile("|".join(f"(?:{part})" for part in parts), re.IGNORECASE) for name, parts in listed.items()
    }
    return made.pop("allowed"), made


def sentences(text: str) -> list[str]:
    """Split prose into sentences, with code replaced by ``X``."""
    flat = re.sub(r"\bNone\b(?! where)", "X", " ".join(_CODE.sub("X", text).split()))
    return [part.strip() for part in _END.split(flat) if part.strip()]


def problems(sentence: str) -> Iterator[str]:
    """Yield the names of the patterns that a sentence matches."""
    if len(re.findall(r"[A-Za-z]{2,}", sentence)) > rules()["limits"]["words"]:
        yield "length"
    if len(_PASSIVE.findall(sentence)) >= rules()["limits"]["passives"]:
        yield "passive chain"
    allowed, patterns = _compiled()
    sentence = allowed.sub("X", sentence)
    yield from (name for name, pattern in patterns.items() if pattern.search(sentence))


def texts(path: Path) -> Iterator[Text]:
    """Yield the prose of a file, by its suffix; nothing for other files."""
    if path.suffix not in (".py", ".md", ".j2", ".csv", ".yaml", *SLASHES, *HASH) and path.name not in HASH:
        return
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from docstrings(content)
        yield from comments(content)
        yield from _test_names(content) if path.name.startswith("test_") else _messages(content)
    elif path.suffix == ".md":
        yield from _markdown(content)
    elif path.name.endswith(".txt.j2"):
        yield from _markdown(_without_expressions(content))
    elif path.suffix == ".csv":
        for number, row in enumerate(csv.DictReader(content.splitlines()), start=2):
            yield from (Text(number, "description", row[name]) for name in _PROSE_COLUMNS if name in row)
    elif path.suffix in SLASHES or path.name.endswith(".js.j2"):
        for match in _SLASH_COMMENT.finditer(content):
            line = content.count("\n", 0, match.start()) + 1
            text = re.sub(r"\n\s*\*?", "\n", match[1] or match[2] or "")
            yield from (Text(line, "comment", part) for part in re.split(r"@\w+ (?:\{.*?\}+ )?[\w.]+", text))
    elif path.suffix == ".j2":
        yield from _template(content)
    else:
        found = ((number, _COMMENT.match(line)) for number, line in enumerate(content.splitlines(), start=1))
        yield from _joined((number, match[1] or match[2] or "", not match[2]) for number, match in found if match)
        keys = None if path.parent.name == "texts" else _PROSE_KEYS  # texts of pages are prose under any name
        yield from _descriptions(yaml.compose(content), keys) if path.suffix == ".yaml" else ()


def docstrings(content: str) -> Iterator[Text]:
    """Yield the paragraphs and parameter entries of docstrings, without examples, headings and names of entries."""
    for node in ast.walk(ast.parse(content)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield from _paragraphs(text.split("\n"), node.lineno)


def _paragraphs(lines: Sequence[str], first: int) -> Iterator[Text]:
    part: list[str] = []
    start, example = first, False
    for number, line in enumerate([*lines, ""], start=first):
        bare = line.strip()
        below = lines[number - first + 1] if number - first + 1 < len(lines) else ""
        example = bare.startswith(">>>") or (example and bool(bare))
        skipped = not bare or example or _ENTRY.fullmatch(bare) or re.fullmatch(r"\s*-{3,}\s*", below)
        if part and (skipped or bare.startswith(("- ", "* ")) or re.search(r"\S {3,}\S", bare)):
            yield Text(start, "docstring", " ".join(part))
            part = []
        if not skipped:
            start = start if part else number
            part.append(bare)


def comments(content: str) -> Iterator[Text]:
    """Yield the comments of a module; those on consecutive lines are one text."""
    tokens = tokenize.generate_tokens(iter(content.splitlines(keepends=True)).__next__)
    found = [(token, token.string.lstrip("#! ")) for token in tokens if token.type == tokenize.COMMENT]
    whole = ((token.start[0], text, token.line.lstrip().startswith("#")) for token, text in found)
    yield from _joined(each for each in whole if not _NO_PROSE.match(each[1]))


def _joined(lines: Iterable[tuple[int, str, bool]]) -> Iterator[Text]:
    """Join comments on consecutive lines, given as number, text and whether there is no code in the line."""
    part: list[str] = []
    first = last = 0
    for number, text, whole in [*lines, (-1, "", False)]:
        if part and not (whole and number == last + 1):
            yield Text(first, "comment", " ".join(part))
            part = []
        first, last = first if part else number, number if whole else -1
        part.append(re.sub(r"\s*# noqa.*", "", text))


def _test_names(content: str) -> Iterator[Text]:
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield Text(node.lineno, "test name", node.name.removeprefix("test_").replace("_", " ").capitalize())


def _messages(content: str) -> Iterator[Text]:
    """Yield strings with a sentence or three words, and those with a name such as ``description``."""
    nodes = list(ast.walk(ast.parse(content)))
    outer = (node for node in nodes if isinstance(node, ast.JoinedStr | ast.Expr))
    inside = {id(child) for node in outer for child in ast.iter_child_nodes(node)}
    named = {id(node.value) for node in nodes if isinstance(node, ast.keyword) and node.arg in _PROSE_KEYS}
    for node in nodes:
        match node:
            case ast.JoinedStr(values=values) if id(node) not in inside:
                text = "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in values)
            case ast.Constant(value=str(text)) if id(node) not in inside:
                pass
            case _:
                continue
        parts = [part.text for part in _markdown(text)] if "\n\n" in text else [re.sub(r"<[^>]+>", "", text)]
        for part in () if _NO_MESSAGE.match(text) else parts:
            if _MESSAGE.match(part.strip()) or (id(node) in named and " " in part):
                yield Text(node.lineno, "message", part)


def _markdown(content: str) -> Iterator[Text]:
    """Yield paragraphs, list items and table cells of Markdown, without code, headings and addresses."""
    content = re.sub(r"^```.*?^```", lambda match: "\n" * match[0].count("\n"), content, flags=re.DOTALL | re.MULTILINE)
    content = re.sub(r"<[^>]+>", "", re.sub(r"!?\[((?:[^\]]|\n)*?)\]\([^)]*\)", r"\1", content))
    part: list[str] = []
    start = 1
    for number, line in enumerate([*content.splitlines(), ""], start=1):
        bare = line.strip()
        if part and (not bare or bare.startswith(("#", "|")) or re.match(r"[-*] |\d+\. ", bare)):
            yield Text(start, "document", " ".join(part))
            part = []
        if bare.startswith("|"):
            yield from (Text(number, "document", cell) for cell in bare.strip("|").split("|") if cell.count(" ") > 2)
        elif bare and not bare.startswith("#"):
            start = start if part else number
            part.append(re.sub(r"^([-*]|\d+\.) ", "", bare))


def _template(content: str) -> Iterator[Text]:
    """Yield the text of an HTML template, its titles and labels, without tags and expressions."""

    content = re.sub(r"\{#.*?#\}|<(script|style|svg)\b.*?</\1>", _blank, content, flags=re.DOTALL)
    for match in re.finditer(r"\b(?:title|aria-label|placeholder|alt)=\"([^\"{]* [^\"{]*)\"", content):
        yield Text(content.count("\n", 0, match.start()) + 1, "page", re.sub(r"\{[{%].*?[%}]\}", "X", match[1]))
    content = _INLINE.sub("", _without_expressions(content))
    line = 1
    for part in re.sub(r"<[^>]*>", lambda match: "\0" + _blank(match), content).split("\0"):
        if " " in part.strip():
            yield Text(line + len(part) - len(part.lstrip("\n")), "page", part)
        line += part.count("\n")


def _without_expressions(content: str) -> str:
    content = re.sub(r"\{\{.*?\}\}", lambda match: "X" + _blank(match), content, flags=re.DOTALL)
    return re.sub(r"\{%.*?%\}", _blank, content, flags=re.DOTALL)


def _blank(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def _descriptions(node: Any, keys: frozenset[str] | None, key: str = "") -> Iterator[Text]:
    """Yield the values of the named keys of a YAML file without markup; without names, all values."""
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            yield from _descriptions(value, keys, str(name.value))
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _descriptions(value, keys, key)
    elif node is not None and (keys is None or key in keys) and " " in node.value:
        text = re.sub(r"\{\w+\}", "X", re.sub(r"<[^>]+>", "", node.value)) if keys is None else node.value
        yield Text(node.start_mark.line + 1, "description", text)


def check(path: Path, name: str) -> list[Finding]:
    """Return the findings in one file, by line; `name` is its path in the report."""
    parts = ((part, each) for part in texts(path) for each in sentences(part.text))
    return sorted(Finding(name, part.line, part.kind, found, each) for part, each in parts for found in problems(each))


def files() -> list[str]:
    """Return the files with prose, without those that `.gitignore` excludes."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    skipped = tuple(rules()["skipped"])
    return sorted(name for name in names if not name.startswith(skipped) and (ROOT / name).is_file())


def main(areas: Sequence[str]) -> int:
    """Print the findings in areas, by default everywhere; return 1 if there are any."""
    names = [name for name in files() if name.startswith(tuple(areas) or "")]
    found = [finding for name in names for finding in check(ROOT / name, name)]
    sys.stdout.writelines(f"{each.path}:{each.line}: [{each.pattern}] {each.sentence}\n" for each in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
