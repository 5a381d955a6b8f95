"""Whom somebody may know of: everybody, or, where the organization hides its people from guests
(`can_access_all_users_group`), for a guest only who shares a channel or a direct conversation with them, and bots.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from narrowcast_api.wire.vocabulary import SystemGroup
from narrowcast_server.organization.errors import ServiceError, insufficient_permission
from narrowcast_server.organization.models import User
from narrowcast_server.queries.channels import group_member_ids
from narrowcast_server.queries.users import iso_time, user_at, user_object
from narrowcast_server.rules.permissions import realm_allows, system_group

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

SETTING: Final = "can_access_all_users_group"
UNKNOWN_NAME: Final = "Unknown user"
_UNKNOWN_PICTURE: Final = "/static/images/icon.png"
_IN_SIGHT: Final = """
SELECT other.user_id FROM subscriptions own JOIN subscriptions other ON other.channel_id = own.channel_id
 WHERE own.user_id = ?1 AND own.active = 1 AND other.active = 1
UNION SELECT other.user_id FROM conversation_members own
 JOIN conversation_members other ON other.conversation_id = own.conversation_id WHERE own.user_id = ?1
UNION SELECT id FROM users WHERE bot_type IS NOT NULL OR id = ?1
"""


def in_sight(core: Core, viewer: User) -> frozenset[int] | None:
    """Ids of the people whom somebody may know of; None means everybody."""
    if not viewer.is_guest or realm_allows(core, viewer, SETTING):
        return None
    return frozenset(core.store.integers(_IN_SIGHT, viewer.id))


def sees(core: Core, viewer: User, user: User) -> bool:
    """Whether somebody may know of somebody."""
    seen = in_sight(core, viewer)
    return seen is None or user.id in seen


def found_by_address(core: Core, viewer: User, address: str) -> User | None:
    """Somebody by the address that the API has for them, of whom `viewer` may know."""
    user = user_at(core, address)
    return user if user is not None and sees(core, viewer, user) else None


def check_sees(core: Core, viewer: User, user: User) -> None:
    """Raises BAD_REQUEST where somebody may not know of somebody."""
    if not sees(core, viewer, user):
        raise insufficient_permission()


def check_sees_recipients(core: Core, sender: User, people: Iterable[User]) -> None:
    """Raises BAD_REQUEST where somebody writes to people whom they may not know of."""
    seen = in_sight(core, sender)
    if seen is not None and any(person.id not in seen for person in people):
        raise ServiceError("You do not have permission to access some of the recipients.")


def watchers(core: Core, user: User, viewers: Iterable[int] | None = None) -> list[int]:
    """Who of `viewers` (None: all active people) may know of somebody, so hears what happens to them."""
    ids = core.user_ids() if viewers is None else list(viewers)
    if realm_hides_nobody(core):
        return ids
    return [identity for identity in ids if sees(core, core.users[identity], user)]


def realm_hides_nobody(core: Core) -> bool:
    """Whether everybody may know of everybody."""
    return core.settings[SETTING] == system_group(core, SystemGroup.EVERYONE).id


@contextmanager
def sight_may_change(core: Core) -> Iterator[None]:
    """Tells guests of the people who come into their sight, or go out of it, by what is done inside."""
    if realm_hides_nobody(core):
        yield
        return
    before = _views(core)
    yield
    _tell(core, before, _views(core))


@contextmanager
def sight_may_change_for_all(core: Core) -> Iterator[None]:
    """The same, where the setting itself may change inside."""
    before = _views(core)
    yield
    after = _views(core)
    if before != after:
        _tell(core, before, after)


Views = dict[int, frozenset[int]]


def _views(core: Core) -> Views:
    """Whom each guest, or anybody who may have been one, sees now; of those who listen alone."""
    everybody = frozenset(user.id for user in core.users.all())
    found: Views = {}
    for identity in core.listening_ids():
        seen = in_sight(core, core.users[identity])
        found[identity] = everybody if seen is None else seen
    return found


def _tell(core: Core, before: Views, after: Views) -> None:
    for viewer_id, seen in after.items():
        known = before.get(viewer_id, seen)
        for identity in sorted(seen - known):
            user = core.users[identity]
            person = user_object(core, core.users[viewer_id], user, client_gravatar=False, profile_data={})
            core.emit({"type": "realm_user", "op": "add", "person": person}, [viewer_id])
        _tell_groups(core, viewer_id, "add_members", seen - known)
        _tell_groups(core, viewer_id, "remove_members", known - seen)
        for identity in sorted(known - seen):
            person = {"user_id": identity, "full_name": UNKNOWN_NAME}
            core.emit({"type": "realm_user", "op": "remove", "person": person}, [viewer_id])


def _tell_groups(core: Core, viewer_id: int, operation: str, user_ids: frozenset[int]) -> None:
    """Who comes into sight is in groups from now on."""
    for group in core.groups.all() if user_ids else ():
        if members := sorted(user_ids & set(group_member_ids(core, group))):
            event = {"type": "user_group", "op": operation, "group_id": group.id, "user_ids": members}
            core.emit(event, [viewer_id])


def emit_members(core: Core, event: Mapping[str, object], user_ids: Sequence[int]) -> None:
    """An event that names users, to each active person with those of them whom they may know of."""
    for seen, viewers in _viewers(core).items():
        if shown := _known_of(seen, user_ids):
            core.emit({**event, "user_ids": shown}, viewers)


def emit_group(core: Core, event: Mapping[str, object], key: str, group: dict[str, object]) -> None:
    """An event with a user group object under `key`, to each active person as they may see it."""
    for seen, viewers in _viewers(core).items():
        core.emit({**event, key: group_as_seen(seen, group)}, viewers)


def _viewers(core: Core) -> dict[frozenset[int] | None, list[int]]:
    """Ids of the active people by whom they may know of."""
    viewers: dict[frozenset[int] | None, list[int]] = defaultdict(list)
    for viewer_id in core.user_ids():
        viewers[in_sight(core, core.users[viewer_id])].append(viewer_id)
    return viewers


def _known_of(seen: frozenset[int] | None, user_ids: Iterable[int]) -> list[int]:
    return [identity for identity in user_ids if seen is None or identity in seen]


def group_as_seen(seen: frozenset[int] | None, group: dict[str, object]) -> dict[str, object]:
    """A user group object with those members whom the viewer may know of."""
    members = group["members"]
    assert isinstance(members, list)
    return group if seen is None else {**group, "members": _known_of(seen, members)}


def unknown_person(core: Core, user: User) -> dict[str, object]:
    """What stands for somebody whom the viewer may not know of, for clients that need an entry for every id."""
    return {
        "email": core.dummy_address(user.id),
        "user_id": user.id,
        "avatar_version": 1,
        "is_admin": False,
        "is_owner": False,
        "is_guest": False,
        "role": 400,
        "is_bot": False,
        "full_name": UNKNOWN_NAME,
        "timezone": "",
        "date_joined": iso_time(core.setting_int("date_created")),
        "delivery_email": None,
        "is_imported_stub": False,
        "avatar_url": _UNKNOWN_PICTURE,
        "bot_type": None,
        "bot_owner_id": None,
        "is_active": user.is_active,
        "profile_data": {},
    }


def reactor(core: Core, user_id: int) -> dict[str, object]:
    """The `user` of a reaction, for those who may not know of them."""
    return {"email": core.dummy_address(user_id), "full_name": UNKNOWN_NAME}


def as_seen(core: Core, seen: frozenset[int] | None, message: dict[str, Any]) -> dict[str, Any]:
    """A message object without the names of people whom the viewer may not know of."""
    if seen is None:
        return message
    if message["sender_id"] not in seen:
        message = without_sender(core, message, message["sender_id"])
    if all(reaction["user_id"] in seen for reaction in message["reactions"]):
        return message
    reactions = [
        one if one["user_id"] in seen else {**one, "user": {**one["user"], **reactor(core, one["user_id"])}}
        for one in message["reactions"]
    ]
    return {**message, "reactions": reactions}


def without_sender(core: Core, message: dict[str, object], sender_id: int) -> dict[str, object]:
    """A message object as it is for those who may not know of its sender."""
    return {
        **message,
        "sender_full_name": UNKNOWN_NAME,
        "sender_email": core.dummy_address(sender_id),
        "avatar_url": _UNKNOWN_PICTURE,
        "_avatar_by_provider": False,
    }
