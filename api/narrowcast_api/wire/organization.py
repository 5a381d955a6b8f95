"""What an organization configures: linkifiers, playgrounds, emoji, profile fields, invitations and so on."""

from __future__ import annotations

from typing import Any

from pydantic import Field, field_validator

from .base import Good, GoodList, Id, Int, Seconds, WireModel, either


class Linkifier(WireModel):
    """A pattern that becomes a link (LNK rows). Never run ``pattern`` locally with a backtracking engine.

    Below level 176 servers send ``url_format_string``; it stays in its own field because its syntax differs.
    """

    id: Id
    pattern: str
    url_template: str | None = None
    url_format_string: str | None = Field(
        default=None, validation_alias=either("url_format_string", "url_format")
    )


class LinkifierList(WireModel):
    """Answer of GET /realm/linkifiers, in the order in which they apply."""

    linkifiers: GoodList[Linkifier] = []


class CreatedId(WireModel):
    """Answer of operations that return the ``id`` of what they made."""

    id: Id


class Playground(WireModel):
    """A place to run code of one language (PLG rows); ``url_template`` has one variable, ``code``."""

    id: Id
    name: str
    highlighter_language: str = Field(validation_alias=either("highlighter_language", "pygments_language"))
    url_template: str | None = None
    url_prefix: str | None = None


class RealmEmoji(WireModel):
    """A custom emoji. ``source_url`` is relative to the organization; ``still_url`` is for animated ones."""

    id: str
    name: str
    source_url: str = ""
    still_url: str | None = None
    deactivated: bool = False
    author_id: Id | None = None

    @field_validator("id", mode="before")
    @classmethod
    def _text(cls, value: Any) -> Any:
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class RealmEmojiList(WireModel):
    """Answer of GET /realm/emoji, by id."""

    emoji: Good[dict[str, RealmEmoji]] = {}


class ProfileField(WireModel):
    """The definition of a custom profile field; ``field_data`` is JSON text, its form depends on ``type``."""

    id: Id
    name: str
    type: Int
    hint: str = ""
    field_data: str = ""
    order: Int = 0
    required: bool = False
    editable_by_user: bool = True
    display_in_profile_summary: bool = False


class ProfileFieldList(WireModel):
    """Answer of GET /realm/profile_fields."""

    custom_fields: GoodList[ProfileField] = []


class Domain(WireModel):
    """An email domain whose owners may join."""

    domain: str
    allow_subdomains: bool = False


class DomainList(WireModel):
    """Answer of GET /realm/domains."""

    domains: GoodList[Domain] = []


class AttachmentMessage(WireModel):
    """A message that links to a file; milliseconds since 1970."""

    id: Id
    date_sent: Seconds | None = None


class Attachment(WireModel):
    """A file that the caller uploaded. ``create_time`` is in milliseconds since 1970, ``size`` in bytes."""

    id: Id
    name: str = ""
    path_id: str = ""
    size: Int = 0
    create_time: Seconds | None = None
    messages: GoodList[AttachmentMessage] = []


class AttachmentList(WireModel):
    """Answer of GET /attachments; ``upload_space_used`` in bytes, of the whole organization."""

    attachments: GoodList[Attachment] = []
    upload_space_used: Int = 0


class Invitation(WireModel):
    """An open invitation or reusable link (INV rows); times in seconds since 1970, no expiry is None."""

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
    """Answer of GET /invites."""

    invites: GoodList[Invitation] = []


class InviteLink(WireModel):
    """Answer of POST /invites/multiuse (INVM rows)."""

    invite_link: str


class NavigationView(WireModel):
    """An entry of the user's own navigation."""

    fragment: str
    is_pinned: bool = False
    name: str | None = None


class NavigationViewList(WireModel):
    """Answer of GET /navigation_views."""

    navigation_views: GoodList[NavigationView] = []


class OnboardingStep(WireModel):
    """A hint that the user has not dismissed yet."""

    type: str = ""
    name: str = ""


class RealmExport(WireModel):
    """An export of the organization's data."""

    id: Id
    acting_user_id: Id | None = None
    export_time: Seconds | None = None
    export_type: Int | None = None
    export_url: str | None = None
    pending: bool = False
    deleted_timestamp: Seconds | None = None
    failed_timestamp: Seconds | None = None
