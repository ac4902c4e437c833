"""Spares each run modules of Snakemake that take long to load and that it has no use for.

Its Slurm plugin, which Snakemake loads whatever the executor, loads pandas for a report that it may make: 0.5 s of CPU
in each run. Each script loads the function that runs shell commands, and all of Snakemake's logging for the name of a
logger: 0.08 s. To read a profile Snakemake loads NumPy,
to look at a path what speaks HTTP, for its own reports what measures pictures, to tell Python scripts from notebooks
what reads notebooks: 0.2 s. All come before any line of ours, so `make setup` has Python load this module at its start
(`tethermap.pth` in the environment). It puts off two functions and a package until they are asked for, and leaves out
three packages where they serve values, addresses and pictures that no run of ours has; where it is not loaded, runs are
slower and otherwise the same.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # `typing` would have to be loaded
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

FUNCTIONS = {"snakemake_executor_plugin_slurm.efficiency_report": "create_efficiency_report"}
"""The one function that is asked of a module, by module."""

LOGGERS: tuple[str, ...] = ()
"""Modules of which a logger of their own name is wanted and nothing else."""

if any("/.snakemake/scripts/" in word for word in sys.orig_argv[1:2]):
    FUNCTIONS["snakemake.shell"] = "shell"
    LOGGERS = ("snakemake.logging",)

HIDDEN = ("pandas", "numpy")
"""What rules/common.smk hides from Snakemake itself."""


SPARED = {
    "yte.value_handler": "numpy",
    "smart_open.http": "requests",
    "smart_open.webhdfs": "requests",
    "docutils.parsers.rst.directives.images": "PIL",
}
"""Modules of Snakemake's own process that do without a package where it is not installed, and that package."""

LAZY: tuple[str, ...] = ("nbformat",)
"""Modules of Snakemake's own process that are loaded when something is asked of them, such as of a notebook."""

if not any(word.rpartition("/")[2] == "snakemake" for word in sys.orig_argv[:4]):
    SPARED, LAZY = {}, ()


class Spared:
    """Loads some modules as if a package were not installed, which they are prepared for, and lazy ones when asked."""

    def find_spec(self, name: str, path: Sequence[str] | None, _: object = None) -> ModuleSpec | None:
        """Return what loads one of the modules, as Python asks of what stands in `sys.meta_path`."""
        if name in LAZY:
            return _lazy(name)
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


def _lazy(name: str) -> ModuleSpec | None:
    """Return what loads a module the first time that something is asked of it."""
    from importlib.machinery import PathFinder
    from importlib.util import LazyLoader

    spec = PathFinder.find_spec(name)
    if spec is not None and spec.loader is not None:
        spec.loader = LazyLoader(spec.loader)
    return spec


class Deferred:
    """Finds these modules the first time, each with a function that loads the module when it is called, or a logger."""

    def __init__(self) -> None:
        self._left = {*FUNCTIONS, *LOGGERS}

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        """Return this as what loads one of the modules, as Python asks of what stands in `sys.meta_path`."""
        if name not in self._left:
            return None
        self._left.remove(name)
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self)  # type: ignore[arg-type]

    def create_module(self, _: ModuleSpec) -> None:
        """Leave it to Python to make the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its function or its logger."""
        name = module.__name__
        if name in LOGGERS:
            import logging

            module.logger = logging.getLogger(name)  # type: ignore[attr-defined]
            return

        def deferred(*arguments: object, **named: object) -> object:
            from importlib import import_module

            for other in (name, *(hidden for hidden in HIDDEN if sys.modules.get(hidden, hidden) is None)):
                sys.modules.pop(other, None)
            return getattr(import_module(name), FUNCTIONS[name])(*arguments, **named)

        setattr(module, FUNCTIONS[name], deferred)


sys.meta_path[:0] = [Deferred(), Spared()]
