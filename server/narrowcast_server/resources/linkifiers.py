"""Linkifiers: patterns in messages that become links (rows LNK). Patterns are in the syntax of RE2."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import re2
from uritemplate import variables

from narrowcast_server.actions.url_templates import check_template
from narrowcast_server.organization.errors import ServiceError, invalid_value
from narrowcast_server.queries.linkifiers import linkifiers_of

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

_FORMAT_VARIABLE: Final = re.compile(r"%\(([A-Za-z_][A-Za-z0-9_]*)\)s")
_MAX_PATTERN: Final = 1000


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


def add_linkifier(core: Core, pattern: str, template: str) -> int:
    """Adds a linkifier after the others; returns its id."""
    check(pattern, template)
    _check_unique(core, pattern, None)
    position = (core.store.integer("SELECT max(position) FROM linkifiers") or 0) + 1
    identity = core.store.insert(
        "INSERT INTO linkifiers (pattern, url_template, position) VALUES (?, ?, ?)",
        pattern,
        template,
        position,
    )
    _emit_linkifiers(core)
    return identity


def update_linkifier(core: Core, filter_id: int, pattern: str, template: str) -> None:
    """Replaces a linkifier (LNK-01)."""
    _require(core, filter_id)
    check(pattern, template)
    _check_unique(core, pattern, filter_id)
    core.store.execute(
        "UPDATE linkifiers SET pattern = ?, url_template = ? WHERE id = ?", pattern, template, filter_id
    )
    _emit_linkifiers(core)


def remove_linkifier(core: Core, filter_id: int) -> None:
    """Removes a linkifier; links in existing messages stay."""
    _require(core, filter_id)
    core.store.execute("DELETE FROM linkifiers WHERE id = ?", filter_id)
    _emit_linkifiers(core)


def reorder_linkifiers(core: Core, ids: list[int]) -> None:
    """Sets the order of all linkifiers."""
    present = core.store.integers("SELECT id FROM linkifiers")
    if sorted(ids) != sorted(present):
        raise ServiceError("The ordered list must enumerate all existing linkifiers exactly once")
    core.store.execute_many(
        "UPDATE linkifiers SET position = ? WHERE id = ?",
        [(place, identity) for place, identity in enumerate(ids)],
    )
    _emit_linkifiers(core)


def _require(core: Core, filter_id: int) -> None:
    if core.store.one("SELECT 1 FROM linkifiers WHERE id = ?", filter_id) is None:
        raise ServiceError("Linkifier not found.")


def _check_unique(core: Core, pattern: str, except_id: int | None) -> None:
    same = core.store.integer("SELECT id FROM linkifiers WHERE pattern = ?", pattern)
    if same is not None and same != except_id:
        raise invalid_value("A linkifier with this pattern already exists.")


def _emit_linkifiers(core: Core) -> None:
    core.emit({"type": "realm_linkifiers", "realm_linkifiers": linkifiers_of(core)}, core.user_ids())
