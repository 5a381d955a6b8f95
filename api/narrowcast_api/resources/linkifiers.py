"""Patterns that the server turns into links (LNK rows; listing, adding, removing and sorting are outside them)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.operations import (
    OMIT,
    Bound,
    Done,
    Omit,
    Operations,
    given,
    ids,
    read,
    segment,
    texts,
)
from narrowcast_api.model.reading import RawRecord, required_int, text
from narrowcast_api.model.reading import texts as texts_of
from narrowcast_api.resources.collection import Collection, EventHandlers
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.url_templates import as_format_string, variables
from narrowcast_api.wire.event import Event
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.model import CreatedId, GoodList, WireModel, read_by

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection


class Linkifier(NamedTuple):
    """A pattern that the server turns into links; the library never runs it (LNK rows).

    ``reverse_template``, empty if there is none: the text that clients make from a pasted URL that has the form of
    ``url_template`` or of one of ``alternative_url_templates``; ``example_input``: a text that ``pattern`` matches.
    """

    id: int
    pattern: str
    url_template: str
    example_input: str = ""
    reverse_template: str = ""
    alternative_url_templates: tuple[str, ...] = ()


def read_linkifier(row: RawRecord) -> Linkifier:
    """Reads a row of `realm_linkifiers`."""
    return Linkifier(
        required_int(row, "id"),
        text(row, "pattern"),
        text(row, "url_template", text(row, "url_format_string", text(row, "url_format"))),
        text(row, "example_input"),
        text(row, "reverse_template"),
        tuple(texts_of(row.get("alternative_url_templates"))),
    )


def read_filters(entries: object) -> Iterator[Linkifier]:
    """Reads linkifiers in their oldest form, lists of pattern, format and id (TODO(server-54))."""
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, list) and len(entry) == 3 and type(entry[2]) is int:
            yield Linkifier(entry[2], str(entry[0]), str(entry[1]))


LinkifierRow = Annotated[Linkifier, read_by(read_linkifier)]


def collection() -> Collection[int, Linkifier]:
    """The organization's linkifiers in the state, in the order in which they apply."""
    return Collection("realm_linkifiers", lambda linkifier: linkifier.id, read_linkifier)


# events


class RealmLinkifiersEvent(Event):
    """All linkifiers, in order."""

    type: Literal["realm_linkifiers"] = "realm_linkifiers"
    realm_linkifiers: GoodList[LinkifierRow]


class RealmFiltersEvent(Event):
    """All linkifiers in the oldest form: [pattern, format, id]."""

    type: Literal["realm_filters"] = "realm_filters"
    realm_filters: GoodList[list[Any]]


handlers = EventHandlers[Collection[int, Linkifier]]()


@handlers.of(RealmLinkifiersEvent)
def _replace(linkifiers: Collection[int, Linkifier], event: RealmLinkifiersEvent) -> None:
    linkifiers.replace(event.realm_linkifiers)


# operations


class LinkifierList(WireModel):
    """Response of GET /realm/linkifiers, in the order in which they apply."""

    linkifiers: GoodList[LinkifierRow] = []


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


class LinkifierOperations(Operations):
    """Patterns that become links in messages."""

    list = Bound(list_linkifiers)
    create = Bound(create_linkifier)
    update = Bound(update_linkifier)
    delete = Bound(delete_linkifier)
    reorder = Bound(reorder_linkifiers)
