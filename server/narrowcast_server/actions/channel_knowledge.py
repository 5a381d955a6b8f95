"""`stream` events to users to whom a change of roles, groups or the waiting period opens or closes channels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from narrowcast_server.queries.channels import channel_object
from narrowcast_server.rules.access import may_know, subscribed_ids

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


@contextmanager
def channels_may_open(organization: Organization, user_ids: Iterable[int]) -> Iterator[None]:
    """Notifies these users of the channels of which they may know, or no longer, by the changes in the block."""
    listening = set(user_ids).intersection(organization.listening_ids())
    before = {user_id: _known(organization, user_id) for user_id in listening}
    yield
    for user_id, knew in before.items():
        knows = _known(organization, user_id)
        if gained := sorted(knows - knew):
            streams = [
                channel_object(organization, organization.channels[channel_id]) for channel_id in gained
            ]
            organization.emit({"type": "stream", "op": "create", "streams": streams}, [user_id])
        if lost := sorted(knew - knows):
            gone = [{"stream_id": channel_id} for channel_id in lost]
            organization.emit(
                {"type": "stream", "op": "delete", "streams": gone, "stream_ids": lost}, [user_id]
            )


def _known(organization: Organization, user_id: int) -> set[int]:
    user, subscribed = organization.users[user_id], subscribed_ids(organization, user_id)
    return {
        channel.id
        for channel in organization.channels.all()
        if may_know(organization, user, channel, subscribed)
    }
