"""The tools for agents: forty questions with known answers by the protocol's own client, and valid input."""

import asyncio
import base64
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import mcp
import pytest

from service.extras.agents import MOST_BYTES, MOST_READ, PROTOCOLS, _lines, _page
from service.extras.tools import TOOLS
from service.settings import Token
from tests.service.core import LiveService, hold, local
from tests.tools.patience import wait_until
from tests.tools.runs import ROOT
from tethermap.base import layout
from tethermap.base.tables import EXIT_ANSWERS, Row, Value, read_table

Asked = dict[str, Any]
TOOL = {tool.name: tool for tool in TOOLS}


def sent(http: httpx2.Client, method: str, params: Any = None, **more: Any) -> Any:
    """Return the answer to a message."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}, **more}
    answer = http.post("/mcp", json=message)
    assert answer.status_code == 200, answer.text
    return answer.json()


def called(http: httpx2.Client, tool: str, **arguments: Any) -> Any:
    """Return the result of a tool."""
    result = sent(http, "tools/call", {"name": tool, "arguments": arguments})["result"]
    assert result["isError"] is False, result
    return result.get("structuredContent", result["content"][0]["text"])


def row(answer: Any) -> Any:
    """Return the only row of a table."""
    (only,) = answer["rows"]
    return only


HPV, BAZ, GBT, JOB = "exam1hpv", "exam4cup", "exam1gbt", "the job"
STEM, ANCHOR = "1hpv_A_478_200", "the first exit"
PLACES, OTHERS = (list(read_table(ROOT / "data/examples" / job / layout.EXIT_ANSWERS, EXIT_ANSWERS.usual))
                  for job in (HPV, BAZ))  # fmt: skip
"""Answers of two examples, as their files have them."""


def atoms(keep: Callable[[Row], bool]) -> list[Value]:
    """Return the atoms of amprenavir's answers in question, in their order."""
    return [row["anchor_atom"] for row in PLACES if keep(row)]


def score(row: Row) -> float:
    """Return the score of an answer."""
    return float(str(row["score_median"]))


def found(answer: Any) -> list[Any]:
    """Return the atoms of the answers that a tool has returned."""
    return [one["anchor_atom"] for one in answer["answers"]]


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
    ("Where does a linker leave amprenavir best?", "answers", {"job_id": HPV, "top": 1},
     found, atoms(lambda row: row["answer_rank"] == 1)),
    ("Which of its sites score above 0.9?", "answers",
     {"job_id": HPV, "top": 50, "filters": {"score_median__gte": 0.9}}, found, atoms(lambda row: score(row) >= 0.9)),
    ("Which have evidence A?", "answers", {"job_id": HPV, "top": 50, "filters": {"evidence": "A"}},
     found, atoms(lambda row: row["evidence"] == "A")),
    ("How many sites has it in all?", "answers", {"job_id": HPV, "top": 50, "limit": 1},
     lambda a: (a["count"], a["total"], a["next_call"]["arguments"]["offset"]), (1, len(PLACES), 1)),
    ("Which is the second one?", "answers", {"job_id": HPV, "offset": 1, "limit": 1},
     found, atoms(lambda row: row["answer_rank"] == 2)),
    ("Only atoms and scores of the protease?", "answers",
     {"job_id": HPV, "target": "hiv-1 PROTEASE", "columns": ["anchor_atom", "score_median"]},
     lambda a: a["answers"][0], {name: PLACES[0][name] for name in ("anchor_atom", "score_median")}),
    ("Of which ligands does the job have answers?", "answers", {"job_id": JOB, "top": 1},
     lambda a: sorted(one["Warhead"] for one in a["answers"]), ["478", "GBS", "ZYB"]),
    ("Where does its best exit point?", "exits",
     {"job_id": HPV, "limit": 1, "columns": ["vector_x", "vector_y", "vector_z"]},
     lambda a: round(sum(value**2 for value in a["exits"][0].values()), 2), 1.0),
    ("Which are the third and the fourth exit?", "exits", {"job_id": HPV, "limit": 2, "offset": 2},
     lambda a: [one["rank"] for one in a["exits"]], [3, 4]),
    ("Which exits of the job are open?", "exits",
     {"job_id": JOB, "ligand": "ZYB", "filters": {"closed": False}, "columns": "Warhead"},
     lambda a: {one["Warhead"] for one in a["exits"]}, {"ZYB"}),
    ("Which copies of amprenavir are there in all jobs?", "search_ligands", {"ligand": "478"},
     lambda a: STEM in {one["stem"] for one in a["ligands"]}, True),
    ("Which ligands has 4CUP, and how do they leave?", "search_ligands", {"pdb_id": "4CUP"},
     lambda a: {(one["ligand"], bool(one["answer"]["anchor_atom"])) for one in a["ligands"]}, {("ZYB", True)}),
    ("How far are the halves of amprenavir and ZYB?", "compare", {"a": HPV, "b": BAZ, "limit": 1},
     lambda a: (a["pairs"][0]["a.Warhead"], a["pairs"][0]["b.Warhead"], a["pairs"][0]["basis"], a["total"]),
     ("478", "ZYB", "range", len(PLACES) * len(OTHERS))),
    ("Which cleaned complexes has the HIV example?", "files", {"job_id": HPV, "folder": "WAR_PDB"},
     lambda a: [one["name"] for one in a["files"]], [f"{STEM}.pdb"]),
    ("Which aspartates does amprenavir touch?", "rows",
     {"job_id": HPV, "table": "contacts", "filters": {"partner_component": "ASP"}, "limit": 50},
     lambda a: "25" in {one["partner_residue"] for one in a["rows"]}, True),
    ("Which atom of it is open most?", "rows",
     {"job_id": HPV, "table": "atoms", "sort": "-Exposure_A2", "limit": 1, "columns": ["exact_atom", "Exposure_A2"]},
     lambda a: a["rows"], [{"exact_atom": "C1", "Exposure_A2": 12.21}]),
    ("Which groups of 4CUP were left out?", "rows",
     {"job_id": BAZ, "table": "ligands", "filters": {"kept": False}, "columns": ["ligand", "reason"]},
     lambda a: a["rows"], [{"ligand": "MOH", "reason": "kind_not_kept"}] * 3),
    ("Which site of amprenavir scores highest, blocked or not?", "rows",
     {"job_id": HPV, "table": "answers", "sort": "-score_median", "limit": 1, "columns": ["anchor_atom"]},
     lambda a: a["rows"], [{"anchor_atom": max(PLACES, key=score)["anchor_atom"]}]),
    ("What must be bought for its exits?", "handles", {"job_id": JOB, "stem": STEM},
     lambda a: len(a["handles"]) > 1 and all(one["stem"] == STEM for one in a["handles"]), True),
    ("Which inputs of programs are there for its best exit?", "tool_inputs",
     {"job_id": JOB, "stem": STEM, "anchor": ANCHOR, "tool": "json"},
     lambda a: (a["download_url"].endswith("tool=json"), len(a["files"]) > 0), (True, True)),
]  # fmt: skip


@pytest.fixture(scope="module")
def replies(live: LiveService, done_job: str) -> list[mcp.types.CallToolResult]:
    """The result of each question, sent by the official client in one session."""

    async def ask() -> list[mcp.types.CallToolResult]:
        async with mcp.Client(f"{live.address}/mcp") as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert tools == {tool.name for tool in TOOLS}
            exits = await client.call_tool("exits", {"job_id": done_job, "ligand": "478", "limit": 1})
            assert exits.structured_content is not None
            own = {JOB: done_job, ANCHOR: exits.structured_content["exits"][0]["anchor_atom"]}
            return [
                await client.call_tool(tool, {name: own.get(str(value), value) for name, value in given.items()})
                for _, tool, given, *_ in QUESTIONS
            ]

    return asyncio.run(ask())


@pytest.mark.parametrize("number", range(len(QUESTIONS)), ids=[question[0] for question in QUESTIONS])
def test_question_has_its_known_answer(replies: list[mcp.types.CallToolResult], number: int) -> None:
    *_, read, expected = QUESTIONS[number]
    reply = replies[number]
    (text,) = reply.content
    assert isinstance(text, mcp.types.TextContent)
    assert (reply.is_error, len(text.text.encode()) <= MOST_BYTES) == (False, True), text.text
    if reply.structured_content is not None:
        assert json.loads(text.text) == reply.structured_content
    assert read(reply.structured_content or text.text) == expected


def test_answers_of_a_ligand_take_two_kilobytes(http: httpx2.Client, done_job: str) -> None:
    for job_id in (HPV, BAZ, GBT, done_job):
        sizes: Counter[tuple[str, str]] = Counter()
        for one in called(http, "answers", job_id=job_id)["answers"]:
            sizes[one["Warhead"], one["site"]] += len(json.dumps(one))
        assert 0 < max(sizes.values()) <= 2000


def test_forty_questions_are_answered_and_every_tool_works(
    http: httpx2.Client, live: LiveService, done_job: str
) -> None:
    assert len(QUESTIONS) == 40
    preview = called(http, "preview_job", target_name="BAZ2B", search_query="4CUP")
    assert [entry["pdb_id"] for entry in preview["entries"]] == ["4cup"]
    halves = {"a_smiles": "CC(=O)[*]", "b_smiles": "c1ccccc1O[*]", "linkers": "PEG", "max_linker_atoms": 20}
    made = called(http, "degraders", **halves, limit=2)
    following = made["next_call"]["arguments"]
    assert following == {**halves, "limit": 2, "offset": 2}
    assert called(http, "degraders", **halves, limit=1, offset=1)["degraders"] == made["degraders"][1:]
    assert set(made["degraders"][0]) <= {*TOOL["degraders"].arguments["columns"]["default"]}
    model = http.get(f"/api/jobs/{done_job}/files/TARGET_RESULTS/WAR_PDB/{STEM}.pdb").content
    upload = called(http, "upload", name="model.pdb", base64=base64.b64encode(model).decode())
    assert TOOL["upload"].request({"name": "a.smi", "text": "CCO"})["files"] == [("files", ("a.smi", b"CCO"))]
    gate = hold(live.folder, "search_entries")
    job_id = called(http, "submit_job", target_name="agent", structures=upload["upload_id"])["job_id"]
    called(http, "cancel_job", job_id=job_id)
    gate.unlink()
    assert called(http, "wait_job", job_id=job_id)["status"] == "canceled"
    called(http, "retry_job", job_id=job_id)
    while (state := called(http, "wait_job", job_id=job_id, wait=20))["status"] not in ("completed", "failed"):
        pass
    assert state["status"] == "completed"
    used = {tool for _, tool, *_ in QUESTIONS}
    used |= {"preview_job", "degraders", "upload", "submit_job", "cancel_job", "wait_job", "retry_job"}
    assert used == {tool.name for tool in TOOLS}


def test_long_results_are_errors_cut_after_a_row_with_the_next_call(http: httpx2.Client, done_job: str) -> None:
    rows = [{"name": "ä" * 90, "place": place} for place in range(1000)]
    tool = TOOL["rows"]
    places: list[int] = []
    asked: dict[str, Any] = {"job_id": done_job, "table": "contacts"}
    while len(places) < 1000:
        part, is_cut = _page({"ok": True, "rows": rows[len(places) :], "total": 1000}, tool, asked)
        assert len(json.dumps(part, ensure_ascii=False, separators=(",", ":")).encode()) <= MOST_BYTES
        places += [row["place"] for row in part["rows"]]
        assert is_cut == ("cut" in part) == ("next_call" in part) == (len(places) < 1000)
        asked = part["next_call"]["arguments"] if is_cut else {}
    assert places == list(range(1000))
    part, is_cut = _page({"ok": True, "entries": rows}, TOOL["preview_job"], {})
    assert (is_cut, "next_call" in part) == (True, False)
    part, is_cut = _page({"ok": True, "rows": ["x" * 50_000], "total": 1}, tool, {})
    assert (is_cut, part["rows"]) == (True, [])
    result = sent(http, "tools/call", {"name": "rows", "arguments": {**asked, "job_id": done_job, "table": "exits",
                                                                    "limit": 500}})["result"]  # fmt: skip
    assert (result["isError"], len(result["content"][0]["text"]) <= MOST_BYTES) == (True, True)
    assert result["structuredContent"]["next_call"]["arguments"]["offset"] == result["structuredContent"]["count"]


def test_long_files_are_cut_after_a_line_with_the_next_call(http: httpx2.Client) -> None:
    tool = TOOL["read_file"]
    text = "".join(f"{'ä' * 90} {place}\n" for place in range(1000))
    read, asked = "", {"job_id": HPV, "path": "x.csv"}
    while True:
        content = _lines(text, tool, asked)
        read += content["content"][0]["text"]
        assert len(content["content"][0]["text"].encode()) <= MOST_BYTES
        if not content["isError"]:
            break
        assert json.loads(content["content"][1]["text"]) == content["structuredContent"]
        asked = content["structuredContent"]["next_call"]["arguments"]
    assert read == text
    assert "next_call" not in _lines("x" * 50_000, tool, {})["structuredContent"]
    part = called(http, "read_file", job_id=HPV, path="Results_Display.csv", offset=1)
    assert (part.count("\n"), part.startswith("HIV-1")) == (1, True)
    arguments = {"job_id": HPV, "path": "Results_Display.csv", "offset": -1}
    assert sent(http, "tools/call", {"name": "read_file", "arguments": arguments})["result"]["isError"] is True


def test_an_error_names_some_of_many_unknown_arguments(http: httpx2.Client) -> None:
    arguments = {f"{'x' * 100}{number}": 1 for number in range(2000)}
    result = sent(http, "tools/call", {"name": "job_status", "arguments": arguments})["result"]
    assert result["isError"] is True
    assert len(result["content"][0]["text"]) < 2000


def test_only_the_first_part_of_a_large_file_is_read(http: httpx2.Client, tmp_path: Path) -> None:
    with local(tmp_path) as client:
        job = client.post("/api/jobs", json={"pdb_id": "1hpv"}).json()
        wait_until(lambda: client.get(job["status_url"]).json()["status"] == "completed", 60, "the job to end")
        folder = tmp_path / "jobs" / job["job_id"] / "logs"
        line = b"x" * 99 + b"\n"
        with (folder / "job.log").open("wb") as log:
            log.write(line * (MOST_READ // 100 + 1000))
        asked = {"job_id": job["job_id"], "path": "logs/job.log", "offset": MOST_READ // 100 - 2}
        call = {"name": "read_file", "arguments": asked}
        result = sent(client, "tools/call", call)["result"]
        assert result["isError"] is True
        assert result["content"][0]["text"].encode() == line * 2
        assert "first 8 MB" in result["structuredContent"]["cut"]
        assert "next_call" not in result["structuredContent"]
        (folder / "job.log").write_bytes(b"")
        empty = sent(client, "tools/call", call)["result"]
        assert (empty["isError"], empty["content"][0]["text"]) == (False, "")
    binary = {"job_id": HPV, "path": "TARGET_RESULTS/tables/Contacts.parquet"}
    refused = sent(http, "tools/call", {"name": "read_file", "arguments": binary})["result"]
    assert (refused["isError"], "not text" in refused["content"][0]["text"]) == (True, True)


def test_a_client_is_greeted_and_gets_the_list_of_tools(http: httpx2.Client) -> None:
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


def test_faults_are_reported_so_that_an_agent_can_correct_them(http: httpx2.Client) -> None:
    assert sent(http, "resources/list")["error"]["code"] == -32601
    assert sent(http, "tools/call", {"name": "no_such_tool"})["error"]["code"] == -32602
    assert "object" in sent(http, "tools/call", {"name": "rows", "arguments": [1]})["error"]["message"]
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    for version, status in (("1999-01-01", 400), (PROTOCOLS[-1], 200)):
        assert http.post("/mcp", json=ping, headers={"MCP-Protocol-Version": version}).status_code == status
    without_version = {"id": 1, "method": "ping"}
    for message in (without_version, {"jsonrpc": "2.0", "id": 1}, {"jsonrpc": "2.0", "method": "x", "id": []}):
        assert http.post("/mcp", json=message).status_code == 422, message
    for tool, arguments, says in (
        ("answers", {}, "missing: job_id"),
        ("answers", {"job_id": HPV, "ligands": "478"}, "unknown: ligands"),
        ("job_status", {"job_id": "00000000"}, "JOB_NOT_FOUND"),
        ("search_jobs", {"status": "done"}, "completed"),
        ("answers", {"job_id": HPV, "columns": ["Warhed"]}, "anchor_atom"),
        ("answers", {"job_id": HPV, "target": "EGFR"}, "HIV-1 PROTEASE"),
        ("exits", {"job_id": HPV, "filters": {"scoer": 1}}, "scoer"),
        ("compare", {"a": HPV, "b": BAZ, "columns": "c.Warhead"}, "a.Warhead"),
        ("compare", {"a": HPV, "b": BAZ, "columns": 5}, "a.Warhead"),
        ("answers", {"job_id": HPV, "offset": [1, 2]}, "integer"),
        ("exits", {"job_id": HPV, "filters": "rank=1"}, "object"),
        ("job_status", {"job_id": {"id": HPV}}, "string"),
        ("upload", {"name": "x.pdb", "base64": "!"}, "base64"),
        ("read_file", {"job_id": HPV, "path": "../job_record.json"}, "error"),
    ):
        result = sent(http, "tools/call", {"name": tool, "arguments": arguments})["result"]
        assert result["isError"] is True, tool
        assert says in result["content"][0]["text"], tool


def test_an_agent_has_the_permissions_of_its_token(tmp_path: Path) -> None:
    headers = {"Authorization": "Bearer secret"}
    with local(tmp_path, api_tokens=(Token("ann", "secret"),)) as client:
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
        call["params"] = {"name": "submit_job", "arguments": {"pdb_id": "1hpv"}}
        refused = client.post("/mcp", json=call).json()["result"]
        assert refused["isError"] is True
        assert "UNAUTHORIZED" in refused["content"][0]["text"]
        taken = client.post("/mcp", json=call, headers=headers).json()["result"]
        assert taken["isError"] is False
        client.post(f"/api/jobs/{taken['structuredContent']['job_id']}/cancel", headers=headers)


def test_language_models_get_a_description_of_the_service(http: httpx2.Client) -> None:
    text = http.get("/llms.txt").text
    assert text.startswith("# Tethermap\n")
    for tool in TOOLS:
        assert f"- {tool.name} (" in text
    assert "GET /api/jobs/{job_id}/answers" in text
