"""The names of an organization's channels and users, fetched only when a command needs them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from narrowcast.cli.outcome import CommandError, Exit
from narrowcast_api.model.reading import records
from narrowcast_api.model.users import User, read_user
from narrowcast_api.narrow import resolve as resolver
from narrowcast_api.narrow.narrow import OPERATORS, Narrow, missing_operand, unknown_operators
from narrowcast_api.narrow.resolve import Unresolved, channel_id, person_id

if TYPE_CHECKING:
    from narrowcast_api.client import Client
    from narrowcast_api.model.channels import Channel

T = TypeVar("T")


class ChannelsAndUsers:
    """Channels and users, implementing `narrowcast_api.narrow.terms.NameLookup`."""

    def __init__(self, channels: Sequence[Channel], people: Sequence[User]) -> None:
        self.channels = channels
        self.people: Sequence[User] = people
        self._channels = {channel.channel_id: channel for channel in channels}
        self._emails = {user.user_id: user.email for user in people}

    @classmethod
    async def fetch(cls, client: Client, *, channels: bool, people: bool) -> ChannelsAndUsers:
        """Fetches the requested lists from the server."""
        known = (await client.channels.list(exclude_archived=False)).streams if channels else []
        return cls(known, (await client.users.list()).members if people else [])

    async def resolved(self, client: Client, resolve: Callable[[], T]) -> T:
        """The result of `resolve`; if a name is unknown, retried with the system bots, which user lists omit."""
        try:
            return resolve()
        except Unresolved:
            if not self.people:
                raise
        snapshot = await registered(client, "realm_user")
        bots = list(records(snapshot.get("cross_realm_bots"), read_user, "bot"))
        self.people = [*self.people, *bots]
        self._emails |= {bot.user_id: bot.email for bot in bots}
        return resolve()

    def channel(self, channel_id: int) -> Channel | None:
        """The channel with this id, archived or not."""
        return self._channels.get(channel_id)

    def channel_id(self, name: str) -> int | None:
        with suppress(Unresolved):
            return channel_id(name, self.channels, parts=False)
        return None

    def channel_name(self, channel_id: int) -> str | None:
        channel = self._channels.get(channel_id)
        return None if channel is None else channel.name

    def user_id(self, text: str) -> int | None:
        with suppress(Unresolved):
            return person_id(text, self.people, parts=False)
        return None

    def user_email(self, user_id: int) -> str | None:
        return self._emails.get(user_id)


async def registered(client: Client, kind: str) -> dict[str, object]:
    """The initial state of one event type, from registration; 'realm' also sets the connection's limits."""
    snapshot = await client.registration.register(event_types=[kind], fetch_event_types=[kind])
    queue_id = snapshot.get("queue_id")
    if isinstance(queue_id, str):
        await client.events.delete_queue(queue_id=queue_id)
    return snapshot


_OPERATOR = re.compile(r"(?:^|\s)-?[a-z-]+:")


def parse_narrow(terms: Sequence[str]) -> Narrow:
    """The narrow for command-line words. A word with blanks is one operand or one phrase, unless it contains quotes
    or several operators: then it is taken as written. Raises CommandError for unknown operators and for operators
    without an operand.
    """
    parts = []
    for term in terms:
        operator, colon, operand = term.partition(":")
        if " " not in term or '"' in term or _OPERATOR.search(term, 1):
            parts.append(term)
        elif colon and _OPERATOR.fullmatch(operator + colon):
            parts.append(f'{operator}:"{operand}"')
        else:
            parts.append(f'"{term}"')
    text = " ".join(parts)
    for operator in unknown_operators(text):
        known = ", ".join(OPERATORS)
        raise CommandError(
            f"{operator!r} is not a search operator; the operators are {known}. To search for the words, quote them: "
            f"'\"{operator}:…\"'",
            Exit.USAGE,
        )
    if missing := missing_operand(text):
        raise CommandError(missing, Exit.USAGE)
    return Narrow.search(text)


async def wire_narrow(client: Client, narrow: Narrow) -> list[dict[str, object]]:
    """``narrow`` in the form that the server takes. Raises CommandError for unknown names."""
    operators = {term.operator for term in narrow.terms}
    directory = await ChannelsAndUsers.fetch(
        client, channels="channel" in operators, people=bool(operators & resolver.PEOPLE)
    )
    asks_me = any(isinstance(term.operand, str) and "me" in term.operand.split(",") for term in narrow.terms)
    me = (await client.users.me()).user_id if asks_me else None
    try:
        resolved = await directory.resolved(
            client, lambda: resolver.resolve(narrow, directory.people, directory.channels, me, parts=False)
        )
    except Unresolved as error:
        raise CommandError(error.user_message, Exit.USAGE) from error
    return resolved.to_wire(await client.connection.identified(), directory, me)
