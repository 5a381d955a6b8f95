"""This server's own operations for its operators; outside the contract and available at every level.

GET /health           public: 200 while the server responds to requests and can read its database
GET /metrics          administrators: numbers in the text form of Prometheus
GET /server/sessions  the caller's sessions; DELETE ends one or all; owners and administrators those of others
GET /server/acts      administrators: the audit log
"""

from __future__ import annotations

from typing import Final

from starlette.responses import JSONResponse, PlainTextResponse, Response

from narrowcast_server.actions.audit_log import entries, record
from narrowcast_server.actions.keys import replace_key
from narrowcast_server.http.params import boolean, defaulted, integer, natural, optional
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import (
    ServiceError,
    insufficient_permission,
    no_such_user,
)
from narrowcast_server.organization.models import User
from narrowcast_server.queries.statistics import can_read, sessions, statistics
from narrowcast_server.rules.permissions import Callers

routes = Routes()

USER_ID = optional("user_id", integer)
NEW_KEY = defaulted("new_key", boolean, False)
BEFORE = optional("before", natural)
LIMIT = defaulted("limit", natural, 100)

_MAX_ENTRIES: Final = 1000
_HELP: Final = {
    "answers_total": "Responses by HTTP status.",
    "crashes_total": "Requests that failed with a server error.",
    "loop_wait_seconds": "Longest delay of the event loop in the last minute.",
    "start_time_seconds": "When the server was started, UTC.",
}


@routes.add("GET", "/health", public=True, absolute=True, accepts_anything=True)
def health(call: Call) -> Response:
    """Whether the server can read its database, for health checks."""
    if not can_read(call.organization):
        return JSONResponse({"status": "the store cannot be read"}, 503)
    return JSONResponse({"status": "ok"}, headers={"Cache-Control": "no-store"})


@routes.add("GET", "/metrics", absolute=True, callers=Callers.ADMINISTRATORS, accepts_anything=True)
def metrics(call: Call) -> Response:
    """Metrics for a monitoring system, which logs in with the credentials of an administrator."""
    organization = call.organization
    lines: list[str] = []

    def add(name: str, kind: str, values: dict[str, float]) -> None:
        full = f"narrowcast_{name}"
        if name in _HELP:
            lines.append(f"# HELP {full} {_HELP[name]}")
        lines.append(f"# TYPE {full} {kind}")
        lines.extend(f"{full}{labels} {value:g}" for labels, value in values.items())

    add(
        "answers_total",
        "counter",
        {
            f'{{status="{status}"}}': float(count)
            for status, count in sorted(organization.measures.responses.items())
        },
    )
    add("crashes_total", "counter", {"": organization.measures.crashes})
    add("loop_wait_seconds", "gauge", {"": organization.measures.longest_wait})
    add("start_time_seconds", "gauge", {"": organization.measures.started})
    for name, value in statistics(organization).items():
        add(name, "gauge", {"": value})
    return PlainTextResponse("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4")


@routes.add("GET", "/server/sessions", USER_ID, absolute=True)
def list_sessions(call: Call) -> ResponseBody:
    """The sessions of a user: the clients with an event queue."""
    return {"sessions": sessions(call.organization, _whose(call))}


@routes.add("DELETE", "/server/sessions/{session_id}", USER_ID, absolute=True)
def end_session(call: Call) -> ResponseBody:
    """Ends a session: its client must register again."""
    user = _whose(call)
    call.organization.hub.end(call.organization.hub.get(call.path["session_id"], user.id))
    _record_end(call, user)
    return {}


@routes.add("DELETE", "/server/sessions", USER_ID, NEW_KEY, absolute=True)
def end_sessions(call: Call) -> ResponseBody:
    """Ends all sessions; with `new_key` also replaces the API key, so that they cannot register again."""
    user = _whose(call)
    if call[NEW_KEY]:
        call.require_main_key()
        replace_key(call.organization, user)
    call.organization.hub.end_all_of(user.id)
    _record_end(call, user)
    return {}


def _record_end(call: Call, user: User) -> None:
    """Logs that another user's sessions were ended; one's own are nobody else's business."""
    if user.id != call.user.id:
        record(call.organization, call.user, "DELETE /server/sessions", {"user_id": str(user.id)})


def _whose(call: Call) -> User:
    """The caller, or for administrators the given user of no higher rank."""
    user_id = call[USER_ID]
    if user_id is None or user_id == call.user.id:
        return call.user
    if not call.user.is_administrator:
        raise insufficient_permission()
    user = call.organization.users.get(user_id)
    if user is None or user.is_system_bot:
        raise no_such_user()
    if user.role < call.user.role:
        raise insufficient_permission()
    return user


@routes.add("GET", "/server/acts", BEFORE, LIMIT, absolute=True, callers=Callers.ADMINISTRATORS)
def list_audit_log(call: Call) -> ResponseBody:
    """The newest administrative actions, or the newest before an id."""
    if call[LIMIT] > _MAX_ENTRIES:
        raise ServiceError(f"Too many acts requested (limit: {_MAX_ENTRIES})")
    return {"acts": entries(call.organization, call[LIMIT], call[BEFORE])}
