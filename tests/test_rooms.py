"""The rooms of the library and of the service: which module may import which, and how many live in one room."""

import ast
from collections import Counter
from collections.abc import Iterable
from functools import cache
from graphlib import TopologicalSorter
from operator import itemgetter
from pathlib import Path

import pytest

import service
from tests.tools.runs import ROOT, grouped
from tethermap import public
from tethermap.rooms import ROOMS

MOST_MODULES = 21
MOST_LEVELS = 13
MOST_ROOMS, MOST_FLOORS, MOST_ARROWS = 38, 13, 200


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
    """Return the modules of this repository that a module imports, in functions too."""
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
    TopologicalSorter({module: imported(module) - {module} for module in MODULES}).prepare()


def test_service_imports_only_public_names_of_the_library() -> None:
    allowed = {f"tethermap.{name}" for name in public.MODULES} | {"tethermap"}
    used = {name for module in MODULES if module.startswith("service") for name in imported(module)
            if name.startswith("tethermap")}  # fmt: skip
    assert used - {"tethermap"} == allowed - {"tethermap"}


def test_library_imports_nothing_of_the_service() -> None:
    assert [name for module in MODULES if module.startswith("tethermap") for name in imported(module)
            if name.startswith("service")] == []  # fmt: skip


def room(module: str) -> str:
    """Return the room of a module; the modules above all rooms of the service form a separate room."""
    package = module if MODULES[module].stem == "__init__" else module.rpartition(".")[0]
    return "service.TOP" if package == "service" and module.rpartition(".")[2] in service.TOP else package


@cache
def arrows() -> frozenset[tuple[str, str]]:
    """Return the pairs of rooms of which the first imports the second."""
    pairs = ((room(module), room(name)) for module in MODULES for name in imported(module))
    return frozenset((one, other) for one, other in pairs if one != other)


def test_rooms_are_few_and_know_few_others() -> None:
    rooms = {room(module) for module in MODULES if MODULES[module].stem != "__init__"}
    assert len(rooms) <= MOST_ROOMS, sorted(rooms)
    assert len(arrows()) <= MOST_ARROWS, sorted(arrows())


def longest_chain(pairs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the longest chain of arrows that each begin where the one before ends."""
    below = grouped(pairs, itemgetter(0))

    @cache
    def chain(one: str) -> tuple[str, ...]:
        return (one, *max((chain(other) for _, other in below.get(one, ())), key=len, default=()))

    return max(map(chain, below), key=len)


def test_rooms_and_modules_of_the_service_have_few_levels() -> None:
    service_arrows = [(module, name) for module in MODULES for name in imported(module) - {module}
                      if module.startswith("service.") and name.startswith("service.")]  # fmt: skip
    for pairs, most in ((arrows(), MOST_FLOORS), (service_arrows, MOST_LEVELS)):
        longest = longest_chain(pairs)
        assert len(longest) <= most, " -> ".join(longest)


def test_core_imports_no_extra() -> None:
    """Neither its own nor, in the service, one of the library."""
    core = [module for module in MODULES if ".extras." not in module]
    assert [(module, name) for module in core for name in imported(module) if ".extras." in name] == []


def test_no_room_is_crowded() -> None:
    rooms = Counter(path.parent.relative_to(ROOT).as_posix() for path in MODULES.values() if path.stem != "__init__")
    assert {room: count for room, count in rooms.items() if count > MOST_MODULES} == {}


def test_no_two_classes_share_a_name() -> None:
    inner = [path for name, path in MODULES.items() if name not in ("tethermap.job", "tethermap.analysis")]
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in inner]
    names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert [name for name, count in names.items() if count > 1] == []
