"""Random requests, and checks of their responses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from urllib.parse import quote

import httpx2

from fuzz import values
from narrowcast_server.app import routes_of
from narrowcast_server.http.params import REQUIRED
from narrowcast_server.http.routing import Endpoint

PEOPLE = ("ada", "bruno", "chiyo", "dario", "hugo", "hugo", "hugo", "iris", "jasper", None)
_HEADERS = (
    ("Tus-Resumable", "1.0.0"),
    ("Upload-Length", "5"),
    ("Upload-Offset", "0"),
    ("Content-Type", "application/offset+octet-stream"),
    ("Range", "bytes=0-3,9-2"),
    ("X-Forwarded-For", "203.0.113.7, x"),
    ("Upload-Metadata", "filename YS50eHQ=,x"),
)


@dataclass
class Request:
    """A reproducible request."""

    person: str | None
    method: str
    path: str
    fields: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    form: str = "fields"
    """"fields", "multipart", "file" or "raw"."""

    @property
    def options(self) -> dict[str, object]:
        """Keyword arguments for the HTTP client."""
        options: dict[str, object] = {"headers": self.headers}
        if self.method in ("GET", "HEAD", "OPTIONS"):
            return {**options, "params": {name: text[:2_000] for name, text in self.fields.items()}}
        if self.form == "multipart":
            return {**options, "files": {name: (None, text) for name, text in self.fields.items()} or None}
        if self.form == "file":
            return {**options, "files": {"file": ("a\u202e.png", b"\x89PNG\r\n\x1a\nxx")}}
        if self.form == "raw":
            return {**options, "content": "&".join(f"{k}={v}" for k, v in self.fields.items()).encode()}
        return {**options, "data": self.fields}

    def __str__(self) -> str:
        fields = {name: _shortened(text) for name, text in self.fields.items()}
        return f"{self.person} {self.method} {self.path} {self.form} {json.dumps(fields)} {self.headers}"


def _shortened(text: str) -> str:
    return text if len(text) < 200 else f"{text[:200]}... ({len(text)})"


def requests(seed: int, count: int) -> Iterator[Request]:
    """That many random requests, the same for the same seed."""
    random = Random(seed)
    endpoints = routes_of()
    for _ in range(count):
        yield request(random, random.choice(endpoints))


def request(random: Random, endpoint: Endpoint) -> Request:
    """A request to one operation, sometimes with a wrong method, headers or body."""
    path = "/".join(_part(random, part) for part in endpoint.path.split("/"))
    if not endpoint.absolute:
        path = f"/api/v1{path}"
    chosen = [param for param in endpoint.params if random.random() < 0.6 or param.default is REQUIRED]
    # The settings endpoints have a hundred parameters.
    chosen = random.sample(chosen, min(len(chosen), 12))
    if random.random() < 0.5:
        chosen = [param for param in endpoint.params if param.default is REQUIRED or random.random() < 0.1]
    fields = {random.choice(param.names()): values.value(random, param.name) for param in chosen}
    if endpoint.path == "/events":
        fields["dont_block"] = "true"
    if random.random() < 0.1:
        fields[values.text(random)[:50]] = values.text(random)
    method = endpoint.method
    if random.random() < 0.03:
        method = random.choice(("GET", "PUT", "HEAD", "OPTIONS", "PATCH"))
    headers: dict[str, str] = {}
    if endpoint.streaming or random.random() < 0.05:
        headers = dict(random.sample(_HEADERS, random.randint(1, 4)))
    form = random.choice(("fields",) * 12 + ("multipart", "raw", "file"))
    if endpoint.streaming and random.random() < 0.6:
        form = "file"
        headers.pop("Content-Type", None)
    if method == "GET" and path.endswith("/events") and "dont_block" not in fields:
        fields["dont_block"] = "true"
    return Request(random.choice(PEOPLE), method, path, fields, headers, form)


def _part(random: Random, part: str) -> str:
    if not part.startswith("{"):
        return part
    if random.random() < 0.7:
        return str(values.identity(random))
    return quote(values.text(random)[:300] or "x", safe="")


def fault(response: httpx2.Response) -> str | None:
    """What is wrong with a response: a server error, or a body that violates the contract; else None."""
    if response.status_code >= 500:
        return f"status {response.status_code}: {response.text[:200]}"
    if response.request.method == "HEAD" or not response.request.url.path.startswith("/api/v1/"):
        return None
    if response.status_code in (204,) or "/tus" in response.request.url.path:
        return None
    try:
        body = response.json()
    except ValueError:
        return f"status {response.status_code} with a body that is no JSON: {response.text[:200]}"
    if not isinstance(body, dict) or body.get("result") not in ("success", "error") or "msg" not in body:
        return f"status {response.status_code} with a body of another form: {response.text[:200]}"
    if (body["result"] == "success") is not (response.status_code < 300):
        return f"status {response.status_code} with the result {body['result']}"
    return None
