"""The stand-in as an HTTP server in a thread."""

import gzip
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from graphql import build_schema, graphql_sync

from tests.standin.documents import Json, load_documents
from tests.standin.faults import Fault
from tests.standin.search import RefusedError, SearchEngine, suggestions

HTML = b"<!DOCTYPE html><html><head><title>Maintenance</title></head><body>Back soon.</body></html>"
_LINK = "https://search.rcsb.org/redoc/index.html"
SCHEMA = build_schema(Path(__file__).with_name("data_api.graphql").read_text(encoding="utf-8"))
_MOST_IDS = 1000
_REPORTS = "/pub/pdb/validation_reports/"


@dataclass
class Reply:
    """An answer before faults befall it."""

    status: int
    body: bytes = b""
    content_type: str = "application/json"


NO_PAGE = Reply(404, HTML, "text/html")


@dataclass(frozen=True)
class Seen:
    """A request that the stand-in received."""

    service: str
    entry: str
    status: int
    headers: Mapping[str, str]
    body: Any = None


class StandIn:
    """Search, data and file services of RCSB PDB, and PDBe's files, on a local port.

    Parameters
    ----------
    folder : Path
        A mirror, whose entries exist in the services.
    removed : mapping, optional
        Withdrawn entries and their successors, lower case.
    reports : Path, optional
        Folder of validation reports in the archive's layout.
    """

    def __init__(
        self, folder: Path, removed: Mapping[str, tuple[str, ...]] | None = None, reports: Path | None = None
    ) -> None:
        self.documents = load_documents(folder)
        self.removed = dict(removed or {})
        self.reports = reports
        self.components: dict[str, bytes] = {}
        self.reports_moved = False  # from the archive's tree of reports
        self.faults: list[Fault] = []
        self.engine = SearchEngine(self.documents)
        self.seen: list[Seen] = []
        self.most_at_once: Counter[str] = Counter()
        self._running: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        """Address of the server."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def environment(self) -> dict[str, str]:
        """Variables that make the rcsb source use this stand-in."""
        return {
            "TETHERMAP_RCSB_SEARCH_URL": f"{self.url}/rcsbsearch/v2/query",
            "TETHERMAP_RCSB_DATA_URL": f"{self.url}/data",
            "TETHERMAP_RCSB_FILES_URL": f"{self.url}/download",
            "TETHERMAP_PDBE_FILES_URL": f"{self.url}/pdbe/entry-files/download",
            "TETHERMAP_HTTP_BACKOFF": "0.002",
            "NO_PROXY": "127.0.0.1",
        }

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:  # fmt: skip
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def use(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Let the rcsb source use this stand-in during a test."""
        for name, value in self.environment.items():
            monkeypatch.setenv(name, value)

    def fault(self, *args: Any, **kwargs: Any) -> None:
        """Switch a fault on; arguments as of `Fault`."""
        self.faults.append(Fault(*args, **kwargs))

    def reset(self) -> None:
        """Switch all faults off and forget all requests."""
        self.faults.clear()
        self.seen.clear()
        self.components.clear()
        self.reports_moved = False
        self.most_at_once.clear()

    def count(self, service: str, entry: str = "") -> int:
        """Return how many requests a service received, for one entry or all."""
        return sum(seen.service == service and entry in ("", seen.entry) for seen in self.seen)

    def reply(self, target: str, body: bytes) -> tuple[str, str, Reply, Any]:
        """Return service, entry, answer and parsed body of a request."""
        parts = urlsplit(target)
        path = unquote(parts.path)
        folder, _, name = path.rpartition("/")
        entry = name.lower().partition(".")[0]
        if path == "/rcsbsearch/v2/query":
            return "search", "", *self._search(body.decode(), self.engine.answer)
        if path == "/rcsbsearch/v2/suggest":
            text = parse_qs(parts.query).get("json", [""])[0]
            complete = partial(suggestions, self.documents)
            return "suggest", "", *self._search(text, complete)
        if path == "/data/graphql":
            question = json.loads(body)
            return "data", "", Reply(200, _json(self._data(question))), question
        if folder == "/ligands/download":
            data = self.components.get(name.removesuffix(".cif"))
            return "components", entry, NO_PAGE if data is None else Reply(200, data, "text/plain"), None
        if folder == "/data/rest/v1/holdings/removed":
            return "removed", entry, self._removed(entry), None
        if folder == "/data/rest/v1/core/entry" and entry in self.documents:  # for `tethermap doctor`
            return "data", "", Reply(200, _json(self.documents[entry].data)), None
        if folder == "/download":
            return "files", entry, self._file(name.lower()), None
        if path.startswith(_REPORTS) or folder == "/validation/download":
            entry = name.partition("_validation")[0]
            place = (self.reports or Path("/nowhere")) / entry[-3:-1] / entry / name
            found = place.is_file() and not (self.reports_moved and path.startswith(_REPORTS))
            return "reports", entry, Reply(200, place.read_bytes(), "application/gzip") if found else NO_PAGE, None
        if folder == "/pdbe/entry-files/download":
            return "pdbe", entry, self._file(name.lower()), None
        return "", "", NO_PAGE, None

    def _search(self, text: str, answer: Callable[[Any], Json | None]) -> tuple[Reply, Any]:
        try:
            question = json.loads(text)
            found = answer(question)
        except (ValueError, RefusedError) as error:
            return Reply(400, _json({"status": 400, "message": str(error), "link": _LINK})), None
        return (Reply(204) if found is None else Reply(200, _json(found))), question

    def _data(self, question: Json) -> Json:
        def entries(_: Any, entry_ids: list[str]) -> list[Json]:
            if len(entry_ids) > _MOST_IDS:
                raise ValueError("Variable 'ids' has an invalid value")
            found = [self.documents[name.lower()].data for name in entry_ids if name.lower() in self.documents]
            return found[::-1]  # order need not follow the request

        done = graphql_sync(SCHEMA, question["query"], {"entries": entries}, variable_values=question.get("variables"))
        return done.formatted  # type: ignore[return-value]

    def _removed(self, entry: str) -> Reply:
        if entry not in self.removed:
            message = f"No data found for entry ID: {entry.upper()}"
            return Reply(404, _json({"status": 404, "message": message, "link": _LINK}))
        successors = [name.upper() for name in self.removed[entry]]
        holdings: Json = {"title": "withdrawn", "remove_date": "2010-01-01T00:00:00+00:00"}
        holdings |= {"id_codes_replaced_by": successors} if successors else {}
        return Reply(200, _json({"rcsb_id": entry.upper(), "rcsb_repository_holdings_removed": holdings}))

    def _file(self, name: str) -> Reply:
        entry, _, suffix = name.partition(".")
        if entry not in self.documents or suffix not in ("cif", "cif.gz"):
            return NO_PAGE
        data = self.documents[entry].mmcif()
        if suffix == "cif":
            return Reply(200, data, "text/plain")
        return Reply(200, gzip.compress(data, compresslevel=1, mtime=0), "application/gzip")

    @contextmanager
    def answering(self, service: str, entry: str) -> Iterator[Fault | None]:
        """Count a request while it is answered; the fault that befalls it is counted too."""
        with self._lock:
            self._running[service] += 1
            self.most_at_once[service] = max(self.most_at_once[service], self._running[service])
            fault = next((one for one in self.faults if one.befalls(service, entry)), None)
            if fault is not None and fault.times is not None:
                fault.times -= 1
        try:
            yield fault
        finally:
            with self._lock:
                self._running[service] -= 1


def _handler(standin: StandIn) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # headers and body in one packet

        def log_message(self, *_: Any) -> None:
            """Write nothing to standard error."""

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            service, entry, reply, question = standin.reply(self.path, body)
            with standin.answering(service, entry) as fault:
                sent = befall(reply, fault)
                standin.seen.append(Seen(service, entry, sent.status, dict(self.headers), question))
                try:
                    self._send(sent, fault)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

        do_GET = do_POST  # noqa: N815 - named by the base class

        def _send(self, reply: Reply, fault: Fault | None) -> None:
            kind = fault.kind if fault else ""
            if kind == "refuse":
                self.close_connection = True
                return
            if fault and kind == "slow":
                time.sleep(fault.seconds)
            self.send_response(reply.status)
            if reply.status != 204:
                self.send_header("Content-Type", reply.content_type)
            self.send_header("Content-Length", str(len(reply.body)))
            for name, text in (fault.headers if fault else {}).items():
                self.send_header(name, text)
            self.end_headers()
            if kind == "cut":
                self.wfile.write(reply.body[: len(reply.body) // 2])
                self.close_connection = True
            else:
                self.wfile.write(reply.body)

    return Handler


def befall(reply: Reply, fault: Fault | None) -> Reply:
    """Return the response after a fault."""
    if fault is None:
        return reply
    fixed = {
        "status": Reply(fault.status, fault.body or HTML, fault.content_type),
        "html": Reply(200, HTML, "text/html"),
        "empty": Reply(200, b"", reply.content_type),
        "cut_gzip": Reply(200, reply.body[: len(reply.body) * 2 // 3], reply.content_type),
        "no_atoms": Reply(200, b"data_EMPTY\n#\n_entry.id EMPTY\n#\n", reply.content_type),
        "graphql_error": Reply(200, _json({"data": None, "errors": [{"message": "Internal Server Error(s)"}]})),
    }
    if fault.kind in fixed or reply.status != 200 or fault.service != "search":
        return fixed.get(fault.kind, reply)
    content = json.loads(reply.body)
    hits = content.get("result_set", [])
    if fault.kind == "total_changes":
        content["total_count"] += 1
    elif fault.kind == "duplicates" and hits:
        content["result_set"] = [hits[0], *hits[:-1]] if len(hits) > 1 else hits
    elif fault.kind == "no_result_set":
        content.pop("result_set", None)
    return Reply(200, _json(content))


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()
