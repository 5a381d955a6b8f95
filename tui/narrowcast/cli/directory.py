"""The names of an organization, fetched once and only when a command needs them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from narrowcast.cli.outcome import CommandError, Exit
from narrowcast_api.narrow.narrow import OPERATORS, Narrow, unknown_operators

if TYPE_CHECKING:
    from narrowcast_api.client import Client
    from narrowcast_api.model.users import User


class Directory:
    """Channels and people by name, as :class:`narrowcast_api.narrow.narrow.Names` asks for them."""

    def __init__(self, channels: dict[str, int], people: Sequence[User]) -> None:
        self._channels = channels
        self._channel_names = {channel_id: name for name, channel_id in channels.items()}
        self._by_email: dict[str, int] = {}
        self._by_name: dict[str, list[int]] = {}
        self._emails: dict[int, str] = {}
        self._first_names: dict[str, list[int]] = {}
        self.me: int | None = None
        """One's own id, where somebody has said it."""
        active = {user.full_name.casefold() for user in people if user.is_active}
        for user in people:
            self._emails[user.user_id] = user.email
            # The API's address stands for who hides the real one; scripts know people by the real one.
            for address in (user.delivery_email, user.email):
                if address:
                    self._by_email[address.casefold()] = user.user_id
            if not user.is_active and user.full_name.casefold() in active:
                continue  # a name means who is still here
            self._by_name.setdefault(user.full_name.casefold(), []).append(user.user_id)
            first = user.full_name.casefold().partition(" ")[0]
            self._first_names.setdefault(first, []).append(user.user_id)

    @classmethod
    async def fetch(cls, client: Client, *, channels: bool, people: bool) -> Directory:
        """Ask the server for what is needed."""
        names: dict[str, int] = {}
        if channels:
            answer = await client.channels.list()
            names = {channel.name.casefold(): channel.channel_id for channel in answer.streams}
        members = (await client.users.list()).members if people else []
        return cls(names, members)

    def channel_id(self, name: str) -> int | None:
        found = self._channels.get(name.casefold())
        return int(name) if found is None and name.isdecimal() else found

    def channel_name(self, channel_id: int) -> str | None:
        return self._channel_names.get(channel_id)

    def user_id(self, text: str) -> int | None:
        """By email, id, 'me', or a full or first name that only one person has."""
        wanted = text.casefold()
        if wanted == "me" and self.me is not None:
            return self.me
        if (found := self._by_email.get(wanted)) is not None:
            return found
        if text.isdecimal():
            return int(text)
        people = self._by_name.get(wanted) or self._first_names.get(wanted, [])
        return people[0] if len(people) == 1 else None

    def user_email(self, user_id: int) -> str | None:
        return self._emails.get(user_id)


_OPERATOR = re.compile(r"(?:^|\s)-?[a-z-]+:")
_PEOPLE = {"sender", "dm", "dm-including"}


def parse_narrow(terms: Sequence[str]) -> Narrow:
    """The narrow that command-line words say. A word with blanks is one operand or one phrase, unless it has
    quotes or several operators: then it says all itself. Raises CommandError for operators that there are not.
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
            f"{operator!r} is no search operator; there are {known}. To search for the words, quote them: "
            f"'\"{operator}:…\"'",
            Exit.USAGE,
        )
    return Narrow.search(text)


async def wire_narrow(client: Client, narrow: Narrow) -> list[dict[str, object]]:
    """``narrow`` as the client's server takes it. Raises CommandError for people who do not exist."""
    operators = {term.operator for term in narrow.terms}
    directory = await Directory.fetch(client, channels=False, people=bool(operators & _PEOPLE))
    for term in narrow.terms:
        if term.operator in _PEOPLE and isinstance(term.operand, str):
            for name in filter(None, (part.strip() for part in term.operand.split(","))):
                if name == "me" and directory.me is None:
                    directory.me = (await client.users.me()).user_id
                if directory.user_id(name) is None:
                    raise CommandError(f"no user named {name!r}", Exit.USAGE)
    return narrow.to_wire(await client.connection.identified(), directory)
