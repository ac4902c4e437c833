"""Who asks: by a token, or by the cookie that a page was given for one."""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from service.addresses import address
from service.settings import Token

COOKIE = "tethermap_session"
SESSION_SECONDS = 30 * 24 * 3600
"""How long a page may be used before its token is asked for again."""

_VALUE = re.compile(r"(\d{1,12})\.([0-9a-f]{64})")


def token_of(request: Request, tokens: Sequence[Token]) -> Token | None:
    """Return the token with which a request comes, in its header or by its cookie; None for none or a wrong one."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return known_token(given.strip(), tokens)
    return _of_cookie(request.cookies.get(COOKIE, ""), tokens)


def known_token(given: str, tokens: Sequence[Token]) -> Token | None:
    """Return the token with a secret; the time taken tells nothing of it."""
    alike = [token for token in tokens if hmac.compare_digest(given.encode(), token.secret.encode())]
    return alike[0] if alike else None


def set_session(response: Response, token: Token, *, secure: bool) -> None:
    """Give a page a cookie for a token: it holds no secret, no script reads it, no other site's page sends it."""
    ends = int(time.time()) + SESSION_SECONDS
    response.set_cookie(
        COOKIE,
        f"{ends}.{_signature(token, ends)}",
        max_age=SESSION_SECONDS,
        path=address("/"),
        secure=secure,
        httponly=True,
        samesite="lax",
    )


def end_session(response: Response) -> None:
    """Take the cookie away."""
    response.delete_cookie(COOKIE, path=address("/"), httponly=True, samesite="lax")


def _of_cookie(value: str, tokens: Sequence[Token]) -> Token | None:
    match = _VALUE.fullmatch(value)
    if match is None or int(match[1]) < time.time():
        return None
    ends = int(match[1])
    alike = [token for token in tokens if hmac.compare_digest(match[2], _signature(token, ends))]
    return alike[0] if alike else None


def _signature(token: Token, ends: int) -> str:
    return hmac.new(token.secret.encode(), f"session {token.name} {ends}".encode(), hashlib.sha256).hexdigest()
