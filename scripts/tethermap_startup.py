"""Spares each run modules of Snakemake that take long to load and that it has no use for.

Its Slurm plugin, which Snakemake loads whatever the executor, loads pandas for a report that it may make: 0.5 s of CPU
in each run. Each script loads all that Snakemake knows of files to read its own params, the function that runs shell
commands, and all of Snakemake's logging for the name of a logger: 0.15 s. To read a profile Snakemake loads NumPy, to
look at a path what speaks HTTP, for its own reports what measures pictures, to tell Python scripts from notebooks what
reads notebooks: 0.2 s. All come before any line of ours, so `make setup` has Python load this module at its start
(`tethermap.pth` in the environment). It puts off some modules until something is asked of them, and leaves out three
packages where they serve values, addresses and pictures that no run of ours has; where it is not loaded, runs are
slower and otherwise the same.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # `typing` would have to be loaded
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
else:
    ModuleType = type(sys)

PUT_OFF: dict[str, tuple[str, ...]] = {
    "snakemake_executor_plugin_slurm.efficiency_report": ("create_efficiency_report",),
}
"""Modules that are loaded when something is asked of them, with the names that can be imported from them before."""

LOGGERS: tuple[str, ...] = ()
"""Modules of which a logger of their own name is wanted, as a rule nothing else."""

SCRIPT_SERVER = "scripts.lib.run.script_server"
"""The module that scripts are forked from."""

SPARED: dict[str, str] = {}
"""Modules that do without a package where it is not installed, and that package."""

if any("/.snakemake/scripts/" in word for word in sys.orig_argv[1:2]) or SCRIPT_SERVER in sys.orig_argv:
    PUT_OFF["snakemake.shell"] = ("shell",)
    PUT_OFF["snakemake.io"] = ("_IOFile", "strip_wildcard_constraints")  # named by what the params are kept in
    LOGGERS = ("snakemake.logging",)

if any(word.rpartition("/")[2] == "snakemake" for word in sys.orig_argv[:4]):
    PUT_OFF["nbformat"] = ()
    SPARED = {
        "yte.value_handler": "numpy",
        "smart_open.http": "requests",
        "smart_open.webhdfs": "requests",
        "docutils.parsers.rst.directives.images": "PIL",
    }

HIDDEN = ("pandas", "numpy")
"""What rules/common.smk hides from Snakemake itself."""


class Spared:
    """Loads some modules as if a package were not installed, which they are prepared for."""

    def find_spec(self, name: str, path: Sequence[str] | None, _: object = None) -> ModuleSpec | None:
        """Return what loads one of the modules, as Python asks of what stands in `sys.meta_path`."""
        package = SPARED.get(name)
        if package is None or package in sys.modules:
            return None
        from importlib.machinery import PathFinder

        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                sys.modules[package] = None  # type: ignore[assignment]
                try:
                    load(module)
                finally:
                    del sys.modules[package]

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


class Unloaded(type):
    """A name of a module that is put off: called, asked for an attribute or for its kind, it is what it stands for."""

    def __call__(cls, *arguments: object, **named: object) -> object:
        """Call what this stands for."""
        return cls._real()(*arguments, **named)

    def __instancecheck__(cls, value: object) -> bool:
        """Tell whether a value is one of what this stands for."""
        return isinstance(value, cls._real())

    def __getattr__(cls, name: str) -> object:
        """Return an attribute of what this stands for."""
        return getattr(cls._real(), name)

    def _real(cls) -> type:
        real: type = getattr(_load(cls.__module__), cls.__name__)
        return real


class PutOff(ModuleType):
    """A module that is loaded when something is asked of it that it has not."""

    def __getattr__(self, name: str) -> object:
        """Return what the module itself has of this name."""
        if name.startswith("__"):  # as is asked of every module
            raise AttributeError(name)
        return getattr(_load(self.__name__), name)


def _load(name: str) -> ModuleType:
    """Return a module itself, loaded now if it was put off until now."""
    from importlib import import_module

    if isinstance(sys.modules[name], PutOff):
        for other in (name, *(hidden for hidden in HIDDEN if sys.modules.get(hidden, hidden) is None)):
            sys.modules.pop(other, None)
    return import_module(name)


class Deferred:
    """Finds some modules the first time, each with names that load the module when they are used, or with a logger."""

    def __init__(self) -> None:
        self._left = {*PUT_OFF, *LOGGERS}

    def find_spec(self, name: str, path: Sequence[str] | None, _: object = None) -> ModuleSpec | None:
        """Return this as what loads one of the modules, as Python asks of what stands in `sys.meta_path`."""
        if name not in self._left:
            return None
        self._left.remove(name)
        from importlib.machinery import ModuleSpec, PathFinder

        own = PathFinder.find_spec(name, path)
        if own is None:  # not installed
            return None
        spec = ModuleSpec(name, self)  # type: ignore[arg-type]
        spec.submodule_search_locations = own.submodule_search_locations
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module, with nothing in it."""
        return PutOff(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its logger or the names that it has before it is loaded."""
        name = module.__name__
        if name in LOGGERS:
            import logging

            module.logger = logging.getLogger(name)  # type: ignore[attr-defined]
        for known in PUT_OFF.get(name, ()):
            setattr(module, known, Unloaded(known, (), {"__module__": name}))


sys.meta_path[:0] = [Deferred(), Spared()]
