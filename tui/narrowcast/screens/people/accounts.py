"""All users of the organization, including deactivated ones; and the user's own bots with their keys."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from narrowcast.keys.registry import Context, bindings_for
from narrowcast.screens.dialogs.confirm import Question
from narrowcast.screens.dialogs.form_fields import Field, LineField, OneOf, UnusableValue, Values
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.screens.organization.invitations import InvitationsScreen
from narrowcast.screens.people.about import BOT_NAMES, WEBHOOK_FORMATS, kind
from narrowcast.screens.people.card import PersonScreen
from narrowcast.screens.people.keys import regenerate_bot_key, show_key
from narrowcast.text.user_search import search_text
from narrowcast.widgets.empty import Empty
from narrowcast_api import permissions
from narrowcast_api.http.encoding import OMIT
from narrowcast_api.http.secret import Secret
from narrowcast_api.state.changes import UsersChanged
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import BotType, WebhookInterface

if TYPE_CHECKING:
    from narrowcast_api.model.users import User
    from narrowcast_api.resources.bots import Bot
    from narrowcast_api.sync.session import Session


_SHORT_NAME = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+")
"""Characters allowed before the @ of an email address."""
_SHORT_HINT = "For the bot's email address: English letters, digits, dots, - and _"


class AccountsScreen(ManageScreen["User"]):
    """Users by role and name; bots and deactivated users last."""

    TITLE_TEXT = "Users"
    KEYS = (
        ("list.select", "user card"),
        ("accounts.manage", "manages"),
        ("manage.new", "creates"),
        ("accounts.invite", "invitations"),
    )
    FOLLOWS = (UsersChanged,)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.ACCOUNTS)]

    def rows(self) -> Sequence[ListRow[User]]:
        state = self.state
        shown = [user for user in state.users if not user.is_system_bot]
        shown.sort(key=lambda user: (not user.is_active, user.is_bot, user.role, user.full_name.casefold()))
        return [
            ListRow(
                user.user_id,
                user,
                user.full_name + (" (you)" if user.user_id == state.me else ""),
                kind(state, user),
                also=search_text(state, user),
                dim=not user.is_active,
            )
            for user in shown
        ]

    def open(self, item: User) -> None:
        self.app.push_screen(PersonScreen(self.session, item.user_id))

    def action_more(self) -> None:
        if (user := self.selected) is not None:
            card = PersonScreen(self.session, user.user_id)
            self.app.push_screen(card)
            card.call_after_refresh(card.action_more)

    def action_invite(self) -> None:
        self.app.push_screen(InvitationsScreen(self.session))

    def new(self) -> None:
        if self.refused(permissions.only_administrators(self.state, "create users")):
            return

        async def create(values: Values) -> object:
            password = values.text("password")
            made = await self.session.client.users.create(
                email=values.text("email"), password=Secret(password), full_name=values.text("name")
            )
            return made.user_id

        fields: list[Field] = [
            LineField("name", "Name", required=True, limit=100),
            LineField("email", "Email", required=True),
            LineField("password", "Initial password", "The user can change it", required=True, secret=True),
        ]
        note = "Requires the can_create_users permission from the server's operator. Otherwise, invite users."
        self.form("Create user", fields, create, verb="creates", note=note, done="User created.")


class BotsScreen(ManageScreen["Bot"]):
    """The user's own bots; fetched, because the state does not hold their keys."""

    TITLE_TEXT = "Bots"
    KEYS = (
        ("list.select", "user card"),
        ("manage.new", "adds"),
        ("bots.key", "shows the API key"),
        ("bots.regenerate", "generates a new key"),
        ("manage.delete", "deactivates"),
    )
    EMPTY = Empty("No bots", "A bot is a program's account: it sends and reads messages.")
    FOLLOWS = (UsersChanged,)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.BOTS)]

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._bots: list[Bot] = []

    def refusal(self) -> str:
        return permissions.only_members(self.state, "have bots")

    async def load(self) -> None:
        self._bots = [] if self.refusal() else await self.session.client.bots.list()

    def rows(self) -> Sequence[ListRow[Bot]]:
        return [
            ListRow(bot.username or bot.full_name, bot, bot.full_name, bot.username or "", mark="⚙")
            for bot in self._bots
        ]

    def _id_of(self, bot: Bot) -> int | None:
        """The bot's id for its email: the lists of bots contain emails but no ids."""
        if bot.user_id is not None:
            return bot.user_id
        return self.state.users.id_of(bot.username or "")

    def open(self, item: Bot) -> None:
        if (user_id := self._id_of(item)) is not None:
            self.app.push_screen(PersonScreen(self.session, user_id))

    def new(self) -> None:
        if self.refused() or self.refused(permissions.bot_refusal(self.state)):
            return

        offered = permissions.bot_types(self.state)
        may_call = BotType.OUTGOING_WEBHOOK in offered

        async def create(values: Values) -> object:
            bot_type = values["type"]
            calls = bot_type == BotType.OUTGOING_WEBHOOK
            if may_call and calls != bool(values.text("url")):
                raise UnusableValue("url", "Outgoing webhooks need an endpoint URL; other bots have none.")
            if calls and not values.text("url").lower().startswith(("https://", "http://")):
                raise UnusableValue("url", "Write a URL that begins with https:// or http://.")
            if not _SHORT_NAME.fullmatch(values.text("short")):
                raise UnusableValue("short", f"{_SHORT_HINT}, and no spaces.")
            made = await self.session.client.bots.create(
                full_name=values.text("name"),
                short_name=values.text("short"),
                bot_type=bot_type if isinstance(bot_type, int) else BotType.GENERIC,
                payload_url=values.text("url") if calls else OMIT,
                interface_type=WebhookInterface(int(str(values["interface"]))) if calls else OMIT,
            )
            await self.reload()
            if not made.api_key:
                raise UnusableValue("", "Bot added, but the server returned no API key.")
            return values.text("name"), Secret(made.api_key)

        def made(result: object) -> None:
            match result:
                case (str(name), Secret() as key):
                    named = [row.key for row in self.list.items if row.text == name]
                    self.refresh_rows(select=named[-1] if named else None)
                    show_key(self, f"API key of {name}", key)

        kinds = [(int(kind), BOT_NAMES[kind]) for kind in offered]
        fields: list[Field] = [
            LineField("name", "Name", required=True, limit=100),
            LineField("short", "Short name", _SHORT_HINT, required=True, limit=60),
            OneOf("type", "Bot type", options=kinds, value=kinds[0][0]),
        ]
        if may_call:
            hint = "Outgoing webhooks: called with each message for the bot"
            fields += [
                LineField("url", "Endpoint URL", hint),
                OneOf(
                    "interface", "Data format", options=WEBHOOK_FORMATS, value=int(WebhookInterface.GENERIC)
                ),
            ]
        self.form("Add bot", fields, create, verb="adds", then=made)

    def action_key(self) -> None:
        bot = self.selected
        if bot is None:
            return
        if bot.api_key or (self._id_of(bot) is not None and self.state.supports(Gate.BOT_KEY)):
            self.work(self._show_key(bot))
        else:
            self.say("The server does not show this API key. Generate a new one.", bad=True)

    async def _show_key(self, bot: Bot) -> None:
        user_id, token = self._id_of(bot), None
        if user_id is not None and self.state.supports(Gate.BOT_KEY):
            key = await self.session.client.bots.key(bot_id=user_id)
        else:
            key = Secret(bot.api_key or "")
        user = self.state.users.get(user_id) if user_id is not None else None
        if user is not None and user.bot_type == BotType.OUTGOING_WEBHOOK:
            token = await self.session.client.bots.webhook_token(bot_id=user.user_id)
        if self.is_attached:
            show_key(self, f"API key of {bot.full_name}", key, token)

    def action_regenerate(self) -> None:
        bot = self.selected
        if bot is None or (user_id := self._id_of(bot)) is None:
            return
        regenerate_bot_key(self, self.session, user_id, bot.full_name, then=lambda: self.work(self.reload()))

    def question(self, item: Bot) -> Question:
        return Question(f"Deactivate {item.full_name}?", "Deactivate bot", "Its API key will stop working.")

    async def delete(self, item: Bot) -> None:
        if (user_id := self._id_of(item)) is not None:
            await self.session.client.bots.deactivate(bot_id=user_id)
        await self.reload()
