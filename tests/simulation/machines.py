"""Histories of people with several machines and a phone, in an organization that changes meanwhile."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.narrow.narrow import Narrow
from simulation.history import WIRE_PLACES, History
from simulation.loop import SimulatedLoop
from simulation.organization import CHANNELS
from simulation.phone import Phone
from simulation.plan import Act, acts_of
from simulation.service import LEVEL
from simulation.window import ME, Window

NO_HASHES = 378
"""The level below that from which a server compares what an edit started from."""
TOPICS = ("soup", "stew", "broth")
HEARD_AFTER = 4.0
"""Seconds after which a window knows what a phone did, if its network works."""
MANY = 40
"""Messages of a burst: more than a screen shows."""
WEIGHTS = {
    "write": 6,
    "draft": 6,
    "read": 6,
    "star": 2,
    "other_says": 4,
    "others_say_much": 2,
    "network_changes": 2,
    "look": 3,
    "queue_expires": 1,
    "kill": 2,
    "quit": 1,
    "wait": 6,
    "phone_says": 2,
    "phone_drafts": 6,
    "phone_sends_draft": 5,
    "phone_deletes_draft": 2,
    "phone_corrects": 8,
    "phone_deletes": 1,
    "begins_by_phone": 8,
    "corrects_twice": 8,
    "wanders": 4,
    "phone_reads": 2,
    "renames": 1,
    "moves": 2,
    "mutes": 2,
    "archives": 1,
    "limits_edits": 1,
    "marks_otherwise": 1,
}
"""Methods of `MachinesHistory`, and how often each is run."""


class MachinesHistory(History):
    """`phone` is a third device of the user."""

    layouts = ((0, 1), (0, 1), (0, 0, 1), (0, 1, 2))

    def __init__(self, seed: int, folder: Path, loop: SimulatedLoop, kind: type[Window] = Window) -> None:
        super().__init__(seed, folder, loop, kind)
        self.service.level = self.chance.choice((LEVEL, NO_HASHES))
        self.phone = Phone(self.service)

    @classmethod
    def plan(cls, seed: int) -> list[Act]:
        return acts_of(Random(f"machines {seed}"), WEIGHTS)

    def note(self) -> None:
        super().note()
        for text, at in self.phone.drafts.items():
            self.words.drafts[text] = "phone", at
        for text, at in self.phone.corrections.items():
            self.words.corrections[text] = "phone", at
        self.words.done_with |= self.phone.done_with
        for window in self.windows:
            self.words.done_with |= window.overwrote
        self.phone.drafts.clear()
        self.phone.corrections.clear()

    def problems(self) -> list[str]:
        return [*super().problems(), *self._counts(), *self._muted(), *self._unseen()]

    def _counts(self) -> list[str]:
        """The overall number of unread messages leaves out what is muted and archived."""
        found = []
        organization = self.service.organization
        for window in self.windows:
            unread = [
                message
                for message in self.service.messages.values()
                if self.service.may_read(message, window.user_id)
                and "read" not in message.flags.get(window.user_id, ())
                and organization.counts(window.user_id, message.place)
            ]
            if (shown := window.session.state.unreads.count_all()) != len(unread):
                found.append(f"{window.name}: {shown} unread messages, {len(unread)} are there")
        return found

    def _muted(self) -> list[str]:
        """The combined feed leaves out what is muted."""
        found = []
        for window in self.windows:
            view = window.session.views.peek(Narrow.all())
            shown = [self.service.messages[i] for i in view.ids if i in self.service.messages] if view else []
            hides = self.service.organization.hides
            if muted := [one.id for one in shown if hides(window.user_id, one.place)]:
                found.append(f"{window.name}: the combined feed shows what is muted: {muted}")
        return found

    def _unseen(self) -> list[str]:
        """What apps marked as read was on one of their screens."""
        seen: set[int] = set()
        for window in self.windows[:-1]:
            if window.was_on_screen is None:
                return []
            seen |= window.was_on_screen
        marked = self.service.reads.get(ME, set()) & self.service.messages.keys()
        unseen = {i for i in marked - seen if self.service.messages[i].sender != ME}
        return [f"messages that nobody saw were marked as read: {sorted(unseen)}"] if unseen else []

    # actions of the phone

    async def phone_says(self, window: Window) -> None:
        self.service.say(ME, self.chance.choice(WIRE_PLACES[:3]), self.text("phoned"))

    async def phone_drafts(self, window: Window) -> None:
        text, now = self.text("draft by phone"), self.loop.time()
        if self.chance.random() < 0.5:
            self.phone.continues_draft(self.chance, text, now)
        else:
            self.phone.begins_draft(self.chance.choice(WIRE_PLACES[:3]), text, now)

    async def phone_sends_draft(self, window: Window) -> None:
        await self._connects(window)
        self.phone.sends_draft(self.chance, self._in_boxes())
        await self._leaves_compose()

    async def phone_deletes_draft(self, window: Window) -> None:
        self.phone.deletes_draft(self.chance, self._in_boxes())
        await self._leaves_compose()

    def _in_boxes(self) -> list[str]:
        return [text for window in self.windows[:-1] for text in window.in_boxes()]

    async def _leaves_compose(self) -> None:
        """What was sent or deleted leaves the compose boxes of windows that hear of it."""
        await asyncio.sleep(HEARD_AFTER)
        for window in self.windows[:-1]:
            if self._hears(window):
                self.report.problems += [
                    f"{window.name}: {text!r} stands in compose, and is no draft"
                    for text in window.left_over()
                ]

    async def _connects(self, window: Window) -> bool:
        """Gives a window a network that works; returns whether it is live then."""
        window.network.is_down, window.network.trouble = False, 0.0
        window.network.heal()
        await asyncio.sleep(HEARD_AFTER)
        return self._hears(window)

    @staticmethod
    def _hears(window: Window) -> bool:
        network = window.network
        is_well = not (network.trouble or network.is_down or network.is_mute) and network.silent_since is None
        return is_well and window.session.is_live

    async def begins_by_phone(self, window: Window) -> None:
        """Begins a draft by phone for the conversation on the screen of a window, and continues it there."""
        place = window.open_place
        if place is None or not await self._connects(window):
            return
        self.phone.begins_draft(_wire_place(place), self.text("draft by phone"), self.loop.time())
        self.note()
        await asyncio.sleep(HEARD_AFTER)
        typed = await window.draft(place, self.text("draft"), None)
        self.words.drafts_now(window, typed, self.loop.time())

    async def corrects_twice(self, window: Window) -> None:
        """Changes a message by phone while it is edited in a window."""

        async def meanwhile(message_id: int) -> None:
            self.phone.corrects_the_same(message_id, self.text("phoned"), self.loop.time())
            await asyncio.sleep(HEARD_AFTER)

        if window.user_id == ME and await self._connects(window):
            await window.correct(meanwhile)

    async def wanders(self, window: Window) -> None:
        await self._connects(window)
        await window.wander()

    def _busy(self) -> list[str]:
        """Texts of messages that a window sends or changes."""
        texts = [entry.content for one in self.windows for entry in one.session.outbox.entries()]
        return [*texts, *(text for one in self.windows for text in one.saving())]

    async def phone_corrects(self, window: Window) -> None:
        self.phone.corrects(self.chance, self.text("phoned"), self._busy(), self.clock.now())

    async def phone_deletes(self, window: Window) -> None:
        self.phone.deletes(self.chance, self._busy(), self.clock.now())

    async def phone_reads(self, window: Window) -> None:
        self.phone.reads(self.chance)

    # actions of others, and of the organization

    async def others_say_much(self, window: Window) -> None:
        place = self.chance.choice(WIRE_PLACES[:2])
        for _ in range(MANY):
            self.service.say(3, place, self.text("said"))

    async def renames(self, window: Window) -> None:
        channel_id = self.chance.choice(list(CHANNELS))
        self.service.organization.rename(channel_id, self.text(CHANNELS[channel_id]))

    async def moves(self, window: Window) -> None:
        old, new = self.chance.sample(TOPICS, 2)
        channel_id = self.chance.choice(list(CHANNELS))
        self.words.moved |= {ChannelDestination(channel_id, old), ChannelDestination(channel_id, new)}
        self.service.move(channel_id, old, new)

    async def mutes(self, window: Window) -> None:
        organization, channel_id = self.service.organization, self.chance.choice(list(CHANNELS))
        if self.chance.random() < 0.5:
            organization.mute(ME, channel_id, self.chance.random() < 0.5)
        else:
            organization.set_policy(ME, channel_id, self.chance.choice(TOPICS), self.chance.randrange(4))

    async def archives(self, window: Window) -> None:
        self.service.organization.archive(12, self.chance.random() < 0.5)

    async def limits_edits(self, window: Window) -> None:
        self.service.organization.limit_edits(self.chance.choice((None, 60, 600)))

    async def marks_otherwise(self, window: Window) -> None:
        self.service.organization.set_marking(ME, self.chance.choice((1, 2, 3)))


def _wire_place(place: Destination) -> tuple[object, ...]:
    """A conversation of the user, as the service names it."""
    if isinstance(place, DirectDestination):
        return ("private", tuple(sorted({ME, *place.user_ids})))
    return ("stream", place.channel_id, place.topic)
