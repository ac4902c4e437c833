"""The stand-in as a fixture, for the conftest files of the tests that need it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lib.sources.make import cif_text, pdb_text, write
from tests.standin import StandIn

__all__ = ["served", "standin"]


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandIn]:
    """A stand-in that serves six small entries; two withdrawn ones lead to one of them, one to nothing."""
    folder = tmp_path_factory.mktemp("served")
    for number in range(1, 6):
        text = cif_text(f"{number}abc", title=f"EGFR kinase number {number}", gene="EGFR", uniprot="P00533")
        write(folder / f"{number}abc.cif.gz", text)
    write(folder / "6abc.pdb.gz", pdb_text("6abc", "A LIGASE"))
    removed = {"1old": ("2old",), "2old": ("3abc",), "1gon": ()}
    with StandIn(folder, removed) as running:
        yield running


@pytest.fixture
def standin(served: StandIn, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """The stand-in without faults, with the environment that leads to it."""
    served.reset()
    for name, value in served.environment.items():
        monkeypatch.setenv(name, value)
    return served
