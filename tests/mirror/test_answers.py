"""The answer per ligand, over all entries: all presentations agree, and agents read them in pages."""

import asyncio
import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx2
import mcp
import pytest

from service.extras.agents import MOST_BYTES
from tests.service.core import LiveService
from tests.tools.answers_told import problems_of_answers
from tests.tools.patience import patience
from tests.tools.runs import ROOT, JobRun, Row, rows_of
from tethermap.base import layout

JOB_ID = "a0000527"


@pytest.fixture(scope="module")
def service(whole: JobRun, kept: list[Row], tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    """A service that has the job."""
    folder = tmp_path_factory.mktemp("answers")
    job = folder / "jobs" / JOB_ID
    shutil.copytree(whole.job, job, copy_function=os.link, symlinks=True, ignore=shutil.ignore_patterns(".snakemake"))
    record = json.loads((ROOT / "data/examples/exam1hpv/job_record.json").read_text(encoding="utf-8"))
    record |= {"job_id": JOB_ID, "source": "api", "target_name": "every entry", "result_rows": len(kept)}
    (job / "job_record.json").write_text(json.dumps(record), encoding="utf-8")
    with LiveService(folder, quick=True) as service:
        yield service


def test_api_page_table_report_and_csv_show_the_same_answers(service: LiveService, kept: list[Row]) -> None:
    job = service.jobs / JOB_ID
    with httpx2.Client(base_url=f"http://127.0.0.1:{service.port}", timeout=patience(60)) as client:
        assert list(problems_of_answers(job, JOB_ID, lambda address: client.get(address).text)) == []
    assert len(rows_of(job, layout.EXIT_ANSWERS)) > len(kept) > 500


def test_agent_gets_the_answers_of_a_large_job_in_pages_of_whole_rows(service: LiveService, kept: list[Row]) -> None:
    """The answers of one ligand take two kilobytes at most; each page has the request for the next."""
    answers = rows_of(service.jobs / JOB_ID, layout.EXIT_ANSWERS)
    entries = rows_of(service.jobs / JOB_ID, layout.ENTRY_STATUS)
    ligands = list(dict.fromkeys(row["Warhead"] for row in answers if row["answer_rank"] == "1"))[::20][:8]

    async def ask(client: mcp.Client, tool: str, **given: Any) -> Any:
        reply = await client.call_tool(tool, {"job_id": JOB_ID, **given})
        text = reply.content[0]
        assert isinstance(text, mcp.types.TextContent)
        answer: Any = reply.structured_content
        is_cut = "cut" in answer
        assert (reply.is_error, len(text.text.encode()) <= MOST_BYTES) == (is_cut, True), (given, text.text[:500])
        assert is_cut <= ("next_call" in answer)
        assert tool == "read_file" or json.loads(text.text) == answer
        return answer

    async def session() -> None:
        async with mcp.Client(f"http://127.0.0.1:{service.port}/mcp") as client:
            lost = [row["pdb_id"] for row in entries if row["kept"] == "False"]
            given = {"table": "entries", "filters": {"kept": False}, "columns": ["pdb_id"], "limit": 500}
            assert sorted(row["pdb_id"] for row in (await ask(client, "rows", **given))["rows"]) == sorted(lost)
            for ligand in ligands:
                found = (await ask(client, "answers", ligand=ligand))["answers"]
                own = [row for row in answers if row["Warhead"] == ligand and int(row["answer_rank"]) <= 3]
                assert [(row["site"], row["anchor_atom"]) for row in found] == [
                    (row["site"], row["anchor_atom"]) for row in own
                ]
                sizes: Counter[tuple[str, ...]] = Counter()
                for row, cells in zip(found, own, strict=True):
                    text = json.dumps(row, ensure_ascii=False)
                    sizes[cells["group"], cells["site"], cells["InChIKey"]] += len(text.encode())
                assert max(sizes.values()) <= 2000
            columns = ["Warhead", "anchor_atom", "action", "evidence_reasons"]
            following: Any = {"columns": columns, "limit": 1000, "top": 99}
            read: list[Row] = []
            for _ in range(5):
                page = await ask(client, "answers", **following)
                read += page["answers"]
                following = page["next_call"]["arguments"]
            assert [(row["Warhead"], row["anchor_atom"]) for row in read] == [
                (row["Warhead"], row["anchor_atom"]) for row in answers[: len(read)]
            ]
            assert len(read) > 500
            file = await ask(client, "read_file", path="Results_Display.csv")
            assert 0 < file["next_call"]["arguments"]["offset"] < len(kept)

    asyncio.run(session())
