"""Operations that a key of limited scope may call. Those that give out keys or secrets are excluded from all scopes."""

from __future__ import annotations

from typing import Final

from narrowcast_server.storage.extra_keys import Scope

_KEYS: Final = ("/server/keys", "/server/second_factor", "/users/me/api_key", "/bots")
_READ: Final = (
    "/attachments",
    "/default_streams",
    "/get_stream_id",
    "/messages",
    "/realm/emoji",
    "/realm/linkifiers",
    "/realm/presence",
    "/realm/profile_fields",
    "/server_settings",
    "/streams",
    "/user_groups",
    "/user_uploads",
    "/users",
)
_SEND: Final = frozenset(
    {("GET", "/users/me"), ("POST", "/messages"), ("POST", "/typing"), ("POST", "/user_uploads")}
)


def opens(scope: Scope, method: str, path: str) -> bool:
    """Whether a key of this scope may call an operation, given by its declared path."""
    if path.startswith(_KEYS):
        return False
    if scope is Scope.ALL:
        return True
    if scope is Scope.READ:
        return method == "GET" and any(path == root or path.startswith(f"{root}/") for root in _READ)
    return (method, path) in _SEND
