"""Administration of an account: name, role, email, profile, status, deactivation and reactivation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from narrowcast.screens.dialogs.confirm import Question, ask_first
from narrowcast.screens.dialogs.form_fields import (
    Field,
    LineField,
    OneOf,
    People,
    Text,
    UnusableValue,
    Values,
    YesNo,
)
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.screens.people.about import WEBHOOK_FORMATS
from narrowcast.screens.people.keys import regenerate_bot_key
from narrowcast.screens.people.profile import profile_fields, profile_values
from narrowcast.text import names
from narrowcast_api import permissions
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.permissions import ALLOWED, Refusal
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import (
    MAX_STATUS_TEXT,
    BotType,
    DeactivationAction,
    Role,
    WebhookInterface,
)

if TYPE_CHECKING:
    from narrowcast.screens.dialogs.manage import ManageScreen
    from narrowcast_api.model.users import User
    from narrowcast_api.state.state import State


_ALSO_DELETED = {
    DeactivationAction.PROFILE: "Delete name and profile picture",
    DeactivationAction.PUBLIC_CHANNEL_MESSAGES: "Delete public channel messages",
    DeactivationAction.PRIVATE_CHANNEL_MESSAGES: "Delete private channel messages",
    DeactivationAction.DIRECT_MESSAGES: "Delete direct messages",
}


class AccountChange(Struct, frozen=True):
    """A possible change to an account, and why the current user may not make it, if so."""

    name: str
    title: str
    refusal: Refusal = ALLOWED
    detail: str = ""


def offers(state: State, user: User) -> list[AccountChange]:
    """All changes, in order; those that are not allowed have the reason."""
    change = permissions.may_administer(state, user)
    ends = permissions.may_deactivate(state, user)
    address = permissions.level_refusal(state, Gate.NEW_EMAIL) or _address_refusal(state)
    possible = [
        AccountChange("name", "Name…", change, user.full_name),
        AccountChange("role", "Role…", _role_refusal(state, user), permissions.role_name(user.role)),
    ]
    if user.is_bot:
        possible = [AccountChange("name", "Name…", change, user.full_name)]
        possible += [
            AccountChange(
                "short name", "Short name…", change or permissions.level_refusal(state, Gate.BOT_SHORT_NAME)
            ),
            AccountChange("owner", "Owner…", change, state.users.name(user.bot_owner_id or 0)),
            AccountChange("key", "New API key…", change),
        ]
        if user.bot_type == BotType.OUTGOING_WEBHOOK:
            possible.append(AccountChange("endpoint", "Endpoint URL…", change))
    else:
        possible += [
            AccountChange("profile", "Custom profile fields…", change),
            AccountChange("address", "Email…", address, user.delivery_email or ""),
            AccountChange(
                "status",
                "Status…",
                permissions.level_refusal(state, Gate.STATUS_OF_OTHERS)
                or permissions.only_administrators(state, "set the status of other users"),
            ),
        ]
    possible.append(
        AccountChange("channels", "Channels…", permissions.level_refusal(state, Gate.CHANNELS_OF_USER))
    )
    if user.is_active:
        possible.append(AccountChange("deactivate", "Deactivate user…", ends))
    elif not user.is_deleted:
        possible.append(AccountChange("reactivate", "Reactivate user…", change))
    return possible


def _role_refusal(state: State, user: User) -> Refusal:
    if permissions.roles_to_give(state, user):
        return ALLOWED
    if permissions.is_administrator(state):
        return permissions.only_owners(state, "change the role of an owner")
    return permissions.only_administrators(state, "change roles")


def _address_refusal(state: State) -> Refusal:
    return permissions.only_owners(state, "change email addresses") or (
        permissions.only_holders(state, "can_change_user_emails", "change email addresses")
        if "can_change_user_emails" in state.organization
        else ALLOWED
    )


class Administration:
    """Makes the changes, from the user's card."""

    def __init__(self, card: ManageScreen[str], user: User, go: Callable[[Narrow], object]) -> None:
        self.card = card
        self._go = go
        self.user = user
        self.client = card.session.client

    def start(self, name: str) -> None:
        """Starts one of the offered changes."""
        {
            "name": self._rename,
            "short name": self._change_short_name,
            "role": self._change_role,
            "owner": self._change_owner,
            "key": self._new_key,
            "endpoint": self._change_endpoint,
            "channels": self._show_channels,
            "profile": self._change_profile,
            "address": self._change_address,
            "status": self._change_status,
            "deactivate": self._deactivate,
            "reactivate": self._reactivate,
        }[name]()

    def _change_endpoint(self) -> None:
        """Changes the URL that an outgoing webhook calls."""
        known = self.card.state.managed_bots.get(self.user.user_id)

        async def change(values: Values) -> object:
            return await self.client.bots.update(
                bot_id=self.user.user_id,
                payload_url=values.text("url"),
                interface_type=WebhookInterface(int(str(values["interface"]))),
            )

        interface = known.interface_type if known is not None else int(WebhookInterface.GENERIC)
        fields: list[Field] = [
            LineField(
                "url", "Endpoint URL", value=known.payload_url if known is not None else "", required=True
            ),
            OneOf("interface", "Data format", options=WEBHOOK_FORMATS, value=interface),
        ]
        self.card.form("Change endpoint URL", fields, change, done="Endpoint URL changed.", refusal="")

    def _show_channels(self) -> None:
        """Lists the channels to which a user is subscribed; choosing one goes there."""
        self.card.work(self._choose_channel())

    async def _choose_channel(self) -> None:
        state, card = self.card.state, self.card
        channel_ids = await self.client.users.channels(user_id=self.user.user_id)
        choices = sorted(
            (Choice(one, f"#{names.channel(state, one)}") for one in channel_ids),
            key=lambda one: one.text.casefold(),
        )

        def chosen(channel_id: int | None) -> None:
            if channel_id is not None:
                self._go(Narrow.channel(channel_id))

        if card.is_attached:
            card.app.push_screen(Picker(f"Channels of {self.user.full_name}", choices), chosen)

    def _rename(self) -> None:
        async def rename(values: Values) -> object:
            name = values.text("name")
            if self.user.is_bot:
                return await self.client.bots.update(bot_id=self.user.user_id, full_name=name)
            return await self.client.users.update(user_id=self.user.user_id, full_name=name)

        field = LineField("name", "Name", value=self.user.full_name, required=True, limit=100)
        self.card.form("Change name", [field], rename, done="Name changed.", refusal="")

    def _change_short_name(self) -> None:
        async def change(values: Values) -> object:
            return await self.client.bots.update(bot_id=self.user.user_id, short_name=values.text("short"))

        hint = "The start of its email address"
        field = LineField("short", "Short name", hint, required=True, limit=60)
        self.card.form(f"Short name of {self.user.full_name}", [field], change, done="Saved.", refusal="")

    def _change_role(self) -> None:
        state = self.card.state
        roles = [(role, permissions.role_name(role)) for role in permissions.roles_to_give(state, self.user)]

        async def change(values: Values) -> object:
            role = values["role"]
            if not isinstance(role, int) or role == self.user.role:
                raise UnusableValue("role", "Select a different role.")
            return await self.client.users.update(user_id=self.user.user_id, role=role)

        field = OneOf("role", "Role", options=roles, value=self.user.role)
        note = "To make a guest an administrator, make them a member first."
        self.card.form(
            f"Role of {self.user.full_name}",
            [field],
            change,
            note=note if self.user.role == Role.GUEST else "",
            done="Saved.",
            refusal="",
        )

    def _change_owner(self) -> None:
        async def change(values: Values) -> object:
            people = values.ids("owner")
            if len(people) != 1:
                raise UnusableValue("owner", "A bot has exactly one owner.")
            return await self.client.bots.update(bot_id=self.user.user_id, bot_owner_id=people[0])

        owner = self.user.bot_owner_id
        now = "" if owner is None else f"Now {self.card.state.users.name(owner)}"
        field = People("owner", "Owner", now, required=True)
        self.card.form(f"Owner of {self.user.full_name}", [field], change, done="Saved.", refusal="")

    def _new_key(self) -> None:
        regenerate_bot_key(self.card, self.card.session, self.user.user_id, self.user.full_name)

    def _change_profile(self) -> None:
        state = self.card.state

        async def change(values: Values) -> object:
            changed = profile_values(state, values)
            if not changed:
                raise UnusableValue("", "No changes.")
            return await self.client.users.update(user_id=self.user.user_id, profile_data=changed)

        fields = profile_fields(state, self.user, administering=True)
        if not fields:
            self.card.say("This organization has no custom profile fields.")
            return
        self.card.form(f"Profile of {self.user.full_name}", fields, change, done="Saved.", refusal="")

    def _change_address(self) -> None:
        async def change(values: Values) -> object:
            return await self.client.users.update(user_id=self.user.user_id, new_email=values.text("email"))

        field = LineField("email", "Email", value=self.user.delivery_email or "", required=True)
        self.card.form("Change email", [field], change, done="Saved.", refusal="")

    def _change_status(self) -> None:
        present = self.card.state.statuses.get(self.user.user_id)

        async def change(values: Values) -> object:
            return await self.client.status.set_of(user_id=self.user.user_id, status_text=values.text("text"))

        field = LineField("text", "Status", value=present.text if present else "", limit=MAX_STATUS_TEXT)
        self.card.form(f"Status of {self.user.full_name}", [field], change, done="Status set.", refusal="")

    def _deactivate(self) -> None:
        user = self.user
        if user.is_bot:
            end = self.client.bots.deactivate
            ask_first(
                self.card,
                Question(f"Deactivate {user.full_name}?", "Deactivate bot", "Its API key will stop working."),
                lambda: self.card.work(end(bot_id=user.user_id), done="Deactivated."),
            )
            return

        async def deactivate(values: Values) -> object:
            comment = values.text("comment")
            told = comment if values.flag("tell") or comment else None
            return await self.client.users.deactivate(
                user_id=user.user_id,
                notification_comment=told,
                also_delete=[action for action in _ALSO_DELETED if values.flag(action)],
            )

        needs = permissions.level_needed(self.card.state, Gate.DEACTIVATION_COMMENT)
        needs_deletion = permissions.level_needed(self.card.state, Gate.DEACTIVATION_ACTIONS)
        self.card.form(
            f"Deactivate {user.full_name}",
            [
                YesNo("tell", "Notify this user by email", needs=needs),
                Text("comment", "Comment", needs=needs, rows=3),
                *(YesNo(action, title, needs=needs_deletion) for action, title in _ALSO_DELETED.items()),
            ],
            deactivate,
            verb="deactivates",
            note="They will be logged out immediately, and their bots deactivated. You can reactivate them later; what"
            " is deleted stays deleted.",
            done="Deactivated.",
            refusal="",
        )

    def _reactivate(self) -> None:
        work = self.client.users.reactivate(user_id=self.user.user_id)
        self.card.work(work, done="Reactivated.")
