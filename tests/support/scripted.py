"""An httpx2 transport that returns prepared responses and fails for any other request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from typing import Self
from urllib.parse import parse_qsl

import httpx2


class UnpreparedRequest(AssertionError):
    """A request was sent that the test did not prepare."""


@dataclass(frozen=True)
class SentRequest:
    """One request as it was sent: `params` are the query (GET) or form fields, strings as on the wire."""

    method: str
    path: str
    params: Mapping[str, str]
    query: Mapping[str, str]
    headers: httpx2.Headers
    body: bytes
    url: httpx2.URL
    timeout: Mapping[str, float | None] = field(default_factory=dict)

    def json(self, name: str) -> object:
        """The decoded value of a JSON-encoded parameter."""
        value: object = json.loads(self.params[name])
        return value

    @property
    def authorization(self) -> str | None:
        value: str | None = self.headers.get("authorization")
        return value


Reply = Callable[[SentRequest], httpx2.Response]


@dataclass
class Prepared:
    """The response to the next matching request."""

    method: str
    path: str
    reply: Reply | Exception
    params: Mapping[str, str] | None
    gate: asyncio.Event | None = None


def _form(request: httpx2.Request, body: bytes) -> dict[str, str]:
    content_type = Message()
    content_type["content-type"] = request.headers.get("content-type", "")
    if content_type.get_content_type() != "application/x-www-form-urlencoded":
        return {}
    return dict(parse_qsl(body.decode("utf-8"), keep_blank_values=True))


async def sent_request(request: httpx2.Request) -> SentRequest:
    """The request as it arrives at a transport."""
    body = await request.aread()
    query = dict(parse_qsl(request.url.query.decode("ascii"), keep_blank_values=True))
    return SentRequest(
        request.method,
        request.url.path,
        query if request.method == "GET" else _form(request, body),
        query,
        request.headers,
        body,
        request.url,
        request.extensions.get("timeout", {}),
    )


class Raw(httpx2.AsyncByteStream):
    """A response body as it comes from the network: encoded as its header says, and not read yet."""

    def __init__(self, *parts: bytes) -> None:
        self._parts = parts

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self._parts:
            yield part


def unread(response: httpx2.Response) -> httpx2.Response:
    """Makes an unread response: httpx2 reads the body of a response created in a test at once."""
    if not response.is_stream_consumed:
        return response
    return httpx2.Response(response.status_code, headers=response.headers, stream=Raw(response.content))


class ScriptedTransport(httpx2.AsyncBaseTransport):
    """Prepare responses in order; every request must be the next one prepared for its method and path.

        transport = ScriptedTransport()
        transport.prepare("POST", "/api/v1/typing", json={})          # {"result": "success", "msg": ""} added
        transport.prepare("GET", "/api/v1/users/me", error=httpx2.ConnectError("no"))
        ...
        transport.finish()                                            # nothing prepared is left over

    `with ScriptedTransport() as transport:` calls `finish()` by itself. `gate=asyncio.Event()` holds an
    response back. `host` (of another origin) lets a test follow redirects: requests are matched on host too
    when it is given.
    """

    def __init__(self) -> None:
        self.requests: list[SentRequest] = []
        self._prepared: list[tuple[str | None, Prepared]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is None:
            self.finish()

    def prepare(
        self,
        method: str,
        path: str,
        *,
        json: Mapping[str, object] | None = None,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        error: Exception | None = None,
        reply: Reply | None = None,
        params: Mapping[str, str] | None = None,
        gate: asyncio.Event | None = None,
        host: str | None = None,
    ) -> None:
        """Responds to the next `method path` with a JSON object, raw `content`, an exception or what `reply`
        returns.
        """
        response: Reply | Exception
        if error is not None:
            response = error
        elif reply is not None:
            response = reply
        elif content is not None:
            raw, names = content, {"content-length": str(len(content)), **(headers or {})}
            response = lambda _: httpx2.Response(status, stream=Raw(raw), headers=names)  # noqa: E731
        else:
            base: dict[str, object] = {"result": "success", "msg": ""}
            body = {**base, **(json or {})}
            response = lambda _: httpx2.Response(status, json=body, headers=dict(headers or {}))  # noqa: E731
        self._prepared.append((host, Prepared(method, path, response, params, gate)))

    def prepare_error(
        self, method: str, path: str, *, code: str, msg: str = "no", status: int = 400, **extra: object
    ) -> None:
        """Responds with the contract's error body."""
        self.prepare(method, path, status=status, json={"result": "error", "msg": msg, "code": code, **extra})

    @property
    def last(self) -> SentRequest:
        return self.requests[-1]

    @property
    def pending(self) -> int:
        """Prepared responses that were not requested yet."""
        return len(self._prepared)

    def finish(self) -> None:
        """Fails if a prepared response was never requested."""
        left = [f"{prepared.method} {prepared.path}" for _, prepared in self._prepared]
        assert not left, f"never requested: {left}"

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        sent = await sent_request(request)
        self.requests.append(sent)
        prepared = self._take(sent)
        if prepared.gate is not None:
            await prepared.gate.wait()
        if isinstance(prepared.reply, Exception):
            raise prepared.reply
        return unread(prepared.reply(sent))

    def _take(self, sent: SentRequest) -> Prepared:
        for index, (host, prepared) in enumerate(self._prepared):
            if (prepared.method, prepared.path) != (sent.method, sent.path):
                continue
            if host is not None and host != sent.url.host:
                continue
            if prepared.params is not None:
                got, wanted = dict(sent.params), dict(prepared.params)
                assert got == wanted, f"{sent.method} {sent.path} sent {got}, not {wanted}"
            del self._prepared[index]
            return prepared
        raise UnpreparedRequest(f"{sent.method} {sent.url} {dict(sent.params)}")
