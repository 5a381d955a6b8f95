"""Accounts, personal settings, profiles, and other personal data."""

from __future__ import annotations

import json
from typing import Final

from narrowcast_api.wire.levels import SERVED_LEVEL
from narrowcast_api.wire.vocabulary import BotType, ProfileFieldType, Role
from narrowcast_server.actions.new_organization import notification_bot
from narrowcast_server.actions.urls import check_url
from narrowcast_server.organization import personal
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.queries.rendering import rendered_apart
from narrowcast_server.resources.bots import INTERFACES
from narrowcast_server.resources.profile_fields import MAX_HINT, MAX_NAME
from narrowcast_server.resources.profile_values import MAX_LONG
from narrowcast_server.resources.users.accounts import MAX_NAME as MAX_USER_NAME
from narrowcast_server.resources.users.accounts import well_formed_address
from narrowcast_server.storage.key_vault import new_key
from narrowcast_server.zulip_archive.emoji import incoming_emoji
from narrowcast_server.zulip_archive.layout import NOTIFICATION_BOT
from narrowcast_server.zulip_archive.numbers import PERSONAL_NUMBERS, word_for
from narrowcast_server.zulip_archive.reading.intake import Intake
from narrowcast_server.zulip_archive.reading.rows import ArchiveRow, identities

_PROFILES: Final = ("zerver_userprofile", "zerver_userprofile_mirrordummy")
_MAX_STATUS: Final = 60
_MAX_SNIPPET: Final = 10_000
_MAX_TITLE: Final = 60
_MAX_WORD: Final = 100
_MAX_FRAGMENT: Final = 1000
_RENDERED: Final = (ProfileFieldType.SHORT_TEXT, ProfileFieldType.LONG_TEXT)


def people(intake: Intake) -> None:
    """Creates accounts, without passwords: `narrowcast serve admin password` sets the first one."""
    intake.users.update(identities(intake.tables, *_PROFILES))
    _system_bots(intake)
    for table in _PROFILES:
        for row in intake.rows(table):
            _person(intake, row)
    for row in intake.own_rows("addresses"):
        # Addresses that Zulip rejects were replaced in the archive.
        with intake.aborting(row):
            address = well_formed_address(row.text("address"))
        intake.execute(
            "UPDATE users SET delivery_email = ? WHERE id = ?",
            address,
            row.reference("user_id", intake.users),
        )
    intake.organization.forget()
    for table in _PROFILES:
        for row in intake.rows(table):
            _owner(intake, row)
    intake.organization.forget()
    if not any(user.is_active and user.role is Role.OWNER for user in intake.organization.users.all()):
        row = next(intake.rows("zerver_realm"))
        row.fault("the organization has no active owner")


def _system_bots(intake: Intake) -> None:
    """Maps the notification bot to ours; other system bots become accounts that cannot log in."""
    store, bot = intake.organization.store, notification_bot(intake.organization)
    free = max([*intake.users.values(), bot.id]) + 1
    identity = bot.id
    if identity in intake.users.values():
        store.execute("UPDATE users SET id = ? WHERE id = ?", free, bot.id)
        identity, free = free, free + 1
    for row in intake.rows("zerver_userprofile_crossrealm"):
        theirs, address = row.integer("id"), row.text("email")
        if theirs in intake.users:
            row.fault("the id is that of a person, too")
        if address == NOTIFICATION_BOT:
            ours = identity
        else:
            ours, free = free, free + 1
            name = intake.texts.person(
                address.partition("@")[0].replace("-", " ").title(), MAX_USER_NAME, ours
            )
            intake.execute(
                "INSERT INTO users (id, delivery_email, full_name, role, bot_type, is_system_bot, api_key, date_joined)"
                " VALUES (?, ?, ?, ?, ?, 1, ?, 0)",
                ours,
                f"system-bot-{ours}@{intake.organization.setting('domain', str)}",
                name,
                int(Role.MEMBER),
                int(BotType.GENERIC),
                intake.organization.vault.seal(new_key()),
            )
        intake.system_bots[theirs] = ours
    intake.organization.forget()
    intake.users.update(intake.system_bots)


def _person(intake: Intake, row: ArchiveRow) -> None:
    identity = intake.users[row.integer("id")]
    bot_type = None
    if row.flag("is_bot"):
        bot_type = row.one_of("bot_type", tuple(BotType), int(BotType.GENERIC))
    with intake.aborting(row):
        address = well_formed_address(row.text("delivery_email"))
        try:
            timezone = personal.check_timezone(row.text("timezone", ""))
        except ServiceError:
            timezone = ""
    if intake.organization.store.one("SELECT 1 FROM users WHERE delivery_email = ?", address) is not None:
        row.fault(f"two people have the address {address}")
    intake.execute(
        "INSERT INTO users (id, delivery_email, full_name, role, is_active, bot_type, api_key, timezone, date_joined,"
        " avatar_version, can_change_user_emails, can_create_users, settings)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        identity,
        address,
        intake.texts.person(row.text("full_name"), MAX_USER_NAME, identity),
        row.one_of("role", tuple(Role), int(Role.MEMBER)),
        int(row.flag("is_active", True)),
        bot_type,
        intake.organization.vault.seal(new_key()),
        timezone,
        row.time("date_joined"),
        max(1, row.integer("avatar_version", 1)),
        int(row.flag("can_change_user_emails")),
        int(row.flag("can_create_users")),
        json.dumps(personal_settings(intake, row, personal.DEFAULTS)),
    )


def _owner(intake: Intake, row: ArchiveRow) -> None:
    """Sets a bot's owner and limits its role to the owner's."""
    organization, bot = intake.organization, intake.organization.users[intake.users[row.integer("id")]]
    owner_id = row.optional("bot_owner", intake.users)
    if not bot.is_bot or owner_id is None:
        return
    owner = organization.users[owner_id]
    if owner.is_bot:
        row.fault("a bot cannot own a bot")
    organization.users.update(bot.id, bot_owner_id=owner.id, role=int(max(bot.role, owner.role)))


def personal_settings(intake: Intake, row: ArchiveRow, defaults: dict[str, object]) -> dict[str, object]:
    """The settings that differ from the defaults; those with a value that is not valid here keep the default."""
    changed: dict[str, object] = {}
    for name, default in defaults.items():
        if not row.has(name):
            continue
        value = row.value(name)
        if name in PERSONAL_NUMBERS:
            value = word_for(PERSONAL_NUMBERS[name], value, str(default))
        with intake.skipping_rejected("settings of people with a value that this server does not have"):
            checked = personal.check(name, value, SERVED_LEVEL)
            if checked != default:
                changed[name] = checked
    return changed


def belongings(intake: Intake) -> None:
    """Imports personal data other than messages."""
    for row in intake.rows("zerver_muteduser"):
        intake.execute(
            "INSERT OR IGNORE INTO muted_users VALUES (?, ?, ?)",
            row.reference("user_profile", intake.users),
            row.reference("muted_user", intake.users),
            row.time("date_muted"),
        )
    for position, row in enumerate(intake.rows("zerver_alertword")):
        word = intake.texts.line("alert words", row.text("word"), _MAX_WORD)
        if word:
            intake.execute(
                "INSERT OR IGNORE INTO alert_words VALUES (?, ?, ?)",
                row.reference("user_profile", intake.users),
                word,
                position,
            )
    for row in intake.rows("zerver_savedsnippet"):
        intake.execute(
            "INSERT INTO saved_snippets (user_id, title, content, date_created) VALUES (?, ?, ?, ?)",
            row.reference("user_profile", intake.users),
            intake.texts.line("titles of snippets", row.text("title"), _MAX_TITLE, otherwise="Snippet"),
            intake.texts.body("snippets", row.text("content"), _MAX_SNIPPET),
            row.time("date_created"),
        )
    for row in intake.rows("zerver_navigationview"):
        name = row.text("name", "")
        intake.execute(
            "INSERT OR IGNORE INTO navigation_views VALUES (?, ?, ?, ?)",
            row.reference("user", intake.users),
            intake.texts.line("navigation views", row.text("fragment"), _MAX_FRAGMENT),
            int(row.flag("is_pinned")),
            intake.texts.line("navigation views", name, MAX_USER_NAME) or None,
        )
    for row in intake.rows("zerver_onboardingstep"):
        intake.execute(
            "INSERT OR IGNORE INTO onboarding_steps VALUES (?, ?)",
            row.reference("user", intake.users),
            intake.texts.line("steps", row.text("onboarding_step"), MAX_USER_NAME),
        )
    _presence(intake)
    _bots(intake)


def _presence(intake: Intake) -> None:
    for number, row in enumerate(intake.rows("zerver_userpresence"), 1):
        intake.execute(
            "INSERT OR REPLACE INTO presence VALUES (?, ?, ?, ?)",
            row.reference("user_profile", intake.users),
            row.time("last_active_time", 0) or None,
            row.time("last_connected_time", 0) or None,
            row.integer("last_update_id", number),
        )
    for row in intake.rows("zerver_userstatus"):
        emoji = incoming_emoji(intake, row, "statuses") if row.text("emoji_name", "") else None
        intake.execute(
            "INSERT OR REPLACE INTO statuses (user_id, status_text, emoji_name, emoji_code, reaction_type)"
            " VALUES (?, ?, ?, ?, ?)",
            row.reference("user_profile", intake.users),
            intake.texts.line("statuses", row.text("status_text", ""), _MAX_STATUS),
            *(("", "", "") if emoji is None else (emoji.name, emoji.code, emoji.type)),
        )


def _bots(intake: Intake) -> None:
    for row in intake.rows("zerver_service"):
        with intake.skipping_rejected("services of bots without an address"):
            intake.execute(
                "INSERT OR REPLACE INTO bot_services (bot_id, base_url, interface, token) VALUES (?, ?, ?, ?)",
                row.reference("user_profile", intake.users),
                check_url("base_url", row.text("base_url")),
                row.one_of("interface", INTERFACES, INTERFACES[0]),
                intake.organization.vault.seal(new_key()),
            )
    for row in intake.rows("zerver_botstoragedata"):
        intake.execute(
            "INSERT OR REPLACE INTO bot_storage VALUES (?, ?, ?)",
            row.reference("bot_profile", intake.users),
            row.text("key"),
            row.text("value"),
        )


def profiles(intake: Intake) -> None:
    """Imports profile fields and their values."""
    ids = identities(intake.tables, "zerver_customprofilefield")
    kinds: dict[int, ProfileFieldType] = {}
    for row in intake.rows("zerver_customprofilefield"):
        identity = ids[row.integer("id")]
        kinds[identity] = ProfileFieldType(row.one_of("field_type", tuple(ProfileFieldType)))
        intake.execute(
            "INSERT INTO profile_fields (id, name, type, hint, field_data, position, required, editable_by_user,"
            " display_in_profile_summary) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            identity,
            intake.texts.line("profile fields", row.text("name"), MAX_NAME, otherwise=f"Field {identity}"),
            int(kinds[identity]),
            intake.texts.line("profile fields", row.text("hint", ""), MAX_HINT),
            _json_text(row, "field_data"),
            row.integer("order", 0),
            int(row.flag("required")),
            int(row.flag("editable_by_user", True)),
            int(row.flag("display_in_profile_summary")),
        )
    for row in intake.rows("zerver_customprofilefieldvalue"):
        field_id = row.reference("field", ids)
        text = _profile_value(intake, row, kinds[field_id])
        intake.execute(
            "INSERT OR REPLACE INTO profile_values VALUES (?, ?, ?, ?)",
            row.reference("user_profile", intake.users),
            field_id,
            text,
            rendered_apart(intake.organization, text) if kinds[field_id] in _RENDERED else None,
        )


def _profile_value(intake: Intake, row: ArchiveRow, kind: ProfileFieldType) -> str:
    text = row.text("value")
    if kind is not ProfileFieldType.USERS:
        return intake.texts.body("profiles", text, MAX_LONG)
    try:
        named = json.loads(text)
    except (ValueError, RecursionError):
        named = None
    if not isinstance(named, list) or any(type(user_id) is not int for user_id in named):
        row.fault("value is not a list of people")
    ours = [intake.users[user_id] for user_id in named if user_id in intake.users]
    return json.dumps(ours, separators=(",", ":"))


def _json_text(row: ArchiveRow, name: str) -> str:
    text = row.text(name, "")
    try:
        if text and not isinstance(json.loads(text), dict):
            raise ValueError
    except (ValueError, RecursionError):
        row.fault(f"{name} is not a JSON object")
    return text
