"""User groups and the values that say who holds a permission (GSV rows)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import Field, field_validator

from .base import GoodList, Id, Int, WireModel, either
from .vocabulary import SystemGroup


class GroupSettingMembers(WireModel):
    """A permission held by named people and groups; both lists empty means nobody (GSV-02, GSV-06).

    Before level 303 ``direct_members`` may name deactivated users (GSV-03).
    """

    direct_members: list[Id]
    direct_subgroups: list[Id]


GroupSettingValue = Id | GroupSettingMembers
"""Who holds a permission: the id of one group (GSV-01), or people and groups."""


class UserGroup(WireModel):
    """A user group. Permissions that the server's level does not know are None."""

    id: Id
    name: str
    description: str = ""
    members: GoodList[Id] = []
    direct_subgroup_ids: GoodList[Id] = Field(
        default=[], validation_alias=either("direct_subgroup_ids", "subgroups")
    )
    is_system_group: bool = False
    deactivated: bool = False
    creator_id: Id | None = None
    date_created: Int | None = None
    can_add_members_group: GroupSettingValue | None = None
    can_join_group: GroupSettingValue | None = None
    can_leave_group: GroupSettingValue | None = None
    can_manage_group: GroupSettingValue | None = None
    can_mention_group: GroupSettingValue | None = Field(
        default=None, validation_alias=either("can_mention_group", "can_mention_group_id")
    )
    can_remove_members_group: GroupSettingValue | None = None

    @field_validator("date_created", mode="before")
    @classmethod
    def _whole_seconds(cls, value: Any) -> Any:
        return int(value) if isinstance(value, float) and value == value and abs(value) < 2**63 else value


class GroupMembers(WireModel):
    """Answer of GET /user_groups/{id}/members."""

    members: GoodList[Id] = []


class GroupSubgroups(WireModel):
    """Answer of GET /user_groups/{id}/subgroups."""

    subgroups: GoodList[Id] = []


class GroupMembership(WireModel):
    """Answer of GET /user_groups/{id}/members/{user_id}."""

    is_user_group_member: bool


class GroupList(WireModel):
    """Answer of GET /user_groups."""

    user_groups: GoodList[UserGroup] = []


class CreatedGroup(WireModel):
    """Answer of POST /user_groups/create (GRPC-09)."""

    group_id: Id


def mentionable(groups: Iterable[UserGroup]) -> list[UserGroup]:
    """The groups that can be mentioned: a deactivated one cannot (GSV-17)."""
    return [group for group in groups if not group.deactivated]


def system_group_id(groups: Iterable[UserGroup], name: SystemGroup) -> int | None:
    """The id of a system group, which differs between organizations (GSV-07); None where there is none."""
    return next((group.id for group in groups if group.is_system_group and group.name == name), None)
