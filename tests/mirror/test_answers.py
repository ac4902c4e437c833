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


def test_forty_questions_of_an_agent_are_answered_in_whole_rows(service: LiveService, kept: list[Row]) -> None:
    """The session of a chemist: from the job to eight ligands, and the pages of a long list."""
    job = service.jobs / JOB_ID
    answers, exits = rows_of(job, layout.EXIT_ANSWERS), rows_of(job, layout.EXIT_VECTORS)
    contacts, entries = rows_of(job, layout.CONTACTS), rows_of(job, layout.ENTRY_STATUS)
    areas = {row["stem"]: float(row["SASA_in_complex_A2"]) for row in kept}
    ligands = list(dict.fromkeys(row["Warhead"] for row in answers if row["answer_rank"] == "1"))[::20][:8]
    asked = 0

    async def ask(client: mcp.Client, tool: str, **given: Any) -> Any:
        nonlocal asked
        asked += 1
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
            assert (await ask(client, "job_status"))["status"] == "completed"
            lost = [row["pdb_id"] for row in entries if row["kept"] == "False"]
            given = {"table": "entries", "filters": {"kept": False}, "columns": ["pdb_id"], "limit": 500}
            assert sorted(row["pdb_id"] for row in (await ask(client, "rows", **given))["rows"]) == sorted(lost)
            most = await ask(client, "rows", sort="-SASA_in_complex_A2", limit=1, columns=["stem"])
            assert areas[most["rows"][0]["stem"]] == max(areas.values())
            for ligand in ligands:
                found = (await ask(client, "answers", ligand=ligand))["answers"]
                own = [row for row in answers if row["Warhead"] == ligand and int(row["answer_rank"]) <= 3]
                assert [(row["site"], row["anchor_atom"]) for row in found] == [
                    (row["site"], row["anchor_atom"]) for row in own
                ]
                sizes: Counter[tuple[str, ...]] = Counter()
                for row, cells in zip(found, own, strict=True):
                    sizes[cells["group"], cells["site"], cells["InChIKey"]] += len(
                        json.dumps(row, ensure_ascii=False).encode()
                    )
                assert max(sizes.values()) <= 2000
                stem = own[0]["best_stem"]
                entry, chain, _, residue = stem.rsplit("_", 3)
                place = {"pdb_id": entry, "chain": chain, "residue_id": residue}
                best = (await ask(client, "exits", **place, top=3))["exits"]
                ranked = [row for row in exits if row["stem"] == stem and row["rank"] in ("1", "2", "3")]
                assert [row["anchor_atom"] for row in best] == [row["anchor_atom"] for row in ranked]
                area = (await ask(client, "exposure", **place))["totals"]["sasa_bound"]
                assert area == pytest.approx(areas[stem], abs=0.06)
                given = {"table": "contacts", "filters": {"stem": stem}, "limit": 1}
                touched = await ask(client, "rows", **given)
                assert touched["total"] == sum(row["stem"] == stem for row in contacts)
            following: Any = {
                "columns": ["Warhead", "anchor_atom", "action", "evidence_reasons"],
                "limit": 1000,
                "top": 99,
            }
            read: list[Row] = []
            for _ in range(5):  # pages of a long list
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
    assert asked >= 40
