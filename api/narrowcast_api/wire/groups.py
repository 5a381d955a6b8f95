"""Responses about user groups (GSV rows); the groups themselves are `narrowcast_api.model.user_groups`."""

from __future__ import annotations

from typing import Annotated

from narrowcast_api.model import user_groups as model

from .model import GoodList, Id, WireModel, read_by

UserGroup = Annotated[model.UserGroup, read_by(model.read_user_group)]


class GroupMembersResponse(WireModel):
    """Response of GET /user_groups/{id}/members."""

    members: GoodList[Id] = []


class GroupSubgroups(WireModel):
    """Response of GET /user_groups/{id}/subgroups."""

    subgroups: GoodList[Id] = []


class GroupMembership(WireModel):
    """Response of GET /user_groups/{id}/members/{user_id}."""

    is_user_group_member: bool


class GroupList(WireModel):
    """Response of GET /user_groups."""

    user_groups: GoodList[UserGroup] = []


class CreatedGroup(WireModel):
    """Response of POST /user_groups/create (GRPC-09)."""

    group_id: Id
