"""The names of an organization, fetched once and only when a command needs them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from narrowcast.commands.outcome import CommandError, Exit
from narrowcast_api.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast_api.client import Client
    from narrowcast_api.wire.users import User


class Directory:
    """Channels and people by name, as :class:`narrowcast_api.narrow.Names` asks for them."""

    def __init__(self, channels: dict[str, int], people: Sequence[User]) -> None:
        self._channels = channels
        self._channel_names = {channel_id: name for name, channel_id in channels.items()}
        self._by_text: dict[str, int] = {}
        self._emails: dict[int, str] = {}
        self._first_names: dict[str, list[int]] = {}
        for user in people:
            self._emails[user.user_id] = user.email
            self._by_text[user.email.casefold()] = user.user_id
            self._by_text.setdefault(user.full_name.casefold(), user.user_id)
            first = user.full_name.casefold().partition(" ")[0]
            self._first_names.setdefault(first, []).append(user.user_id)

    @classmethod
    async def fetch(cls, client: Client, *, channels: bool, people: bool) -> Directory:
        """Ask the server for what is needed."""
        names: dict[str, int] = {}
        if channels:
            answer = await client.channels.list()
            names = {channel.name.casefold(): channel.stream_id for channel in answer.streams}
        members = (await client.users.list()).members if people else []
        return cls(names, members)

    def channel_id(self, name: str) -> int | None:
        found = self._channels.get(name.casefold())
        return int(name) if found is None and name.isdecimal() else found

    def channel_name(self, channel_id: int) -> str | None:
        return self._channel_names.get(channel_id)

    def user_id(self, text: str) -> int | None:
        """By email, full name, id, or a first name that only one person has."""
        found = self._by_text.get(text.casefold())
        if found is None and text.isdecimal():
            return int(text)
        if found is None and len(first := self._first_names.get(text.casefold(), [])) == 1:
            return first[0]
        return found

    def user_email(self, user_id: int) -> str | None:
        return self._emails.get(user_id)


_OPERATOR = re.compile(r"(?:^|\s)-?[a-z-]+:")
_PEOPLE = {"sender", "dm", "dm-including"}


def parse_narrow(terms: Sequence[str]) -> Narrow:
    """The narrow that command-line words say. A word with blanks is one operand or one phrase, unless it has
    quotes or several operators: then it says all itself.
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
    return Narrow.search(" ".join(parts))


async def wire_narrow(client: Client, narrow: Narrow) -> list[dict[str, object]]:
    """``narrow`` as the client's server takes it. Raises CommandError for people who do not exist."""
    operators = {term.operator for term in narrow.terms}
    directory = await Directory.fetch(client, channels=False, people=bool(operators & _PEOPLE))
    for term in narrow.terms:
        if term.operator in _PEOPLE and isinstance(term.operand, str):
            for name in filter(None, (part.strip() for part in term.operand.split(","))):
                if name != "me" and directory.user_id(name) is None:
                    raise CommandError(f"nobody here is called {name!r}", Exit.USAGE)
    return narrow.to_wire(await client.connection.identified(), directory)
