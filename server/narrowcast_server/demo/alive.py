"""Simulates the people of the demo world while the server runs: they read, type, answer, react, and chat.

    something is said -> somebody reads it -> starts typing -> stops and answers
                     \\-> somebody reacts, or votes

Everything goes through the server's own actions. A user who has called this server from outside is not
simulated, nor is the newcomer, whose messages stay unread; and simulated people do not answer each other's
messages. The server's clock and a random generator are passed in.
"""

from __future__ import annotations

import heapq
import itertools
import json
import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from narrowcast_server.demo.chatter import Chatter, DemoConversation, said_before
from narrowcast_server.demo.people import HUMANS, NEWCOMER, demo_users
from narrowcast_server.demo.replies import Voice
from narrowcast_server.demo.things import PREVIEWS
from narrowcast_server.markdown import widget_for
from narrowcast_server.organization.emoji import resolve
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import FlagBit, Message, User
from narrowcast_server.resources.message_flags import change_flags
from narrowcast_server.resources.messages.sending import Origin, send_direct, send_to_channel
from narrowcast_server.resources.presence import report_presence
from narrowcast_server.resources.reactions import add_reaction
from narrowcast_server.resources.submessages import add_submessage
from narrowcast_server.resources.typing import type_direct, type_in_channel
from narrowcast_server.rules import access
from narrowcast_server.rules.messages import check_may_post

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_log = logging.getLogger("narrowcast.server.demo")

CLIENT: Final = "narrowcast-demo"
"""The client name of simulated messages, which are not answered."""
ACTORS: Final = tuple(person.key for person in HUMANS if person.key != NEWCOMER)
"""The people who are simulated."""
TICK_SECONDS: Final = 0.5
PRESENCE_SECONDS: Final = 50.0
READING_SECONDS: Final = (1.5, 4.0)
TYPING_SECONDS_A_LETTER: Final = 0.05
TYPING_SECONDS: Final = (1.5, 7.0)
REACTION_SECONDS: Final = (2.0, 9.0)
ANSWER_CHANCE: Final = 0.7
REACTION_CHANCE: Final = 0.5
VOTE_SECONDS: Final = (2.0, 20.0)
VOTE_CHANCE: Final = 0.75
_RECENT: Final = 20


async def alive(organization: Organization, chance: random.Random | None = None) -> None:
    """Runs the simulation until cancelled."""
    people = Simulation(organization, chance or random.Random())
    while True:
        people.step()
        await organization.clock.sleep(TICK_SECONDS)


@dataclass
class Simulation:
    """The simulated people together; `step` does what is due."""

    organization: Organization
    chance: random.Random
    plans: list[tuple[float, int, Callable[[], None]]] = field(default_factory=list)
    answering: dict[DemoConversation, int] = field(default_factory=dict)
    """The number of the pending answer by place; a newer one replaces it."""
    typing: dict[DemoConversation, User] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.users = demo_users(self.organization)
        self.keys = {user.id: key for key, user in self.users.items()}
        self.voice = Voice(self.chance)
        self.numbers = itertools.count()
        self.seen = self.organization.store.integer("SELECT max(id) FROM messages") or 0
        self.chatter = Chatter(
            self.chance, self.organization.clock.monotonic(), said_before(self.organization)
        )
        self.next_presence = 0.0
        # Page previews are in memory only, the rest of the demo world is in the store.
        self.organization.link_previews.update(PREVIEWS)

    # --- the round -----------------------------------------------------------------------------------------

    def step(self) -> None:
        """One round: handles new messages and does what is due."""
        now = self.organization.clock.monotonic()
        for message in self.news():
            if message.client != CLIENT:
                self.consider(message)
        while self.plans and self.plans[0][0] <= now:
            _, _, act = heapq.heappop(self.plans)
            self.attempt(act)
        self.attempt(self.read_something)
        if now >= self.next_presence:
            self.next_presence = now + PRESENCE_SECONDS
            self.attempt(self.show_up)
        if any(self.organization.hub.is_listening(user.id) for user in self.users.values()):
            for line in self.chatter.due(now):
                self.attempt(partial(self.chatter.say, self, line))

    def attempt(self, act: Callable[[], None]) -> None:
        """Runs an action in a transaction; ignores it if the server rejects it."""
        try:
            with self.organization.transaction():
                act()
        except ServiceError as error:
            _log.debug("refused: %s", error.message)

    def later(self, seconds: float, act: Callable[[], None]) -> None:
        due = self.organization.clock.monotonic() + seconds
        heapq.heappush(self.plans, (due, next(self.numbers), act))

    def between(self, bounds: tuple[float, float]) -> float:
        """A random time between two bounds."""
        return self.chance.uniform(*bounds)

    def news(self) -> Sequence[Message]:
        """Messages since the last round."""
        rows = self.organization.store.all("SELECT * FROM messages WHERE id > ? ORDER BY id", self.seen)
        messages = [Message.of(row) for row in rows]
        if messages:
            self.seen = messages[-1].id
        return messages

    # --- who does what -------------------------------------------------------------------------------------

    def consider(self, message: Message) -> None:
        """Plans an answer, a reaction and votes for a message."""
        place = self.conversation_of(message)
        around = self.around(message, place)
        if not around:
            return
        self.plan_votes(message, around)
        mentioned = [user for user in around if self.is_mentioned(user, message)]
        answerer = self.answerer(message, place, around, mentioned)
        if answerer is not None:
            self.plan_answer(place, answerer, message)
        others = [user for user in around if user is not answerer]
        if others and self.chance.random() < REACTION_CHANCE:
            user = self.chance.choice(others)
            self.later(self.between(REACTION_SECONDS), lambda: self.react(user, message))

    def conversation_of(self, message: Message) -> DemoConversation:
        if message.channel_id is not None:
            return DemoConversation(message.channel_id, message.topic)
        members = self.organization.store.integers(
            "SELECT user_id FROM conversation_members WHERE conversation_id = ? ORDER BY user_id",
            message.conversation_id,
        )
        return DemoConversation(None, "", tuple(members))

    def around(self, message: Message, place: DemoConversation) -> list[User]:
        """The simulated people who receive a message and are free to act."""
        ids = (
            place.people
            if place.channel_id is None
            else access.subscriber_ids(self.organization, place.channel_id)
        )
        return [user for identity in ids if identity != message.sender_id and (user := self.free(identity))]

    def free(self, user_id: int) -> User | None:
        """The user if simulated and not in use by anybody else."""
        key = self.keys.get(user_id)
        if (
            key not in ACTORS
            or user_id in self.organization.callers
            or self.organization.hub.is_listening(user_id)
        ):
            return None
        user = self.organization.users.get(user_id)
        return user if user is not None and user.is_active else None

    def is_mentioned(self, user: User, message: Message) -> bool:
        """Whether a message mentions the user personally."""
        flags = self.organization.store.integer(
            "SELECT flags FROM user_messages WHERE user_id = ? AND message_id = ?", user.id, message.id
        )
        return bool((flags or 0) & FlagBit.MENTIONED)

    def answerer(
        self, message: Message, place: DemoConversation, around: Sequence[User], mentioned: Sequence[User]
    ) -> User | None:
        """Who answers: a mentioned user, a partner of a direct conversation, or the last participant;
        sometimes nobody.
        """
        if mentioned:
            return self.chance.choice(mentioned)
        if place.channel_id is None:
            return self.chance.choice(around)
        if self.chance.random() > ANSWER_CHANCE and "?" not in message.content:
            return None
        recent = self.organization.store.integers(
            "SELECT sender_id FROM messages WHERE channel_id = ? AND topic = ? AND id < ? ORDER BY id DESC LIMIT ?",
            place.channel_id,
            place.topic,
            message.id,
            _RECENT,
        )
        free = {user.id: user for user in around if self.may_post(user, place)}
        taking_part = [free[identity] for identity in recent if identity in free]
        if taking_part:
            return taking_part[0]
        return self.chance.choice(list(free.values())) if free else None

    def may_post(self, user: User, place: DemoConversation) -> bool:
        """Whether the user may post in a topic."""
        if place.channel_id is None:
            return True
        try:
            check_may_post(self.organization, user, self.organization.channels[place.channel_id], place.topic)
        except ServiceError:
            return False
        return True

    def plan_votes(self, message: Message, around: Sequence[User]) -> None:
        """Plans votes of most people in a poll."""
        widget = widget_for(message.content)
        data = widget["extra_data"] if widget is not None and widget["widget_type"] == "poll" else None
        options = data.get("options") if isinstance(data, dict) else None
        if not isinstance(options, list) or not options:
            return
        for user in around:
            if self.chance.random() < VOTE_CHANCE:
                index = self.chance.randrange(len(options))
                self.later(self.between(VOTE_SECONDS), partial(self.vote, user, message, index))

    # --- actions -------------------------------------------------------------------------------------------

    def plan_answer(self, place: DemoConversation, user: User, message: Message) -> None:
        """Plans reading, typing and answering. A newer message in the same place replaces the plan."""
        text = self.voice.answer(self.keys[user.id], message.content)
        number = next(self.numbers)
        self.answering[place] = number
        if place in self.typing:
            typist = self.typing.pop(place)
            self.attempt(lambda: self.type_in(place, typist, "stop"))

        def still_meant(act: Callable[[], None]) -> Callable[[], None]:
            return lambda: act() if self.answering.get(place) == number else None

        reading = self.between(READING_SECONDS)
        shortest, longest = TYPING_SECONDS
        writing = min(max(shortest, len(text) * TYPING_SECONDS_A_LETTER), longest)
        self.later(reading, still_meant(lambda: self.begin(place, user)))
        self.later(reading + writing, still_meant(lambda: self.finish(place, user, text)))

    def begin(self, place: DemoConversation, user: User) -> None:
        """Marks messages as read and starts typing."""
        self.read(user, 0)
        self.typing[place] = user
        self.type_in(place, user, "start")

    def finish(self, place: DemoConversation, user: User, text: str) -> None:
        """Stops typing and sends the text."""
        self.answering.pop(place, None)
        if self.typing.pop(place, None) is not None:
            self.type_in(place, user, "stop")
        if self.free(user.id) is not None:
            self.say(place, user, text)

    def say(self, place: DemoConversation, user: User, text: str) -> int:
        """Sends a message; returns its id."""
        origin = Origin(client=CLIENT)
        if place.channel_id is None:
            others = [self.organization.users[identity] for identity in place.people]
            return send_direct(self.organization, user, others, text, origin).id
        channel = self.organization.channels[place.channel_id]
        return send_to_channel(self.organization, user, channel, place.topic, text, origin).id

    def type_in(self, place: DemoConversation, user: User, operation: str) -> None:
        """Sends a typing notification; `operation` is "start" or "stop"."""
        if place.channel_id is None:
            type_direct(
                self.organization,
                user,
                [self.organization.users[identity] for identity in place.people],
                operation,
            )
        else:
            type_in_channel(
                self.organization, user, self.organization.channels[place.channel_id], place.topic, operation
            )

    def react(self, user: User, message: Message) -> None:
        """Adds a reaction if the message still exists."""
        present = access.find_message(self.organization, message.id)
        if present is not None and self.free(user.id) is not None:
            name = self.voice.reaction(present.content)
            add_reaction(self.organization, user, present, resolve(self.organization, name, None, None))

    def vote(self, user: User, message: Message, index: int) -> None:
        """Votes for an option of a poll."""
        if self.free(user.id) is not None:
            content = json.dumps({"type": "vote", "key": f"canned,{index}", "vote": 1})
            add_submessage(self.organization, user, message, "widget", content)

    def read_something(self) -> None:
        """Lets a random user read new messages."""
        user = self.users.get(self.chance.choice(ACTORS))
        if user is not None and self.free(user.id) is not None:
            self.read(user, 3)

    def read(self, user: User, older_than: int) -> None:
        """Marks the user's unread messages as read if they are at least `older_than` seconds old."""
        unread = self.organization.store.integers(
            "SELECT message_id FROM user_messages JOIN messages ON messages.id = message_id"
            " WHERE user_id = ? AND flags & 1 = 0 AND timestamp <= ? ORDER BY message_id DESC LIMIT 200",
            user.id,
            self.organization.now() - older_than,
        )
        if unread:
            change_flags(self.organization, user, sorted(unread), FlagBit.READ, add=True)

    def show_up(self) -> None:
        """Reports presence: most people are active, some idle."""
        for key in ACTORS:
            user = self.users.get(key)
            if user is not None and self.free(user.id) is not None:
                report_presence(self.organization, user, active=self.chance.random() < 0.8)
