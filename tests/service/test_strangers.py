"""Nothing a stranger starts is unbounded: sockets, bodies, readers, receivers of notices, guesses, uploads.

Attackers and services are on loopback, and each test ends by itself.
"""

import asyncio
import contextlib
import functools
import gzip
import ipaddress
import json
import resource
import socket
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import httpx2
import psutil
import pytest
import uvicorn
from hypothesis import given, strategies as st
from starlette.testclient import TestClient

from service.connections import TimedProtocol, Waiting
from service.errors import InvalidField, QueueFull
from service.extras.webhooks import Webhooks, post
from service.hosts import is_public, literal_address
from service.http.access import COOKIE, GUESSES, SESSIONS_PER_TOKEN, Sessions
from service.http.bodies import MAX_WAITING_BODIES, Bodies
from service.http.rates import Buckets, client_of
from service.jobs.submission import parse_submission
from service.settings import SESSIONS, Token
from tests.service.core import ANN, BEN, HPV, TOKENS, LiveService, local, run_form, running, settings_in, until
from tests.service.test_jobs import RECORD
from tests.service.test_webhooks import OFFERED
from tests.tools.patience import patience, slowness, wait_until
from tests.tools.slopes import memory_mb
from tests.tools.styles import programs

SECRET = "a-secret-of-the-test"
MIB = 1 << 20
END = "\r\n\r\n"


# Bodies


@contextlib.contextmanager
def flooded(service: LiveService, count: int, sent: bytes) -> Iterator[list[socket.socket]]:
    """Leave a service 1,024 descriptors, and open `count` connections that send no more than this."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    resource.prlimit(service.process_id, resource.RLIMIT_NOFILE, (1024, 1024))
    connections: list[socket.socket] = []
    with contextlib.ExitStack() as opened:
        opened.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        for _ in range(min(count, hard - 200)):
            connections.append(socket.create_connection(("127.0.0.1", service.port), timeout=patience(10)))
            opened.callback(connections[-1].close)
            connections[-1].sendall(sent)
        yield connections


@pytest.mark.process
def test_half_open_connections_block_no_other_client(tmp_path: Path) -> None:
    with LiveService(tmp_path / "service", quick=True) as service:
        with flooded(service, 1100, b"GET / HTTP/1.1\r\nHost: local"):
            job = service.submit()
            assert service.job(job)["status"] in ("queued", "running", "completed")
            assert service.ended(job)["status"] == "completed"
        levels = [json.loads(line)["level"] for line in (service.folder / "service.log").read_text().splitlines()]
        assert len(levels) - levels.count("info") < 10


@pytest.mark.process
def test_heads_whose_bodies_never_arrive_block_no_other_client(tmp_path: Path) -> None:
    head = b"POST /api/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n"
    with LiveService(tmp_path / "service", quick=True) as service:
        served = psutil.Process(service.process_id)
        before = memory_mb(served.pid)
        with flooded(service, 1500, head) as attackers:
            begun = time.monotonic()
            job = service.submit()
            seconds = time.monotonic() - begun
            service.ended(job)
            grown = memory_mb(served.pid) - before
            wait_until(lambda: len(served.net_connections()) < MAX_WAITING_BODIES + 64, 10, "sockets to be closed")
            first = attackers[0].recv(4096)
        assert first.startswith(b"HTTP/1.1 503 ")
        assert b"\r\nretry-after: " in first.lower()
        assert json.loads(first.partition(b"\r\n\r\n")[2])["error"]["code"] == "QUEUE_FULL"
        assert seconds < patience(5)
        assert grown < 120


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    """A service that waits half a second for bodies."""
    with LiveService(tmp_path_factory.mktemp("short"), quick=True, BODY_TIMEOUT_S="0.5") as service:
        yield service


@pytest.mark.process
@pytest.mark.parametrize(
    ("path", "media"),
    [("/api/jobs", "application/json"), ("/api/batches", "application/json"), ("/mcp", "application/json"),
     ("/", "application/x-www-form-urlencoded"),
     ("/ga4gh/wes/v1/runs", "multipart/form-data; boundary=x")],
)  # fmt: skip
@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunks"])
def test_a_body_that_trickles_is_refused_and_its_connection_closed(
    short: LiveService, path: str, media: str, *, chunked: bool
) -> None:
    announced = "Transfer-Encoding: chunked" if chunked else "Content-Length: 900"
    piece = b"1\r\n-\r\n" if chunked else b"-"
    answer = b""
    with socket.create_connection(("127.0.0.1", short.port), timeout=0.1) as connection:
        connection.sendall(
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {media}\r\n{announced}\r\n\r\n".encode()
        )
        begun = time.monotonic()
        while time.monotonic() - begun < patience(10):
            with contextlib.suppress(TimeoutError):
                try:
                    if not (part := connection.recv(4096)):
                        break
                    answer += part
                except ConnectionError:
                    break
            with contextlib.suppress(ConnectionError):
                connection.sendall(piece)
        seconds = time.monotonic() - begun
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 503 "), answer
    assert b"\r\nretry-after: " in head.lower()
    told = json.loads(body)
    assert told.get("msg") or told["error"]["code"] == "QUEUE_FULL"
    assert 0.4 < seconds < patience(5)


@pytest.mark.process
def test_an_unread_body_is_not_waited_for(short: LiveService) -> None:
    """Responses that need no body are sent at once, and a stream continues although its body is incomplete."""
    for head in (b"POST /api/jobs/00000000/cancel", b"POST /nowhere", b"GET /api/health", b"DELETE /api/jobs/00000000"):
        with socket.create_connection(("127.0.0.1", short.port), timeout=patience(5)) as connection:
            connection.sendall(head + b" HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n")
            assert connection.recv(64).startswith((b"HTTP/1.1 404 ", b"HTTP/1.1 200 "))


async def silence() -> dict[str, Any]:
    """Wait forever without a message."""
    await anyio.sleep_forever()
    raise AssertionError


async def test_bodies_over_their_number_or_time_are_given_up() -> None:
    outcomes: dict[str, str] = {}

    async def wait(client: str, bodies: Bodies) -> None:
        body = bodies.expect(client)
        try:
            await bodies.receive(body, silence)
        except QueueFull as error:
            outcomes[client] = f"{error.message} {error.headers['Connection']}"
        finally:
            bodies.release(body)

    bodies = Bodies(100, 0.5, 2)
    async with asyncio.TaskGroup() as group:
        for client in ("first", "second", "third"):
            group.create_task(wait(client, bodies))
            await asyncio.sleep(0.01)
    assert all(outcome.endswith(" close") for outcome in outcomes.values())
    assert "Too many" in outcomes["first"]
    assert "0.5 seconds" in outcomes["second"]
    assert "0.5 seconds" in outcomes["third"]
    assert len(bodies) == 0


@given(st.lists(st.sampled_from("abc"), max_size=60), st.integers(1, 6))
async def test_only_clients_with_most_awaited_bodies_lose_one(clients: list[str], places: int) -> None:
    async def part() -> dict[str, Any]:
        return {"type": "http.request", "body": b"x", "more_body": True}

    bodies, alive = Bodies(100, 60.0, places), []
    for client in clients:
        body = bodies.expect(client)
        with contextlib.suppress(QueueFull):
            await bodies.receive(body, part)
        alive.append(body)
        before = Counter(one.client for one in alive)
        lost = [one for one in alive if one.given_up]
        alive = [one for one in alive if not one.given_up]
        assert len(bodies) == len(alive) <= places
        assert len(lost) <= 1
        for one in lost:
            assert before[one.client] == max(before.values())
            with pytest.raises(QueueFull):
                await bodies.receive(one, part)


def test_clients_of_one_ipv6_network_are_one() -> None:
    addresses = ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1", "192.0.2.1", "testclient")
    assert len({client_of({"client": (address, 1)}) for address in addresses}) == 4
    assert client_of({"client": None}) == ""


# Connections that read nothing or send nothing more


@contextlib.asynccontextmanager
async def serving(app: Any) -> AsyncIterator[uvicorn.Server]:
    """Serve an application by the service's own protocol."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, http=TimedProtocol, log_config=None, lifespan="off"))
    task = asyncio.create_task(server.serve())
    await until(lambda: server.started)
    yield server
    server.should_exit = True
    server.force_exit = True
    await task


async def connect(server: uvicorn.Server) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to it as a client that reads little at a time."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.setblocking(False)
    await asyncio.get_running_loop().sock_connect(client, server.servers[0].sockets[0].getsockname())
    return await asyncio.open_connection(sock=client, limit=4096)


def asking(server: uvicorn.Server) -> httpx2.AsyncClient:
    """Return a client of it."""
    return httpx2.AsyncClient(base_url=f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}")


async def large(scope: Any, receive: Any, send: Any) -> None:  # noqa: ARG001 - as ASGI has it
    """Return the number of bytes in the path, in parts."""
    left = int(scope["path"][1:])
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", str(left).encode())]})
    while left:
        part = min(left, 1 << 16)
        left -= part
        await send({"type": "http.response.body", "body": bytes(part), "more_body": left > 0})


@pytest.mark.parametrize("closing", [False, True], ids=["kept", "closed"])
@pytest.mark.parametrize("size", [64 * MIB, 3 * MIB], ids=["64 MiB", "3 MiB"])
async def test_an_answer_that_is_not_read_ends(monkeypatch: pytest.MonkeyPatch, size: int, *, closing: bool) -> None:
    monkeypatch.setattr("service.connections.READ_SECONDS", patience(0.5))
    monkeypatch.setattr("service.connections.HEADER_SECONDS", patience(0.5))
    monkeypatch.setattr(TimedProtocol, "waiting", Waiting(1024))
    begun: list[int] = []

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        begun.append(size)
        await large(scope, receive, send)

    async with serving(answer) as server:
        before = memory_mb()
        header = "Connection: close\r\n" if closing else ""
        clients = [await connect(server) for _ in range(50)]
        for _, writer in clients:
            writer.write(f"GET /{size} HTTP/1.1\r\nHost: localhost\r\n{header}\r\n".encode())
        await until(lambda: len(begun) == 50 and not server.server_state.connections)
        assert memory_mb() - before < 80
        for _, writer in clients:
            writer.close()


async def test_answers_that_are_not_read_have_a_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.connections.MAX_UNREAD_BYTES", 32 * MIB)
    monkeypatch.setattr(TimedProtocol, "waiting", Waiting(1024))

    async def whole(scope: Any, receive: Any, send: Any) -> None:  # noqa: ARG001 - as ASGI has it
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % (8 * MIB))]})
        await send({"type": "http.response.body", "body": bytes(8 * MIB)})

    async with serving(whole) as server:
        before, most = memory_mb(), 0.0
        clients = []
        for _ in range(120):
            clients.append(await connect(server))
            clients[-1][1].write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert await clients[-1][0].read(1)
            most = max(most, memory_mb() - before)
        assert TimedProtocol.waiting.unread <= 32 * MIB
        async with asking(server) as http:
            assert len((await http.get("/")).content) == 8 * MIB
        assert most < 480, "half of what all of them would hold"
        for _, writer in clients:
            writer.close()
    assert TimedProtocol.waiting.unread == 0


async def test_an_answer_that_is_read_slowly_is_sent_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.connections.READ_SECONDS", patience(1.0))
    async with serving(large) as server:
        reader, writer = await connect(server)
        writer.write(f"GET /{16 * MIB} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        read, begun = 0, time.monotonic()
        while part := await reader.read(MIB):
            if read < 8 * MIB:  # slower than the limit allows for the whole, never for a part
                await asyncio.sleep(0.001 * slowness())
            read += len(part)
        assert read > 16 * MIB
        assert time.monotonic() - begun > 0.5
        writer.close()


async def test_connections_that_wait_longest_make_room_for_new_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections with half a head, idle ones, and ones that do not read their answer."""
    waiting = Waiting(0)
    waiting.most = 20
    monkeypatch.setattr(TimedProtocol, "waiting", waiting)
    monkeypatch.setattr("service.connections.HEADER_SECONDS", patience(0.5))
    monkeypatch.setattr("service.connections.READ_SECONDS", patience(0.5))
    sent = [f"GET /{size} HTTP/1.1\r\nHost: localhost{end}" for size, end in ((0, ""), (0, END), (64 * MIB, END))]
    async with serving(large) as server:
        clients = []
        for number in range(60):
            clients.append(await connect(server))
            clients[-1][1].write(sent[number % 3].encode())
            if number % 3:
                with contextlib.suppress(ConnectionError):
                    await clients[-1][0].read(1)
        await until(lambda: len(server.server_state.connections) <= waiting.most + 1)
        async with asking(server) as http:
            assert [(await http.get("/9")).status_code for _ in range(3)] == [200] * 3
            assert len(server.server_state.connections) <= waiting.most + 1
            await until(lambda: not waiting.connections)  # half a head is not waited for
        for _, writer in clients:
            writer.close()


# Receivers of notices


async def trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer one byte of a head a moment, for ever."""
    with contextlib.suppress(ConnectionError, EOFError, asyncio.CancelledError):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nX: ")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.05)
    writer.transport.abort()


@pytest.mark.parametrize("ports", [1, 12])
async def test_slow_receivers_delay_no_other_notice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ports: int
) -> None:
    monkeypatch.setattr("service.extras.webhooks.DELIVERY_SECONDS", patience(0.5))
    taken = []

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(EOFError):  # given up by the client, which tries again
            taken.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        writer.close()

    settings = settings_in(tmp_path, webhook_secret=SECRET, webhook_private=True)
    async with running(settings) as parts, contextlib.AsyncExitStack() as servers:
        record = replace(RECORD, status="completed")
        hooks = Webhooks(parts.store, settings)
        monkeypatch.setattr(parts.store, "get", lambda _: record)
        slow = [await servers.enter_async_context(await asyncio.start_server(trickle, "127.0.0.1", 0))
                for _ in range(ports)]  # fmt: skip
        own = await servers.enter_async_context(await asyncio.start_server(take, "127.0.0.1", 0))
        monkeypatch.setattr(parts.queue, "notices", Webhooks(parts.store, settings))  # looks at none of these

        def note(job_id: str, server: asyncio.Server) -> None:
            address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
            hooks.note(replace(record, job_id=job_id, webhook=address))

        for number in range(100):
            note(f"{number:08d}", slow[number % ports])
        note("zzzzzzzz", own)
        begun, most = time.monotonic(), 0
        while not taken:
            await hooks.look()
            most = max(most, len(hooks._sending))
            await asyncio.sleep(0.05)
            assert time.monotonic() - begun < patience(15)
        assert most <= 64
        await hooks.stop()


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_the_body_of_an_answer_to_a_notice_is_not_read(*, packed: bool) -> None:
    block = gzip.compress(bytes(256 * MIB), 9) if packed else bytes(MIB)
    head = b"HTTP/1.1 200 OK\r\n" + (b"Content-Encoding: gzip\r\n" if packed else b"") + b"\r\n"
    sent = [0]
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listening.accept()
        with connection, contextlib.suppress(OSError):
            connection.settimeout(patience(20))
            connection.recv(65536)
            connection.sendall(head)
            while sent[0] < 6 << 30:
                sent[0] += connection.send(block)

    thread = threading.Thread(target=serve)
    thread.start()
    before, begun = memory_mb(), time.monotonic()
    status = asyncio.run(post(f"http://127.0.0.1:{listening.getsockname()[1]}/", b"{}", {}, private=True))
    seconds, grown = time.monotonic() - begun, memory_mb() - before
    thread.join()
    listening.close()
    assert status == 200
    assert grown < 30
    assert sent[0] < 64 * MIB
    assert seconds < patience(5)


# Addresses that are outside the public internet

PRIVATE = (
    *("127.0.0.1", "127.8.9.1", "10.1.2.3", "192.168.0.1", "172.16.5.5", "169.254.169.254", "0.0.0.0", "100.64.0.1"),
    *("192.0.0.8", "192.88.99.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
)
WRAPPED = ("::{}", "::ffff:{}", "::ffff:0:{}", "64:ff9b::{}", "64:ff9b:1::{}", "64:ff9b:1:ffff::{}", "fec0::{}",
           "feff::{}", "5f00::{}", "fe80::{}", "fc00::{}", "fd00::{}", "100::{}",
           "ff02::{}", "2001::{}", "2001:db8::{}",
           "2002:7f00:1::{}", "3fff::{}")  # fmt: skip


def spellings(number: int) -> list[str]:
    """Return all ways in which resolvers read an IPv4 address."""
    parts = [number >> 24, number >> 16 & 255, number >> 8 & 255, number & 255]
    shapes = [parts, [*parts[:2], number & 0xFFFF], [parts[0], number & 0xFFFFFF], [number]]
    bases: list[Callable[[int], str]] = [str, hex, lambda one: f"0{one:o}", lambda one: f"0X{one:08X}"]
    plain = [".".join(base(part) for part in shape) for shape in shapes for base in bases]
    return [*plain, *(f"{one}." for one in plain)]


@pytest.mark.parametrize("inner", PRIVATE)
def test_private_addresses_of_any_spelling_are_rejected_as_receivers(inner: str) -> None:
    for name in [*spellings(int(ipaddress.IPv4Address(inner))), *(f"[{form.format(inner)}]" for form in WRAPPED)]:
        assert not is_public(name), name
        with pytest.raises(InvalidField, match="public internet"):
            parse_submission({**HPV, "webhook": f"http://{name}:8080/x"}, OFFERED)
        parse_submission({**HPV, "webhook": f"http://{name}/x"}, OFFERED.model_copy(update={"webhook_private": True}))


@given(st.integers(0, 2**32 - 1))
def test_a_spelling_changes_no_address(number: int) -> None:
    address = ipaddress.IPv4Address(number)
    for name in spellings(number):
        assert literal_address(name) == address
        assert is_public(name) == is_public(str(address))


@given(st.integers(0, 2**128 - 1))
def test_public_ipv6_addresses_are_global_unicast_without_an_inner_one(number: int) -> None:
    address = ipaddress.IPv6Address(number)
    if is_public(str(address)) and address.ipv4_mapped is None:
        assert address in ipaddress.ip_network("2000::/3")
        assert address.sixtofour is None
        assert address.teredo is None


@pytest.mark.parametrize("host", ["9.9.9.9", "[2620:fe::fe]", "lab.example", "lab.example.", "a_b.example:65535"])
def test_public_receivers_are_accepted(host: str) -> None:
    assert parse_submission({**HPV, "webhook": f"https://{host}/x"}, OFFERED).webhook


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST.", "a.localhost", "a.localhost.:80"])
def test_names_of_this_machine_are_refused_without_a_lookup(host: str) -> None:
    with pytest.raises(InvalidField, match="outside the public internet"):
        parse_submission({**HPV, "webhook": f"https://{host}/x"}, OFFERED)


@pytest.mark.parametrize("url", ["https://ann:x@lab.example/", "https://läb.example/", "ftp://lab.example/"])
def test_an_address_of_another_form_is_refused_with_the_right_form(url: str) -> None:
    with pytest.raises(InvalidField, match="ASCII characters without a user name"):
        parse_submission({**HPV, "webhook": url}, OFFERED)


def test_names_that_lead_to_private_addresses_are_refused_by_every_door(tmp_path: Path) -> None:
    bad, good = {**HPV, "webhook": "http://localhost:9/x"}, {**HPV, "webhook": "http://not-there.invalid/x"}
    with local(tmp_path, webhook_secret=SECRET) as http:
        answer = http.post("/api/jobs", json=bad)
        assert (answer.status_code, answer.json()["error"]["details"]["field"]) == (422, "webhook")
        batch = http.post("/api/batches", json={"jobs": [good, bad, HPV]})
        assert batch.status_code == 422
        assert [one["index"] for one in batch.json()["error"]["details"]["items"]] == [1]
        only = http.post("/api/batches", json={"jobs": [bad]}).json()["error"]["details"]["items"]
        assert [(one["index"], one["field"]) for one in only] == [(0, "webhook")]
        assert http.post("/ga4gh/wes/v1/runs", files=run_form(bad)).status_code == 422
        assert http.get("/api/jobs").json()["count"] == 0
        assert http.post("/api/jobs", json=good).status_code == 202
    with local(tmp_path / "allowed", webhook_secret=SECRET, webhook_private=True) as http:
        assert http.post("/api/jobs", json=bad).status_code == 202


def test_a_slow_name_server_delays_no_submission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()

    def hang(*_: object, **__: object) -> list[Any]:
        released.wait(patience(30))
        raise socket.gaierror(socket.EAI_AGAIN, "later")

    with local(tmp_path, webhook_secret=SECRET) as http:
        monkeypatch.setattr("service.hosts.socket.getaddrinfo", hang)
        begun = time.monotonic()
        assert http.post("/api/jobs", json={**HPV, "webhook": "http://slow.example/x"}).status_code == 202
        seconds = time.monotonic() - begun
        released.set()
    assert seconds < patience(4)


async def test_a_name_that_changes_its_address_after_the_check_is_not_connected_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard, asked = [], []

    async def hear(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(1)
        writer.close()

    server = await asyncio.start_server(hear, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    real = socket.getaddrinfo

    def rebind(host: Any, *more: Any, **named: Any) -> Any:
        if host != "lab.example":
            return real(host, *more, **named)
        asked.append(host)  # the first answer is public, all later ones are of this machine
        return real("192.0.2.1" if len(asked) == 1 else "127.0.0.1", *more, **named)

    monkeypatch.setattr("socket.getaddrinfo", rebind)
    monkeypatch.setattr("service.extras.webhooks.is_public", lambda address: address == "192.0.2.1")
    monkeypatch.setattr("service.extras.webhooks.DELIVERY_SECONDS", 1.0)
    async with server:
        with pytest.raises((OSError, httpx2.HTTPError)):
            await post(f"http://lab.example:{port}/", b"{}", {}, private=False)
        with pytest.raises(ValueError, match="public internet"):
            await post(f"http://lab.example:{port}/", b"{}", {}, private=False)
    assert (asked, heard) == (["lab.example"] * 2, [])


# Sessions, guesses, quotas


@contextlib.contextmanager
def guarded(folder: Path, **values: Any) -> Iterator[Callable[[str], TestClient]]:
    """Run a private service; yield a factory of clients with an address."""
    with local(folder, **{"api_tokens": TOKENS, "private": True, **values}) as service:

        def client_at(address: str) -> TestClient:
            client = TestClient(service.app, "http://localhost", client=(address, 1), follow_redirects=False)
            client.portal = service.portal  # one event loop for all
            return client

        yield client_at


def logged_in(http: TestClient, token: str = "ann-secret") -> str:
    """Log in and return the cookie."""
    assert http.post("/login", data={"token": token}).status_code == 303
    return str(http.cookies[COOKIE])


def status_with(http: TestClient, cookie: str) -> int:
    """Return the status of a page for a cookie."""
    http.cookies.clear()
    return http.get("/browse", headers={"Cookie": f"{COOKIE}={cookie}"}).status_code


def test_a_session_ends_on_the_server_and_outlives_a_restart(tmp_path: Path) -> None:
    with guarded(tmp_path) as client:
        http = client("192.0.2.1")
        kept, ended_ = logged_in(http), logged_in(http)
        assert kept != ended_
        assert http.post("/logout").status_code == 303
        assert [status_with(http, cookie) for cookie in (kept, ended_)] == [200, 401]
    stored = (tmp_path / "jobs" / SESSIONS).read_text()
    for secret in (kept, ended_, "ann-secret"):
        assert secret not in stored
    with guarded(tmp_path) as client:
        http = client("192.0.2.1")
        assert [status_with(http, cookie) for cookie in (kept, ended_)] == [200, 401]
    with guarded(tmp_path, api_tokens=(Token("ann", "another-secret"), TOKENS[1])) as client:
        assert status_with(client("192.0.2.1"), kept) == 401
    (tmp_path / "jobs" / SESSIONS).write_text('{"a": 1}')
    with guarded(tmp_path) as client:
        assert status_with(client("192.0.2.1"), kept) == 401


async def test_sessions_are_bounded_and_end_by_themselves(tmp_path: Path) -> None:
    now = [1_000_000.0]
    sessions = Sessions(tmp_path / SESSIONS, lambda: now[0])
    ben = await sessions.begin(TOKENS[1])
    values = [await sessions.begin(TOKENS[0]) for _ in range(3 * SESSIONS_PER_TOKEN)]
    alive = [value for value in values if sessions.token_of(value, TOKENS) == TOKENS[0]]
    assert alive == values[-SESSIONS_PER_TOKEN:]
    assert sessions.token_of(ben, TOKENS) == TOKENS[1]
    assert (tmp_path / SESSIONS).stat().st_size < 20_000
    now[0] += 31 * 24 * 3600
    assert sessions.token_of(ben, TOKENS) is None


@pytest.mark.parametrize("door", ["page", "header"])
def test_guesses_of_one_address_are_limited(tmp_path: Path, door: str) -> None:
    def guess(http: TestClient, token: str) -> Any:
        if door == "page":
            return http.post("/login", data={"token": token})
        return http.get("/api/jobs", headers={"Authorization": f"Bearer {token}"})

    with guarded(tmp_path) as client:
        guesser, other = client("192.0.2.1"), client("192.0.2.2")
        cookie = logged_in(guesser, "ben-secret")
        guesser.cookies.clear()
        assert guesser.get("/api/jobs", headers=BEN).status_code == 200
        begun = time.monotonic()
        statuses = Counter(guess(guesser, f"guess-{number}").status_code for number in range(60))
        allowed = GUESSES + GUESSES * (time.monotonic() - begun) / 60 + 1
        assert GUESSES <= statuses[401] <= allowed
        assert statuses[401] + statuses[429] == 60
        answer = guess(guesser, "ann-secret")
        assert answer.status_code == 429, "the right one is not looked at any more"
        assert 1 <= int(answer.headers["retry-after"]) <= 7
        assert status_with(guesser, cookie) == 200
        assert guesser.get("/api/jobs", headers=BEN).status_code == 200, "a token that was used before"
        assert guess(other, "ann-secret").status_code == (303 if door == "page" else 200)
        assert guesser.get("/api/health", headers={"Authorization": "Bearer x"}).status_code == 200


def test_guesses_are_possible_again_with_time() -> None:
    now = [0.0]
    buckets = Buckets(GUESSES, 60.0, lambda: now[0])
    assert [buckets.take("a") > 0 for _ in range(GUESSES + 2)] == [False] * GUESSES + [True] * 2
    now[0] = 6.1
    assert [buckets.take("a") > 0 for _ in range(2)] == [False, True]


def test_uploads_of_one_token_have_a_quota(tmp_path: Path) -> None:
    model = next(programs()).text
    size = len(model.encode())
    with guarded(tmp_path, max_upload_bytes_per_token=int(2.5 * size) + 1000) as client:
        http = client("192.0.2.1")
        send = functools.partial(http.post, "/api/uploads", headers=ANN)
        made = [send(files={"files": ("model.pdb", model)}) for _ in range(4)]
        assert [answer.status_code for answer in made] == [201, 201, 429, 429]
        told = made[-1].json()["error"]
        assert (told["code"], told["details"]["used"]) == ("RATE_LIMITED", 2 * size)
        assert made[-1].headers["retry-after"]
        body = made[0].request.read()
        chunks = http.post(
            "/api/uploads",
            content=iter([body]),
            headers={**ANN, "Content-Type": made[0].request.headers["content-type"]},
        )
        assert chunks.status_code == 429, "a body of no announced length"
        page = http.post("/upload", files={"files": ("model.pdb", model)}, headers=ANN)
        assert page.status_code == 429
        assert http.post("/api/uploads", files={"files": ("model.pdb", model)}, headers=BEN).status_code == 201
        assert http.delete(f"/api/uploads/{made[0].json()['upload_id']}", headers=ANN).status_code == 200
        assert send(files={"files": ("model.pdb", model)}).status_code == 201
        manifest = http.get("/api/manifest", headers=ANN).json()["limits"]
        assert manifest["max_upload_bytes_per_token"] == int(2.5 * size) + 1000
        assert (manifest["body_timeout_s"], manifest["upload_timeout_s"]) == (60.0, 900.0)
