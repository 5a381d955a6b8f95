"""Accepting an invitation: from a link to an account (INV-13, INV-17, INV-25, INV-36)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import Role
from narrowcast_server.actions.new_organization import notification_bot
from narrowcast_server.actions.quoting import silent_mention
from narrowcast_server.http.params import required, string, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.organization.passwords import check_password
from narrowcast_server.resources.invites.changes import (
    channels_of,
    emit_changed,
    groups_of,
    inviter_still_allowed,
)
from narrowcast_server.resources.messages.sending import Origin, post_notice, send_direct
from narrowcast_server.resources.user_groups.changes import join_groups
from narrowcast_server.resources.users.accounts import check_full_name, check_own_address, create_user
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

SIGNUPS: Final = "signups"
"""The topic in which new users are announced."""


def invitation(organization: Organization, token: str) -> Row:
    """The invitation of a link; raises BAD_REQUEST if it is not or no longer valid."""
    row = organization.store.one("SELECT * FROM invites WHERE token = ?", token)
    if row is None or row["revoked"] or not inviter_still_allowed(organization, row):
        raise ServiceError("This invitation does not exist or was revoked. Ask for a new one.")
    if row["accepted"]:
        if row["email"] is None:
            raise ServiceError(
                "This invitation link has reached its maximum number of users. Ask for a new one."
            )
        raise ServiceError("This invitation has already been used. Log in with the account that it created.")
    if row["expires"] is not None and row["expires"] <= organization.now():
        raise ServiceError("This invitation has expired. Ask for a new one.")
    return row


def join(organization: Organization, token: str, email: str, full_name: str, password_hash: str) -> User:
    """Creates the account of an invitation and notifies the inviter."""
    row = invitation(organization, token)
    if row["email"] is not None and row["email"].casefold() != email.strip().casefold():
        raise ServiceError("This invitation is for another address.")
    user = create_user(
        organization,
        email=check_own_address(organization, email),
        full_name=check_full_name(organization, full_name),
        role=Role(row["invite_as"]),
        password_hash=password_hash,
        channel_ids=channels_of(organization, row),
    )
    join_groups(organization, user, groups_of(organization, row))
    if row["uses_left"] is not None:
        organization.store.execute("UPDATE invites SET uses_left = uses_left - 1 WHERE id = ?", row["id"])
    if row["email"] is not None or row["uses_left"] == 1:
        organization.store.execute("UPDATE invites SET accepted = 1 WHERE id = ?", row["id"])
    if row["email"] is not None or row["uses_left"] is not None:
        emit_changed(organization, row["inviter_id"])
    announce_newcomer(organization, user)
    _notify_inviter(organization, row, user)
    text = (
        organization.setting("welcome_message_custom_text", str) if row["welcome"] is None else row["welcome"]
    )
    if text:
        welcome(organization, user, text)
    return user


def announce_newcomer(organization: Organization, user: User) -> None:
    """Announces a new user in the organization's channel for announcements, if there is one."""
    channel = organization.channels.get(organization.setting("signup_announcements_stream_id", int))
    if channel is not None and not channel.is_archived:
        text = f"{silent_mention(user)} joined this organization."
        post_notice(organization, channel, SIGNUPS, text, Origin(client="Internal"))


def welcome(organization: Organization, user: User, text: str) -> int:
    """Sends a user the welcome message; returns its id."""
    origin = Origin(client="welcome", read_by_sender=False)
    return send_direct(organization, notification_bot(organization), [user], text, origin).id


def _notify_inviter(organization: Organization, row: Row, user: User) -> None:
    inviter = organization.users[row["inviter_id"]]
    if not row["notify_referrer"] or not inviter.is_active:
        return
    text = f"{silent_mention(user)} accepted your invitation to join **{organization.setting('name', str)}**."
    send_direct(
        organization,
        notification_bot(organization),
        [inviter],
        text,
        Origin(client="invitation", read_by_sender=False),
    )


routes = Routes()

EMAIL = required("email", text_without_null)
FULL_NAME = required("full_name", text_without_null)
PASSWORD = required("password", string)


@routes.post("/join/{token}", EMAIL, FULL_NAME, PASSWORD, public=True)
async def post_join(call: Call) -> ResponseBody:
    """Creates an account; the response carries its API key, as that of fetch_api_key does."""
    organization, token = call.organization, call.path["token"]
    invitation(organization, token)
    check_password(call[PASSWORD])
    password_hash = await organization.passwords.hashed(call[PASSWORD])
    with organization.transaction():
        user = join(organization, token, call[EMAIL], call[FULL_NAME], password_hash)
    return {"api_key": user.api_key, "email": user.delivery_email, "user_id": user.id}
