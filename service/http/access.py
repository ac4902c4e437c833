"""Authentication of a request: its token, in a header or from a browser's session; token guesses are limited."""

import asyncio
import hashlib
import hmac
import logging
import secrets
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from service.addresses import address
from service.errors import RateLimited
from service.http.rates import Buckets, client_of
from service.jobs.durable import read_json, write_json
from service.lru import Lru
from service.settings import Token

COOKIE = "tethermap_session"
SESSION_SECONDS = 30 * 24 * 3600
"""Lifetime of a browser's session, after which the page requests the token again."""
SESSIONS_PER_TOKEN = 100
"""Sessions of one token; a further one ends the oldest."""
GUESSES, GUESS_SECONDS = 10, 60.0
"""Maximum number of wrong tokens from one address in a period; further tokens are not checked."""

_REMEMBERED = 10_000
_LOG = logging.getLogger(__name__)


class Sessions:
    """Sessions of browsers, kept over restarts.

    The file contains neither tokens nor the values of cookies. A session ends with the token that it was opened with.

    Parameters
    ----------
    path : Path
        Path of the sessions' file.
    clock : callable
        Seconds since 1970.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._clock = clock
        self._writing = asyncio.Lock()
        self._sessions: dict[str, tuple[str, float]] = {}
        try:
            for digest, (name, ends) in (read_json(path) or {}).items():
                self._sessions[digest] = (str(name), float(ends))
        except (AttributeError, TypeError, ValueError) as error:
            _LOG.warning("%s is damaged, sessions are lost: %s", path.name, error)

    async def begin(self, token: Token) -> str:
        """Open a session and return the value of its cookie."""
        value, now = secrets.token_hex(32), self._clock()
        self._sessions = {digest: one for digest, one in self._sessions.items() if one[1] > now}
        own = [digest for digest, (name, _) in self._sessions.items() if name == token.name]
        for digest in own[: max(0, len(own) + 1 - SESSIONS_PER_TOKEN)]:
            del self._sessions[digest]
        self._sessions[_digest(token, value)] = (token.name, now + SESSION_SECONDS)
        await self._write()
        return value

    async def end(self, value: str, tokens: Sequence[Token]) -> None:
        """End the session of a cookie, if there is one."""
        ended = [self._sessions.pop(_digest(token, value), None) for token in tokens]
        if any(ended):
            await self._write()

    def token_of(self, value: str, tokens: Sequence[Token]) -> Token | None:
        """Return the token of a cookie; None if its session has ended."""
        now = self._clock()
        for token in tokens if value else ():
            _, ends = self._sessions.get(_digest(token, value), ("", 0.0))
            if ends > now:
                return token
        return None

    async def _write(self) -> None:
        async with self._writing:
            try:
                await asyncio.to_thread(write_json, self._path, dict(self._sessions))
            except OSError as error:  # the change lasts until the next restart, and is written with the next one
                _LOG.warning("sessions could not be written: %s", error)


class Access:
    """Tokens and sessions of requests.

    Parameters
    ----------
    tokens : sequence of Token
        The tokens of the service; empty if no token is needed.
    sessions : Sessions
        The sessions of browsers.
    """

    def __init__(self, tokens: Sequence[Token], sessions: Sessions) -> None:
        self._tokens = tokens
        self._sessions = sessions
        self._guesses = Buckets(GUESSES, GUESS_SECONDS)
        self._used: Lru[tuple[str, Token], bool] = Lru(_REMEMBERED)

    def token_of(self, request: Request) -> Token | None:
        """Return the token of a request, from its header or its session; None if it has none or a wrong one.

        Raises
        ------
        RateLimited
            If its address has guessed too often. Tokens that it has used before are still accepted.
        """
        scheme, _, token_text = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return self._sessions.token_of(request.cookies.get(COOKIE, ""), self._tokens)
        if not self._tokens:
            return None
        client, token = client_of(request.scope), self._known(token_text.strip())
        if token is not None and self._used.use((client, token)):
            return token
        self._count_guess(client, token)
        return token

    def log_in(self, request: Request, token_text: str) -> Token | None:
        """Return the token that a browser sends; None if it is wrong.

        Raises
        ------
        RateLimited
            If its address has guessed too often.
        """
        token = self._known(token_text)
        self._count_guess(client_of(request.scope), token)
        return token

    async def begin_session(self, response: Response, token: Token, *, secure: bool) -> None:
        """Give a browser the cookie of a new session: no script reads it, no page of another site sends it."""
        response.set_cookie(
            COOKIE,
            await self._sessions.begin(token),
            max_age=SESSION_SECONDS,
            path=address("/"),
            secure=secure,
            httponly=True,
            samesite="lax",
        )

    async def end_session(self, request: Request, response: Response) -> None:
        """End the session of a browser and delete its cookie."""
        await self._sessions.end(request.cookies.get(COOKIE, ""), self._tokens)
        response.delete_cookie(COOKIE, path=address("/"), httponly=True, samesite="lax")

    def _known(self, token_text: str) -> Token | None:
        """Return the token with a secret, in constant time."""
        alike = [token for token in self._tokens if hmac.compare_digest(token_text.encode(), token.secret.encode())]
        return alike[0] if alike else None

    def _count_guess(self, client: str, token: Token | None) -> None:
        wait = self._guesses.wait(client) if token is not None else self._guesses.take(client)
        if wait:
            message = f"Too many wrong tokens (at most {GUESSES} a minute): try again in a minute."
            raise RateLimited(message, maximum=GUESSES, retry_after=int(wait) + 1)
        if token is not None:
            self._used.keep((client, token), value=True)


def _digest(token: Token, value: str) -> str:
    """Return the stored digest of a session: it can't be made without the secret, nor converted into the cookie."""
    return hmac.new(token.secret.encode(), f"session {token.name} {value}".encode(), hashlib.sha256).hexdigest()
