"""The one place that talks to the network: requests with time limits, retries and good manners."""

import logging
import os
import platform
import ssl
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from typing import Any, Self
from urllib.parse import urlsplit
from urllib.request import getproxies

import httpx2

from tethermap.base.errors import UserError
from tethermap.base.root import __version__

_LOG = logging.getLogger(__name__)
logging.getLogger("httpx2").setLevel(logging.WARNING)  # a line for each request would hide ours

CERTIFICATES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
"""Variables that name a file of trusted certificates, the first one that is set counts."""

RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Status codes after which the same request may succeed."""

CONTACT = "TETHERMAP_CONTACT"
"""Environment variable with a mail or web address of the operator, for the services' operators."""

_MOST_REDIRECTS = 10
_STEP = 1 << 16
_MAX_BYTES = 2 << 30


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Timeouts and retries of the client.

    Parameters
    ----------
    attempts : int
        Tries of one request.
    backoff : float
        Seconds before the second try; doubled before each further one.
    longest_wait : float
        Longest `Retry-After` in seconds; a longer one ends the request.
    connect, read : float
        Seconds to connect, and between two parts of an answer.
    total : float
        Seconds for one try.
    connections : int
        Connections at the same time.
    """

    attempts: int = 5
    backoff: float = 1.0
    longest_wait: float = 120.0
    connect: float = 10.0
    read: float = 30.0
    total: float = 300.0
    connections: int = 8

    @classmethod
    def from_environment(cls, *, preview: bool = False) -> Self:
        """Return the limits of a job or preview, changed by ``TETHERMAP_HTTP_BACKOFF``, ``_READ`` and ``_ATTEMPTS``."""
        default = cls(attempts=2, backoff=0.5, longest_wait=2.0, connect=2.0, read=10.0) if preview else cls()
        return replace(
            default,
            attempts=max(1, int(_number("TETHERMAP_HTTP_ATTEMPTS", default.attempts))),
            backoff=_number("TETHERMAP_HTTP_BACKOFF", default.backoff),
            read=_number("TETHERMAP_HTTP_READ", default.read),
        )


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An answer with a status that no retry would change."""

    status: int
    content: bytes


@dataclass(eq=False)
class HttpError(Exception):
    """A request without a usable answer, in one try or after all.

    Parameters
    ----------
    host : str
        The service.
    detail : str
        Reason of the last failure.
    unreachable : bool
        Whether it never answered.
    wait : float or None
        Waiting time that the service requests, in seconds.
    attempts : int
        Number of attempts.
    """

    host: str
    detail: str
    unreachable: bool = False
    wait: float | None = None
    attempts: int = 1

    def __str__(self) -> str:
        return f"{self.host}: {self.detail}" + (f" ({self.attempts} attempts)" if self.attempts > 1 else "")


@dataclass
class HttpClient:
    """Sends requests with retries if useful; safe to use from several threads.

    Parameters
    ----------
    limits : RequestLimits
        Timeouts and retries.
    sleep : callable
        Called with seconds; tests replace it.
    """

    limits: RequestLimits = field(default_factory=RequestLimits.from_environment)
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        limits = self.limits
        refuse_socks()
        self._client = httpx2.Client(
            headers={"User-Agent": user_agent()},
            timeout=httpx2.Timeout(limits.read, connect=limits.connect),
            limits=httpx2.Limits(max_connections=limits.connections, max_keepalive_connections=limits.connections),
            follow_redirects=True,
            verify=trusted(),
        )

    def request(
        self,
        url: str,
        body: Mapping[str, Any] | None = None,
        *,
        problem: Callable[[bytes], str] | None = None,
        slot: Callable[[], AbstractContextManager[None]] = nullcontext,
        raw: bool = False,
    ) -> HttpAnswer:
        """Send a GET request, or a JSON body in a POST request.

        Parameters
        ----------
        url : str
            The address.
        body : mapping or None
            The body of a POST request.
        problem : callable, optional
            Returns the fault of a successful response's content; empty if it is valid. A bad one is retried.
        slot : callable
            Returns the context for each attempt.
        raw : bool
            Whether to return the bytes as sent, for files that are gzipped themselves.

        Raises
        ------
        HttpError
            If there was no usable answer. Statuses that don't change (404, 400) are answers.
        """
        method, host = "GET" if body is None else "POST", urlsplit(url).netloc
        for attempt in range(1, self.limits.attempts + 1):
            try:
                with slot():
                    answer = self._try(method, url, host, body, raw=raw)
                detail = problem(answer.content) if problem and answer.status == httpx2.codes.OK else ""
                if not detail:
                    return answer
                raise HttpError(host, detail)  # noqa: TRY301 - handled like a failed request
            except HttpError as error:
                error.attempts = attempt
                if (wait := self._wait(error)) is None:
                    raise
                _LOG.warning(
                    "%s %s: %s; attempt %d of %d, again in %.1f s",
                    method, _shown(url), error.detail, attempt, self.limits.attempts, wait,
                )  # fmt: skip
            self.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def _wait(self, error: HttpError) -> float | None:
        """Return how long to wait before the next try; None when there is none."""
        if error.attempts >= self.limits.attempts:
            return None
        if (asked := error.wait or 0.0) > self.limits.longest_wait:
            error.detail += f", which asks to wait {asked:.0f} s"
            return None
        return max(float(self.limits.backoff * 2 ** (error.attempts - 1)), asked)

    def _try(
        self, method: str, url: str, host: str, body: Mapping[str, Any] | None, *, raw: bool, redirects: int = 0
    ) -> HttpAnswer:
        headers = {"Accept-Encoding": "identity"} if raw else {}
        deadline = time.monotonic() + self.limits.total
        try:
            follow = body is None  # a redirected POST would become a GET without its body
            with self._client.stream(method, url, json=body, headers=headers, follow_redirects=follow) as response:
                elsewhere = response.headers["location"] if response.has_redirect_location else ""
                target = str(response.url.join(elsewhere))
                parts, size = [], 0
                for part in response.iter_raw(_STEP) if raw else response.iter_bytes(_STEP):
                    parts.append(part)
                    size += len(part)
                    if time.monotonic() > deadline or size > _MAX_BYTES:
                        raise HttpError(host, f"the answer {'is' if size > _MAX_BYTES else 'took'} too long")
                answer = HttpAnswer(response.status_code, b"".join(parts))
                wait = _retry_after(response.headers.get("retry-after", ""))
        except httpx2.TimeoutException as error:
            raise HttpError(host, f"no answer in time ({type(error).__name__})", unreachable=True) from error
        except (httpx2.ConnectError, httpx2.ProxyError) as error:
            raise HttpError(host, f"no connection ({error}{_on_certificates(error)})", unreachable=True) from error
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            raise HttpError(host, f"the connection broke ({str(error) or type(error).__name__})") from error
        except httpx2.TooManyRedirects as error:
            raise HttpError(host, f"it only leads elsewhere ({error})") from error
        except httpx2.InvalidURL as error:
            raise HttpError(host, f"not an address ({error})", unreachable=True) from error
        if elsewhere and redirects < _MOST_REDIRECTS:
            return self._try(method, target, host, body, raw=raw, redirects=redirects + 1)
        if answer.status in RETRIED or elsewhere:
            raise HttpError(host, f"HTTP {answer.status}", wait=wait)
        return answer


def trusted() -> ssl.SSLContext | bool:
    """Return the certificates that the environment names; True, those of the system, if it names none.

    Raises
    ------
    UserError
        If the file is missing or contains no certificates.
    """
    name = next((name for name in CERTIFICATES if os.environ.get(name)), None)
    if name is None:
        return True
    try:
        return ssl.create_default_context(cafile=os.environ[name])
    except OSError as error:  # ssl.SSLError is one
        reason = error.strerror or str(error)
        raise UserError(f"{name} names no file of certificates ({reason}): correct it, or unset {name}.") from None


def refuse_socks() -> None:
    """Make sure that a SOCKS proxy of the environment can be used.

    Raises
    ------
    UserError
        If the package for it is not installed.
    """
    for scheme, address in getproxies().items():
        if scheme != "no" and address.startswith("socks") and find_spec("socksio") is None:
            raise UserError(f"The proxy {_shown(address)} speaks SOCKS, which needs a package: pip install socksio")


def _on_certificates(error: Exception) -> str:
    """Return the setting to change if a certificate is not trusted."""
    if "CERTIFICATE_VERIFY_FAILED" not in str(error):
        return ""
    return "; set SSL_CERT_FILE to a file with the certificates of your network"


def user_agent() -> str:
    """Return the name and contact of this program, for the services' logs."""
    python = platform.python_version()
    contact = "".join(sign for sign in os.environ.get(CONTACT, "") if " " < sign <= "~" and sign not in "()")
    purpose = "ligand-bound structures" + (f"; {contact}" if contact else "")
    return f"Tethermap/{__version__} ({purpose}; Python {python}; httpx2 {httpx2.__version__})"


def _retry_after(text: str) -> float | None:
    """Return the seconds of a `Retry-After` header, given as seconds or as a date."""
    with suppress(ValueError):
        return max(0.0, float(text))
    with suppress(ValueError):
        moment = parsedate_to_datetime(text)
        return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
    return None


def _number(name: str, default: float) -> float:
    try:
        return max(0.0, float(os.environ.get(name, "")))
    except ValueError:
        return default


def _shown(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.netloc}{parts.path}"
