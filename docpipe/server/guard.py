"""What every request passes: who may ask, how much may be sent, and what a browser may do."""

from __future__ import annotations

import asyncio
import hmac
import urllib.parse
from collections.abc import Iterable

from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from docpipe import codec
from docpipe.server.settings import MAX_BODY, Settings, is_loopback

UPLOAD = "/api/documents"
SESSION = "/api/session"
_OPEN = ("", "/", "/api", "/api/health", SESSION, "/static")
_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        b"require-trusted-types-for 'script'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)


_WRONG = 0.3  # seconds that a wrong token costs
_MOST_WRONG = 20  # that may wait at once


class Tries:
    """What wrong tokens cost: they are answered one by one, however many come at once."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def wrong(self) -> bool:
        """Wait for the turn of a wrong token. False at once where too many wait already."""
        if self._waiting >= _MOST_WRONG:
            return False
        self._waiting += 1
        try:
            async with self._turn:
                await asyncio.sleep(_WRONG)
        finally:
            self._waiting -= 1
        return True


class Guard:
    """ASGI middleware that refuses requests, or adds the headers that confine a page.

    Without a token only names of this machine are served: a foreign name that resolves to it
    (DNS rebinding) is refused. Requests that another site's page makes are refused always.
    """

    def __init__(self, app: ASGIApp, settings: Settings, tries: Tries) -> None:
        self._app = app
        self._token = settings.token
        self._tries = tries

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            if refusal[1] == "needs_token" and _gives_one(headers):
                refusal = refusal if await self._tries.wrong() else TOO_MANY
            await _refuse(send, *refusal)
            return

        async def confined(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = list(message.get("headers", ()))
                if not any(name.lower() == b"cache-control" for name, _ in own):
                    own.append((b"cache-control", b"no-cache"))  # else an upgrade mixes old and new
                message["headers"] = [*own, *_HEADERS]
            await send(message)

        await self._app(scope, receive, confined)

    def _refusal(self, scope: Scope, headers: dict[bytes, str]) -> tuple[int, str, str, str] | None:
        """Status, code, message and hint of what is wrong with a request."""
        host = headers.get(b"host", "")
        if self._token is None and not is_loopback(_name_of(host)):
            return 421, "wrong_host", "this server has another name", "open it by 127.0.0.1"
        if _from_elsewhere(headers, host):
            return 403, "wrong_origin", "another site asked for this", "open the page itself"
        path = _route(scope)
        is_open = path in _OPEN or path.startswith("/static/")
        if not is_open and not self._is_known(headers):
            return 401, "needs_token", "a token is needed", "give the token docpipe serve has"
        return _too_much(scope["method"], path, headers)

    def _is_known(self, headers: dict[bytes, str]) -> bool:
        if self._token is None:
            return True
        scheme, _, given = headers.get(b"authorization", "").partition(" ")
        if scheme.lower() == "bearer" and same_secret(given, self._token):
            return True
        cookies = cookie_parser(headers.get(b"cookie", ""))
        given = cookies.get(cookie_name(headers.get(b"host", "")), "")
        return same_secret(given, session_of(self._token))


TOO_MANY = (429, "too_many_tries", "too many wrong tokens at once", "try again in a minute")


def _gives_one(headers: dict[bytes, str]) -> bool:
    """Whether a request that is not let in has a token at all, which then is a wrong one."""
    cookies = cookie_parser(headers.get(b"cookie", ""))
    return b"authorization" in headers or cookie_name(headers.get(b"host", "")) in cookies


def _route(scope: Scope) -> str:
    """The path that routes are found by: what comes behind the place the application is mounted
    at, which the server may have put in front."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "")
    inner = path.removeprefix(root)
    return inner if inner.startswith("/") or path == root else path


def same_secret(given: str, secret: str) -> bool:
    """Whether two texts are equal, in a time that does not tell where they differ."""
    return hmac.compare_digest(given.encode(), secret.encode())


def cookie_name(host: str) -> str:
    """The cookie of a Host header: cookies do not know ports, so that the name tells it."""
    port = host.rpartition("]")[2].rpartition(":")[2]
    return f"docpipe_session_{port}" if port.isdecimal() else "docpipe_session"


def session_of(token: str) -> str:
    """What the cookie holds: other programs of the same host see it, so it is not the token."""
    return hmac.new(token.encode(), b"docpipe session", "sha256").hexdigest()


def _name_of(host: str) -> str:
    """The name in a Host header, without the port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower()


def _from_elsewhere(headers: dict[bytes, str], host: str) -> bool:
    origin = headers.get(b"origin")
    if origin is not None and _host_of(origin) != host.lower():
        return True
    site = headers.get(b"sec-fetch-site", "none")
    navigates = headers.get(b"sec-fetch-mode") == "navigate"
    return site not in ("none", "same-origin") and not navigates


def _host_of(origin: str) -> str | None:
    """Host and port of an Origin header; None where it is none."""
    try:
        return urllib.parse.urlsplit(origin).netloc.lower()
    except ValueError:
        return None


def _too_much(
    method: str, path: str, headers: dict[bytes, str]
) -> tuple[int, str, str, str] | None:
    """Uploads are counted as they come; all else tells its size, which is small."""
    if method not in ("POST", "PUT", "PATCH") or path == UPLOAD:
        return None
    length = headers.get(b"content-length", "")
    if not length.isdecimal():
        return 411, "no_length", "the request does not tell its length", "send Content-Length"
    if int(length) > MAX_BODY:
        return 413, "too_large", "the request is too large", f"send at most {MAX_BODY >> 10} KiB"
    return None


async def _refuse(send: Send, status: int, code: str, message: str, hint: str) -> None:
    body = codec.encode({"code": code, "message": message, "hint": hint})
    headers: Iterable[tuple[bytes, bytes]] = (
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        *_HEADERS,
    )
    await send({"type": "http.response.start", "status": status, "headers": list(headers)})
    await send({"type": "http.response.body", "body": body})
