"""Requests to the server of a test, without the client library."""

from __future__ import annotations

import base64
import http.client
import json
from contextlib import closing
from typing import Any
from urllib.parse import urlencode, urlsplit

from narrowcast_api.account import Account

SECONDS = 60.0
"""How long a response may take."""


def call(account: Account, method: str, path: str, **fields: object) -> dict[str, Any]:
    """Sends one request of an account over plain HTTP; it must be a success."""
    query = urlencode(fields)
    if method == "GET":
        return _requested(account, method, f"{path}?{query}")
    return _requested(account, method, path, query.encode(), "application/x-www-form-urlencoded")


def upload(account: Account, name: str, content: bytes) -> str:
    """Uploads a file; returns its path on the server."""
    head = f'Content-Disposition: form-data; name="file"; filename="{name}"'
    body = f"--edge\r\n{head}\r\n\r\n".encode() + content + b"\r\n--edge--\r\n"
    kind = "multipart/form-data; boundary=edge"
    return str(_requested(account, "POST", "/user_uploads", body, kind)["url"])


def _requested(
    account: Account, method: str, path: str, body: bytes | None = None, kind: str = ""
) -> dict[str, Any]:
    where = urlsplit(account.site)
    assert where.hostname is not None
    secret = base64.b64encode(f"{account.email}:{account.key.reveal()}".encode()).decode()
    headers = {"Authorization": f"Basic {secret}", **({"Content-Type": kind} if kind else {})}
    with closing(http.client.HTTPConnection(where.hostname, where.port, timeout=SECONDS)) as connection:
        connection.request(method, f"/api/v1{path}", body, headers)
        response = json.loads(connection.getresponse().read())
    assert response["result"] == "success", response
    return dict(response)
