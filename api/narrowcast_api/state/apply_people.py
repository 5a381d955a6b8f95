"""Events about people, presence, status, groups and bots."""

from __future__ import annotations

from msgspec.structs import replace

from narrowcast_api.model.user_groups import group_settings, setting_to_wire, setting_without
from narrowcast_api.resources import bots
from narrowcast_api.resources.presence import PresenceEvent
from narrowcast_api.resources.status import UserStatusEvent
from narrowcast_api.state.changes import (
    Change,
    ChannelsChanged,
    PresenceChanged,
    SettingsChanged,
    UserGroupsChanged,
    UsersChanged,
)
from narrowcast_api.state.handlers import Handlers
from narrowcast_api.state.state import State
from narrowcast_api.wire.events import (
    AlertWordsEvent,
    MutedUsersEvent,
    RealmUserAddEvent,
    RealmUserRemoveEvent,
    RealmUserUpdateEvent,
    UserGroupAddEvent,
    UserGroupMembersEvent,
    UserGroupRemoveEvent,
    UserGroupSubgroupsEvent,
    UserGroupUpdateEvent,
)
from narrowcast_api.wire.levels import Gate

handlers = Handlers()
handlers.include(
    bots.handlers, lambda state: state.managed_bots, lambda event: UsersChanged((event.bot.user_id,))
)


@handlers.of(RealmUserAddEvent)
def _user_add(state: State, event: RealmUserAddEvent) -> tuple[Change, ...]:
    person, known = event.person, state.users.get(event.person.user_id)
    # TODO(server-163): before, the event leaves out the email address, also of a reactivated user.
    if known is not None and person.delivery_email is None and not state.supports(Gate.DELIVERY_EMAIL):
        person = replace(person, delivery_email=known.delivery_email)
    state.users.put([person])
    return (UsersChanged((person.user_id,)),)


@handlers.of(RealmUserRemoveEvent)
def _user_remove(state: State, event: RealmUserRemoveEvent) -> tuple[Change, ...]:
    user_id = event.person.user_id
    user = state.users.get(user_id)
    # TODO(server-222): before, this meant that the user was deactivated; since, that the user is no longer
    # visible.
    if user is not None and not state.supports(Gate.DEACTIVATION_EVENTS):
        state.users.put([replace(user, is_active=False)])
    else:
        state.users.remove(user_id)
    _remove_presence(state, user_id)
    return (UsersChanged((user_id,)),)


@handlers.of(RealmUserUpdateEvent)
def _user_update(state: State, event: RealmUserUpdateEvent) -> tuple[Change, ...]:
    state.users.update(event.person)
    changes: tuple[Change, ...] = (UsersChanged((event.person.user_id,)),)
    if event.person.values.get("is_active") is False:
        _remove_presence(state, event.person.user_id)
        changes += _leave(state, event.person.user_id)
    return changes


def _remove_presence(state: State, user_id: int) -> None:
    """Removes status and presence, which snapshots do not contain for deactivated or invisible users."""
    state.statuses.forget(user_id)
    state.presence.forget(user_id)


def _leave(state: State, user_id: int) -> tuple[Change, ...]:
    """Removes a deactivated user from groups and permissions, about which there is no further event. Below
    level 303 they stay in them.
    """
    if not state.supports(Gate.DIRECT_MEMBERS_ACTIVE):
        return ()
    changes: list[Change] = []
    if state.user_groups.forget_user(user_id):
        changes.append(UserGroupsChanged())
    if channel_ids := state.channels.forget_user(user_id):
        changes.append(ChannelsChanged(tuple(channel_ids)))
    names = []
    for name, setting in list(group_settings(state.organization.items())):
        if setting_without(setting, user_id) != setting:
            state.organization.put(name, setting_to_wire(setting_without(setting, user_id)))
            names.append(name)
    return (*changes, SettingsChanged(tuple(names))) if names else tuple(changes)


@handlers.of(MutedUsersEvent)
def _muted_users(state: State, event: MutedUsersEvent) -> tuple[Change, ...]:
    before = set(state.users.muted)
    state.users.muted = {user.id: int(user.timestamp) for user in event.muted_users}
    return (UsersChanged(tuple(sorted(before ^ set(state.users.muted)))),)


@handlers.of(AlertWordsEvent)
def _alert_words(state: State, event: AlertWordsEvent) -> tuple[Change, ...]:
    state.users.alert_words = tuple(event.alert_words)
    return (SettingsChanged(("alert_words",)),)


@handlers.of(PresenceEvent)
def _presence(state: State, event: PresenceEvent) -> tuple[Change, ...]:
    news = state.presence.merge_seen(event.by_user_id())
    return (PresenceChanged(news),) if news else ()


@handlers.of(UserStatusEvent)
def _user_status(state: State, event: UserStatusEvent) -> tuple[Change, ...]:
    state.statuses.update(event.user_id, event.changes())
    return (PresenceChanged((event.user_id,)),)


@handlers.of(UserGroupAddEvent)
def _group_add(state: State, event: UserGroupAddEvent) -> tuple[Change, ...]:
    state.user_groups.put(event.group)
    return (UserGroupsChanged(),)


@handlers.of(UserGroupRemoveEvent)
def _group_remove(state: State, event: UserGroupRemoveEvent) -> tuple[Change, ...]:
    state.user_groups.remove(event.group_id)
    return (UserGroupsChanged(),)


@handlers.of(UserGroupUpdateEvent)
def _group_update(state: State, event: UserGroupUpdateEvent) -> tuple[Change, ...]:
    state.user_groups.update(event.group_id, event.data)
    return (UserGroupsChanged(),)


@handlers.of(UserGroupMembersEvent)
def _group_members(state: State, event: UserGroupMembersEvent) -> tuple[Change, ...]:
    people = set(event.user_ids)
    if event.op == "add_members":
        state.user_groups.change_members(event.group_id, add=people)
    else:
        state.user_groups.change_members(event.group_id, remove=people)
    return (UserGroupsChanged(),)


@handlers.of(UserGroupSubgroupsEvent)
def _group_subgroups(state: State, event: UserGroupSubgroupsEvent) -> tuple[Change, ...]:
    subgroups = set(event.direct_subgroup_ids)
    if event.op == "add_subgroups":
        state.user_groups.change_subgroups(event.group_id, add=subgroups)
    else:
        state.user_groups.change_subgroups(event.group_id, remove=subgroups)
    return (UserGroupsChanged(),)
