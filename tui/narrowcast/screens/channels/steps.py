"""What one does to a channel in one step: join, leave, archive, restore."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from narrowcast_api import permissions
from narrowcast_api.wire.levels import Gate

if TYPE_CHECKING:
    from narrowcast_api.model.channels import Channel
    from narrowcast_api.sync.session import Session


class Step(Struct, frozen=True):
    """``what`` completes "Could not …"; ``work`` tells the server; ``done``: what to tell then.

    ``refusal``: why it cannot be done; empty if it can. ``question``: what is asked before, and ``yes``, the answer
    that does it; empty where nothing is. ``reversible``: one can take it back by oneself, so that a list, where the
    same key does, asks nothing.
    """

    what: str
    work: Callable[[], Awaitable[object]]
    done: str
    refusal: str = ""
    question: str = ""
    yes: str = ""
    reversible: bool = False


def subscription(session: Session, channel: Channel) -> Step:
    """Oneself joins, or leaves."""
    state, subscriptions, name = session.state, session.client.subscriptions, f"#{channel.name}"
    if not channel.is_subscribed:
        return Step(
            f"subscribe to {name}",
            partial(subscriptions.add, channels=[channel.name]),
            f"Subscribed to {name}.",
            permissions.subscribe_refusal(state, channel),
            reversible=True,
        )
    question = f"Unsubscribe from {name}?"
    if channel.invite_only:
        question += " You cannot rejoin a private channel by yourself."
    return Step(
        f"unsubscribe from {name}",
        partial(subscriptions.remove, channels=[channel.name], archived=channel.is_archived),
        f"Unsubscribed from {name}.",
        permissions.below(state, Gate.ARCHIVED_SUBSCRIPTIONS) if channel.is_archived else "",
        question,
        "Unsubscribe",
        reversible=not channel.invite_only,
    )


def archiving(session: Session, channel: Channel) -> Step:
    """It is archived, or restored."""
    channels, name = session.client.channels, f"#{channel.name}"
    if channel.is_archived:
        return Step(
            f"unarchive {name}",
            partial(channels.unarchive, channel_id=channel.channel_id),
            f"{name} unarchived.",
            permissions.below(session.state, Gate.UNARCHIVE),
        )
    return Step(
        f"archive {name}",
        partial(channels.archive, channel_id=channel.channel_id),
        f"{name} archived.",
        permissions.channel_refusal(session.state, channel, "archive this channel"),
        f"Archive {name}?",
        "Archive channel (its messages stay readable)",
    )
