"""Linkifiers: patterns that become links (LNK rows).

Listing, adding, removing and sorting are outside the contract.
"""

from __future__ import annotations

from collections.abc import Iterable

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import OMIT, Bound, Done, Group, Omit, given, ids, read, segment, texts
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.url_templates import as_format_string, variables
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.organization import CreatedId, Linkifier, LinkifierList


async def list_linkifiers(connection: Connection) -> list[Linkifier]:
    """GET /realm/linkifiers: in the order in which they apply. The library never runs their patterns."""
    return list(read(LinkifierList, await connection.request("GET", "/realm/linkifiers")).linkifiers)


async def create_linkifier(
    connection: Connection,
    *,
    pattern: str,
    url_template: str,
    example_input: str | Omit = OMIT,
    reverse_template: str | Omit = OMIT,
    alternative_url_templates: Iterable[str] | Omit = OMIT,
) -> int:
    """POST /realm/filters: add a linkifier; returns its id. Parameters as for `update_linkifier` (LNK-09)."""
    server = await connection.identified()
    params = _rule(server, pattern, url_template)
    params |= _reverse(server, example_input, reverse_template, alternative_url_templates)
    return read(CreatedId, await connection.request("POST", "/realm/filters", params)).id


async def update_linkifier(
    connection: Connection,
    *,
    filter_id: int,
    pattern: str,
    url_template: str,
    example_input: str | Omit = OMIT,
    reverse_template: str | Omit = OMIT,
    alternative_url_templates: Iterable[str] | Omit = OMIT,
) -> Done:
    """PATCH /realm/filters/{filter_id}: replace a linkifier (LNK-01 to LNK-09).

    `pattern` is a regular expression with named groups, `url_template` an RFC 6570 template that uses their
    names. `reverse_template`, with the names in braces, is the text that clients make from a pasted URL; it needs
    an `example_input`, which `pattern` matches, and applies to `alternative_url_templates` too.

    Level 57, for `example_input` and `reverse_template` 471, for `alternative_url_templates` 478, else Unsupported;
    below 176 the template is sent as `url_format_string`, and Unsupported is raised if it cannot be converted. Raises
    InvalidInput for an empty pattern or an invalid template, BadRequest for an unknown id or an invalid pattern,
    UnauthorizedPrincipal if the current user is not an administrator.
    """
    path = f"/realm/filters/{segment(filter_id, 'filter_id')}"
    server = await connection.identified()
    server.require(Gate.LINKIFIER_EDIT)
    params = _rule(server, pattern, url_template)
    params |= _reverse(server, example_input, reverse_template, alternative_url_templates)
    return read(Done, await connection.request("PATCH", path, params))


async def delete_linkifier(connection: Connection, *, filter_id: int) -> Done:
    """DELETE /realm/filters/{filter_id}. Raises BadRequest if it is already deleted."""
    return read(Done, await connection.request("DELETE", f"/realm/filters/{segment(filter_id, 'filter_id')}"))


async def reorder_linkifiers(connection: Connection, *, ordered_linkifier_ids: Iterable[int]) -> Done:
    """PATCH /realm/linkifiers: set the order of all linkifiers, each listed once; level 202, else Unsupported."""
    (await connection.identified()).require(Gate.LINKIFIER_ORDER)
    params = {"ordered_linkifier_ids": ids(ordered_linkifier_ids, "ordered_linkifier_ids")}
    return read(Done, await connection.request("PATCH", "/realm/linkifiers", params))


def _rule(server: ServerInfo, pattern: str, url_template: str) -> dict[str, object]:
    if not pattern.strip():
        raise InvalidInput("a linkifier needs a pattern")
    if not url_template.strip():
        raise InvalidInput("a linkifier needs a URL template")
    variables(url_template)
    if server.supports(Gate.LINKIFIER_TEMPLATE):
        return {"pattern": pattern, "url_template": url_template}
    older = as_format_string(url_template)
    if older is None:
        server.require(Gate.LINKIFIER_TEMPLATE)
    return {"pattern": pattern, "url_format_string": older}


def _reverse(
    server: ServerInfo,
    example_input: str | Omit,
    reverse_template: str | Omit,
    alternatives: Iterable[str] | Omit,
) -> dict[str, object]:
    params: dict[str, object] = given(example_input=example_input, reverse_template=reverse_template)
    if params:
        server.require(Gate.LINKIFIER_REVERSE)
    if not isinstance(alternatives, Omit):
        server.require(Gate.LINKIFIER_ALTERNATIVES)
        params["alternative_url_templates"] = texts(alternatives, "alternative_url_templates")
        for template in alternatives:
            variables(template)
    return params


class Linkifiers(Group):
    """Patterns that become links in messages."""

    list = Bound(list_linkifiers)
    create = Bound(create_linkifier)
    update = Bound(update_linkifier)
    delete = Bound(delete_linkifier)
    reorder = Bound(reorder_linkifiers)
