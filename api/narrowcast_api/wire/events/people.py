"""Events about people and groups."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from narrowcast_api.model import users
from narrowcast_api.wire.event import Event
from narrowcast_api.wire.groups import UserGroup
from narrowcast_api.wire.model import GoodList, Id, WireModel, either, read_by
from narrowcast_api.wire.users import MutedUser


class RealmUserEvent(Event):
    """Base class of events about people and bots."""

    type: Literal["realm_user"] = "realm_user"


class RealmUserAddEvent(RealmUserEvent):
    """A user was created, or the current user can now see them."""

    op: Literal["add"] = "add"
    person: Annotated[users.User, read_by(users.read_user)]


class RemovedPerson(WireModel):
    """A user whom the current user can no longer see."""

    user_id: Id
    full_name: str = ""


class RealmUserRemoveEvent(RealmUserEvent):
    """The current user can no longer see a user; on old servers also sent when a user was deactivated."""

    op: Literal["remove"] = "remove"
    person: RemovedPerson


class RealmUserUpdateEvent(RealmUserEvent):
    """Properties of a user changed."""

    op: Literal["update"] = "update"
    person: Annotated[users.UserChange, read_by(users.read_user_change)]


class UserGroupEvent(Event):
    """Base class of user group events."""

    type: Literal["user_group"] = "user_group"


class UserGroupAddEvent(UserGroupEvent):
    """A new group; also a reactivated one, for clients that do not receive deactivated groups."""

    op: Literal["add"] = "add"
    group: UserGroup


class UserGroupRemoveEvent(UserGroupEvent):
    """A group was removed from what this client can see."""

    op: Literal["remove"] = "remove"
    group_id: Id


class UserGroupUpdateEvent(UserGroupEvent):
    """Fields of a group changed; ``data`` contains the new values by name."""

    op: Literal["update"] = "update"
    group_id: Id
    data: dict[str, Any]


class UserGroupMembersEvent(UserGroupEvent):
    """Members joined or left a group."""

    op: Literal["add_members", "remove_members"]
    group_id: Id
    user_ids: list[Id]


class UserGroupSubgroupsEvent(UserGroupEvent):
    """Subgroups were added to or removed from a group."""

    op: Literal["add_subgroups", "remove_subgroups"]
    group_id: Id
    direct_subgroup_ids: Annotated[list[Id], either("direct_subgroup_ids", "subgroup_ids")]


class MutedUsersEvent(Event):
    """All users whom the current user has muted."""

    type: Literal["muted_users"] = "muted_users"
    muted_users: GoodList[MutedUser]


class AlertWordsEvent(Event):
    """All alert words of the current user."""

    type: Literal["alert_words"] = "alert_words"
    alert_words: GoodList[str]
