"""Limits of request bodies: size, time, and number of bodies that are received at once."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import anyio
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.errors import PayloadTooLarge, QueueFull, ServiceError, UnsupportedMediaType
from service.http.middleware import request_id
from service.http.rates import client_of
from service.http.responses import error_answer

UPLOAD_SECONDS = 900.0
"""Time limit for the body of an upload."""
MAX_WAITING_BODIES = 256
MAX_WAITING_UPLOADS = 32

_RETRY_SECONDS = 10
_COMPRESSED = "The body must not be compressed: send it without Content-Encoding."
_LONGEST_NUMBER = 18


@dataclass(eq=False, slots=True)
class _Body:
    """The body of one request.

    Parameters
    ----------
    client : str
        Address of the client.
    deadline : float
        Time of the event loop at which it must be complete.
    """

    client: str
    deadline: float
    read: int = 0
    complete: bool = False
    given_up: bool = False
    waiting: anyio.CancelScope | None = None


class Bodies:
    """Limits of one kind of body, and the bodies being received, the one without progress for longest first.

    Parameters
    ----------
    largest : int
        Bytes of one body.
    seconds : float
        Time limit for a whole body.
    places : int
        Number of bodies received at once. If there are more, the client that has most of them loses one.
    """

    def __init__(self, largest: int, seconds: float, places: int) -> None:
        self.largest = largest
        self.seconds = seconds
        self._places = places
        self._awaited: dict[_Body, None] = {}

    def __len__(self) -> int:
        return len(self._awaited)

    @property
    def too_large(self) -> ServiceError:
        """The error for a larger body."""
        return PayloadTooLarge(f"The body is larger than {self.largest} bytes.", maximum=self.largest)

    def expect(self, client: str) -> _Body:
        """Return a new body, whose time begins."""
        return _Body(client, anyio.current_time() + self.seconds)

    async def receive(self, body: _Body, receive: Receive) -> Message:
        """Return the next message of a request whose body is not complete.

        Raises
        ------
        PayloadTooLarge
            If the body is too large.
        QueueFull
            If it takes too long, or must make room for others.
        """
        self._give_place(body)
        with anyio.CancelScope(deadline=body.deadline) as body.waiting:
            message = await receive()
            body.read += len(message.get("body", b""))
            body.complete = not message.get("more_body", False)
            if body.complete:
                self.release(body)
            if body.read > self.largest:
                raise self.too_large
            return message
        raise _late(
            "Too many requests wait for their bodies: try again."
            if body.given_up
            else f"The body did not arrive within {self.seconds:g} seconds: try again."
        )

    def release(self, body: _Body) -> None:
        """Give up the place of a body."""
        self._awaited.pop(body, None)

    def _give_place(self, body: _Body) -> None:
        """Put a body last, as it has made progress; give up another one if there are too many."""
        if body.given_up:
            raise _late("Too many requests wait for their bodies: try again.")
        self._awaited.pop(body, None)
        self._awaited[body] = None
        if len(self._awaited) > self._places:
            client = Counter(one.client for one in self._awaited).most_common(1)[0][0]
            slowest = next(one for one in self._awaited if one.client == client)
            self.release(slowest)
            slowest.given_up = True
            if slowest.waiting is not None:
                slowest.waiting.cancel()


def _late(message: str) -> QueueFull:
    # The connection is closed: the rest of the body may never come.
    return QueueFull(message, headers={"Connection": "close"}, retry_after=_RETRY_SECONDS)


class BodyLimit:
    """Middleware that limits the bodies of requests until their answer begins.

    Own middleware, because Starlette limits only the size of forms, and servers have no limit.

    Parameters
    ----------
    app : ASGIApp
        The application.
    usual : Bodies
        Limits of all paths but `others`.
    others : mapping of str to Bodies
        Limits by path.
    """

    def __init__(self, app: ASGIApp, usual: Bodies, others: Mapping[str, Bodies]) -> None:
        self.app = app
        self._usual = usual
        self._others = others

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 413 if its announced length is too large, 415 if its body is compressed."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        bodies = self._others.get(scope["path"], self._usual)
        headers = Headers(scope=scope)
        length = headers.get("content-length", "")
        error: ServiceError | None = None
        if length.isdecimal() and (len(length) > _LONGEST_NUMBER or int(length) > bodies.largest):
            error = bodies.too_large
        elif scope["method"] == "POST" and headers.get("content-encoding", "identity").lower() != "identity":
            error = UnsupportedMediaType(_COMPRESSED, headers={"Accept-Encoding": "identity"})  # RFC 7694, section 3
        if error is not None:
            await error_answer(error, request_id(scope), scope["path"])(scope, receive, send)
            return
        body = bodies.expect(client_of(scope))
        answered = False

        async def receive_limited() -> Message:
            # Later messages only report that the client has disconnected; streaming responses wait for them.
            return await (receive() if body.complete or answered else bodies.receive(body, receive))

        async def send_noted(message: Message) -> None:
            nonlocal answered
            answered = True
            await send(message)

        try:
            await self.app(scope, receive_limited, send_noted)
        finally:
            bodies.release(body)
