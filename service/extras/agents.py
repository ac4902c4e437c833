"""For agents: tools by the Model Context Protocol, and a page that describes the service to language models."""

import io
import json
import zipfile
from itertools import accumulate
from typing import Any

import httpx2
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from service.addresses import address
from service.errors import invalid_field, wrong_value
from service.extras.tools import TOOLS, Tool, ToolError
from service.http.answer import Answer, Map
from service.http.endpoint import Routes
from service.http.json_body import read_json
from service.http.responses import json_bytes
from service.pages.render import environment
from service.routes.shared import in_thread
from tethermap.base.root import __version__

PROTOCOLS = ("2025-06-18", "2025-03-26")
"""Versions of the protocol, newest first; messages over HTTP are the same in both."""

MOST_BYTES = 40_000
"""Bytes of a result; a longer one is cut after a whole row and marked as an error."""

MOST_READ = 8 << 20
"""Bytes of a file that are read; its address has the rest."""

_PASSED_ON = ("authorization", "cookie", "host", "origin", "sec-fetch-site", "x-forwarded-for")
_CALL_BYTES = 2_000
"""Bytes kept free for the call of the next page."""

_UNKNOWN_METHOD, _WRONG_ARGUMENTS = -32601, -32602

_INSTRUCTIONS = (
    "Tethermap finds PDB entries of a target, cleans every ligand-bound complex and ranks where a linker can leave each"
    " ligand. Search jobs first; curated examples are complete. Submit a job, call wait_job until it has ended, then"
    " read answers. Every response states its confidence: report its evidence and reasons with it. Long lists come"
    " in pages: next_call is the call for the next one; columns selects the columns."
)


class McpResultAnswer(Answer):
    """The result of a call."""

    jsonrpc: str
    id: str | int | float
    result: Map


class McpFailureAnswer(Answer):
    """Error of a message."""

    jsonrpc: str
    id: str | int | float | None
    error: Map


ROUTES = Routes("Agents")


@ROUTES.post(
    "/mcp",
    {200: McpResultAnswer | McpFailureAnswer, 202: ""},
    body="McpMessage",
    changes=False,
    errors=("INVALID_PARAMETER",),
)
async def mcp(request: Request) -> Response:
    """Tools for agents, by the Model Context Protocol."""
    message = await read_json(request)
    method, number = message.get("method"), message.get("id")
    params = message.get("params", {})
    wrong = {
        "jsonrpc": message.get("jsonrpc") != "2.0",
        "method": not isinstance(method, str),
        "id": number is not None and (isinstance(number, bool) or not isinstance(number, str | int | float)),
        "params": not isinstance(params, dict),
    }
    if field := next((name for name, is_wrong in wrong.items() if is_wrong), ""):
        raise invalid_field(field, "is not that of a JSON-RPC 2.0 request")
    version = request.headers.get("mcp-protocol-version", PROTOCOLS[0])
    if version not in PROTOCOLS and method != "initialize":
        raise wrong_value("MCP-Protocol-Version", version, f"one of {', '.join(PROTOCOLS)}", known=list(PROTOCOLS))
    if number is None:  # a notification is not answered
        return Response(status_code=202)
    if method == "tools/call":
        outcome = await _called(request, params)
    elif method == "tools/list":
        outcome = {"result": {"tools": [tool.described() for tool in _tools(request)]}}
    elif method == "initialize":
        outcome = {"result": _greeting(params)}
    elif method == "ping":
        outcome = {"result": {}}
    else:
        outcome = _failure(_UNKNOWN_METHOD, f"There is no method {str(method)[:64]!r}.")
    return Response(json_bytes({"jsonrpc": "2.0", "id": number, **outcome}), media_type="application/json")


def _failure(code: int, message: str) -> Map:
    return {"error": {"code": code, "message": message}}


def _tools(request: Request) -> list[Tool]:
    """Return the tools whose routes are served."""
    paths = {endpoint.plain_path for endpoint in request.app.state.endpoints}
    return [tool for tool in TOOLS if tool.path in paths]


def _greeting(params: dict[str, Any]) -> dict[str, Any]:
    asked = params.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in PROTOCOLS else PROTOCOLS[0],
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": "tethermap", "title": "Tethermap", "version": __version__},
        "instructions": _INSTRUCTIONS,
    }


async def _called(request: Request, params: dict[str, Any]) -> Map:
    """Return the outcome of a call of a tool: an error of the protocol, or its result, which may be an error too."""
    given = params.get("arguments") or {}
    by_name = {tool.name: tool for tool in _tools(request)}
    tool = by_name.get(str(params.get("name")))
    if tool is None:
        return _failure(_WRONG_ARGUMENTS, f"There is no such tool; the tools are {', '.join(by_name)}.")
    if not isinstance(given, dict):
        return _failure(_WRONG_ARGUMENTS, "arguments must be an object.")
    try:
        return {"result": await _result(request, tool, given)}
    except ToolError as error:
        return {"result": _content(str(error), is_error=True)}


async def _result(request: Request, tool: Tool, given: dict[str, Any]) -> Map:
    """Execute a call of a tool as the corresponding API request, with the caller's identity."""
    asked = tool.request(given)
    transport = httpx2.ASGITransport(app=request.app, client=request.client or ("", 0))
    headers = {name: value for name in _PASSED_ON if (value := request.headers.get(name)) is not None}
    if tool.path.endswith("{path}"):
        headers["range"] = f"bytes=0-{MOST_READ - 1}"
    base = f"{request.url.scheme}://localhost"
    async with httpx2.AsyncClient(transport=transport, base_url=base, timeout=None) as api:
        answer = await api.request(**asked, headers=headers)
    return await in_thread(_outcome, answer, tool, given)


def _outcome(answer: httpx2.Response, tool: Tool, given: dict[str, Any]) -> Map:
    """Return the result of a tool for the response of the API, which may be large."""
    if answer.headers.get("content-range", "").startswith("bytes"):
        size = int(answer.headers["content-range"].rpartition("/")[2])
        return _lines(_text_of(answer, size), tool, given, is_whole=size <= MOST_READ)
    is_error = answer.status_code >= 400
    if (body := _object(answer)) is None:
        return _content(answer.text, is_error=is_error)
    if is_error or body.get("ok") is False:
        return _content(answer.text, body, is_error=True)
    body, is_cut = _page(tool.shown(body, given), tool, given)
    return _content(_text(body), body, is_error=is_cut)


def _page(body: dict[str, Any], tool: Tool, given: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return a body with the rows that fit and the call for the next rows, and whether rows were cut."""
    lists = [name for name, value in body.items() if isinstance(value, list)]
    name = tool.rows or max(lists, key=lambda one: _size(body[one]), default="")
    rows, is_cut = list(body.get(name, ())), _size(body) > MOST_BYTES
    skipped = int(given.get("offset") or 0)
    total = body.get("total", skipped + len(rows) + (len(rows) == given.get("limit")))  # a full page may have a next
    if is_cut:
        room = MOST_BYTES - _size({**body, name: []}) - _CALL_BYTES
        sizes = accumulate(_size(row) + len(",") for row in rows)
        rows = [row for row, size in zip(rows, sizes, strict=True) if size <= room]
        told = f"{len(rows)} of {len(body[name])} rows of {name} fit: request the next ones, or fewer columns."
        body = {**body, name: rows, "count": len(rows), "cut": told}
    following = skipped + len(rows)
    if rows and "offset" in tool.arguments and following < total:
        body = {**body, "next_call": {"name": tool.name, "arguments": {**given, "offset": following}}}
    return body, is_cut


def _lines(text: str, tool: Tool, given: dict[str, Any], *, is_whole: bool = True) -> dict[str, Any]:
    """Return the lines of a file, or of its first part, that fit, and after a cut the call for the next lines."""
    skipped = given.get("offset") or 0
    if not isinstance(skipped, int) or skipped < 0:
        raise ToolError("offset must be a whole number of lines from 0.")
    lines = text.splitlines(keepends=True)[skipped:]
    count = sum(size <= MOST_BYTES - _CALL_BYTES for size in accumulate(len(line.encode()) for line in lines))
    content = _content("".join(lines[:count]), is_error=count < len(lines) or not is_whole)
    if content["isError"]:
        part = "" if is_whole else f" in the first {MOST_READ >> 20} MB"
        message = f"{count} of {len(lines)} lines{part} fit; download_url of files has the whole file."
        cut: dict[str, Any] = {"cut": message}
        if 0 < count < len(lines):
            cut["next_call"] = {"name": tool.name, "arguments": {**given, "offset": skipped + count}}
        content["content"] += _content(_text(cut), is_error=True)["content"]
        content["structuredContent"] = cut
    return content


def _text_of(answer: httpx2.Response, size: int) -> str:
    """Return the text of a file, or of its complete lines within `MOST_READ`; empty if it has no byte.

    Raises
    ------
    ToolError
        If it is not text.
    """
    content = answer.content if size else b""
    if size > MOST_READ:
        content = content[: content.rfind(b"\n") + 1]
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise ToolError("The file is not text: download_url of files has it.") from None


def _text(value: Any) -> str:
    return json_bytes(value).decode()


def _size(value: Any) -> int:
    return len(json_bytes(value))


def _object(answer: httpx2.Response) -> dict[str, Any] | None:
    """Return a response as an object: JSON, or an archive as its files and address; None for text."""
    if answer.headers.get("content-type") == "application/zip":
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            files = [{"name": one.filename, "size_bytes": one.file_size} for one in archive.infolist()]
        url = address(answer.request.url.raw_path.decode("ascii"))
        return {"ok": True, "download_url": url, "size_bytes": len(answer.content), "files": files}
    try:
        value = json.loads(answer.text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _content(text: str, structured: dict[str, Any] | None = None, *, is_error: bool) -> dict[str, Any]:
    content: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": is_error}
    return content | ({"structuredContent": structured} if structured is not None else {})


@ROUTES.get("/llms.txt", "text/plain; charset=utf-8", early=True)
async def llms_txt(request: Request) -> Response:
    """Description for language models."""
    routes = [one for one in request.app.state.endpoints if one.plain_path.startswith("/api/")]
    template = environment().get_template("llms.txt.j2")
    text = template.render(instructions=_INSTRUCTIONS, address=address, tools=_tools(request), routes=routes)
    return PlainTextResponse(text, headers={"Cache-Control": "no-cache"})
