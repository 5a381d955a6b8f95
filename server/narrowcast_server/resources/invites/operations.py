"""Invitations (rows INV, INVM; listing, revoking and resending are outside the contract, INV-39)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import MAX_WELCOME_TEXT, Role
from narrowcast_server.http.params import (
    Param,
    boolean,
    defaulted,
    integer,
    integer_choice,
    integers,
    limited,
    nullable,
    optional,
    required,
    text_without_null,
)
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.resources.invites import changes as invites
from narrowcast_server.resources.invites.changes import (
    Terms,
    check_channels_given,
    check_may_invite,
    check_terms,
    open_invites,
)
from narrowcast_server.rules.permissions import Callers

routes = Routes()

_MINUTES_A_DAY: Final = 1440
_MAX_MINUTES: Final = 60 * 24 * 366 * 100

_LONGEST_LIST: Final = 50_000
"""Characters of a list of email addresses; nobody may invite more than some hundreds."""

EMAILS = required("invitee_emails", limited(_LONGEST_LIST, text_without_null))
MINUTES: Param[int | None] = defaulted(
    "invite_expires_in_minutes", nullable(integer), None, since=Gate.INVITE_EXPIRY_MINUTES.level
)
DAYS: Param[int | None] = defaulted(
    "invite_expires_in_days",
    nullable(integer),
    None,
    since=Gate.INVITE_EXPIRY_DAYS.level,
    until=Gate.INVITE_EXPIRY_MINUTES.level,
)
INVITE_AS = defaulted("invite_as", integer_choice(*Role, listed=True), int(Role.MEMBER))
CHANNELS = required("stream_ids", integers)
LINK_CHANNELS: Param[list[int]] = defaulted("stream_ids", integers, [])
GROUPS: Param[list[int]] = defaulted("group_ids", integers, [], since=Gate.INVITE_GROUPS.level)
DEFAULTS = defaulted(
    "include_realm_default_subscriptions", boolean, False, since=Gate.INVITE_DEFAULT_CHANNELS.level
)
MAX_USES = optional("max_uses", integer)
"""How many users may join by the link; not part of the service's API."""
_MAX_USES: Final = 1_000_000
WELCOME = optional("welcome_message_custom_text", limited(MAX_WELCOME_TEXT, text_without_null))
NOTIFY = defaulted("notify_referrer_on_join", boolean, True, since=Gate.INVITE_NOTIFY_REFERRER.level)


def _expiry(call: Call) -> int | None:
    """Minutes until an invitation expires, None for never (INV-03 to INV-08)."""
    if call.given(MINUTES):
        minutes = call[MINUTES]
    elif call.given(DAYS):
        days = call[DAYS]
        if days is None and call.level < Gate.INVITE_EXPIRY_NEVER.level:
            raise ServiceError("invite_expires_in_days is not an integer")
        minutes = None if days is None else days * _MINUTES_A_DAY
    else:
        return call.organization.setting("invitation_link_validity_minutes", int)
    if minutes is not None and not 0 < minutes <= _MAX_MINUTES:
        raise ServiceError("Invalid invitation expiry")
    return minutes


def _terms(call: Call, channel_ids: list[int], *, notify: bool = True) -> Terms:
    return Terms(
        expires_in=_expiry(call),
        invite_as=Role(call[INVITE_AS]),
        channel_ids=list(dict.fromkeys(channel_ids)),
        group_ids=list(dict.fromkeys(call[GROUPS])),
        include_defaults=call[DEFAULTS],
        notify_referrer=notify,
        welcome=call[WELCOME],
    )


@routes.post(
    "/invites",
    EMAILS,
    MINUTES,
    DAYS,
    INVITE_AS,
    NOTIFY,
    WELCOME,
    CHANNELS,
    GROUPS,
    DEFAULTS,
    callers=Callers.MEMBERS,
)
async def send_invites(call: Call) -> ResponseBody:
    """Invites by email (INV-01). Even if the response is an error for some addresses, the others are invited."""
    organization, user = call.organization, call.user
    check_may_invite(organization, user, by_link=False)
    terms = _terms(call, call[CHANNELS], notify=call[NOTIFY])
    check_channels_given(organization, terms)
    check_terms(organization, user, terms)
    invitees = invites.addresses(call[EMAILS])
    if not invitees:
        raise ServiceError("You must specify at least one email address.")
    refusal: ServiceError | None = None
    with organization.transaction():
        try:
            invites.invite(organization, user, invitees, terms)
        except ServiceError as error:
            refusal = error
    if refusal is not None:
        raise refusal
    return {}


@routes.post(
    "/invites/multiuse",
    MINUTES,
    DAYS,
    INVITE_AS,
    LINK_CHANNELS,
    GROUPS,
    DEFAULTS,
    MAX_USES,
    WELCOME,
    callers=Callers.MEMBERS,
)
def create_link(call: Call) -> ResponseBody:
    """Creates a reusable link (INVM-01)."""
    check_may_invite(call.organization, call.user, by_link=True)
    uses = call[MAX_USES]
    if uses is not None and not 1 <= uses <= _MAX_USES:
        raise ServiceError(f"max_uses must be 1 to {_MAX_USES}")
    terms = replace(_terms(call, call[LINK_CHANNELS]), uses=uses)
    check_terms(call.organization, call.user, terms)
    return {"invite_link": invites.create_link(call.organization, call.user, terms)}


@routes.get("/invites", callers=Callers.MEMBERS)
def list_invites(call: Call) -> ResponseBody:
    """The invitations that are still valid."""
    return {"invites": open_invites(call.organization, call.user)}


@routes.delete("/invites/{invite_id}", callers=Callers.MEMBERS)
def revoke_invite(call: Call) -> ResponseBody:
    invites.revoke(call.organization, call.user, call.path_id("invite_id"), multiuse=False)
    return {}


@routes.delete("/invites/multiuse/{invite_id}", callers=Callers.MEMBERS)
def revoke_link(call: Call) -> ResponseBody:
    """Revokes a reusable link."""
    invites.revoke(call.organization, call.user, call.path_id("invite_id"), multiuse=True)
    return {}


@routes.post("/invites/{invite_id}/resend", callers=Callers.MEMBERS)
def resend_invite(call: Call) -> ResponseBody:
    """Sends an invitation to the same address again."""
    invites.resend(call.organization, call.user, call.path_id("invite_id"))
    return {}
