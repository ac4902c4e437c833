"""Definitions from the files server: requested once, cached, validated; a broken network is an error, never a guess."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.standin import StandIn
from tests.tethermap.components.test_index import CIF
from tethermap.base.errors import UserError
from tethermap.components.index import ComponentIndex
from tethermap.components.newer import ComponentFiles
from tethermap.run.http import HttpClient


@pytest.fixture
def files(standin: StandIn, tmp_path: Path) -> Iterator[ComponentFiles]:
    assert standin.seen == []
    with closing(HttpClient()) as http:
        yield ComponentFiles(tmp_path, http)


def test_definition_is_fetched_once_for_all_jobs(
    files: ComponentFiles, standin: StandIn, tmp_path: Path, component_index: Path
) -> None:
    standin.components["ZZZZ9"] = CIF.encode()
    component = ComponentIndex(component_index, fetch=files).get("ZZZZ9")
    assert component is not None
    assert component.name == "a new one"
    assert ComponentFiles(tmp_path)("ZZZZ9") == CIF
    assert standin.count("components", "zzzz9") == 1


@pytest.mark.parametrize(
    ("code", "requests"), [("ZZZZ8", 1), *((code, 0) for code in ("../x", "", "TOOLONG", "a b", "abc"))]
)
def test_unknown_code_returns_none_and_an_invalid_one_is_never_requested(
    files: ComponentFiles, standin: StandIn, code: str, requests: int, tmp_path: Path
) -> None:
    assert files(code) is None
    assert len(standin.seen) == requests
    assert not (tmp_path / "components").exists()


@pytest.mark.parametrize("content", [b"<html>busy</html>", b"data_X\n_cell.a 1\n", b"\xff\xfe"])
def test_page_in_the_place_of_a_definition_is_not_kept(
    files: ComponentFiles, standin: StandIn, content: bytes, tmp_path: Path
) -> None:
    standin.components["ZZZZ9"] = content
    with pytest.raises(UserError, match="component ZZZZ9 is not available"):
        files("ZZZZ9")
    assert not (tmp_path / "components").exists()


def test_unreachable_server_ends_the_job_as_an_upstream_failure(files: ComponentFiles, standin: StandIn) -> None:
    standin.fault("components", "refuse")
    with pytest.raises(UserError, match=r"source\.components") as raised:
        files("ZZZZ9")
    assert raised.value.kind == "upstream"
