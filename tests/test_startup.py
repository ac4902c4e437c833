"""What Python loads at its start in the environment, and what Snakemake then leaves unloaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.runs import ROOT

STARTUP = ROOT / "scripts" / "tethermap_startup.py"
LOADED = f"""
import runpy, sys
runpy.run_path({str(STARTUP)!r})
"""


def run(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(LOADED + text, encoding="utf-8")
    return subprocess.run([sys.executable, str(path)], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("hidden", [True, False])
def test_efficiency_report_of_slurm_loads_pandas_when_it_is_made(tmp_path: Path, hidden: bool) -> None:
    pytest.importorskip("snakemake_executor_plugin_slurm")
    told = run(
        tmp_path / "main.py",
        "import logging, snakemake_executor_plugin_slurm as plugin\n"
        f"before = 'pandas' in sys.modules\nif {hidden}: sys.modules['pandas'] = sys.modules['numpy'] = None\n"
        "plugin.create_efficiency_report(0.8, 'no-run', None, logging.getLogger())\n"
        "print(before, hasattr(sys.modules['pandas'], 'DataFrame'))\n",
    )
    assert told.split() == ["False", "True"]


def test_script_loads_what_runs_shell_commands_when_it_runs_one(tmp_path: Path) -> None:
    told = run(
        tmp_path / ".snakemake" / "scripts" / "tmp1.step.py",
        "from snakemake.iocontainers import Snakemake\nfrom snakemake.shell import shell\n"
        "print('asyncio' in sys.modules, list(shell('echo there', iterable=True)))\n",
    )
    assert told.strip() == "False ['there']"


def test_script_reads_its_params_without_what_snakemake_knows_of_files_which_it_still_has(tmp_path: Path) -> None:
    told = run(
        tmp_path / ".snakemake" / "scripts" / "tmp1.step.py",
        "import inspect, snakemake.io as early\nfrom snakemake.iocontainers import Params\n"
        "inspect.getmodule(lambda: 0)\nprint(Params(toclone=['a', 'b']), 'asyncio' in sys.modules)\n"
        "print(list(Params(toclone=['a'], plainstr=True)), list(Params(toclone=['{b,x}'], strip_constraints=True)))\n"
        "from snakemake.io import AnnotatedString, expand\n"
        "import snakemake.io.fmt\n"
        "print(expand('{a}.x', a=[1, 2]), AnnotatedString('c'), early.expand is expand, 'asyncio' in sys.modules)\n",
    )
    assert told.splitlines() == ["a b False", "['a'] ['{b}']", "['1.x', '2.x'] c True True"]


def test_script_has_snakemakes_logger_without_what_else_logs(tmp_path: Path) -> None:
    told = run(
        tmp_path / ".snakemake" / "scripts" / "tmp1.step.py",
        "from snakemake.iocontainers import Snakemake\nfrom snakemake.logging import logger\n"
        "print(logger.name, 'snakemake_interface_logger_plugins' in sys.modules)\n",
    )
    assert told.split() == ["snakemake.logging", "False"]


def test_snakemake_itself_has_what_runs_shell_commands(tmp_path: Path) -> None:
    assert (
        run(tmp_path / "snakemake", "from snakemake.shell import shell\nprint(type(shell))").strip() == "<class 'type'>"
    )


def test_snakemake_reads_profiles_without_numpy_which_others_still_have(tmp_path: Path) -> None:
    told = run(
        tmp_path / "snakemake",
        "from smart_open import parse_uri\nimport yte\n"
        "print(yte.process_yaml('a: 1'), parse_uri('/x').scheme, 'numpy' in sys.modules, 'requests' in sys.modules)\n"
        "import numpy, requests\nprint(numpy.zeros(1), requests.get)\n",
    )
    assert told.startswith("{'a': 1} file False False\n[0.]")


def test_snakemake_tells_scripts_from_notebooks_without_reading_notebooks_which_it_still_can(tmp_path: Path) -> None:
    told = run(
        tmp_path / "snakemake",
        "import nbformat, docutils.parsers.rst.directives.images as images\n"
        "import inspect, nbformat\ninspect.getmodule(lambda: 0)\n"
        "print('traitlets' in sys.modules, images.PIL)\n"
        """empty = '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'\n"""
        "print(nbformat.reads(empty, as_version=nbformat.NO_CONVERT)['cells'])\n"
        "import PIL.Image\nprint(PIL.Image.new('L', (1, 1)).size)\n",
    )
    assert told.splitlines() == ["False None", "[]", "(1, 1)"]


def test_other_processes_load_them_as_ever(tmp_path: Path) -> None:
    assert run(tmp_path / "other", "import yte\nprint('numpy' in sys.modules)").strip() == "True"


def test_a_module_that_is_not_installed_is_not_found(tmp_path: Path) -> None:
    told = run(
        tmp_path / "snakemake",
        "import site\nsys.path[:] = [place for place in sys.path if 'site-packages' not in place]\n"
        "try:\n    import nbformat\nexcept ModuleNotFoundError as error:\n    print(error.name)\n",
    )
    assert told.strip() == "nbformat"
