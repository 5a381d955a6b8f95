"""Builds the demo world: an organization with people, messages and other contents, using the server's own actions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import narrowcast_assets
from narrowcast_server.actions import new_organization
from narrowcast_server.demo import people, places, things
from narrowcast_server.demo.field_log import field_log
from narrowcast_server.demo.files import FILES
from narrowcast_server.demo.script import Action, ScriptedConversation, ScriptLine, in_order, moment, read_all
from narrowcast_server.organization.emoji import resolve
from narrowcast_server.organization.models import Channel, FlagBit, User
from narrowcast_server.resources.message_flags import change_flags
from narrowcast_server.resources.messages.sending import Origin, send_direct, send_to_channel
from narrowcast_server.resources.reactions import add_reaction
from narrowcast_server.resources.scheduled_messages import deliver_due
from narrowcast_server.resources.submessages import add_submessage
from narrowcast_server.rules.access import find_message
from narrowcast_server.uploads.receiving import place_file

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

SCRIPTS: Final = Path(narrowcast_assets.__file__).parent / "demo"
_REFERENCE = re.compile(r"\{(id|file|path|in):([^}\n]+)\}")


def populate(organization: Organization) -> None:
    """Fills an empty store with the demo world as of `organization.now()`. Takes a second or two."""
    with organization.transaction():
        world = World(organization)
        world.build()
        world.talk()
        world.finish()
    # Messages scheduled for a channel that is archived by now fail, as on a real server.
    deliver_due(organization)


@dataclass
class World:
    """The demo world under construction."""

    organization: Organization
    users: dict[str, User] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    uploads: dict[str, str] = field(default_factory=dict)
    """Path ids of uploaded files, by file name."""
    names: dict[str, int] = field(default_factory=dict)
    """Ids of messages by the names that references use."""
    unread: set[int] = field(default_factory=set)
    """Ids of the messages that stay unread for the newcomer."""

    def build(self) -> None:
        """Creates everything except messages."""
        organization, born = self.organization, self.organization.now() - 430 * 86400
        if not new_organization.exists(organization.store):
            new_organization.set_up(
                organization, name=people.ORGANIZATION, domain=people.DOMAIN, description=people.DESCRIPTION
            )
        self.users = people.create_people(organization, born)
        organization.users.update(
            self.users[people.NEWCOMER].id, can_change_user_emails=1, can_create_users=1
        )
        things.create_groups(organization, self.users)
        self.channels = places.create_places(organization, self.users, born + 86400)
        things.create_conveniences(organization, self.users)

    def talk(self) -> None:
        """Sends all messages in order of time."""
        now = self.organization.now()
        conversations = [*read_all(SCRIPTS, now), field_log(now)]
        fresh = {id(line) for one in conversations for line in unread_lines(one)}
        for conversation, line in in_order(conversations):
            message_id = self.say(conversation, line)
            if line.name is not None:
                self.names[line.name] = message_id
            if id(line) in fresh:
                self.unread.add(message_id)
            for action in line.actions:
                self.do(message_id, action)

    def say(self, conversation: ScriptedConversation, line: ScriptLine) -> int:
        """Sends one message; returns its id."""
        speaker = self.users[line.speaker]
        origin = Origin(timestamp=line.when)
        text = _REFERENCE.sub(partial(self.reference, speaker), line.text)
        if conversation.channel is None:
            recipients = [self.users[key] for key in conversation.people]
            return send_direct(self.organization, speaker, recipients, text, origin).id
        channel = self.channels[conversation.channel]
        # Sending the first message of a channel changes its row, so it is looked up again.
        return send_to_channel(
            self.organization,
            speaker,
            self.organization.channels[channel.id],
            conversation.topic,
            text,
            origin,
        ).id

    def reference(self, speaker: User, match: re.Match[str]) -> str:
        """The replacement for a reference in a text; a file is uploaded by its first user."""
        kind, name = match[1], match[2]
        if kind == "id":
            return str(self.names[name])
        if kind == "in":
            return things.iso(moment(name, self.organization.now()))
        if name not in self.uploads:
            self.uploads[name] = place_file(self.organization, speaker, name, FILES[name]())
        path_id = self.uploads[name]
        return path_id if kind == "path" else f"[{name}](/user_uploads/{path_id})"

    def do(self, message_id: int, action: Action) -> None:
        """Applies a reaction, a vote or a finished task."""
        message = find_message(self.organization, message_id)
        assert message is not None, "it was sent a moment ago"
        if action.kind == "react":
            emoji = resolve(self.organization, action.words[0], None, None)
            for key in action.words[1:]:
                add_reaction(self.organization, self.users[key], message, emoji)
            return
        user, index = self.users[action.words[0]], action.words[1]
        data: Mapping[str, object] = {"type": "vote", "key": f"canned,{index}", "vote": 1}
        if action.kind == "strike":
            data = {"type": "strike", "key": f"{index},canned"}
        add_submessage(self.organization, user, message, "widget", json.dumps(data))

    def finish(self) -> None:
        """Marks messages as read, creates personal data, and archives channels."""
        for user in self.users.values():
            self.read_all_but(user, self.unread if user.id == self.users[people.NEWCOMER].id else ())
        things.create_personal(self.organization, self.users, self.channels)
        for place in places.PLACES:
            if place.archived:
                self.organization.channels.update(self.channels[place.name].id, is_archived=1)

    def read_all_but(self, user: User, unread: Sequence[int] | set[int]) -> None:
        """Marks the user's messages as read, except `unread`."""
        rows = self.organization.store.integers(
            "SELECT message_id FROM user_messages WHERE user_id = ? AND flags & 1 = 0", user.id
        )
        read = [identity for identity in rows if identity not in unread]
        if read:
            change_flags(self.organization, user, read, FlagBit.READ, add=True)


def unread_lines(conversation: ScriptedConversation) -> Sequence[ScriptLine]:
    """The lines that stay unread for the newcomer."""
    return conversation.lines[-conversation.unread :] if conversation.unread else ()
