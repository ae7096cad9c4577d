"""Restrict the server to a browser on this machine that has the token, and to its own page."""

from __future__ import annotations

import hmac
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADERS = (
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)


class Guard:
    """Answers 403 to requests without the token, with another host, or from another origin.

    The token arrives with the first address, as `?token=`, and stays in a cookie that scripts cannot read and requests
    from other sites do not carry.  A foreign name that resolves to 127.0.0.1 is another host; another port of this
    machine is another origin.
    """

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app = app
        self._token = token
        self._cookie = f"neonlab-{port}"
        self._hosts = tuple(f"{name}:{port}" for name in ("127.0.0.1", "localhost"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one ASGI connection, HTTP or WebSocket."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if not self._from_here(scope):
            await _refuse(scope, send, b"another host or origin\n")
        elif scope["type"] == "http" and scope["path"] == "/" and self._right(given):
            cookie = f"{self._cookie}={self._token}; Path=/; HttpOnly; SameSite=Strict"
            more = [(b"location", b"/"), (b"set-cookie", cookie.encode()), (b"cache-control", b"no-store")]
            await _answer(send, 303, [*more, *_HEADERS], b"")
        elif not self._right(self._kept(scope)):
            await _refuse(scope, send, b"no token: open the address that `neonlab serve` printed\n")
        else:
            await self._app(scope, receive, _with_headers(send))

    def _right(self, token: str) -> bool:
        return hmac.compare_digest(token.encode(), self._token.encode())

    def _from_here(self, scope: Scope) -> bool:
        headers = scope["headers"]
        hosts = [value.decode("latin-1") for name, value in headers if name == b"host"]
        origins = [value.decode("latin-1") for name, value in headers if name == b"origin"]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return False
        return all(origin == f"http://{hosts[0]}" for origin in origins)

    def _kept(self, scope: Scope) -> str:
        for name, value in scope["headers"]:
            if name == b"cookie":
                try:
                    morsel = SimpleCookie(value.decode("latin-1")).get(self._cookie)
                except CookieError:
                    continue
                if morsel is not None:
                    return morsel.value
        return ""


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *_HEADERS]}
        await send(message)

    return sending


async def _refuse(scope: Scope, send: Send, why: bytes) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})  # closed before it is accepted, so the client sees 403
    else:
        await _answer(send, 403, [(b"content-type", b"text/plain; charset=utf-8"), *_HEADERS], why)


async def _answer(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body})
