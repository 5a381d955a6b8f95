"""What the notification bot writes when topics are moved or resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.actions.messages import Origin, post_notice
from narrowcast_server.organization.models import Channel, User
from narrowcast_server.rules.earlier import everybody_knows
from narrowcast_server.rules.moves import Move

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

Place = tuple[Channel, str]
"""A channel and a topic in it."""


def tell_of_move(core: Core, user: User, move: Move, *, old_thread: bool, new_thread: bool) -> None:
    """Writes to the old and the new topic, as asked; of (un)resolved topics always."""
    person = f"@_**{user.full_name}|{user.id}**"
    origin = Origin(client="Internal")
    if move.resolves is not None:
        state = "resolved" if move.resolves else "unresolved"
        post_notice(core, move.target, move.new_topic, f"{person} has marked this topic as {state}.", origin)
        return
    count = len(move.messages)
    messages = "A message was" if count == 1 else f"{count} messages were"
    new, old = (move.target, move.new_topic), (move.source, move.old_topic)
    if new_thread:
        text = f"{messages} moved here{_named(core, move, 'from', old, new)} by {person}."
        post_notice(core, *new, text, origin)
    if old_thread:
        text = f"{messages} moved from this topic{_named(core, move, 'to', new, old)} by {person}."
        post_notice(core, *old, text, origin)


def _named(core: Core, move: Move, word: str, place: Place, readers: Place) -> str:
    """The other place, where all who read the notice may know of it."""
    (channel, topic), (here, _) = place, readers
    return (
        f" {word} #**{channel.name}>{topic}**" if everybody_knows(core, here, channel, move.messages) else ""
    )
