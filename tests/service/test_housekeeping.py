"""Odd input is reported and logged, and ends no periodic task."""

import asyncio
import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from service.jobs.durable import read_json, write_json
from service.runs.lifecycle import build_parts
from tests.service.core import client_of, running, settings_in, until
from tethermap.base import layout
from tethermap.base.tables import RESULTS_TABLE

pytestmark = pytest.mark.process


def made_folder(folder: Path, manifest: Mapping[str, Any], cell: str = "") -> Path:
    """Make a job folder with a table of one row, with a text in the first cell."""
    (folder / layout.RESULTS).mkdir(parents=True)
    (folder / layout.MANIFEST).write_text(json.dumps(manifest))
    with (folder / layout.RESULTS_DISPLAY).open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([RESULTS_TABLE.names, [cell, *[""] * (len(RESULTS_TABLE.names) - 1)]])
    return folder


async def adopted(tmp_path: Path, folder: Path) -> dict[str, Any]:
    """Return the message and outcome of adopting a folder."""
    async with running(settings_in(tmp_path), serving=False) as parts:
        answer = await parts.housekeeping.do("adopt", str(folder))
        record = parts.store.get(answer["message"])
        return {**answer, "ready": record.results_ready if record else None}


@pytest.mark.parametrize(
    ("manifest", "name"),
    [
        ({"settings": [1]}, "settings"), ({"settings": {"fasta_seq": 5}}, "fasta_seq"), ({"counts": "many"}, "counts"),
        ({"counts": {"entries_found": [1]}}, "entries_found"), ({"counts": {"entries_kept": True}}, "entries_kept"),
        ({"target_name": {}}, "target_name"), ({"search_query": 1.5}, "search_query"),
    ],
)  # fmt: skip
async def test_a_folder_with_an_odd_manifest_is_refused_by_name(
    tmp_path: Path, manifest: dict[str, Any], name: str
) -> None:
    answer = await adopted(tmp_path, made_folder(tmp_path / "odd", manifest))
    assert (answer["ok"], name in answer["message"]) == (False, True)


async def test_a_table_with_an_endless_cell_is_no_result(tmp_path: Path) -> None:
    cell = "x" * (csv.field_size_limit() + 1)
    answer = await adopted(tmp_path, made_folder(tmp_path / "odd", {}, cell))
    assert (answer["ok"], answer["ready"]) == (True, False)


async def test_a_command_that_meets_a_defect_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("service.runs.queue.record_of_folder", lambda *_, **__: 1 / 0)
    answer = await adopted(tmp_path, tmp_path)
    assert answer["ok"] is False
    assert str(tmp_path) not in answer["message"]
    assert "ZeroDivisionError" in caplog.text


async def test_a_defect_in_one_check_ends_no_task_and_the_end_of_all_checks_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("service.runs.housekeeping.LOOK_SECONDS", 0.02)
    parts = build_parts(settings_in(tmp_path))
    async with client_of(parts) as client:
        await parts.ready.wait()
        with monkeypatch.context() as patched:
            patched.setattr("service.runs.housekeeping._requests", lambda _: 1 / 0)
            await until(lambda: "ZeroDivisionError" in caplog.text)
        parts.store.requests.mkdir()
        await asyncio.to_thread(write_json, parts.store.requests / "1.json", {"command": "prune"})
        answer = await until(lambda: read_json(parts.store.requests / "1.answer.json"), 10)
        assert answer == {"ok": True, "message": "0 jobs removed"}
        assert (await client.get("/api/health")).json()["status"] == "healthy"
        assert parts._keeping is not None
        parts._keeping.cancel()
        await until(parts._keeping.done)
        assert (await client.get("/api/health")).json()["status"] == "degraded"
