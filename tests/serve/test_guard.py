"""Who is let in, and who is not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from neonlab.serve.guard import Guard

PORT, TOKEN = 4321, "right"
COOKIE = (b"cookie", b"other=1; neonlab-4321=right")
HOST = (b"host", b"127.0.0.1:4321")


def answer(*headers: tuple[bytes, bytes], kind: str = "http", path: str = "/x", query: bytes = b"") -> list[Any]:
    """The messages that come back; an application behind the guard answers 200, or accepts."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": f"{kind}.connect"}

    async def application(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
        else:
            await send({"type": "http.response.start", "status": 200, "headers": []})

    scope = {"type": kind, "path": path, "query_string": query, "headers": list(headers)}
    asyncio.run(Guard(application, TOKEN, PORT)(scope, receive, send))
    return sent


def let_in(messages: list[Any]) -> bool:
    return bool(messages[0].get("status") == 200 or messages[0]["type"] == "websocket.accept")


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    ("headers", "right"),
    [
        ((HOST, COOKIE), True),
        (((b"host", b"localhost:4321"), COOKIE, (b"origin", b"http://localhost:4321")), True),
        ((HOST, COOKIE, (b"origin", b"http://127.0.0.1:4321")), True),
        ((HOST,), False),
        ((HOST, (b"cookie", b"neonlab-4321=wrong")), False),
        ((HOST, (b"cookie", b"neonlab-4322=right")), False),
        ((HOST, (b"cookie", b"neonlab-4321=")), False),
        ((HOST, (b"cookie", b"\xff;;=neonlab-4321")), False),
        ((COOKIE,), False),
        (((b"host", b"evil.example:4321"), COOKIE), False),
        (((b"host", b"127.0.0.1"), COOKIE), False),
        ((HOST, HOST, COOKIE), False),
        ((HOST, COOKIE, (b"origin", b"http://evil.example")), False),
        ((HOST, COOKIE, (b"origin", b"http://127.0.0.1:8888")), False),
        ((HOST, COOKIE, (b"origin", b"null")), False),
    ],
)
def test_only_who_has_the_token_and_comes_from_here_is_let_in(
    kind: str, headers: tuple[tuple[bytes, bytes], ...], right: bool
) -> None:
    messages = answer(*headers, kind=kind)
    assert let_in(messages) is right
    if not right:
        assert messages[0].get("status") == 403 or messages[0] == {"type": "websocket.close", "code": 1008}


def test_the_token_of_the_address_becomes_a_cookie_that_scripts_cannot_read() -> None:
    start = answer(HOST, path="/", query=b"token=right")[0]
    headers = dict(start["headers"])
    assert start["status"] == 303 and headers[b"location"] == b"/"
    assert headers[b"set-cookie"] == b"neonlab-4321=right; Path=/; HttpOnly; SameSite=Strict"
    for query in (b"token=wrong", b"token=", b"token=%ff", b""):
        assert answer(HOST, path="/", query=query)[0]["status"] == 403
    assert answer((b"host", b"evil.example:4321"), path="/", query=b"token=right")[0]["status"] == 403
    assert not let_in(answer(HOST, kind="websocket", path="/", query=b"token=right"))
