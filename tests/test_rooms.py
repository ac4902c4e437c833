"""The rooms of the library and of the service: which module may import which, and how many live in one room."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import service
from scripts.lib import ROOMS, public
from tests.tools.runs import ROOT

MOST_MODULES = 20
MOST_LEVELS = 10


def modules(folder: str) -> dict[str, Path]:
    """Return the file of each module below a folder, by its dotted name."""
    files = {path.relative_to(ROOT).with_suffix(""): path for path in (ROOT / folder).rglob("*.py")}
    return {".".join(name.parts).removesuffix(".__init__"): path for name, path in files.items()}


MODULES = modules("scripts/lib") | {
    name: path for name, path in modules("service").items() if not name.startswith("service.client.")
}


@cache
def imported(module: str) -> frozenset[str]:
    """Return the modules of ours that a module imports, in functions too."""
    names = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    packages = {name.rsplit(".", 1)[0] for name in names}
    return frozenset(name for name in names & set(MODULES) if name not in packages or MODULES[name].stem != "__init__")


def floor(module: str) -> int:
    """Return the place of a module's room, counted from the ground floor."""
    below = "scripts.lib." if module.startswith("scripts.lib") else "service."
    parts = module.removeprefix(below).split(".")
    if below == "service." and parts[0] in service.TOP:
        return len(service.ROOMS)
    return (ROOMS if below == "scripts.lib." else service.ROOMS).index(parts[0] if len(parts) > 1 else "")


@pytest.mark.parametrize("folder", ["scripts.lib", "service"])
def test_no_import_runs_up(folder: str) -> None:
    inside = [module for module in MODULES if module.startswith(f"{folder}.") and MODULES[module].stem != "__init__"]
    up = [f"{module} -> {name}" for module in inside for name in imported(module)
          if name.startswith(f"{folder}.") and floor(name) > floor(module)]  # fmt: skip
    assert up == []


def test_imports_make_no_circle() -> None:
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join((*path, module))
        if module not in done:
            for name in imported(module) - {module}:
                visit(name, (*path, module))
            done.add(module)

    for module in MODULES:
        visit(module, ())


def test_service_imports_of_the_library_only_what_is_public() -> None:
    allowed = {f"scripts.lib.{name}" for name in public.MODULES} | {"scripts.lib"}
    used = {name for module in MODULES if module.startswith("service") for name in imported(module)
            if name.startswith("scripts")}  # fmt: skip
    assert used - {"scripts.lib"} == allowed - {"scripts.lib"}


def test_library_imports_nothing_of_the_service() -> None:
    assert [name for module in MODULES if module.startswith("scripts") for name in imported(module)
            if name.startswith("service")] == []  # fmt: skip


def test_service_spans_ten_levels_at_most() -> None:
    @cache
    def chain(module: str) -> tuple[str, ...]:
        below = [chain(name) for name in imported(module) if name.startswith("service.") and name != module]
        return (module, *max(below, key=len, default=()))

    longest = max((chain(module) for module in MODULES if module.startswith("service.")), key=len)
    assert len(longest) <= MOST_LEVELS, " -> ".join(longest)


def test_no_room_is_crowded() -> None:
    rooms = Counter(path.parent.relative_to(ROOT).as_posix() for path in MODULES.values() if path.stem != "__init__")
    assert {room: count for room, count in rooms.items() if count > MOST_MODULES} == {}


def test_no_two_classes_share_a_name() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in MODULES.values()]
    names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert [name for name, count in names.items() if count > 1] == []
