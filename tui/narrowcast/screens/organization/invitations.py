"""Invitations by email, and reusable links; who could not be invited, and why."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from narrowcast.keys.registry import Context, bindings_for
from narrowcast.screens.dialogs.confirm import Question
from narrowcast.screens.dialogs.form_fields import Field, Names, OneOf, Text, UnusableValue, Values, YesNo
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.screens.groups.choose import group_names
from narrowcast.text.formats import has_long_clock, moment
from narrowcast.text.names import open_channels
from narrowcast.widgets.empty import Empty
from narrowcast_api import permissions
from narrowcast_api.errors import InvitationFailed
from narrowcast_api.http.encoding import OMIT, Omit
from narrowcast_api.state.changes import Change, SettingsChanged, StateReplaced
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import MAX_WELCOME_TEXT

if TYPE_CHECKING:
    from narrowcast_api.resources.invites import Invitation
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.session import Session

_EXPIRIES: tuple[tuple[object, str], ...] = (
    ("server", "Server default"),
    (60 * 24, "1 day"),
    (60 * 24 * 3, "3 days"),
    (60 * 24 * 10, "10 days"),
    (60 * 24 * 30, "30 days"),
    (None, "Never expires"),
)


class InvitationsScreen(ManageScreen["Invitation"]):
    """Pending invitations: the user's own, for administrators everyone's. Fetched when opened, and again when an
    event reports a change.
    """

    TITLE_TEXT = "Invitations"
    KEYS = (
        ("list.select", "actions"),
        ("manage.new", "invites by email"),
        ("invitations.link", "creates a link"),
        ("invitations.copy", "copies the link"),
        ("invitations.resend", "resends"),
        ("manage.delete", "revokes"),
    )
    EMPTY = Empty(
        "No invitations",
        "Those that nobody has accepted yet are listed here.",
        (("invitations.link", "creates a link"),),
    )
    FOLLOWS = (SettingsChanged,)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.INVITATIONS)]

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._invitations: list[Invitation] = []
        self._failed: list[tuple[str, str]] = []
        self._sent: list[str] = []

    def refusal(self) -> str:
        """Why the user can neither invite by email nor create links; administrators always manage existing
        invitations.
        """
        if permissions.is_administrator(self.state):
            return ""
        return self._email_refusal() if self._link_refusal() else ""

    def _email_refusal(self) -> str:
        return permissions.only_holders(self.state, "can_invite_users_group", "invite people")

    def _link_refusal(self) -> str:
        if permissions.level_refusal(self.state, Gate.INVITE_LINKS_FOR_ALL):
            return permissions.only_administrators(self.state, "create invitation links on this server")
        return permissions.only_holders(self.state, "create_multiuse_invite_group", "create invitation links")

    async def load(self) -> None:
        if not self.refusal():
            self._invitations = await self.session.client.invites.list()

    def _on_changes(self, changes: Sequence[Change]) -> None:
        """Reloads the list when an event reports a change: the state does not hold it."""
        told = any(isinstance(change, SettingsChanged) and "invites" in change.names for change in changes)
        if told or any(isinstance(change, StateReplaced) for change in changes):
            self.work(self.reload())

    def rows(self) -> Sequence[ListRow[Invitation]]:
        return [
            ListRow(
                (item.is_multiuse, item.id),
                item,
                "link: " + (item.link_url or "?") if item.is_multiuse else item.email or "?",
                f"{permissions.role_name(item.invited_as)} · {_until(self.state, item)}"
                + (" · copy its link" if _is_unsent(item) else ""),
            )
            for item in self._invitations
        ]

    # inviting

    def new(self) -> None:
        if self.refused(self._email_refusal()):
            return
        self._failed = []
        addresses = Text(
            "emails",
            "Emails",
            "One per line, or separated by commas",
            placeholder="name@example.com",
            required=True,
            rows=4,
        )
        notify = YesNo(
            "notify",
            "Notify me when invitees join",
            needs=permissions.level_needed(self.state, Gate.INVITE_NOTIFY_REFERRER),
            section="" if _welcomes(self.state) else WHEN_JOINING,
            value=True,
        )
        fields = [addresses, *_terms(self.state, for_email=True), notify]
        self.form("Invite users by email", fields, self._invite, verb="invites", then=self._invited)

    async def _invite(self, values: Values) -> object:
        emails = [part.strip() for part in re.split(r"[,;\s]+", values.text("emails")) if part.strip()]
        if not emails:
            raise UnusableValue("emails", "Enter at least one email address.")
        self._sent, self._failed = emails, []
        try:
            response = await self.session.client.invites.send(
                invitee_emails=emails,
                stream_ids=values.ids("channels"),
                invite_expires_in_minutes=_expiry(values),
                invite_as=_role(values),
                group_ids=values.ids("groups") or OMIT,
                include_realm_default_subscriptions=_if_enabled(
                    self.state, values, "defaults", Gate.INVITE_DEFAULT_CHANNELS
                ),
                notify_referrer_on_join=_if_enabled(
                    self.state, values, "notify", Gate.INVITE_NOTIFY_REFERRER
                ),
                welcome_message_custom_text=_welcome(self.state, values),
            )
        except InvitationFailed as error:
            self._failed = failures(error)
            failed = {email for email, _ in self._failed}
            if not error.sent_invitations:  # the server did not invite the valid addresses either
                reasons = "; ".join(f"{email}: {reason.rstrip('.')}" for email, reason in self._failed)
                raise UnusableValue("emails", f"Nobody was invited. {reasons}") from error
            return f"{len([email for email in emails if email not in failed])} invited, {len(failed)} not"
        await self.reload()
        said = f"{len(emails)} invited."
        return " ".join([said, *response.notices])

    def _invited(self, result: object) -> None:
        """Shows the result, then who was not invited and why, or the links that the server did not email."""
        self.work(self.reload(), done=str(result))
        if self._failed:
            choices = [Choice(email, f"{email}: {reason}") for email, reason in self._failed]
            self.app.push_screen(
                Picker(str(result), choices, placeholder="users who were not invited, and why")
            )
        elif links := [item for item in self._invitations if item.email in self._sent and _is_unsent(item)]:
            self._offer_links(links)

    def _offer_links(self, invitations: Sequence[Invitation]) -> None:
        """Offers the links to copy, if the server sends no email."""
        choices = [Choice(f"{item.link_url}", f"Copy link for {item.email}") for item in invitations]
        if len(invitations) > 1:
            every = "\n".join(f"{item.email}: {item.link_url}" for item in invitations)
            choices.insert(0, Choice(every, "Copy all links"))

        def chosen(text: str | None) -> None:
            if text is not None:
                self.copy(text, "Copied the link." if len(invitations) == 1 else "Copied the links.")

        self.app.push_screen(Picker(NO_MAIL, choices), chosen)

    def action_link(self) -> None:
        if self.refused(self._link_refusal()):
            return

        async def create(values: Values) -> object:
            response = await self.session.client.invites.create_link(
                stream_ids=values.ids("channels"),
                invite_expires_in_minutes=_expiry(values),
                invite_as=_role(values),
                group_ids=values.ids("groups") or OMIT,
                include_realm_default_subscriptions=_if_enabled(
                    self.state, values, "defaults", Gate.INVITE_DEFAULT_CHANNELS
                ),
                welcome_message_custom_text=_welcome(self.state, values),
            )
            await self.reload()
            return response.invite_link

        def made(link: object) -> None:
            self.copy(str(link), f"Copied: {link}")

        self.form(
            "Create invitation link", _terms(self.state, for_email=False), create, verb="creates", then=made
        )

    # existing invitations

    def open(self, item: Invitation) -> None:
        choices = [Choice("revoke", "Revoke invitation")]
        if item.is_multiuse or _is_unsent(item):
            choices.insert(0, Choice("copy", "Copy link", item.link_url or ""))
        else:
            choices.insert(0, Choice("resend", "Resend invitation", item.email or ""))

        def chosen(what: str | None) -> None:
            if what == "copy":
                self._copy_link(item)
            elif what == "resend":
                self._resend(item)
            elif what == "revoke":
                self.ask_to_delete(item)

        by = self.state.users.name(item.invited_by_user_id) if item.invited_by_user_id else "somebody"
        self.app.push_screen(
            Picker(f"Invited by {by} as {permissions.role_name(item.invited_as)}", choices), chosen
        )

    def action_copy_link(self) -> None:
        if (item := self.selected) is not None:
            self._copy_link(item)

    def _copy_link(self, item: Invitation) -> None:
        if item.link_url:
            self.copy(item.link_url, "Copied the link.")
        else:
            self.say("Email invitations have no link to copy. Create an invitation link.", bad=True)

    def action_resend(self) -> None:
        if (item := self.selected) is not None:
            self._resend(item)

    def _resend(self, item: Invitation) -> None:
        if _is_unsent(item):
            self._offer_links([item])
        elif item.is_multiuse:
            self.say("Invitation links are not emailed. Copy the link.", bad=True)
        else:
            resend = self.session.client.invites.resend
            self.work(resend(invite_id=item.id), done=f"Invitation resent to {item.email}.")

    def question(self, item: Invitation) -> Question:
        what = "this link" if item.is_multiuse else f"the invitation of {item.email}"
        return Question(f"Revoke {what}?", "Revoke", "It can no longer be used to join.")

    async def delete(self, item: Invitation) -> None:
        invites = self.session.client.invites
        if item.is_multiuse:
            await invites.revoke_link(invite_id=item.id)
        else:
            await invites.revoke(invite_id=item.id)
        await self.reload()


NO_MAIL = "This server sends no email. Copy the link and send it yourself"


def _is_unsent(item: Invitation) -> bool:
    """Whether the server sent no email for this invitation: then it reports the link."""
    return not item.is_multiuse and bool(item.link_url)


def failures(error: InvitationFailed) -> list[tuple[str, str]]:
    """Each address that could not be invited, and why."""
    reasons = [(email, reason) for email, reason, _ in error.errors]
    if error.daily_limit_reached:
        reasons.append(("all", "the daily limit for invitations has been reached"))
    if error.license_limit_reached:
        reasons.append(("all", "no licenses left"))
    return reasons


def _until(state: State, item: Invitation) -> str:
    if item.expiry_date is None:
        return "never expires"
    return "expires " + moment(item.expiry_date, time.time(), long=has_long_clock(state))


def _terms(state: State, *, for_email: bool) -> list[Field]:
    """The fields common to both kinds of invitations; what the server or the user cannot do is disabled, with the
    reason.
    """
    own = permissions.role_of(state)
    roles = [(role, name) for role, name in permissions.ROLE_NAMES.items() if role >= own]
    subscribe = permissions.only_holders(state, "can_add_subscribers_group", "subscribe others").short
    no_defaults = permissions.level_needed(state, Gate.INVITE_DEFAULT_CHANNELS)
    no_expiry = permissions.level_needed(state, Gate.INVITE_EXPIRY_DAYS)
    no_never = permissions.level_needed(state, Gate.INVITE_EXPIRY_NEVER)
    needs_channel = for_email and bool(permissions.level_refusal(state, Gate.INVITE_NO_CHANNELS))
    groups = permissions.named_groups(state)
    examples = ", ".join(group.name for group in groups[:4])
    return [
        OneOf("role", "Join as", section="Invitation", options=roles, value=400 if own <= 400 else own),
        OneOf(
            "expires",
            "Expires",
            needs=no_expiry,
            options=[option for option in _EXPIRIES if option[0] is not None or not no_never],
            value="server" if no_expiry else 60 * 24 * 10,
        ),
        YesNo(
            "defaults",
            "Default channels",
            "The channels that new users are subscribed to",
            no_defaults,
            section="Channels and groups",
            value=not no_defaults,
        ),
        Names(
            "channels",
            "More channels",
            "This server requires at least one channel" if needs_channel else "",
            subscribe,
            what="channel",
            known=open_channels(state),
            required=needs_channel and not subscribe,
        ),
        Names(
            "groups",
            "User groups",
            f"Such as {examples}" if examples else "",
            permissions.level_needed(state, Gate.INVITE_GROUPS),
            what="user group",
            known=group_names(state, groups),
        ),
        *_welcomes(state),
    ]


_WELCOME = "welcome_message_custom_text"
WHEN_JOINING = "When they join"
"""The section of what happens then."""


def _welcomes(state: State) -> list[Field]:
    """The field for the welcome message to new users, if the server has one; only administrators may change it."""
    if _WELCOME not in state.organization or not permissions.is_administrator(state):
        return []
    said = state.organization.text(_WELCOME)
    hint = "A message to new users; leave empty for none"
    return [
        Text(
            _WELCOME,
            "Custom welcome message",
            hint,
            section=WHEN_JOINING,
            value=said,
            limit=MAX_WELCOME_TEXT,
            rows=3,
        )
    ]


def _welcome(state: State, values: Values) -> str | Omit:
    """The custom welcome message; OMIT if it is the organization's default."""
    return values.new_text(_WELCOME) if _welcomes(state) else OMIT


def _expiry(values: Values) -> int | Omit | None:
    value = values["expires"]
    return value if value is None or isinstance(value, int) else OMIT


def _role(values: Values) -> int:
    value = values["role"]
    return value if isinstance(value, int) else 400


def _if_enabled(state: State, values: Values, name: str, gate: Gate) -> bool | Omit:
    return OMIT if permissions.level_refusal(state, gate) else values.flag(name)
