"""Responses about the configuration of an organization: linkifiers, emoji, profile fields, invitations and so on."""

from __future__ import annotations

from typing import Annotated

from narrowcast_api.model import (
    attachments,
    custom_emoji,
    linkifiers,
    profile_fields,
)

from .model import GoodList, Id, Int, Seconds, WireModel, read_by

Attachment = Annotated[attachments.Attachment, read_by(attachments.read_attachment)]
CustomEmoji = Annotated[custom_emoji.CustomEmoji, read_by(custom_emoji.read_custom_emoji)]
CustomEmojiTable = Annotated[
    dict[str, custom_emoji.CustomEmoji], read_by(custom_emoji.read_custom_emoji_table)
]
"""Custom emoji by their codes."""

Linkifier = Annotated[linkifiers.Linkifier, read_by(linkifiers.read_linkifier)]
ProfileField = Annotated[profile_fields.ProfileField, read_by(profile_fields.read_profile_field)]


class LinkifierList(WireModel):
    """Response of GET /realm/linkifiers, in the order in which they apply."""

    linkifiers: GoodList[Linkifier] = []


class CreatedId(WireModel):
    """Response of operations that return the ``id`` of a new object."""

    id: Id


class IconResponse(WireModel):
    """Response of POST and DELETE /realm/icon."""

    icon_url: str


class CallResponse(WireModel):
    """Response of the operations that create a call."""

    url: str


class Export(WireModel):
    """An export of the organization's data. Times are in seconds since 1970 UTC, None if not reached."""

    id: Id
    acting_user_id: Id | None = None
    export_time: Seconds | None = None
    export_url: str | None = None
    pending: bool = False
    failed_timestamp: Seconds | None = None
    deleted_timestamp: Seconds | None = None
    export_type: int | str | None = None


class ExportList(WireModel):
    """Response of GET /export/realm."""

    exports: GoodList[Export] = []


class ExportConsent(WireModel):
    """Whether a user lets administrators export their private data."""

    user_id: Id
    consented: bool = False


class ExportConsentList(WireModel):
    """Response of GET /export/realm/consents."""

    export_consents: GoodList[ExportConsent] = []


class CustomEmojiList(WireModel):
    """Response of GET /realm/emoji."""

    emoji: CustomEmojiTable = {}


class ProfileFieldList(WireModel):
    """Response of GET /realm/profile_fields."""

    custom_fields: GoodList[ProfileField] = []


class Domain(WireModel):
    """An email domain whose addresses may join."""

    domain: str
    allow_subdomains: bool = False


class DomainList(WireModel):
    """Response of GET /realm/domains."""

    domains: GoodList[Domain] = []


class AttachmentList(WireModel):
    """Response of GET /attachments; ``upload_space_used`` in bytes, of the whole organization."""

    attachments: GoodList[Attachment] = []
    upload_space_used: Int = 0


class Invitation(WireModel):
    """A pending invitation or reusable link (INV rows); times in seconds since 1970, None if it does not expire."""

    id: Id
    invited_by_user_id: Id | None = None
    invited: Seconds = 0
    expiry_date: Seconds | None = None
    invited_as: Int = 400
    email: str | None = None
    link_url: str | None = None
    is_multiuse: bool = False
    notify_referrer_on_join: bool | None = None


class InvitationList(WireModel):
    """Response of GET /invites."""

    invites: GoodList[Invitation] = []


class InviteLink(WireModel):
    """Response of POST /invites/multiuse (INVM rows)."""

    invite_link: str


class TestMessage(WireModel):
    """Response of POST /realm/test_welcome_bot_custom_message."""

    message_id: int


class OnboardingStep(WireModel):
    """A hint that the user has not dismissed yet."""

    type: str = ""
    name: str = ""
