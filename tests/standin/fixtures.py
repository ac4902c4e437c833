"""The stand-in as a fixture, for the conftest files of the tests that need it."""

from collections.abc import Iterator

import pytest

from tests.standin import StandIn
from tests.tethermap.fit.make import report_cif, report_xml
from tests.tethermap.sources.make import cif_text, pdb_text, write

__all__ = ["served", "standin"]


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandIn]:
    """A stand-in that serves six small entries, and validation reports of three.

    Two withdrawn entries lead to one of them, one to nothing.
    """
    folder = tmp_path_factory.mktemp("served")
    for number in range(1, 6):
        text = cif_text(f"{number}abc", title=f"EGFR kinase number {number}", gene="EGFR", uniprot="P00533")
        write(folder / f"{number}abc.cif.gz", text)
    write(folder / "6abc.pdb.gz", pdb_text("6abc", "A LIGASE"))
    reports = folder.with_name("reports")
    for name, text in (("1abc", report_cif("1abc")), ("2abc", report_cif("2abc")), ("3abc", report_xml("3abc"))):
        form = "xml" if text.startswith("<") else "cif"
        write(reports / "ab" / name / f"{name}_validation.{form}.gz", text)
    removed = {"1old": ("2old",), "2old": ("3abc",), "1gon": ()}
    with StandIn(folder, removed, reports=reports) as running:
        yield running


@pytest.fixture
def standin(served: StandIn, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """The stand-in without faults, with the environment that leads to it."""
    served.reset()
    served.use(monkeypatch)
    return served
