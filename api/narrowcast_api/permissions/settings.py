"""Who may change which setting of the organization, and who may make which kind of bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_api.permissions.refusal import ALLOWED, Refusal
from narrowcast_api.permissions.roles import only_administrators, only_holders, only_owners, role_of
from narrowcast_api.wire.vocabulary import OWNER_SETTINGS, BotType, Role

if TYPE_CHECKING:
    from narrowcast_api.state.state import State


def organization_refusal(state: State, setting: str) -> Refusal:
    """Refuses who may not change a setting of the organization."""
    if setting in OWNER_SETTINGS:
        return only_owners(state, "change this setting")
    return only_administrators(state, "change these settings")


def name_refusal(state: State) -> Refusal:
    """Refuses who may not change their own name: a server may drop the change without a word."""
    if state.offers.names_fixed or state.organization.flag("name_changes_disabled"):
        return only_administrators(state, "change names here")
    return ALLOWED


def picture_refusal(state: State) -> Refusal:
    """Refuses who may not change their own picture."""
    if state.offers.pictures_fixed or state.organization.flag("avatar_changes_disabled"):
        return only_administrators(state, "change pictures here")
    return ALLOWED


def summary_refusal(state: State) -> Refusal:
    """Refuses where the server has no language model, and who may not have topics summarized."""
    if not state.offers.summaries:
        return Refusal("This server does not offer AI summaries.")
    return only_holders(state, "can_summarize_topics_group", "summarize topics")


def bot_types(state: State) -> list[BotType]:
    """The kinds of bots that oneself may make: those that only write need a permission of their own."""
    if role_of(state) >= Role.GUEST:
        return []
    if state.has_permission("can_create_bots_group"):
        return [BotType.GENERIC, BotType.INCOMING_WEBHOOK, BotType.OUTGOING_WEBHOOK]
    if "can_create_write_only_bots_group" in state.organization and state.has_permission(
        "can_create_write_only_bots_group"
    ):
        return [BotType.INCOMING_WEBHOOK]
    return []


def bot_refusal(state: State) -> Refusal:
    """Refuses who may make no bot of any kind."""
    if bot_types(state):
        return ALLOWED
    if role_of(state) >= Role.GUEST:
        return Refusal("Guests cannot add bots.")
    return only_holders(state, "can_create_bots_group", "add bots")
