"""The demo world: an organization with its people, its talk and its things, made by the server's own actions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import narrowcast_assets
from narrowcast_server.actions import organization
from narrowcast_server.actions.flags import change_flags
from narrowcast_server.actions.messages import Origin, send_direct, send_to_channel
from narrowcast_server.actions.reactions import add_reaction
from narrowcast_server.actions.scheduled_messages import deliver_due
from narrowcast_server.actions.submessages import add_submessage
from narrowcast_server.demo import people, places, things
from narrowcast_server.demo.field_log import field_log
from narrowcast_server.demo.files import FILES
from narrowcast_server.demo.script import Conversation, Deed, ScriptLine, in_order, moment, read_all
from narrowcast_server.organization.emoji import resolve
from narrowcast_server.organization.models import Channel, FlagBit, User
from narrowcast_server.rules.access import find_message
from narrowcast_server.uploads.receiving import place_file

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

SCRIPTS: Final = Path(narrowcast_assets.__file__).parent / "demo"
_REFERENCE = re.compile(r"\{(id|file|path|in):([^}\n]+)\}")


def populate(core: Core) -> None:
    """Fills an empty store with the demo world, as of `core.now()`. Takes a second or two."""
    with core.transaction():
        world = World(core)
        world.build()
        world.talk()
        world.finish()
    # What was scheduled for a channel that is archived by now fails, as it would in real life.
    deliver_due(core)


@dataclass
class World:
    """The world while it is made."""

    core: Core
    users: dict[str, User] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    uploads: dict[str, str] = field(default_factory=dict)
    """Path ids of the files, by name."""
    names: dict[str, int] = field(default_factory=dict)
    """Ids of the messages that others refer to."""
    unread: set[int] = field(default_factory=set)
    """Ids of what the newcomer has not read."""

    def build(self) -> None:
        """Everything but the talk."""
        core, born = self.core, self.core.now() - 430 * 86400
        if not organization.exists(core.store):
            organization.set_up(
                core, name=people.ORGANIZATION, domain=people.DOMAIN, description=people.DESCRIPTION
            )
        self.users = people.create_people(core, born)
        core.users.update(self.users[people.NEWCOMER].id, can_change_user_emails=1, can_create_users=1)
        things.create_groups(core, self.users)
        self.channels = places.create_places(core, self.users, born + 86400)
        things.create_conveniences(core, self.users)

    def talk(self) -> None:
        """All messages, in the order of their times."""
        now = self.core.now()
        conversations = [*read_all(SCRIPTS, now), field_log(now)]
        fresh = {id(line) for one in conversations for line in unread_lines(one)}
        for conversation, line in in_order(conversations):
            message_id = self.say(conversation, line)
            if line.name is not None:
                self.names[line.name] = message_id
            if id(line) in fresh:
                self.unread.add(message_id)
            for deed in line.deeds:
                self.do(message_id, deed)

    def say(self, conversation: Conversation, line: ScriptLine) -> int:
        """Sends one message; gives its id."""
        speaker = self.users[line.speaker]
        origin = Origin(timestamp=line.when)
        text = _REFERENCE.sub(partial(self.reference, speaker), line.text)
        if conversation.channel is None:
            recipients = [self.users[key] for key in conversation.people]
            return send_direct(self.core, speaker, recipients, text, origin).id
        channel = self.channels[conversation.channel]
        # The row is read again: the first message changes it.
        return send_to_channel(
            self.core, speaker, self.core.channels[channel.id], conversation.topic, text, origin
        ).id

    def reference(self, speaker: User, match: re.Match[str]) -> str:
        """What a reference in a text stands for; a file is uploaded by who shows it first."""
        kind, name = match[1], match[2]
        if kind == "id":
            return str(self.names[name])
        if kind == "in":
            return things.iso(moment(name, self.core.now()))
        if name not in self.uploads:
            self.uploads[name] = place_file(self.core, speaker, name, FILES[name]())
        path_id = self.uploads[name]
        return path_id if kind == "path" else f"[{name}](/user_uploads/{path_id})"

    def do(self, message_id: int, deed: Deed) -> None:
        """A reaction, a vote, a finished task."""
        message = find_message(self.core, message_id)
        assert message is not None, "it was sent a moment ago"
        if deed.kind == "react":
            emoji = resolve(self.core, deed.words[0], None, None)
            for key in deed.words[1:]:
                add_reaction(self.core, self.users[key], message, emoji)
            return
        user, index = self.users[deed.words[0]], deed.words[1]
        data: Mapping[str, object] = {"type": "vote", "key": f"canned,{index}", "vote": 1}
        if deed.kind == "strike":
            data = {"type": "strike", "key": f"{index},canned"}
        add_submessage(self.core, user, message, "widget", json.dumps(data))

    def finish(self) -> None:
        """What is read and starred, drafts and plans; and the first year goes to the archive."""
        for user in self.users.values():
            self.read_all_but(user, self.unread if user.id == self.users[people.NEWCOMER].id else ())
        things.create_personal(self.core, self.users, self.channels)
        for place in places.PLACES:
            if place.archived:
                self.core.channels.update(self.channels[place.name].id, is_archived=1)

    def read_all_but(self, user: User, unread: Sequence[int] | set[int]) -> None:
        """Marks what somebody has as read, but for some."""
        rows = self.core.store.integers(
            "SELECT message_id FROM user_messages WHERE user_id = ? AND flags & 1 = 0", user.id
        )
        read = [identity for identity in rows if identity not in unread]
        if read:
            change_flags(self.core, user, read, FlagBit.READ, add=True)


def unread_lines(conversation: Conversation) -> Sequence[ScriptLine]:
    """The last messages that the newcomer has not read."""
    return conversation.lines[-conversation.unread :] if conversation.unread else ()
