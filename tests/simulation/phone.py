"""Another client of the user of a history, on a phone: it is always connected, and shows what the service has."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from random import Random

from simulation.service import Service
from simulation.stored import Stored
from simulation.window import ME

ON_ITS_WAY = 12.0
"""Seconds after a message was sent or edited in which another device may not know yet that it was."""


@dataclass
class Phone:
    """Its actions change the service at once. `corrections` are texts that it appended to messages, `done_with` those
    that its user saw and deleted, sent or replaced.
    """

    service: Service
    corrections: dict[str, float] = field(default_factory=dict)
    done_with: set[str] = field(default_factory=set)
    drafts: dict[str, float] = field(default_factory=dict)
    read: set[int] = field(default_factory=set)

    def _draft(self, chance: Random, among: Collection[str] = ()) -> tuple[int, str] | None:
        """A draft of the user: one of these texts, if there is one."""
        own = [(i, draft["content"]) for i, (owner, draft) in self.service.drafts.items() if owner == ME]
        chosen = [draft for draft in own if draft[1] in among] or own
        return chance.choice(chosen) if chosen else None

    def begins_draft(self, place: tuple[object, ...], text: str, now: float) -> None:
        self.service.drafts_model.begin(ME, place, text)
        self.drafts[text] = now

    def continues_draft(self, chance: Random, text: str, now: float) -> None:
        if (found := self._draft(chance)) is not None:
            draft_id, before = found
            self.done_with.add(before)
            self.drafts[f"{before} {text}"] = now
            self.service.drafts_model.replace(draft_id, f"{before} {text}")

    def sends_draft(self, chance: Random, among: Collection[str]) -> None:
        """Sends a draft as its message."""
        found = self._draft(chance, among)
        if found is None:
            return
        draft_id, text = found
        place = self.service.drafts_model.place(draft_id)
        self.done_with.add(text)
        self.service.say(ME, place, text)
        self.service.drafts_model.remove(draft_id)

    def deletes_draft(self, chance: Random, among: Collection[str]) -> None:
        if (found := self._draft(chance, among)) is not None:
            self.done_with.add(found[1])
            self.service.drafts_model.remove(found[0])

    def _message(self, chance: Random, busy: Collection[str], now: float) -> Stored | None:
        """A message of the user that no device still sends or changes: `busy` are the texts of those."""
        own = [
            message
            for message in self.service.messages.values()
            if message.sender == ME
            and now - max(message.timestamp, message.edited) > ON_ITS_WAY
            and not any(text in message.content or message.content in text for text in busy)
        ]
        return chance.choice(own[-4:]) if own else None

    def corrects(self, chance: Random, text: str, busy: Collection[str], now: float) -> None:
        """Appends to a message."""
        if (message := self._message(chance, busy, now)) is not None:
            self.corrections[text] = now
            self.service.edit(message.id, f"{message.content} {text}")

    def corrects_the_same(self, message_id: int, text: str, now: float) -> None:
        """Appends to a message that is being edited elsewhere."""
        if (message := self.service.messages.get(message_id)) is not None:
            self.corrections[text] = now
            self.service.edit(message_id, f"{message.content} {text}")

    def deletes(self, chance: Random, busy: Collection[str], now: float) -> None:
        if (message := self._message(chance, busy, now)) is not None:
            self.done_with.add(message.content)
            self.service.delete(message.id)

    def reads(self, chance: Random) -> None:
        """Marks some messages as read."""
        ids = [i for i, message in self.service.messages.items() if self.service.may_read(message, ME)]
        chosen = set(chance.sample(ids, chance.randrange(len(ids) + 1)))
        self.read |= chosen
        self.service.mark_read(ME, chosen)
