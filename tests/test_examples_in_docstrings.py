"""The examples in docstrings give the shown output."""

import doctest
import importlib

import pytest

from tests.test_rooms import MODULES

SHOWN = sorted(name for name, path in MODULES.items() if "\n    >>> " in path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", SHOWN)
def test_examples_give_the_shown_output(name: str) -> None:
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.attempted
    assert not outcome.failed
