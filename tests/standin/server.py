"""The stand-in as an HTTP server in a thread."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

from tests.standin import graphql
from tests.standin.documents import load_documents
from tests.standin.faults import Fault, FaultPlan
from tests.standin.search import RefusedError, SearchEngine, suggestions

HTML = b"<!DOCTYPE html><html><head><title>Maintenance</title></head><body>Back soon.</body></html>"
_LINK = "https://search.rcsb.org/redoc/index.html"


@dataclass
class Reply:
    """An answer before faults befall it."""

    status: int
    body: bytes = b""
    content_type: str = "application/json"


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
    components : Path, optional
        Folder of component definitions, ``<CODE>.cif``.
    reports : Path, optional
        Folder of validation reports in the archive's layout.
    port : int
        0 for any.
    """

    def __init__(
        self,
        folder: Path,
        removed: Mapping[str, tuple[str, ...]] | None = None,
        components: Path | None = None,
        port: int = 0,
        reports: Path | None = None,
    ) -> None:
        self.documents = load_documents(folder)
        self.removed = dict(removed or {})
        self.components = components
        self.reports = reports
        self.gone_files: set[str] = set()
        self.reports_moved = False  # from the archive's tree of reports
        self.faults = FaultPlan()
        self.engine = SearchEngine(self.documents)
        self.seen: list[Seen] = []
        self.most_at_once: Counter[str] = Counter()
        self._running: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
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

    def fault(self, *args: Any, **kwargs: Any) -> Fault:
        """Switch a fault on; arguments as of `Fault`."""
        fault = Fault(*args, **kwargs)
        self.faults.add(fault)
        return fault

    def reset(self) -> None:
        """Switch all faults off and forget all requests."""
        self.faults.clear()
        self.seen.clear()
        self.gone_files.clear()
        self.reports_moved = False
        self.most_at_once.clear()
        self.engine.extra_hits = 0

    def count(self, service: str, entry: str = "") -> int:
        """Return how many requests a service received, for one entry or all."""
        return sum(seen.service == service and entry in ("", seen.entry) for seen in self.seen)

    def reply(self, method: str, target: str, body: bytes) -> tuple[str, str, Reply, Any]:
        """Return service, entry, answer and parsed body of a request."""
        parts = urlsplit(target)
        path = unquote(parts.path)
        parameters = {key: items[0] for key, items in parse_qs(parts.query).items()}
        if path == "/rcsbsearch/v2/query":
            text = body.decode() if method == "POST" else parameters.get("json", "")
            return "search", "", *self._search(text)
        if path == "/rcsbsearch/v2/suggest":
            return "suggest", "", *self._suggest(parameters.get("json", ""))
        if path == "/data/graphql":
            question = json.loads(body) if method == "POST" else {"query": parameters.get("query", "")}
            return "data", "", Reply(200, _json(graphql.answer(self.documents, question))), question
        if path.startswith("/data/rest/v1/holdings/removed/"):
            entry = path.rpartition("/")[2].lower()
            return "removed", entry, self._removed(entry), None
        if path.startswith("/data/rest/v1/"):
            return "data", "", self._rest(path.removeprefix("/data/rest/v1/").split("/")), None
        if path.startswith("/download/"):
            name = path.rpartition("/")[2].lower()
            return "files", name.partition(".")[0], self._file(name), None
        if path.startswith("/pub/pdb/validation_reports/"):
            name = path.rpartition("/")[2]
            if self.reports_moved:
                return "reports", name.partition("_validation")[0], Reply(404, HTML, "text/html"), None
            return "reports", name.partition("_validation")[0], self._report(path), None
        if path.startswith("/validation/download/"):
            name = path.rpartition("/")[2]
            entry = name.partition("_validation")[0]
            place = f"/pub/pdb/validation_reports/{entry[-3:-1]}/{entry}/{name}"
            return "reports", entry, self._report(place), None
        if path.startswith("/ligands/download/"):
            name = path.rpartition("/")[2]
            return "components", name.partition(".")[0].lower(), self._component(name), None
        if path.startswith("/pdbe/entry-files/download/"):
            name = path.rpartition("/")[2].lower()
            return "pdbe", name.partition(".")[0].removesuffix("_updated"), self._pdbe(name), None
        return "", "", Reply(404, HTML, "text/html"), None

    def _search(self, text: str) -> tuple[Reply, Any]:
        try:
            question = json.loads(text)
            found = self.engine.answer(question)
        except (ValueError, RefusedError) as error:
            return Reply(400, _json({"status": 400, "message": str(error), "link": _LINK})), None
        return (Reply(204) if found is None else Reply(200, _json(found))), question

    def _suggest(self, text: str) -> tuple[Reply, Any]:
        try:
            question = json.loads(text)
            found = suggestions(self.documents, question)
        except (ValueError, RefusedError) as error:
            return Reply(400, _json({"status": 400, "message": str(error), "link": _LINK})), None
        return Reply(200, _json({"suggestions": found})), question

    def _removed(self, entry: str) -> Reply:
        if entry not in self.removed:
            return _not_found(f"No data found for entry ID: {entry.upper()}")
        holdings = {
            "title": "withdrawn",
            "remove_date": "2010-01-01T00:00:00+00:00",
            "id_codes_replaced_by": [name.upper() for name in self.removed[entry]],
        }
        if not self.removed[entry]:
            del holdings["id_codes_replaced_by"]
        return Reply(200, _json({"rcsb_id": entry.upper(), "rcsb_repository_holdings_removed": holdings}))

    def _rest(self, parts: list[str]) -> Reply:
        if parts == ["holdings", "current", "entry_ids"]:
            return Reply(200, _json([name.upper() for name in self.documents]))
        kinds = {"polymer_entity": "polymer_entities", "nonpolymer_entity": "nonpolymer_entities"}
        if parts[0] == "core" and len(parts) >= 3 and parts[2].lower() in self.documents:
            data = self.documents[parts[2].lower()].data
            if parts[1] == "entry":
                return Reply(200, _json({key: item for key, item in data.items() if not key.endswith("_entities")}))
            for item in data.get(kinds.get(parts[1], ""), []):
                if len(parts) > 3 and item["rcsb_id"] == f"{parts[2].upper()}_{parts[3]}":
                    return Reply(200, _json(item))
        return _not_found(f"No data found for {'/'.join(parts)}")

    def _file(self, name: str) -> Reply:
        entry, _, suffix = name.partition(".")
        document = self.documents.get(entry)
        kind = suffix.removesuffix(".gz")
        data = document.file(kind) if document and entry not in self.gone_files and kind in ("cif", "pdb") else None
        if data is None:
            return Reply(404, b"<html><body>The requested URL was not found.</body></html>", "text/html")
        if suffix.endswith(".gz"):
            return Reply(200, data, "application/gzip")
        return Reply(200, gzip.decompress(data), "text/plain")

    def _report(self, path: str) -> Reply:
        below = path.removeprefix("/pub/pdb/validation_reports/")
        place = (self.reports or Path("/nowhere")) / below
        if ".." in below or not place.is_file():
            return Reply(404, HTML, "text/html")
        return Reply(200, place.read_bytes(), "application/gzip")

    def _component(self, name: str) -> Reply:
        path = (self.components or Path("/nowhere")) / Path(name).name
        if path.suffix != ".cif" or not path.is_file():
            return Reply(404, HTML, "text/html")
        return Reply(200, path.read_bytes(), "text/plain")

    def _pdbe(self, name: str) -> Reply:
        if name.startswith("pdb") and name.endswith(".ent"):
            return self._file(f"{name[3:-4]}.pdb")
        return self._file(name.replace("_updated.cif", ".cif"))

    def begin(self, service: str) -> None:
        """Count a request that is being answered."""
        with self._lock:
            self._running[service] += 1
            self.most_at_once[service] = max(self.most_at_once[service], self._running[service])

    def end(self, service: str) -> None:
        """Count a request as answered."""
        with self._lock:
            self._running[service] -= 1


def _handler(standin: StandIn) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # headers and body in one packet

        def do_GET(self) -> None:
            self._answer("GET", b"")

        def do_POST(self) -> None:
            self._answer("POST", self.rfile.read(int(self.headers.get("Content-Length", "0"))))

        def log_message(self, *_: Any) -> None:
            """Write nothing to standard error."""

        def _answer(self, method: str, body: bytes) -> None:
            service, entry, reply, question = standin.reply(method, self.path, body)
            fault = standin.faults.next(service, entry)
            standin.begin(service)
            try:
                sent = befall(reply, fault)
                standin.seen.append(Seen(service, entry, sent.status, dict(self.headers), question))
                self._send(sent, fault)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True
            finally:
                standin.end(service)

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
    if fault.kind == "status":
        return Reply(fault.status, fault.body or HTML, fault.content_type)
    if fault.kind == "html":
        return Reply(200, HTML, "text/html")
    if fault.kind == "empty":
        return Reply(200, b"", reply.content_type)
    if fault.kind == "cut_gzip":
        return Reply(200, reply.body[: len(reply.body) * 2 // 3], reply.content_type)
    if fault.kind == "no_atoms":
        text = b"data_EMPTY\n#\n_entry.id EMPTY\n#\n"
        return Reply(200, gzip.compress(text, mtime=0) if reply.body[:2] == b"\x1f\x8b" else text, reply.content_type)
    if fault.kind == "graphql_error":
        return Reply(200, _json({"data": None, "errors": [{"message": "Internal Server Error(s)"}]}))
    if fault.kind == "pages_end":
        return Reply(204)
    return _befall_search(reply, fault) if reply.status == 200 and fault.service == "search" else reply


def _befall_search(reply: Reply, fault: Fault) -> Reply:
    content = json.loads(reply.body)
    hits = content.get("result_set", [])
    if fault.kind == "total_changes":
        content["total_count"] += 1
    elif fault.kind == "duplicates" and hits:
        content["result_set"] = [hits[0], *hits[:-1]] if len(hits) > 1 else hits
    elif fault.kind == "no_result_set":
        content.pop("result_set", None)
    return Reply(200, _json(content))


def _not_found(message: str) -> Reply:
    return Reply(404, _json({"status": 404, "message": message, "link": "https://data.rcsb.org/redoc/index.html"}))


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()
