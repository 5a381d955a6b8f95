"""The demo data plus an object of every kind that an organization can have, with unusual values."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from narrowcast_api.wire.vocabulary import BotType, PropagateMode, VisibilityPolicy
from narrowcast_server.actions import new_organization, realm
from narrowcast_server.demo import populate
from narrowcast_server.demo.files import face
from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.organization.emoji import resolve
from narrowcast_server.organization.models import FlagBit, User
from narrowcast_server.organization.organization import Organization
from narrowcast_server.resources.alert_words import add_alert_words
from narrowcast_server.resources.bots import set_service
from narrowcast_server.resources.channel_folders import create_folder
from narrowcast_server.resources.channels.creation import create_channel
from narrowcast_server.resources.custom_emoji import PICTURES
from narrowcast_server.resources.message_flags import change_flags
from narrowcast_server.resources.messages import edits as message_edits
from narrowcast_server.resources.messages import moves as message_moves
from narrowcast_server.resources.messages.sending import send_direct, send_to_channel
from narrowcast_server.resources.muted_users import mute
from narrowcast_server.resources.navigation_views import add_view
from narrowcast_server.resources.presence import report_presence
from narrowcast_server.resources.reactions import add_reaction
from narrowcast_server.resources.saved_snippets import create_snippet
from narrowcast_server.resources.scheduled_messages import ScheduledTarget, schedule
from narrowcast_server.resources.subscriptions.changes import subscribe, unsubscribe
from narrowcast_server.resources.user_groups.changes import create_group, set_deactivated
from narrowcast_server.resources.user_topics import set_policy
from narrowcast_server.resources.users.accounts import create_user
from narrowcast_server.resources.users.changes import deactivate
from narrowcast_server.rules.access import find_message
from narrowcast_server.uploads.files import ORGANIZATION
from narrowcast_server.uploads.pictures import keep_picture
from narrowcast_server.uploads.receiving import place_file

ODD_ADDRESS: Final = "ünï@somewhere"


def make(folder: Path) -> None:
    """Creates the data folder."""
    organization = Organization(folder, ServerConfig(durable=False))
    try:
        populate(organization)
        with organization.transaction():
            people = {user.full_name.split()[0].lower(): user for user in organization.users.all()}
            _people(organization, people)
            _channels(organization, people)
            _messages(organization, people)
            _settings(organization)
            _varied(organization, people)
    finally:
        organization.close()


def _people(organization: Organization, people: dict[str, User]) -> None:
    ada, bruno = people["ada"], people["bruno"]
    odd = people["odd"] = create_user(organization, email=ODD_ADDRESS, full_name="Odd Ærlig 語")
    gone = people["gone"] = create_user(organization, email="gone@demo.example", full_name="Gone Person")
    hook = create_user(
        organization,
        email="hook@demo.example",
        full_name="Hook",
        bot_type=BotType.OUTGOING_WEBHOOK,
        owner=ada,
    )
    set_service(organization, hook, "https://hooks.example/x", 1)
    organization.store.execute("INSERT INTO bot_storage VALUES (?, 'key', 'value')", hook.id)
    organization.store.execute("UPDATE users SET password_hash = '$argon2id$odd' WHERE id = ?", ada.id)
    organization.users.update(
        bruno.id,
        settings={"email_address_visibility": 3, "resolved_topic_notice_auto_read_policy": "never"},
        timezone="Europe/Madrid",
    )
    send_direct(organization, gone, [ada], "I am leaving. \N{WAVING HAND SIGN}")
    deactivate(organization, ada, gone, None)
    mute(organization, ada, people["hugo"].id)
    add_alert_words(organization, ada, ["gust", "Über"])
    add_view(organization, ada, "narrow/sender/3", True, "Bruno")
    organization.store.execute("INSERT INTO onboarding_steps VALUES (?, 'intro_inbox_view_modal')", ada.id)
    create_snippet(organization, odd, "odd", "tab\t, null\0, 語")
    report_presence(organization, ada, active=True)
    for number in range(2):
        old = create_group(organization, ada, "old crew", f"The {number}.", [odd])
        set_deactivated(organization, old, True)
    inner = create_group(organization, ada, "inner", "", [odd, bruno])
    own = {"direct_members": [odd.id], "direct_subgroups": [inner.id]}
    create_group(organization, ada, "outer", "", [], [inner], {"can_mention_group": own})


def _channels(organization: Organization, people: dict[str, User]) -> None:
    ada, odd, bruno = people["ada"], people["odd"], people["bruno"]
    folder_id = create_folder(organization, ada, "Odd things", "*All* of them.")
    own = {"direct_members": [odd.id, people["gone"].id], "direct_subgroups": []}
    secret = create_channel(
        organization,
        odd,
        "secret ✨",
        description="For **two**.",
        invite_only=True,
        history_public=False,
        message_retention_days=4000,
        topics_policy="allow_empty_topic",
        folder_id=folder_id,
        settings={"can_add_subscribers_group": own},
    )
    subscribe(organization, [secret], [odd])
    send_to_channel(organization, odd, secret, "", "Before anybody else came.")
    subscribe(organization, [secret], [ada, bruno])
    send_to_channel(organization, ada, organization.channels[secret.id], "Über", "After.")
    unsubscribe(organization, [secret], [bruno])
    for topic in ("Über", "über"):
        set_policy(organization, ada.id, secret.id, topic, VisibilityPolicy.FOLLOWED)


def _messages(organization: Organization, people: dict[str, User]) -> None:
    ada, odd, bruno = people["ada"], people["odd"], people["bruno"]
    general = next(channel for channel in organization.channels.all() if channel.name == "general")
    path_id = place_file(organization, odd, "plan ü.txt", "für alle".encode())
    place_file(organization, odd, ".nobody saw - this.txt", b"yet")
    subscribe(organization, [general], [odd])
    schedule(
        organization,
        odd,
        ScheduledTarget(general.id, "later"),
        f"[plan](/user_uploads/{path_id})",
        organization.now() + 86_400,
    )
    text = f"@**Ada Moreno|{ada.id}** see [plan](/user_uploads/{path_id}), \\u0000, :octopus:"
    sent = send_to_channel(organization, odd, organization.channels[general.id], "odd", text)
    message = find_message(organization, sent.id)
    assert message is not None
    add_reaction(organization, ada, message, resolve(organization, "narrowcast", None, None))
    add_reaction(organization, ada, message, resolve(organization, "zulip", None, None))
    change_flags(organization, odd, [sent.id], FlagBit.COLLAPSED, add=True)
    message_edits.edit_content(organization, odd, message, f"{text} edited")
    edited = find_message(organization, sent.id)
    assert edited is not None
    message_moves.apply(
        organization,
        ada,
        message_moves.plan(organization, ada, edited, "odder", None, PropagateMode.CHANGE_ONE),
    )
    send_to_channel(organization, odd, organization.channels[general.id], "odd", "There was a gust at noon.")
    before = organization.store.integer("SELECT min(id) FROM messages WHERE channel_id = ?", general.id)
    assert before is not None
    change_flags(organization, odd, [before], FlagBit.STARRED, add=True)
    send_direct(organization, odd, [], "a note to myself")
    send_direct(organization, odd, [ada, bruno, people["hugo"]], "the four of us")
    send_direct(organization, new_organization.notification_bot(organization), [ada], "a notice")
    send_direct(organization, ada, [new_organization.notification_bot(organization)], "thank you")


def _settings(organization: Organization) -> None:
    general = next(channel for channel in organization.channels.all() if channel.name == "general")
    realm.change(
        organization,
        {
            "waiting_period_threshold": 3,
            "message_content_edit_limit_seconds": None,
            "message_edit_history_visibility_policy": "moves",
            "topics_policy": "disable_empty_topic",
            "new_stream_announcements_stream_id": general.id,
            "can_create_bots_group": {"direct_members": [2], "direct_subgroups": []},
        },
    )
    realm.add_domain(organization, "demo.example", True)
    realm.change_personal_defaults(organization, {"twenty_four_hour_time": True})
    group = {"id": 1, "name": "crew", "description": "Those of the *boat*.", "streams": [general.id]}
    organization.set_settings(default_channel_groups=[group])
    organization.set_settings(icon_picture=f"{PICTURES}/{ORGANIZATION}/{keep_picture(organization, face(3))}")


def _varied(organization: Organization, people: dict[str, User]) -> None:
    """Checks that no column has the same value in all rows."""
    ada, odd = people["ada"].id, people["odd"].id
    add_alert_words(organization, people["odd"], ["fjord"])
    old = create_folder(organization, people["odd"], "Old things", "")
    emoji = organization.store.integer("SELECT min(id) FROM custom_emoji")
    assert emoji is not None
    organization.store.insert(
        "INSERT INTO custom_emoji (name, author_id, source_url, deactivated) VALUES ('wren', ?, ?, 1)",
        ada,
        f"{PICTURES}/{ORGANIZATION}/emoji/images/{keep_picture(organization, face(5))}",
    )
    changes: tuple[tuple[str, *tuple[int, ...]], ...] = (
        ("UPDATE channel_folders SET is_archived = 1, date_created = 1700000000 WHERE id = ?", old),
        (
            "UPDATE subscriptions SET is_muted = 1, pin_to_top = 1, desktop_notifications = 1, push_notifications = 1,"
            " audible_notifications = 0, email_notifications = 0, wildcard_mentions_notify = 0 WHERE user_id = ?",
            odd,
        ),
        ("UPDATE messages SET client = 'website' WHERE sender_id = ?", odd),
        ("UPDATE profile_fields SET required = 1, editable_by_user = 0 WHERE position = 1",),
        ("UPDATE scheduled_messages SET client = 'website', read_by_sender = 0 WHERE user_id = ?", odd),
        ("UPDATE drafts SET user_id = ? WHERE id = 1", odd),
        ("UPDATE attachments SET created = created + id",),
        ("UPDATE saved_snippets SET date_created = date_created + id",),
        ("UPDATE users SET avatar_version = id + 1 WHERE avatar_url IS NOT NULL AND NOT is_system_bot",),
        ("UPDATE user_topics SET last_updated = last_updated + channel_id",),
        (
            "INSERT INTO user_topics SELECT ?, channel_id, topic, 1, last_updated FROM user_topics LIMIT 1",
            odd,
        ),
        ("UPDATE reminders SET failed = 1",),
        (
            "UPDATE statuses SET (emoji_name, emoji_code, reaction_type) ="
            " (SELECT name, CAST(id AS TEXT), 'realm_emoji' FROM custom_emoji WHERE id = ?) WHERE user_id = ?",
            emoji,
            people["bruno"].id,
        ),
    )
    for sql, *values in changes:
        organization.store.execute(sql, *values)
