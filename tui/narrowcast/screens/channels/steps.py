"""Actions on a channel that need no form: subscribe, unsubscribe, archive, unarchive."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from narrowcast.screens.dialogs.confirm import Question
from narrowcast.text import names
from narrowcast_api import permissions
from narrowcast_api.wire.levels import Gate

if TYPE_CHECKING:
    from narrowcast_api.model.channels import Channel
    from narrowcast_api.sync.session import Session


class Step(Struct, frozen=True):
    """``what`` completes "Could not …"; ``work`` sends the request; ``done``: the notice shown afterwards.

    ``refusal``: why it is not allowed; empty if it is. ``question``: asked before, if there is one. ``reversible``:
    the user can undo it, so a list, where the same key does that, does not ask.
    """

    what: str
    work: Callable[[], Awaitable[object]]
    done: str
    refusal: str = ""
    question: Question | None = None
    reversible: bool = False


def subscription(session: Session, channel: Channel) -> Step:
    """Subscribes the current user, or unsubscribes."""
    state, subscriptions, name = session.state, session.client.subscriptions, f"#{channel.name}"

    def current_name() -> list[str]:
        """The name of the channel at the time of the request: it may be renamed while a question is open."""
        return [names.channel(session.state, channel.channel_id)]

    if not channel.is_subscribed:
        return Step(
            f"subscribe to {name}",
            lambda: subscriptions.add(channels=current_name()),
            f"Subscribed to {name}.",
            permissions.subscribe_refusal(state, channel),
            reversible=True,
        )
    effect = "You will not get its new messages."
    if channel.invite_only:
        effect += " You cannot rejoin a private channel by yourself."
    return Step(
        f"unsubscribe from {name}",
        lambda: subscriptions.remove(channels=current_name(), archived=channel.is_archived),
        unsubscribed_notice(channel.name),
        permissions.level_refusal(state, Gate.ARCHIVED_SUBSCRIPTIONS) if channel.is_archived else "",
        Question(f"Unsubscribe from {name}?", "Unsubscribe", effect),
        reversible=not channel.invite_only,
    )


def unsubscribed_notice(channel_name: str) -> str:
    """Shown to who unsubscribed from the channel and to who has it open: once to who does both, as a notice replaces
    one with the same text.
    """
    return f"You are no longer subscribed to #{channel_name}. You will not get its new messages."


def archived_notice(channel: Channel) -> str:
    """Shown, like `unsubscribed_notice`, to who archived the channel and to who has it open."""
    return f"#{channel.name} was archived. Nobody can post in it."


def archiving(session: Session, channel: Channel) -> Step:
    """Archives the channel, or unarchives it."""
    channels, name = session.client.channels, f"#{channel.name}"
    if channel.is_archived:
        return Step(
            f"unarchive {name}",
            partial(channels.unarchive, channel_id=channel.channel_id),
            f"{name} unarchived.",
            permissions.level_refusal(session.state, Gate.UNARCHIVE),
        )
    return Step(
        f"archive {name}",
        partial(channels.archive, channel_id=channel.channel_id),
        archived_notice(channel),
        permissions.channel_refusal(session.state, channel, "archive this channel"),
        Question(
            f"Archive {name}?", "Archive channel", "Nobody can post in it then. Its messages stay readable."
        ),
    )
