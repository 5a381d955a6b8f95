"""Who may change which setting of the organization, and who may create which type of bot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_api.permissions.refusal import ALLOWED, Refusal
from narrowcast_api.permissions.roles import (
    is_administrator,
    is_guest,
    only_administrators,
    only_holders,
    only_owners,
)
from narrowcast_api.wire.vocabulary import OWNER_SETTINGS, BotPolicy, BotType, PlanType

if TYPE_CHECKING:
    from collections.abc import Collection

    from narrowcast_api.state.state import State

NOT_LIMITED = frozenset(PlanType) - {PlanType.LIMITED}
_PLANS = {
    "can_access_all_users_group": frozenset({PlanType.SELF_HOSTED, PlanType.PLUS}),
    "can_create_groups": NOT_LIMITED,
    "enable_spectator_access": NOT_LIMITED,
    "message_retention_days": NOT_LIMITED,
}
"""The plans that include a setting, for settings that not every plan has."""


def organization_refusal(state: State, setting: str) -> Refusal:
    """Returns a refusal unless the current user may change a setting of the organization."""
    act = "change this setting"
    who = (
        only_owners(state, act)
        if setting in OWNER_SETTINGS
        else only_administrators(state, "change these settings")
    )
    return who or (plan_refusal(state, _PLANS[setting]) if setting in _PLANS else ALLOWED)


def plan_refusal(state: State, plans: Collection[int] = NOT_LIMITED) -> Refusal:
    """Returns a refusal unless the organization's plan on Zulip Cloud is one of ``plans``."""
    if state.organization.number("plan_type", PlanType.SELF_HOSTED) in plans:
        return ALLOWED
    plan = "Zulip Cloud Standard" if PlanType.STANDARD in plans else "Zulip Cloud Plus"
    return Refusal(f"Available on {plan}.", f"available on {plan}")


def name_refusal(state: State) -> Refusal:
    """Returns a refusal unless the current user may change their own name: a server may silently ignore the change."""
    if state.offers.names_fixed or state.organization.flag("name_changes_disabled"):
        return only_administrators(state, "change names here")
    return ALLOWED


def picture_refusal(state: State) -> Refusal:
    """Returns a refusal unless the current user may change their own picture."""
    if state.offers.pictures_fixed or state.organization.flag("avatar_changes_disabled"):
        return only_administrators(state, "change pictures here")
    return ALLOWED


def upload_refusal(state: State) -> Refusal:
    """Returns a refusal if the server does not accept uploads."""
    if state.limits.max_file_upload_size_mib > 0:
        return ALLOWED
    return Refusal("File and image uploads have been disabled for this organization.")


def summary_refusal(state: State) -> Refusal:
    """Returns a refusal if the server has no language model, or if the current user may not have topics
    summarized or hides AI features.
    """
    if not state.offers.summaries:
        return Refusal("This server does not offer AI summaries.")
    if state.settings.flag("hide_ai_features"):
        return Refusal("You have turned on 'Hide AI features' in Personal settings.")
    return only_holders(state, "can_summarize_topics_group", "summarize topics")


def bot_types(state: State) -> list[BotType]:
    """The types of bots that the current user may create; bots that can only post have a separate permission."""
    if is_guest(state):
        return []
    if not is_administrator(state) and (policy := _bot_policy(state)) is not BotPolicy.MEMBERS:
        return (
            [] if policy is BotPolicy.ADMINISTRATORS else [BotType.INCOMING_WEBHOOK, BotType.OUTGOING_WEBHOOK]
        )
    if state.has_permission("can_create_bots_group"):
        return [BotType.GENERIC, BotType.INCOMING_WEBHOOK, BotType.OUTGOING_WEBHOOK]
    if "can_create_write_only_bots_group" in state.organization and state.has_permission(
        "can_create_write_only_bots_group"
    ):
        return [BotType.INCOMING_WEBHOOK]
    return []


def bot_refusal(state: State) -> Refusal:
    """Returns a refusal unless the current user may create some type of bot."""
    if bot_types(state):
        return ALLOWED
    if is_guest(state):
        return Refusal("Guests cannot add bots.")
    if _bot_policy(state) is BotPolicy.ADMINISTRATORS:
        return only_administrators(state, "add bots")
    return only_holders(state, "can_create_bots_group", "add bots")


def _bot_policy(state: State) -> BotPolicy:
    """Who may create bots on an older server; members, if the server sends groups instead."""
    policy = state.organization.number("bot_creation_policy", BotPolicy.MEMBERS)
    is_replaced = "can_create_bots_group" in state.organization
    return BotPolicy.MEMBERS if is_replaced or policy not in set(BotPolicy) else BotPolicy(policy)
