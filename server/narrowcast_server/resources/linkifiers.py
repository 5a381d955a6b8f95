"""Linkifiers: patterns in messages that become links (rows LNK), in the syntax of RE2.

Only administrators may change them (LNK-09).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import re2
from uritemplate import variables

from narrowcast_api.wire.levels import Gate
from narrowcast_server.actions.urls import check_template
from narrowcast_server.http.params import integers, required, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError, invalid_value
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.rules.permissions import Callers
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_FORMAT_VARIABLE: Final = re.compile(r"%\(([A-Za-z_][A-Za-z0-9_]*)\)s")
_MAX_PATTERN: Final = 1000


def linkifiers_of(organization: Organization) -> list[dict[str, object]]:
    """All linkifiers, in the order in which they are tried."""
    rows = organization.store.all("SELECT * FROM linkifiers ORDER BY position, id")
    return [
        {"pattern": row["pattern"], **template_field(organization, row["url_template"]), "id": row["id"]}
        for row in rows
    ]


def template_field(organization: Organization, template: str) -> dict[str, object]:
    if organization.level < Gate.LINKIFIER_TEMPLATE.level:
        return {"url_format_string": re.sub(r"\{([A-Za-z_][A-Za-z0-9_]*)\}", r"%(\1)s", template)}
    return {"url_template": template}


def linkifier_triples(organization: Organization) -> list[list[object]]:
    """Pattern, template and id of each linkifier, in the form for older clients."""
    rows = organization.store.all("SELECT * FROM linkifiers ORDER BY position, id")
    return [[row["pattern"], row["url_template"], row["id"]] for row in rows]


def template_of_format(url_format: str) -> str:
    """The RFC 6570 form of an older `url_format_string` (LNK-07, LNK-09)."""
    return _FORMAT_VARIABLE.sub(r"{\1}", url_format)


def check(pattern: str, template: str) -> None:
    """Raises BAD_REQUEST for an invalid pattern or template, or if their groups differ (LNK-04 to LNK-06)."""
    if not pattern:
        raise invalid_value("This field cannot be blank.", "pattern")
    if len(pattern) > _MAX_PATTERN:
        raise invalid_value(f"pattern is too long (limit: {_MAX_PATTERN} characters)", "pattern")
    names = _group_names(pattern)
    check_template(template)
    used = set(variables(template))
    for name in sorted(used - names):
        raise invalid_value(f"Group '{name}' in URL template is not present in linkifier pattern.")
    for name in sorted(names - used):
        raise invalid_value(f"Group '{name}' in linkifier pattern is not present in URL template.")


def _group_names(pattern: str) -> set[str]:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 1 << 20
    try:
        return set(re2.compile(pattern, options).groupindex)
    except re2.error as error:
        reason = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else str(error)
        raise invalid_value(f"Bad regular expression: {reason}") from error


def add_linkifier(organization: Organization, pattern: str, template: str) -> int:
    """Adds a linkifier after the others; returns its id."""
    check(pattern, template)
    _check_unique(organization, pattern, None)
    position = (organization.store.integer("SELECT max(position) FROM linkifiers") or 0) + 1
    identity = organization.store.insert(
        "INSERT INTO linkifiers (pattern, url_template, position) VALUES (?, ?, ?)",
        pattern,
        template,
        position,
    )
    _emit_linkifiers(organization)
    return identity


def update_linkifier(organization: Organization, filter_id: int, pattern: str, template: str) -> None:
    """Replaces a linkifier (LNK-01)."""
    present = _require(organization, filter_id)
    check(pattern, template)
    _check_unique(organization, pattern, filter_id)
    if (pattern, template) == (present["pattern"], present["url_template"]):
        return
    organization.store.execute(
        "UPDATE linkifiers SET pattern = ?, url_template = ? WHERE id = ?", pattern, template, filter_id
    )
    _emit_linkifiers(organization)


def remove_linkifier(organization: Organization, filter_id: int) -> None:
    """Removes a linkifier; links in existing messages stay."""
    _require(organization, filter_id)
    organization.store.execute("DELETE FROM linkifiers WHERE id = ?", filter_id)
    _emit_linkifiers(organization)


def reorder_linkifiers(organization: Organization, ids: list[int]) -> None:
    """Sets the order of all linkifiers."""
    present = organization.store.integers("SELECT id FROM linkifiers ORDER BY position, id")
    if sorted(ids) != sorted(present):
        raise ServiceError("The ordered list must enumerate all existing linkifiers exactly once")
    if ids == present:
        return
    organization.store.execute_many(
        "UPDATE linkifiers SET position = ? WHERE id = ?",
        [(place, identity) for place, identity in enumerate(ids)],
    )
    _emit_linkifiers(organization)


def _require(organization: Organization, filter_id: int) -> Row:
    """The row of a linkifier; raises BAD_REQUEST if there is none."""
    row = organization.store.one("SELECT * FROM linkifiers WHERE id = ?", filter_id)
    if row is None:
        raise ServiceError("Linkifier not found.")
    return row


def _check_unique(organization: Organization, pattern: str, except_id: int | None) -> None:
    same = organization.store.integer("SELECT id FROM linkifiers WHERE pattern = ?", pattern)
    if same is not None and same != except_id:
        raise invalid_value("A linkifier with this pattern already exists.")


def _emit_linkifiers(organization: Organization) -> None:
    organization.emit(
        {"type": "realm_linkifiers", "realm_linkifiers": linkifiers_of(organization)}, organization.user_ids()
    )


@part("realm_linkifiers")
def linkifiers(request: Snapshot) -> dict[str, object]:
    """Linkifiers, in order; only for clients that support URL templates."""
    understands_templates = "linkifier_url_template" in request.options.capabilities
    return {"realm_linkifiers": linkifiers_of(request.organization) if understands_templates else []}


routes = Routes()

PATTERN = required("pattern", text_without_null)
TEMPLATE = required("url_template", text_without_null, since=Gate.LINKIFIER_TEMPLATE.level)
FORMAT = required("url_format_string", text_without_null, until=Gate.LINKIFIER_TEMPLATE.level)
ORDER = required("ordered_linkifier_ids", integers)


def _template(call: Call) -> str:
    if call.level < Gate.LINKIFIER_TEMPLATE.level:
        return template_of_format(call[FORMAT])
    return call[TEMPLATE]


@routes.get("/realm/linkifiers")
def get_linkifiers(call: Call) -> ResponseBody:
    """All linkifiers, in the order in which they are tried."""
    return {"linkifiers": linkifiers_of(call.organization)}


@routes.post("/realm/filters", PATTERN, TEMPLATE, FORMAT, callers=Callers.ADMINISTRATORS)
def post_linkifier(call: Call) -> ResponseBody:
    return {"id": add_linkifier(call.organization, call[PATTERN], _template(call))}


@routes.patch(
    "/realm/filters/{filter_id}",
    PATTERN,
    TEMPLATE,
    FORMAT,
    since=Gate.LINKIFIER_EDIT.level,
    callers=Callers.ADMINISTRATORS,
)
def patch_linkifier(call: Call) -> ResponseBody:
    """Replaces a linkifier (LNK-01)."""
    update_linkifier(call.organization, call.path_id("filter_id"), call[PATTERN], _template(call))
    return {}


@routes.delete("/realm/filters/{filter_id}", callers=Callers.ADMINISTRATORS)
def delete_linkifier(call: Call) -> ResponseBody:
    remove_linkifier(call.organization, call.path_id("filter_id"))
    return {}


@routes.patch("/realm/linkifiers", ORDER, callers=Callers.ADMINISTRATORS)
def patch_order(call: Call) -> ResponseBody:
    """Sets the order in which linkifiers are tried."""
    reorder_linkifiers(call.organization, call[ORDER])
    return {}
