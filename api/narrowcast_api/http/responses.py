"""Interprets an HTTP response: a JSON object on success, or one typed error (CONV-06, CONV-07, CONV-19, ERR rows)."""

from __future__ import annotations

import math
from collections.abc import Mapping

from narrowcast_api.errors import (
    ApiError,
    MalformedResponse,
    NarrowcastError,
    RateLimited,
    ServerFault,
    api_error,
)
from narrowcast_api.http.safe_json import parse_object
from narrowcast_api.wire.vocabulary import Result

_DEFAULT_RETRY_SECONDS = 5.0
_MAX_RETRY_SECONDS = 3600.0
_MAX_TEXT_LENGTH = 4000
_STANDARD_FIELDS = frozenset({"result", "msg", "code"})


def interpret(
    status: int, headers: Mapping[str, str], raw: bytes, *, partial: bool = False, lazy_field: str = ""
) -> dict[str, object]:
    """Returns the body of a successful response; otherwise raises the typed error.

    The body's `result` decides; the HTTP status is used only if the body has none. `partial` accepts the
    third result, 'partially_completed', which one operation returns below level 211 (DTOP-10). `lazy_field`
    names a list whose rows are parsed when they are accessed (`parse_json`).
    """
    error: NarrowcastError
    try:
        body = parse_object(raw, lazy_field)
    except MalformedResponse as malformed:
        error = _without_body(status, headers, malformed)
    else:
        result, msg = body.get("result"), body.get("msg")
        if result == Result.SUCCESS and isinstance(msg, str):
            return body
        if result == Result.PARTIALLY_COMPLETED and partial:
            return body
        error = _refusal(status, headers, body)
    raise error


def _without_body(status: int, headers: Mapping[str, str], malformed: MalformedResponse) -> NarrowcastError:
    if status == 429:
        return RateLimited(_retry_after(headers, {}))
    if status >= 500:
        return ServerFault(status)
    if status >= 400:
        return api_error(status, "", "")
    return MalformedResponse(malformed.detail, status=status)


def _refusal(status: int, headers: Mapping[str, str], body: Mapping[str, object]) -> NarrowcastError:
    raw_code, raw_msg = body.get("code"), body.get("msg")
    code = raw_code if isinstance(raw_code, str) else ""
    msg = raw_msg[:_MAX_TEXT_LENGTH] if isinstance(raw_msg, str) else ""
    if status == 429 or code == "RATE_LIMIT_HIT":
        return RateLimited(_retry_after(headers, body))
    if status >= 500:
        return ServerFault(status, msg)
    if body.get("result") in (Result.ERROR, Result.PARTIALLY_COMPLETED) or status >= 400:
        extra = {name: value for name, value in body.items() if name not in _STANDARD_FIELDS}
        return api_error(status, code, msg, extra)
    return MalformedResponse("the response lacks result and msg", status=status)


def _retry_after(headers: Mapping[str, str], body: Mapping[str, object]) -> float:
    """Seconds, from the body or the header, whichever is longer; limited, so that no response can block the
    client permanently.
    """
    waits: list[float] = []
    for value in (body.get("retry-after"), headers.get("retry-after")):
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            continue
        try:
            seconds = float(value)
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            waits.append(seconds)
    return min(max(waits, default=_DEFAULT_RETRY_SECONDS), _MAX_RETRY_SECONDS)


def redacted(error: NarrowcastError, *secrets: str) -> NarrowcastError:
    """The same error with any secrets that the server echoed removed from its texts."""
    shown = [secret for secret in secrets if len(secret) > 3]
    if isinstance(error, ServerFault) and any(secret in error.detail for secret in shown):
        return ServerFault(error.status)
    if not isinstance(error, ApiError) or not shown:
        return error
    if not any(secret in f"{error.msg} {error.extra}" for secret in shown):
        return error
    msg = error.msg
    for secret in shown:
        msg = msg.replace(secret, "••••")
    extra = {name: value for name, value in error.extra.items() if not any(s in str(value) for s in shown)}
    return type(error)(error.code, msg, error.status, extra)
