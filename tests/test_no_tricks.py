"""Production code uses other packages by their public names and changes nothing of them."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.runs import ROOT

OURS = frozenset(("scripts", "service", "tethermap", "snakemake_logger_plugin_tethermap", "tests"))
PYTHON = sorted(path for folder in ("scripts", "service") for path in (ROOT / folder).rglob("*.py"))
RULES = [ROOT / "Snakefile", *sorted((ROOT / "rules").glob("*.smk"))]

EXCEPTIONS = {
    # Scripts forked by Snakemake, and only if a profile sets logger-tethermap-fork-scripts.
    "scripts/snakemake_logger_plugin_tethermap/fork_scripts.py",
    # Time limits for the receipt of a request, which uvicorn lacks (Kludex/uvicorn#157).
    "service/connections.py",
}

LOOKING = {f"scripts/tethermap/{name}.py" for name in ("doctor", "extras/protac/round_trip", "run/slurm")}
"""Modules that look for a program; `.ci/run` also tests them on a PATH without it."""

_PRIVATE = re.compile(r"(^|\.)_[a-z]\w*(\.|$)|_impl(\.|$)")
_IMPORT_SYSTEM = re.compile(
    r"sys\.(?:modules\s*\[[^\]]+\]\s*=[^=]|modules\.(?:setdefault|update|pop)|meta_path|path_hooks)"
    r"|builtins\.__import__|del sys\.modules"
)


def tricks(path: str, text: str) -> list[str]:
    """Return the places where Python code imports private parts of other packages, or changes something of them.

    Parameters
    ----------
    path : str
        Named in each place.
    text : str
        The module.
    """
    tree = ast.parse(text)
    found = [(text[: match.start()].count("\n") + 1, match[0]) for match in _IMPORT_SYSTEM.finditer(text)]
    imports = list(_foreign_imports(tree))
    found += [(line, f"{module} is private") for line, module, _ in imports if _PRIVATE.search(module)]
    installed = {name for _, module, name in imports if module.partition(".")[0] not in sys.stdlib_module_names}
    for node in ast.walk(tree):
        changed: ast.expr | None = None
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load) and _is_static(node):
            changed = node
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("setattr", "delattr") and node.args:
            changed = node.args[0] if isinstance(node.args[0], ast.Name | ast.Attribute) else None
        if changed is not None and _root(changed) in installed:
            found.append((changed.lineno, f"{ast.unparse(changed)} is changed"))
    return [f"{path}:{line}: {what}" for line, what in sorted(found)]


def rule_tricks(path: str, text: str) -> list[str]:
    """Return the lines of a Snakefile that use private names, or set attributes of foreign objects."""
    changed = re.compile(r"\s*(?:workflow|[A-Za-z_]\w*)(?:\.\w+)+\s*(?:\[[^\]]*\]\s*)?=[^=]")
    private = re.compile(r"\b\w+\._[a-z]\w*")
    lines = enumerate(text.splitlines(), start=1)
    wrong = [
        (n, line) for n, line in lines if changed.match(line) or private.search(line) or _IMPORT_SYSTEM.search(line)
    ]
    return [f"{path}:{number}: {line.strip()}" for number, line in wrong]


def _foreign_imports(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """Yield line, dotted module and bound name of each import of a foreign package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            listed = [(alias.name, alias.asname or alias.name.partition(".")[0]) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            listed = [(f"{node.module}.{alias.name}", alias.asname or alias.name) for alias in node.names]
        else:
            continue
        yield from ((node.lineno, *names) for names in listed if names[0].partition(".")[0] not in OURS)


def _root(node: ast.expr) -> str:
    """Return the first name of an expression such as ``a.b().c``; empty if it has none."""
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_static(node: ast.Attribute) -> bool:
    """Return whether an attribute belongs to a module or class, not to the result of a call."""
    value: ast.expr = node.value
    while isinstance(value, ast.Attribute):
        value = value.value
    return isinstance(value, ast.Name)


def test_production_code_imports_nothing_private_and_changes_no_other_package() -> None:
    found = []
    for path in PYTHON:
        name = path.relative_to(ROOT).as_posix()
        if name not in EXCEPTIONS:
            found += tricks(name, path.read_text(encoding="utf-8"))
    assert found == []


def test_rules_use_public_names_of_snakemake_and_change_nothing_of_it() -> None:
    assert [line for path in RULES for line in rule_tricks(path.name, path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("name", sorted(EXCEPTIONS))
def test_each_exception_is_needed(name: str) -> None:
    assert tricks(name, (ROOT / name).read_text(encoding="utf-8"))


def test_few_modules_look_for_programs() -> None:
    found = {
        path.relative_to(ROOT).as_posix() for path in PYTHON if "shutil.which(" in path.read_text(encoding="utf-8")
    }
    assert found == LOOKING


def test_set_up_writes_folders_alone_into_the_environment() -> None:
    lines = (ROOT / ".ci/setup.sh").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if "pth" in line and re.search(r"\bimport (?!sysconfig)", line)] == []
    for path in (Path(place) / "tethermap.pth" for place in sys.path):
        assert not path.is_file() or all(Path(line).is_dir() for line in path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize(
    "text",
    [
        "import sys\nsys.modules['pandas'] = None",
        "import sys\nsys.modules.setdefault('pandas', None)",
        "import sys\nsys.meta_path.insert(0, object())",
        "import builtins\nbuiltins.__import__ = print",
        "from gemmi import _thing",
        "import _thread",
        "import numpy.core._internal",
        "from snakemake.script import PythonScript\nPythonScript.execute_script = print",
        "from snakemake import benchmark\nbenchmark.BENCHMARK_INTERVAL_SHORT = 2.0",
        "import gemmi\nsetattr(gemmi.Atom, 'x', 1)",
    ],
)
def test_tricks_are_found(text: str) -> None:
    assert tricks("module.py", text)


@pytest.mark.parametrize(
    "text",
    [
        "import gemmi\ngemmi._thing()",
        "def f(workflow):\n    workflow.scheduler._job_selector = None",
        "import gemmi\ngetattr(gemmi.Atom(), '_x')",
    ],
)
def test_linter_rejects_private_names_of_other_packages(text: str) -> None:
    command = [sys.executable, "-m", "ruff", "check", "--stdin-filename", str(ROOT / "scripts" / "module.py"), "-"]
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=False, cwd=ROOT)
    assert re.search("private-member-access|get-attr|SLF001|B009", run.stdout)


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    def __init__(self):\n        self._x = 1\n    def f(self, other):\n        return other._x",
        "from collections import namedtuple\nA = namedtuple('A', 'x')\nA(1)._replace(x=2)",
        "import gemmi\noptions = gemmi.PdbWriteOptions()\noptions.conect_records = True",
        "import sys\nsys.path.insert(0, 'here')",
    ],
)
def test_common_code_is_no_trick(text: str) -> None:
    assert tricks("module.py", text) == []


@pytest.mark.parametrize("line", ["workflow.scheduler.job_rate_limiter = None", "    workflow._onstart", "gc.x = 1"])
def test_tricks_in_rules_are_found(line: str) -> None:
    assert rule_tricks("Snakefile", line)
