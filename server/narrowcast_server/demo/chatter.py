"""Scripted conversations of the demo people, spread over time, each line sent once."""

from __future__ import annotations

import random
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import narrowcast_assets
from narrowcast_server.demo.script import ScriptedConversation, ScriptLine, parse
from narrowcast_server.organization.emoji import resolve
from narrowcast_server.organization.models import User
from narrowcast_server.resources.reactions import add_reaction
from narrowcast_server.rules.access import find_message
from narrowcast_server.storage.store import marks

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

SCRIPT: Final = Path(narrowcast_assets.__file__).with_name("demo_chatter.txt")
FIRST_SECONDS: Final = (12.0, 25.0)
PAUSE_SECONDS: Final = (70.0, 200.0)
BETWEEN_LINES_SECONDS: Final = (9.0, 20.0)
TYPING_SECONDS: Final = 4.0
REACTION_SECONDS: Final = (3.0, 14.0)


@dataclass(frozen=True, slots=True)
class DemoConversation:
    """A topic, or a direct conversation by the ids of all its members."""

    channel_id: int | None
    topic: str = ""
    people: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Remark:
    """One line of a conversation."""

    conversation: ScriptedConversation
    line: ScriptLine


class SimulatedPeople(Protocol):
    """The simulated people and their actions."""

    organization: Organization
    users: dict[str, User]

    def free(self, user_id: int) -> User | None:
        """The user if simulated and not in use by anybody else."""

    def later(self, seconds: float, act: Callable[[], None]) -> None: ...

    def say(self, place: DemoConversation, user: User, text: str) -> int:
        """Sends a message; returns its id."""

    def type_in(self, place: DemoConversation, user: User, operation: str) -> None:
        """Sends a typing notification; `operation` is "start" or "stop"."""


class Chatter:
    """The schedule of lines. `start` and `now` are monotonic seconds; lines with a text in `said` are skipped."""

    def __init__(self, chance: random.Random, start: float, said: Container[str] = ()) -> None:
        self._chance = chance
        self._remarks: list[tuple[float, Remark]] = []
        due = start + chance.uniform(*FIRST_SECONDS)
        for conversation in parse(SCRIPT.read_text(encoding="utf-8"), now=0):
            left = [line for line in conversation.lines if line.text not in said]
            for line in left:
                self._remarks.append((due, Remark(conversation, line)))
                due += chance.uniform(*BETWEEN_LINES_SECONDS)
            if left:
                due += chance.uniform(*PAUSE_SECONDS)
        self._behind = 0.0

    def due(self, now: float) -> Iterator[Remark]:
        """The next line if it is due; a delay, for instance while nobody listens, shifts all later lines too."""
        if not self._remarks or self._remarks[0][0] + self._behind > now:
            return
        late = now - self._remarks[0][0] - self._behind
        self._behind += late
        yield self._remarks.pop(0)[1]

    def say(self, people: SimulatedPeople, remark: Remark) -> None:
        """Types and sends a line, if its speaker is free."""
        speaker = people.users.get(remark.line.speaker)
        place = conversation_of(people, remark.conversation)
        if speaker is None or place is None:
            return
        if speaker.is_bot:
            self._speak(people, place, speaker, remark.line)
        elif people.free(speaker.id) is not None:
            people.type_in(place, speaker, "start")
            people.later(TYPING_SECONDS, lambda: self._typed(people, place, speaker, remark.line))

    def _typed(
        self, people: SimulatedPeople, place: DemoConversation, speaker: User, line: ScriptLine
    ) -> None:
        people.type_in(place, speaker, "stop")
        self._speak(people, place, speaker, line)

    def _speak(
        self, people: SimulatedPeople, place: DemoConversation, speaker: User, line: ScriptLine
    ) -> None:
        message_id = people.say(place, speaker, line.text)
        for action in line.actions:
            for key in action.words[1:]:
                react = partial(self._react, people, people.users[key], message_id, action.words[0])
                people.later(self._chance.uniform(*REACTION_SECONDS), react)

    def _react(self, people: SimulatedPeople, user: User, message_id: int, emoji: str) -> None:
        message = find_message(people.organization, message_id)
        if message is not None and people.free(user.id) is not None:
            add_reaction(people.organization, user, message, resolve(people.organization, emoji, None, None))


def said_before(organization: Organization) -> set[str]:
    """The texts already sent, so that the script continues after a restart."""
    texts = [
        line.text
        for conversation in parse(SCRIPT.read_text(encoding="utf-8"), now=0)
        for line in conversation.lines
    ]
    return set(
        organization.store.strings(f"SELECT content FROM messages WHERE content IN ({marks(texts)})", *texts)
    )


def conversation_of(people: SimulatedPeople, conversation: ScriptedConversation) -> DemoConversation | None:
    """The place of a conversation, None if it no longer exists."""
    if conversation.channel is None:
        ids = [people.users[key].id for key in conversation.people if key in people.users]
        return DemoConversation(None, "", tuple(sorted(ids)))
    for channel in people.organization.channels.all():
        if channel.name == conversation.channel and not channel.is_archived:
            return DemoConversation(channel.id, conversation.topic)
    return None
