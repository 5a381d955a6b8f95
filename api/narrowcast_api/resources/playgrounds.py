"""Sites on which code can be run (PLG rows; removing is outside them). Registration and its events list them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.operations import Bound, Done, Operations, read, segment
from narrowcast_api.model.reading import RawRecord, required_int, text
from narrowcast_api.resources.collection import Collection, EventHandlers
from narrowcast_api.url_templates import as_prefix, check_code_template
from narrowcast_api.wire.event import Event
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.model import CreatedId, GoodList, read_by
from narrowcast_api.wire.vocabulary import Dialect

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection


class Playground(NamedTuple):
    """A site on which code of one language can be run (PLG rows)."""

    id: int
    name: str
    language: str
    url_template: str


def read_playground(row: RawRecord) -> Playground:
    """Reads a row of `realm_playgrounds`; public servers send `pygments_language`."""
    return Playground(
        required_int(row, "id"),
        text(row, "name"),
        text(row, "highlighter_language", text(row, "pygments_language")),
        text(row, "url_template", text(row, "url_prefix")),
    )


PlaygroundRow = Annotated[Playground, read_by(read_playground)]


def collection() -> Collection[int, Playground]:
    """The organization's playgrounds in the state."""
    return Collection("realm_playgrounds", lambda playground: playground.id, read_playground)


# events

handlers = EventHandlers[Collection[int, Playground]]()


class RealmPlaygroundsEvent(Event):
    """All code playgrounds, after a change."""

    type: Literal["realm_playgrounds"] = "realm_playgrounds"
    realm_playgrounds: GoodList[PlaygroundRow]


@handlers.of(RealmPlaygroundsEvent)
def _replace(playgrounds: Collection[int, Playground], event: RealmPlaygroundsEvent) -> None:
    playgrounds.replace(event.realm_playgrounds)


# operations


async def add_playground(
    connection: Connection, *, name: str, highlighter_language: str, url_template: str
) -> int:
    """POST /realm/playgrounds: add a playground; returns its id (PLG-01 to PLG-09).

    `highlighter_language` is the name of the language's lexer, `url_template` an RFC 6570 template with
    exactly one variable, `code`, for `url_templates.expand_playground`. Below level 196 a template that ends
    in `{code}` is sent as `url_prefix`, others raise Unsupported. Raises InvalidInput for empty values and
    other templates; BadRequest if the name is taken, UnauthorizedPrincipal if the current user is not an
    administrator.
    """
    for value, what in ((name, "a name"), (highlighter_language, "a language")):
        if not value.strip():
            raise InvalidInput(f"a playground needs {what}")
    check_code_template(url_template)
    server = await connection.identified()
    # Servers of the other dialect name the language parameter after their lexer library.
    language = "pygments_language" if server.dialect is Dialect.ZULIP else "highlighter_language"
    params: dict[str, object] = {"name": name, language: highlighter_language}
    if server.supports(Gate.PLAYGROUND_TEMPLATE):
        params["url_template"] = url_template
    else:
        prefix = as_prefix(url_template)
        if prefix is None:
            server.require(Gate.PLAYGROUND_TEMPLATE)
        params["url_prefix"] = prefix
    return read(CreatedId, await connection.request("POST", "/realm/playgrounds", params)).id


async def delete_playground(connection: Connection, *, playground_id: int) -> Done:
    """DELETE /realm/playgrounds/{playground_id}. Raises BadRequest if it is already deleted."""
    path = f"/realm/playgrounds/{segment(playground_id, 'playground_id')}"
    return read(Done, await connection.request("DELETE", path))


class PlaygroundOperations(Operations):
    """Sites on which code blocks can be run."""

    add = Bound(add_playground)
    delete = Bound(delete_playground)
