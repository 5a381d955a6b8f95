"""The tables of a Zulip archive, written down from Zulip's models at feature levels 442 and 489, and what its import
asks for.

A line is a table; a field is `name:kind`, with `?` where null is allowed and `!` where the import needs the field.
Kinds: int, bool, text (of at most so many characters), time (UTC seconds), json, list, and `>table` for the id of a row
there. `unique` lists what the database lets no two rows share, texts without regard to case where `~` stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]
Tables = Mapping[str, Sequence[Row]]

_PERSONAL = (
    "allow_private_data_export:bool automatically_follow_topics_policy:int"
    " automatically_follow_topics_where_mentioned:bool automatically_unmute_topics_in_muted_streams_policy:int"
    " color_scheme:int default_language:text50 demote_inactive_streams:int desktop_icon_count_display:int"
    " display_emoji_reaction_users:bool email_address_visibility:int email_notifications_batching_period_seconds:int"
    " emojiset:text20 enable_desktop_notifications:bool enable_digest_emails:bool enable_drafts_synchronization:bool"
    " enable_followed_topic_audible_notifications:bool enable_followed_topic_desktop_notifications:bool"
    " enable_followed_topic_email_notifications:bool enable_followed_topic_push_notifications:bool"
    " enable_followed_topic_wildcard_mentions_notify:bool enable_login_emails:bool enable_marketing_emails:bool"
    " enable_offline_email_notifications:bool enable_offline_push_notifications:bool"
    " enable_online_push_notifications:bool enable_sounds:bool enable_stream_audible_notifications:bool"
    " enable_stream_desktop_notifications:bool enable_stream_email_notifications:bool"
    " enable_stream_push_notifications:bool enter_sends:bool fluid_layout_width:bool hide_ai_features:bool"
    " high_contrast_mode:bool left_side_userlist:bool message_content_in_email_notifications:bool"
    " notification_sound:text20 pm_content_in_desktop_notifications:bool presence_enabled:bool"
    " realm_name_in_email_notifications_policy:int receives_typing_notifications:bool"
    " resolved_topic_notice_auto_read_policy:int send_private_typing_notifications:bool send_read_receipts:bool"
    " send_stream_typing_notifications:bool starred_message_counts:bool translate_emoticons:bool"
    " twenty_four_hour_time:bool user_list_style:int web_animate_image_previews:text web_channel_default_view:int"
    " web_escape_navigates_to_home_view:bool web_font_size_px:int web_home_view:text"
    " web_inbox_show_channel_folders:bool web_left_sidebar_show_channel_folders:bool"
    " web_left_sidebar_unreads_count_summary:bool web_line_height_percent:int web_mark_read_on_scroll_policy:int"
    " web_navigate_to_sent_message:bool web_stream_unreads_count_display_policy:int web_suggest_update_timezone:bool"
    " wildcard_mentions_notify:bool"
)
_GROUP = ">zerver_usergroup!"
_REALM_PERMISSIONS = (
    "create_multiuse_invite_group can_access_all_users_group can_add_subscribers_group can_add_custom_emoji_group"
    " can_create_bots_group can_create_groups can_create_public_channel_group can_create_private_channel_group"
    " can_create_web_public_channel_group can_create_write_only_bots_group can_delete_any_message_group"
    " can_delete_own_message_group can_invite_users_group can_manage_all_groups can_manage_billing_group"
    " can_mention_many_users_group can_move_messages_between_channels_group can_move_messages_between_topics_group"
    " can_resolve_topics_group can_set_delete_message_policy_group can_set_topics_policy_group"
    " can_summarize_topics_group direct_message_initiator_group direct_message_permission_group"
)
_CHANNEL_PERMISSIONS = (
    "can_add_subscribers_group can_administer_channel_group can_create_topic_group can_delete_any_message_group"
    " can_delete_own_message_group can_move_messages_out_of_channel_group can_move_messages_within_channel_group"
    " can_send_message_group can_remove_subscribers_group can_resolve_topics_group can_subscribe_group"
)
_GROUP_PERMISSIONS = (
    "can_add_members_group can_join_group can_leave_group can_manage_group"
    " can_mention_group can_remove_members_group"
)


def _permissions(names: str) -> str:
    return " ".join(f"{name}:{_GROUP}" for name in names.split())


_TABLES = f"""
zerver_realm unique(id) id:int! name:text40! string_id:text40! description:text date_created:time! deactivated:bool!
    emails_restricted_to_domains:bool invite_required:bool disallow_disposable_email_addresses:bool
    enable_spectator_access:bool want_advertise_in_communities_directory:bool inline_image_preview:bool
    inline_url_embed_preview:bool digest_emails_enabled:bool digest_weekday:int send_welcome_emails:bool
    message_content_allowed_in_email_notifications:bool require_unique_names:bool name_changes_disabled:bool
    email_changes_disabled:bool avatar_changes_disabled:bool move_messages_within_stream_limit_seconds:int?
    move_messages_between_streams_limit_seconds:int? waiting_period_threshold:int
    message_content_delete_limit_seconds:int? allow_message_editing:bool message_content_edit_limit_seconds:int?
    default_language:text50 message_retention_days:int org_type:int plan_type:int video_chat_provider:int
    jitsi_server_url:text200? default_code_block_language:text enable_read_receipts:bool
    enable_guest_user_indicator:bool enable_guest_user_dm_warning:bool icon_source:text1 icon_version:int
    logo_source:text1 logo_version:int night_logo_source:text1 night_logo_version:int
    message_edit_history_visibility_policy:int topics_policy:int require_e2ee_push_notifications:bool
    welcome_message_custom_text:text send_channel_events_messages:bool
    push_notifications_enabled_end_timestamp:time?! demo_organization_scheduled_deletion_date:time?!
    scheduled_deletion_date:time?! new_stream_announcements_stream:>zerver_stream?!
    signup_announcements_stream:>zerver_stream?! moderation_request_channel:>zerver_stream?!
    zulip_update_announcements_stream:>zerver_stream?! {_permissions(_REALM_PERMISSIONS)}
zerver_userprofile unique(id) unique(~delivery_email) unique(~email) id:int! realm:>zerver_realm!
    delivery_email:text254! email:text254! full_name:text100! role:int! is_active:bool! is_bot:bool! bot_type:int?
    bot_owner:>zerver_userprofile?! date_joined:time! last_login:time?! last_reminder:time?! timezone:text40
    avatar_source:text1 avatar_version:int! can_change_user_emails:bool! can_create_users:bool! can_forge_sender:bool!
    is_staff:bool! is_superuser:bool! is_mirror_dummy:bool long_term_idle:bool tos_version:text10?
    default_sending_stream:>zerver_stream?!
    default_events_register_stream:>zerver_stream?! default_all_public_streams:bool last_active_message_id:int?!
    user_permissions:list! groups:list! {_PERSONAL}
zerver_userprofile_crossrealm unique(id) id:int! email:text254! recipient_id:int?!
zerver_realmuserdefault unique(realm) id:int! realm:>zerver_realm! {_PERSONAL}
zerver_usergroup unique(id) id:int! realm:>zerver_realm!
zerver_namedusergroup unique(id) unique(name) id:int! usergroup_ptr:>zerver_usergroup! realm_for_sharding:>zerver_realm!
    name:text100! description:text! is_system_group:bool! deactivated:bool! creator:>people?! date_created:time?!
    {_permissions(_GROUP_PERMISSIONS)}
zerver_usergroupmembership unique(user_group,user_profile) id:int! user_group:>zerver_usergroup!
    user_profile:>zerver_userprofile!
zerver_groupgroupmembership unique(supergroup,subgroup) id:int! supergroup:>zerver_usergroup!
    subgroup:>zerver_usergroup!
zerver_stream unique(id) unique(~name) id:int! realm:>zerver_realm! name:text60! date_created:time! creator:>people?!
    deactivated:bool description:text1024! rendered_description:text subscriber_count:int folder:>zerver_channelfolder?!
    invite_only:bool history_public_to_subscribers:bool is_web_public:bool message_retention_days:int?
    first_message_id:int? is_recently_active:bool topics_policy:int {_permissions(_CHANNEL_PERMISSIONS)}
zerver_channelfolder unique(id) id:int! realm:>zerver_realm! name:text60 description:text1024 rendered_description:text
    order:int date_created:time! creator:>people?! is_archived:bool
zerver_defaultstream unique(stream) id:int! realm:>zerver_realm! stream:>zerver_stream!
zerver_recipient unique(id) unique(type,type_id) id:int! type:int! type_id:int!
zerver_huddle unique(id) unique(huddle_hash) id:int! huddle_hash:text40 group_size:int
zerver_subscription unique(user_profile,recipient) id:int! user_profile:>people! recipient:>zerver_recipient!
    active:bool is_user_active:bool is_muted:bool color:text10 pin_to_top:bool desktop_notifications:bool?
    audible_notifications:bool? push_notifications:bool? email_notifications:bool? wildcard_mentions_notify:bool?
zerver_client unique(id) unique(name) id:int! name:text30!
zerver_usertopic unique(user_profile,stream,~topic_name) id:int! user_profile:>people! stream:>zerver_stream!
    recipient:>zerver_recipient! topic_name:text60 last_updated:time! visibility_policy:int
zerver_muteduser unique(user_profile,muted_user) id:int! user_profile:>people! muted_user:>people! date_muted:time!
zerver_alertword id:int! realm:>zerver_realm! user_profile:>people! word:text100
zerver_savedsnippet id:int! realm:>zerver_realm! user_profile:>people! title:text content:text date_created:time!
zerver_navigationview unique(user,fragment) id:int! user:>people! fragment:text is_pinned:bool name:text?
zerver_onboardingstep unique(user,onboarding_step) id:int! user:>people! onboarding_step:text40 timestamp:time!
zerver_presencesequence unique(realm) id:int! realm:>zerver_realm! last_update_id:int
zerver_userpresence unique(user_profile) id:int! realm:>zerver_realm! user_profile:>people! last_active_time:time?!
    last_connected_time:time?! last_update_id:int
zerver_userstatus unique(user_profile) id:int! user_profile:>people! client:>zerver_client! timestamp:time!
    status_text:text255 emoji_name:text! emoji_code:text! reaction_type:text30!
zerver_reaction unique(user_profile,message,reaction_type,emoji_code) id:int! message:>zerver_message!
    user_profile:>people! emoji_name:text! emoji_code:text! reaction_type:text30!
zerver_submessage unique(id) id:int! message:>zerver_message! sender:>people! msg_type:text content:text
zerver_scheduledmessage id:int! realm:>zerver_realm! sender:>people! recipient:>zerver_recipient!
    sending_client:>zerver_client! stream:>zerver_stream?! subject:text60 content:text! rendered_content:text!
    scheduled_timestamp:time! request_timestamp:time! read_by_sender:bool delivered:bool
    delivered_message:>zerver_message?! has_attachment:bool! failed:bool failure_message:text? delivery_type:int
    reminder_target_message_id:int? reminder_note:text?
zerver_customprofilefield unique(name) id:int! realm:>zerver_realm! name:text40 hint:text80 order:int field_type:int!
    field_data:text required:bool editable_by_user:bool display_in_profile_summary:bool
zerver_customprofilefieldvalue unique(user_profile,field) id:int! user_profile:>people!
    field:>zerver_customprofilefield! value:text! rendered_value:text?
zerver_realmdomain unique(domain) id:int! realm:>zerver_realm! domain:text80 allow_subdomains:bool
zerver_realmfilter unique(pattern) id:int! realm:>zerver_realm! pattern:text url_template:text order:int
zerver_realmplayground unique(pygments_language,name) id:int! realm:>zerver_realm! name:text url_template:text
    pygments_language:text40
zerver_realmemoji unique(id) id:int! realm:>zerver_realm! name:text! author:>people?! file_name:text is_animated:bool
    deactivated:bool!
zerver_realmauthenticationmethod unique(name) id:int! realm:>zerver_realm! name:text80!
zerver_realmauditlog id:int! realm:>zerver_realm! event_type:int event_time:time! backfilled:bool extra_data:json
    event_last_message_id:int? acting_user:>people?! modified_user:>people?! modified_stream:>zerver_stream?!
    modified_user_group:>zerver_usergroup?! modified_channel_folder:>zerver_channelfolder?!
zerver_service unique(user_profile) id:int! user_profile:>people! name:text100 base_url:text token:text! interface:int
zerver_botstoragedata unique(bot_profile,key) id:int! bot_profile:>people! key:text value:text
zerver_message unique(id) id:int! realm:>zerver_realm! type:int sender:>people! recipient:>zerver_recipient!
    sending_client:>zerver_client! is_channel_message:bool subject:text60! content:text10000! rendered_content:text?!
    rendered_content_version:int? date_sent:time! last_edit_time:time?! edit_history:text?! has_attachment:bool!
    has_image:bool has_link:bool
zerver_usermessage unique(user_profile,message) id:int! user_profile:>people! message:>zerver_message! flags_mask:int!
zerver_attachment unique(path_id) id:int! realm:>zerver_realm! owner:>people! file_name:text path_id:text! size:int
    content_type:text?! create_time:time! is_realm_public:bool? is_web_public:bool? messages:list!
    scheduled_messages:list!
"""
EMPTY = (
    "zerver_userprofile_mirrordummy",
    "zerver_botconfigdata",
    "zerver_useractivity",
    "zerver_useractivityinterval",
    "zerver_onboardingusermessage",
    "zerver_realmexport",
)
"""Tables that Zulip's import requires or ignores, and that Narrowcast has no data for."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a table."""

    kind: str
    null: bool
    needed: bool


@dataclass(frozen=True, slots=True)
class Table:
    """One table."""

    fields: dict[str, Field]
    unique: tuple[tuple[str, ...], ...]


def tables(*, later: bool = False) -> dict[str, Table]:
    """All tables by name; `later` those of servers where all direct conversations are groups."""
    found: dict[str, Table] = {}
    for line in _TABLES.strip().replace("\n    ", " ").splitlines():
        name, *words = line.split()
        unique = tuple(
            tuple(word[len("unique(") : -1].split(",")) for word in words if word.startswith("unique(")
        )
        fields = {}
        for word in words:
            if not word.startswith("unique("):
                field, _, kind = word.partition(":")
                fields[field] = Field(kind.rstrip("?!"), "?" in kind, "!" in kind)
        found[name] = Table(fields, unique)
    if later:
        found["zerver_realm"].fields["workplace_users_group"] = Field(
            ">zerver_usergroup", null=False, needed=True
        )
    return found


def faults(rows: Tables) -> Iterator[str]:
    """Lists what Zulip's import or database would reject, one line each."""
    later = not any(row["type"] == 1 for row in rows["zerver_recipient"])
    known = tables(later=later)
    ids = {name: {row["id"] for row in rows.get(name, ())} for name in known}
    ids["people"] = ids["zerver_userprofile"] | ids["zerver_userprofile_crossrealm"]
    own_recipients = {row["recipient_id"] for row in rows["zerver_userprofile_crossrealm"]}
    ids["zerver_recipient"] |= own_recipients - {None}
    if later != (None in own_recipients):
        yield "zerver_userprofile_crossrealm: other recipients than people have"
    for name in rows:
        if name not in known and not (name in EMPTY and not rows[name]):
            yield f"{name}: no such table"
    for name, table in known.items():
        if name not in rows:
            yield f"{name}: missing"
            continue
        for row in rows[name]:
            yield from (f"{name} {row.get('id')}: {fault}" for fault in _row_faults(table, row, ids))
        for columns in table.unique:
            yield from (f"{name}: two rows have {key}" for key in _repeated(rows[name], columns))
    for row in rows["zerver_attachment"]:
        if not row["path_id"].endswith(_in_a_path(row["file_name"])):
            yield f"zerver_attachment {row['id']}: {row['file_name']} does not end {row['path_id']}"


def _row_faults(table: Table, row: Row, ids: Mapping[str, set[int]]) -> Iterator[str]:
    for name in row.keys() - table.fields.keys():
        yield f"the model has no {name}"
    for name, field in table.fields.items():
        if name not in row:
            if field.needed:
                yield f"{name} is missing"
        elif row[name] is None:
            if not field.null:
                yield f"{name} is null"
        elif not _fits(field.kind, row[name], ids):
            yield f"{name} is {row[name]!r}, not {field.kind}"


def _fits(kind: str, value: Any, ids: Mapping[str, set[int]]) -> bool:
    if kind.startswith(">"):
        return type(value) is int and value in ids[kind[1:]]
    if kind.startswith("text"):
        return isinstance(value, str) and "\0" not in value and len(value) <= int(kind[4:] or len(value))
    if kind == "int":
        return type(value) is int and -(2**31) <= value < 2**31
    if kind == "time":
        return type(value) in (int, float) and 0 <= value < 2**33
    return isinstance(value, {"bool": bool, "list": list, "json": dict}[kind])


def _in_a_path(name: str) -> str:
    kept = (c if c.isalnum() or c in "_." else "-" if c.isspace() or c == "-" else "" for c in name)
    words = "".join(kept).split("-")
    return "-".join(word for number, word in enumerate(words) if word or number in (0, len(words) - 1))


def _repeated(rows: Sequence[Row], columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    met = set()
    for row in rows:
        key = tuple(str(row[c[1:]]).lower() if c.startswith("~") else row[c] for c in columns)
        if key in met:
            yield key
        met.add(key)
