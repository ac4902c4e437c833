"""The check of English finds the old dialect, accepts the English of other projects, and passes here."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.tools import prose
from tests.tools.runs import ROOT

DIALECT = (ROOT / "tests/data/dialect.txt").read_text(encoding="utf-8").splitlines()


def is_flagged(sentence: str) -> bool:
    return any(prose.problems(sentence))


def test_nine_of_ten_sentences_of_the_old_dialect_are_found() -> None:
    assert len(DIALECT) == 100
    assert sum(map(is_flagged, DIALECT)) >= 90


@pytest.mark.parametrize(("package", "share"), [("starlette", 1), ("biotite", 4)])
def test_one_in_200_docstring_sentences_of_other_projects_is_found_at_most(package: str, share: int) -> None:
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    found = [
        sentence
        for path in sorted(Path(spec.origin).parent.rglob("*.py"))[::share]
        for part in prose.docstrings(path.read_text(encoding="utf-8"))
        for sentence in prose.sentences(part.text)
        if " " in sentence
    ]
    assert len(found) > 90
    assert sum(map(is_flagged, found)) * 200 <= len(found)


@pytest.mark.parametrize(
    ("name", "content", "kinds"),
    [
        (
            "a.py",
            '"""What it is."""\n# which is told\nraise E("The file holds it.")\n',
            ["docstring", "comment", "message"],
        ),
        ("test_a.py", "def test_what_is_told() -> None: ...\n", ["test name"]),
        ("a.md", "# Told\n\nWhat it is.\n\n```\nwhat is\n```\n\n| a | which is told to all |\n", ["document"] * 2),
        ("a.yaml", "# which is told\ndescription: What it is.\n", ["comment", "description"]),
        ("a.j2", '{# told #}<p title="which is told">\nWhat {{ it }} is.</p><script>told()</script>', ["page"] * 2),
        ("a.py", 'A = "which is told to all"\nB = f"""# A\n\nIt holds a {A} now.\n"""\n', ["message"] * 2),
        ("a.csv", "code,sentence,source\na,It holds none.,told\n", ["description"]),
        ("a.txt.j2", "## Told\n{% if told %}It holds {{ it }}.{% endif %}\n", ["document"]),
        ("a.js.j2", "/* What is told. */\nsay(`{{ told }}`); // it holds it", ["comment"] * 2),
        ("a.js", "const told = 1; // which is told\n", ["comment"]),
        ("a.smk", "told = 1  # which is told\n", ["comment"]),
    ],
)
def test_prose_of_each_kind_of_file_is_read(tmp_path: Path, name: str, content: str, kinds: list[str]) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    found = {(finding.line, finding.kind) for finding in prose.check(path, name)}
    assert sorted(kind for _, kind in found) == sorted(kinds)


def test_code_and_names_and_examples_are_not_prose(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text('"""Return `told`.\n\n>>> told("what is told")\n\'what is told\'\n"""\n', encoding="utf-8")
    assert prose.check(path, "module.py") == []


def test_long_sentences_and_chains_of_passives_are_found() -> None:
    assert list(prose.problems("word " * 61)) == ["length"]
    assert list(prose.problems("It is read, was sent, is made, was shown and is written.")) == ["passive chain"]
