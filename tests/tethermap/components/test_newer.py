"""Definitions from the files server: requested once, cached, validated; a broken network is an error, never a guess."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from tests.tethermap.components.test_index import CIF
from tethermap.base.errors import UserError
from tethermap.components.index import ComponentIndex
from tethermap.components.newer import ComponentFiles
from tethermap.run.http import HttpAnswer, HttpClient, HttpError


class Server:
    """Stands for the HTTP client; answers from a dictionary of addresses."""

    def __init__(self, answers: dict[str, HttpAnswer | HttpError]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def get(self, url: str, *, problem: Callable[[HttpAnswer], str]) -> HttpAnswer:
        self.asked.append(url)
        answer = self.answers.get(url, HttpAnswer(404, b"not found"))
        if isinstance(answer, HttpError):
            raise answer
        if answer.status == 200 and (detail := problem(answer)):
            raise HttpError(detail, attempts=5, host="files.test", unreachable=False)
        return answer


URL = "https://files.test/ligands/download/ZZZZ9.cif"


def _files(cache: Path, answers: dict[str, HttpAnswer | HttpError]) -> tuple[ComponentFiles, Server]:
    server = Server(answers)
    return ComponentFiles(cache, cast(HttpClient, server), "https://files.test/download"), server


def test_definition_is_fetched_once_for_all_jobs(tmp_path: Path, component_index: Path) -> None:
    files, server = _files(tmp_path, {URL: HttpAnswer(200, CIF.encode())})
    component = ComponentIndex(component_index, fetch=files).get("ZZZZ9")
    assert component is not None
    assert component.name == "a new one"
    again, silent = _files(tmp_path, {})
    assert again("ZZZZ9") == CIF
    assert (server.asked, silent.asked) == ([URL], [])


def test_unknown_code_returns_none(tmp_path: Path) -> None:
    files, server = _files(tmp_path, {})
    assert files("ZZZZ8") is None
    assert len(server.asked) == 1
    assert not (tmp_path / "components").exists()


@pytest.mark.parametrize("code", ["../x", "", "TOOLONG", "a b", "abc"])
def test_invalid_code_is_never_requested(code: str, tmp_path: Path) -> None:
    files, server = _files(tmp_path, {})
    assert files(code) is None
    assert server.asked == []


@pytest.mark.parametrize("content", [b"<html>busy</html>", b"data_X\n_cell.a 1\n", b"\xff\xfe"])
def test_page_in_the_place_of_a_definition_is_not_kept(content: bytes, tmp_path: Path) -> None:
    files, _ = _files(tmp_path, {URL: HttpAnswer(200, content)})
    with pytest.raises(UserError, match="component ZZZZ9 is not available"):
        files("ZZZZ9")
    assert not (tmp_path / "components").exists()


def test_unreachable_server_ends_the_job_as_an_upstream_failure(tmp_path: Path) -> None:
    error = HttpError("no connection", attempts=5, host="files.test", unreachable=True)
    files, _ = _files(tmp_path, {URL: error})
    with pytest.raises(UserError) as raised:
        files("ZZZZ9")
    assert raised.value.kind == "upstream"
    assert "source.components" in raised.value.message
