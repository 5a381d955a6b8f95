"""Events about what becomes visible or invisible: users, to guests; channels, to users to whom a change of roles,
groups or the waiting period opens or closes them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from narrowcast_server.queries.as_seen import UNKNOWN_NAME, group_as_seen, known_of
from narrowcast_server.queries.channels import channel_object, group_member_ids
from narrowcast_server.queries.users import user_object
from narrowcast_server.rules.access import may_know, subscribed_ids
from narrowcast_server.rules.visibility import realm_hides_nobody, visible_ids

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


@contextmanager
def visibility_may_change(organization: Organization) -> Iterator[None]:
    """Notifies guests of the users who become visible or invisible to them by the changes in the block."""
    if realm_hides_nobody(organization):
        yield
        return
    before = _views(organization)
    yield
    _emit_people(organization, before, _views(organization))


@contextmanager
def visibility_may_change_for_all(organization: Organization) -> Iterator[None]:
    """Like `visibility_may_change`, for blocks that may change the setting that hides users from guests."""
    before = _views(organization)
    yield
    after = _views(organization)
    if before != after:
        _emit_people(organization, before, after)


Views = dict[int, frozenset[int]]


def _views(organization: Organization) -> Views:
    """The users visible to each user with an event queue."""
    everybody = frozenset(user.id for user in organization.users.all())
    views: Views = {}
    for identity in organization.listening_ids():
        seen = visible_ids(organization, organization.users[identity])
        views[identity] = everybody if seen is None else seen
    return views


def _emit_people(organization: Organization, before: Views, after: Views) -> None:
    for viewer_id, seen in after.items():
        saw = before.get(viewer_id, seen)
        for identity in sorted(seen - saw):
            user = organization.users[identity]
            person = user_object(
                organization, organization.users[viewer_id], user, client_gravatar=False, profile_data={}
            )
            organization.emit({"type": "realm_user", "op": "add", "person": person}, [viewer_id])
        _emit_groups(organization, viewer_id, "add_members", seen - saw)
        _emit_groups(organization, viewer_id, "remove_members", saw - seen)
        for identity in sorted(saw - seen):
            person = {"user_id": identity, "full_name": UNKNOWN_NAME}
            organization.emit({"type": "realm_user", "op": "remove", "person": person}, [viewer_id])


def _emit_groups(
    organization: Organization, viewer_id: int, operation: str, user_ids: frozenset[int]
) -> None:
    """Emits `user_group` events for the groups of users who become visible or invisible."""
    for group in organization.groups.all() if user_ids else ():
        if members := sorted(user_ids & set(group_member_ids(organization, group))):
            event = {"type": "user_group", "op": operation, "group_id": group.id, "user_ids": members}
            organization.emit(event, [viewer_id])


def emit_members(organization: Organization, event: Mapping[str, object], user_ids: Sequence[int]) -> None:
    """Emits an event that names users, to each active user with those of them whom they may know of."""
    for seen, viewers in _viewers(organization).items():
        if shown := known_of(seen, user_ids):
            organization.emit({**event, "user_ids": shown}, viewers)


def emit_group(
    organization: Organization, event: Mapping[str, object], key: str, group: dict[str, object]
) -> None:
    """Emits an event with a user group object under `key`, to each active user as they may see it."""
    for seen, viewers in _viewers(organization).items():
        organization.emit({**event, key: group_as_seen(seen, group)}, viewers)


def _viewers(organization: Organization) -> dict[frozenset[int] | None, list[int]]:
    """The active users' ids, grouped by the users whom they may know of (None: all)."""
    viewers: dict[frozenset[int] | None, list[int]] = defaultdict(list)
    for viewer_id in organization.user_ids():
        viewers[visible_ids(organization, organization.users[viewer_id])].append(viewer_id)
    return viewers


@contextmanager
def channels_may_open(organization: Organization, user_ids: Iterable[int]) -> Iterator[None]:
    """Notifies these users of the channels of which they may know, or no longer, by the changes in the block."""
    listening = set(user_ids).intersection(organization.listening_ids())
    before = {user_id: _known_channels(organization, user_id) for user_id in listening}
    yield
    for user_id, knew in before.items():
        knows = _known_channels(organization, user_id)
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


def _known_channels(organization: Organization, user_id: int) -> set[int]:
    user, subscribed = organization.users[user_id], subscribed_ids(organization, user_id)
    return {
        channel.id
        for channel in organization.channels.all()
        if may_know(organization, user, channel, subscribed)
    }
