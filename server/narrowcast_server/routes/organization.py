"""The organization's settings, email domains and defaults of personal settings (outside the contract)."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import MAX_WELCOME_TEXT, NOT_FOR_NEWCOMERS, OWNER_SETTINGS
from narrowcast_server.actions import realm
from narrowcast_server.actions.visibility import visibility_may_change_for_all
from narrowcast_server.http.params import (
    Param,
    boolean,
    limited,
    optional,
    required,
    takes_text,
    text_without_null,
)
from narrowcast_server.http.permission_params import permission_change
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization import personal
from narrowcast_server.organization.checks import json_value
from narrowcast_server.organization.errors import ServiceError, not_owner
from narrowcast_server.organization.realm_settings import EDITABLE, GIF_POLICY, GROUP_SETTINGS
from narrowcast_server.queries.organization import domains_of
from narrowcast_server.resources.joining import welcome
from narrowcast_server.routes.settings import SETTINGS as PERSONAL_SETTINGS
from narrowcast_server.rules.holders import check_holder
from narrowcast_server.rules.permissions import Callers
from narrowcast_server.rules.setting_changes import changed_value
from narrowcast_server.rules.visibility import SETTING as HIDING_SETTING

routes = Routes()


def _parser(default: object) -> Any:
    return text_without_null if isinstance(default, str) else json_value


def _parser_of(name: str) -> Any:
    """Parses a setting, and checks what needs nothing but the value."""
    parse = _parser(EDITABLE[name])

    def parser(_name: str, text: str) -> object:
        return realm.well_formed(name, parse(name, text))

    return takes_text(parser) if parse is text_without_null else parser


_ORDER: Final = [
    "name", "description", "emails_restricted_to_domains", "disallow_disposable_email_addresses",
    "invite_required", "create_multiuse_invite_group", "require_e2ee_push_notifications",
    "require_unique_names", "name_changes_disabled", "email_changes_disabled",
    "avatar_changes_disabled", "inline_image_preview", "inline_url_embed_preview",
    "can_add_custom_emoji_group", "can_add_subscribers_group", "can_delete_any_message_group",
    "can_delete_own_message_group", "can_set_delete_message_policy_group",
    "can_set_topics_policy_group", "message_content_delete_limit_seconds", "allow_message_editing",
    "topics_policy", "message_content_edit_limit_seconds", "message_edit_history_visibility_policy",
    "default_language", "waiting_period_threshold", "moderation_request_channel_id",
    "new_stream_announcements_stream_id", "signup_announcements_stream_id",
    "zulip_update_announcements_stream_id", "message_retention_days", "send_welcome_emails",
    "digest_emails_enabled", "message_content_allowed_in_email_notifications", "can_create_bots_group",
    "can_create_groups", "can_create_public_channel_group", "can_create_private_channel_group",
    "can_create_web_public_channel_group", "can_create_write_only_bots_group", "can_invite_users_group",
    "can_manage_all_groups", "can_manage_billing_group", "can_mention_many_users_group",
    "can_move_messages_between_channels_group", "can_move_messages_between_topics_group",
    "can_resolve_topics_group", "can_summarize_topics_group", "direct_message_initiator_group",
    "direct_message_permission_group", "video_chat_provider", "jitsi_server_url", "giphy_rating",
    "gif_rating_policy", "default_code_block_language", "digest_weekday", "org_type",
    "enable_spectator_access", "want_advertise_in_communities_directory", "enable_read_receipts",
    "move_messages_within_stream_limit_seconds", "move_messages_between_streams_limit_seconds",
    "enable_guest_user_dm_warning", "enable_guest_user_indicator", "can_access_all_users_group",
    "send_channel_events_messages", "welcome_message_custom_text",
]  # fmt: skip
"""The order in which Zulip servers complain about the parameters."""

_UNORDERED: Final[dict[str, Param[Any]]] = {
    **{name: optional(name, _parser_of(name)) for name in EDITABLE},
    **{name: permission_change(name) for name in GROUP_SETTINGS},
    "giphy_rating": optional("giphy_rating", _parser_of("giphy_rating"), until=Gate.GIF_RATING_POLICY.level),
    GIF_POLICY: optional(GIF_POLICY, _parser_of("giphy_rating"), since=Gate.GIF_RATING_POLICY.level),
}
SETTINGS: Final = {name: _UNORDERED[name] for name in sorted(_UNORDERED, key=_ORDER.index)}
PERSONAL: Final = {name: param for name, param in PERSONAL_SETTINGS.items() if name not in NOT_FOR_NEWCOMERS}
DOMAIN = required("domain", text_without_null)
WELCOME = required("welcome_message_custom_text", limited(MAX_WELCOME_TEXT, text_without_null))
SUBDOMAINS = required("allow_subdomains", boolean)


@routes.patch("/realm", *SETTINGS.values(), callers=Callers.ADMINISTRATORS)
def update_organization(call: Call) -> ResponseBody:
    """Changes settings of the organization; only owners may change some of them."""
    organization = call.organization
    values: dict[str, object] = {}
    for name, param in SETTINGS.items():
        if not call.given(param):
            continue
        if name in OWNER_SETTINGS and not call.user.is_owner:
            raise not_owner()
        raw = call[param]
        if name in GROUP_SETTINGS:
            values[name] = changed_value(organization, name, raw, organization.settings[name])
            check_holder(organization, "realm", name, values[name])
        else:
            stored = "giphy_rating" if name == GIF_POLICY else name
            values[stored] = realm.checked(organization, stored, raw)
    with visibility_may_change_for_all(organization) if HIDING_SETTING in values else nullcontext():
        return realm.change(organization, values)


@routes.post("/realm/test_welcome_bot_custom_message", WELCOME, callers=Callers.ADMINISTRATORS)
def test_welcome(call: Call) -> ResponseBody:
    """Sends the caller the welcome message that new users would receive."""
    if not call[WELCOME].strip():
        raise ServiceError("Message must not be empty")
    return {"message_id": welcome(call.organization, call.user, call[WELCOME])}


@routes.get("/realm/domains")
def list_domains(call: Call) -> ResponseBody:
    """Email domains whose addresses may join."""
    return {"domains": domains_of(call.organization)}


@routes.post("/realm/domains", DOMAIN, SUBDOMAINS, callers=Callers.OWNERS)
def add_domain(call: Call) -> ResponseBody:
    realm.add_domain(call.organization, call[DOMAIN], call[SUBDOMAINS])
    return {"new_domain": call[DOMAIN].strip().lower()}


@routes.patch("/realm/domains/{domain}", SUBDOMAINS, callers=Callers.OWNERS)
def change_domain(call: Call) -> ResponseBody:
    """Changes whether subdomains of a domain are allowed too."""
    realm.change_domain(call.organization, call.path["domain"], call[SUBDOMAINS])
    return {}


@routes.delete("/realm/domains/{domain}", callers=Callers.OWNERS)
def remove_domain(call: Call) -> ResponseBody:
    realm.remove_domain(call.organization, call.path["domain"])
    return {}


@routes.patch("/realm/user_settings_defaults", *PERSONAL.values(), callers=Callers.ADMINISTRATORS)
def change_personal_defaults(call: Call) -> ResponseBody:
    """Changes the personal settings that new users start with."""
    level = call.organization.level
    values = {
        name: personal.check(name, call[param], level)
        for name, param in PERSONAL.items()
        if call.given(param)
    }
    realm.change_personal_defaults(call.organization, values)
    return {}
