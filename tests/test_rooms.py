"""The rooms of the library and of the service: which module may import which, and how many live in one room."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import service
from tests.tools.runs import ROOT
from tethermap import public
from tethermap.rooms import ROOMS

MOST_MODULES = 20
MOST_LEVELS = 10


def modules(folder: str) -> dict[str, Path]:
    """Return the file of each module below a folder, by its dotted name."""
    top = (ROOT / folder).parent
    files = {path.relative_to(top).with_suffix(""): path for path in (ROOT / folder).rglob("*.py")}
    return {".".join(name.parts).removesuffix(".__init__"): path for name, path in files.items()}


MODULES = modules("scripts/tethermap") | {
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
    top, *parts = module.split(".")
    rooms = ROOMS if top == "tethermap" else service.ROOMS
    if top == "service" and parts[0] in service.TOP:
        return len(rooms)
    inside = [room for room in rooms if not room or f"{'.'.join(parts[:-1])}.".startswith(f"{room}.")]
    return rooms.index(max(inside, key=len))


@pytest.mark.parametrize("folder", ["tethermap", "service"])
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
    allowed = {f"tethermap.{name}" for name in public.MODULES} | {"tethermap"}
    used = {name for module in MODULES if module.startswith("service") for name in imported(module)
            if name.startswith("tethermap")}  # fmt: skip
    assert used - {"tethermap"} == allowed - {"tethermap"}


def test_library_imports_nothing_of_the_service() -> None:
    assert [name for module in MODULES if module.startswith("tethermap") for name in imported(module)
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
    inner = [path for name, path in MODULES.items() if name not in ("tethermap.job", "tethermap.analysis")]
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in inner]
    names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert [name for name, count in names.items() if count > 1] == []
