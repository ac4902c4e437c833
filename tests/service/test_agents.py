"""The tools for agents: twenty questions on the examples with known answers, and what clients may send."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.extras.agents import MOST_CHARACTERS, _cut
from service.extras.tools import TOOLS
from service.runs.lifecycle import build_parts
from service.settings import Token
from tests.service.core import settings_in
from tests.standin.pipeline import COMMAND

Asked = dict[str, Any]


def sent(http: httpx2.Client, method: str, params: Any = None, **more: Any) -> Any:
    """Return the answer to a message."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}, **more}
    answer = http.post("/mcp", json=message)
    assert answer.status_code == 200, answer.text
    return answer.json()


def called(http: httpx2.Client, tool: str, **arguments: Any) -> Any:
    """Return what a tool has answered."""
    result = sent(http, "tools/call", {"name": tool, "arguments": arguments})["result"]
    assert result["isError"] is False, result
    return result.get("structuredContent", result["content"][0]["text"])


def row(answer: Any) -> Any:
    """Return the only row of a table."""
    (only,) = answer["rows"]
    return only


HPV, BAZ, GBT = "exam1hpv", "exam4cup", "exam1gbt"

QUESTIONS: list[tuple[str, str, Asked, Callable[[Any], Any], Any]] = [
    ("Which example has amprenavir (478)?", "search_jobs", {"ligand": "478", "protein": "HIV-1 protease"},
     lambda a: HPV in {job["job_id"] for job in a["jobs"]}, True),
    ("Is there a job on a zebra kinase?", "search_jobs", {"protein": "zebra kinase"}, lambda a: a["total"], 0),
    ("Which jobs hold entry 4CUP?", "search_jobs", {"pdb_id": "4cup"},
     lambda a: BAZ in {job["job_id"] for job in a["jobs"]}, True),
    ("How did the trypsin example end?", "job_status", {"job_id": GBT}, lambda a: a["status"], "completed"),
    ("How many ligands has the HIV example?", "results", {"job_id": HPV}, lambda a: a["counts"]["war_pdb"], 1),
    ("How many het groups of 4CUP were left out for their kind?", "results", {"job_id": BAZ},
     lambda a: a["rejections"]["by_reason"]["kind_not_kept"], 3),
    ("At which resolution was 1HPV determined?", "rows", {"job_id": HPV, "table": "results"},
     lambda a: row(a)["resolution"], 1.9),
    ("How much of amprenavir is buried?", "rows", {"job_id": HPV, "table": "results"},
     lambda a: round(row(a)["buried_fraction"], 2), 0.95),
    ("Which chains are the target in 1HPV?", "rows", {"job_id": HPV, "table": "results"},
     lambda a: row(a)["target_chains"], "A,B"),
    ("Is the trypsin ligand covalent, and to what?", "rows", {"job_id": GBT, "table": "results"},
     lambda a: (row(a)["covalent"], row(a)["link_residue"]), (True, "SER A 195 OG")),
    ("How occupied is it?", "rows", {"job_id": GBT, "table": "results"}, lambda a: row(a)["occupancy"], 0.85),
    ("What is the formula of ZYB?", "rows", {"job_id": BAZ, "table": "metadata"},
     lambda a: row(a)["Formula"], "C7 H7 F N2 O"),
    ("Was an entry of the BAZ2B example left out?", "rows", {"job_id": BAZ, "table": "entries"},
     lambda a: row(a)["reason"], "kept"),
    ("How large is the area of amprenavir that stays exposed?", "exposure",
     {"job_id": HPV, "pdb_id": "1hpv", "chain": "A", "residue_id": "200"},
     lambda a: round(a["totals"]["sasa_bound"]), 39),
    ("And against one chain alone?", "exposure",
     {"job_id": HPV, "pdb_id": "1hpv", "chain": "A", "residue_id": "200", "context": "chain"},
     lambda a: round(a["totals"]["sasa_bound"]), 324),
    ("Can a linker leave the trypsin ligand by an open way?", "answers", {"job_id": GBT},
     lambda a: all(answer["closed"] for answer in a["answers"] if answer["answer_rank"] == 1), True),
    ("Of which ligands does the HIV example have answers?", "answers", {"job_id": HPV},
     lambda a: {answer["Warhead"] for answer in a["answers"]}, {"478"}),
    ("Do ranked exits of amprenavir begin at heavy atoms of it?", "exits", {"job_id": HPV, "ligand": "478", "top": 3},
     lambda a: all(exit_["anchor_atom"][0] in "CNOS" for exit_ in a["exits"]) and len(a["exits"]) > 0, True),
    ("Which structures can be had of the BAZ2B example?", "files", {"job_id": BAZ, "kind": "war_pdb"},
     lambda a: [file["name"] for file in a["files"]], ["4cup_A_ZYB_2971.pdb"]),
    ("Which bond orders has the ligand file of 1GBT?", "read_file",
     {"job_id": GBT, "path": "TARGET_RESULTS/MCS_Output/MCS_SDF/1gbt_A_GBS_704.sdf"},
     lambda a: (a.splitlines()[0], "V2000" in a, a.rstrip().endswith("$$$$")), ("1gbt_A_GBS_704", True, True)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("tool", "arguments", "read", "expected"), [question[1:] for question in QUESTIONS],
    ids=[question[0] for question in QUESTIONS],
)  # fmt: skip
def test_question_has_its_known_answer(
    http: httpx2.Client, tool: str, arguments: Asked, read: Callable[[Any], Any], expected: Any
) -> None:
    assert read(called(http, tool, **arguments)) == expected


def test_twenty_questions_are_asked_and_every_tool_works(http: httpx2.Client) -> None:
    assert len(QUESTIONS) == 20
    compared = called(http, "compare", a=HPV, b=BAZ, limit=1)
    assert compared["count"] <= 1
    preview = called(http, "preview_job", target_name="BAZ2B", search_query="4CUP")
    assert [entry["pdb_id"] for entry in preview["entries"]] == ["4cup"]
    job = called(http, "submit_job", target_name="agent", search_query="1HPV")
    while (state := called(http, "job_status", job_id=job["job_id"], wait=20))["status"] not in ("completed", "failed"):
        pass
    assert state["has_results"]
    used = {tool for _, tool, *_ in QUESTIONS} | {"compare", "preview_job", "submit_job"}
    assert used == {tool.name for tool in TOOLS}


def test_long_results_are_cut_after_a_row_and_carry_the_next_call(http: httpx2.Client, done_job: str) -> None:
    body = {"ok": True, "rows": [{"name": "ä" * 90, "place": place} for place in range(1000)], "total": 1000}
    tool = next(tool for tool in TOOLS if tool.name == "rows")
    places: list[int] = []
    asked: dict[str, Any] = {"job_id": done_job, "table": "contacts"}
    while len(places) < 1000:
        part = _cut({**body, "rows": body["rows"][len(places) :]}, tool, asked)  # type: ignore[index]
        assert part is not None
        assert len(json.dumps(part, ensure_ascii=False)) <= MOST_CHARACTERS
        places += [row["place"] for row in part["rows"]]
        asked = part["next_call"]["arguments"]
        assert asked["offset"] == len(places)
    assert places == list(range(1000))
    part = _cut(body, next(tool for tool in TOOLS if tool.name == "exits"), {})
    assert part is not None
    assert "next_call" not in part
    assert _cut({"ok": True, "rows": ["x" * 50_000]}, tool, {}) is None
    whole = called(http, "rows", job_id=done_job, table="contacts", limit=100)
    assert called(http, "rows", job_id=done_job, table="contacts", limit=1, offset=1)["rows"] == whole["rows"][1:2]
    chosen = called(http, "rows", job_id=done_job, table="results", filters={"Warhead": "478"})
    assert {row["Warhead"] for row in chosen["rows"]} == {"478"}


def test_a_client_is_greeted_and_told_the_tools(http: httpx2.Client) -> None:
    hello = sent(http, "initialize", {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {}})["result"]
    assert (hello["protocolVersion"], hello["serverInfo"]["name"]) == ("2025-03-26", "tethermap")
    assert sent(http, "initialize", {"protocolVersion": "1999-01-01"})["result"]["protocolVersion"] == "2025-06-18"
    tools = sent(http, "tools/list")["result"]["tools"]
    assert [tool["name"] for tool in tools] == [tool.name for tool in TOOLS]
    assert all(tool["inputSchema"]["type"] == "object" and len(tool["description"]) > 20 for tool in tools)
    assert sent(http, "ping")["result"] == {}
    notified = http.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (notified.status_code, notified.content) == (202, b"")
    assert http.get("/mcp").status_code == 405


def test_what_is_wrong_is_told_so_that_an_agent_can_mend_it(http: httpx2.Client) -> None:
    assert sent(http, "resources/list")["error"]["code"] == -32601
    assert sent(http, "tools/call", {"name": "no_such_tool"})["error"]["code"] == -32602
    for message in (
        {"id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "2.0", "method": "x", "id": []},
    ):
        assert http.post("/mcp", json=message).status_code == 422, message
    for tool, arguments, says in (
        ("answers", {}, "missing: job_id"),
        ("answers", {"job_id": HPV, "ligands": "478"}, "unknown: ligands"),
        ("job_status", {"job_id": "00000000"}, "JOB_NOT_FOUND"),
        ("search_jobs", {"status": "done"}, "completed"),
        ("read_file", {"job_id": HPV, "path": "../job_record.json"}, "error"),
    ):
        result = sent(http, "tools/call", {"name": tool, "arguments": arguments})["result"]
        assert result["isError"] is True, tool
        assert says in result["content"][0]["text"], tool


def test_an_agent_may_do_what_its_token_may(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, api_tokens=(Token("ann", "secret"),))
    with TestClient(create_app(build_parts(settings, snakemake=COMMAND)), "http://localhost") as client:
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
        call["params"] = {"name": "submit_job", "arguments": {"pdb_id": "1hpv"}}
        refused = client.post("/mcp", json=call).json()["result"]
        assert refused["isError"] is True
        assert "UNAUTHORIZED" in refused["content"][0]["text"]
        taken = client.post("/mcp", json=call, headers={"Authorization": "Bearer secret"}).json()["result"]
        assert taken["isError"] is False
        client.post(
            f"/api/jobs/{taken['structuredContent']['job_id']}/cancel", headers={"Authorization": "Bearer secret"}
        )


def test_language_models_are_told_what_there_is(http: httpx2.Client) -> None:
    text = http.get("/llms.txt").text
    assert text.startswith("# Tethermap\n")
    for tool in TOOLS:
        assert f"- {tool.name} (" in text
    assert "GET /api/jobs/{job_id}/answers" in text
