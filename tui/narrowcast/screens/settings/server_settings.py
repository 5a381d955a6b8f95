"""The settings of the server: the current user's own, those of new users, and the organization's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from narrowcast.commands.run import run_function
from narrowcast.keys.hints import KeyHint
from narrowcast.keys.registry import Context, bindings_for, by_id
from narrowcast.screens.dialogs.confirm import Question, ask_first
from narrowcast.screens.dialogs.form_fields import Text, Values, YesNo
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.screens.settings.catalog import Catalog, Setting, SettingKind
from narrowcast.screens.settings.organization import ORGANIZATION, is_current
from narrowcast.screens.settings.own import ACCOUNT, ELSEWHERE, OWN
from narrowcast.screens.settings.screen import SettingsScreen
from narrowcast.screens.workspace import workspace_of
from narrowcast.text.time_zones import preload
from narrowcast_api import permissions
from narrowcast_api.permissions import Refusal
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import NOT_FOR_NEWCOMERS, NOT_FOR_OTHERS

if TYPE_CHECKING:
    from narrowcast_api.state.settings import Settings
    from narrowcast_api.sync.session import Session
    from narrowcast_api.wire.model import WireModel


class OwnSettingsScreen(SettingsScreen):
    """The current user's personal settings."""

    TITLE_TEXT = "Personal settings"
    CATALOG: ClassVar[Catalog] = {**ACCOUNT, **OWN}

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        preload()

    def refusal(self) -> Refusal:
        return permissions.level_refusal(self.state, Gate.SETTINGS_ENDPOINT)

    def applies(self, setting: Setting, values: Settings) -> bool:
        return setting.kind is SettingKind.COMMAND or super().applies(setting, values)

    def open(self, item: Setting | None) -> None:
        workspace = workspace_of(self)
        if item is None or item.kind is not SettingKind.COMMAND:
            super().open(item)
        elif workspace is not None:
            run_function(by_id()[item.name], workspace)

    def values(self) -> Settings:
        return self.state.settings

    async def send(self, values: dict[str, object]) -> WireModel:
        return await self.session.client.settings.update(settings=values)


class NewcomerSettingsScreen(SettingsScreen):
    """The default settings of new users. Each can be applied to the existing users too."""

    TITLE_TEXT = "Default user settings"
    CATALOG: ClassVar[Catalog] = {**OWN, **ELSEWHERE}
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.NEWCOMERS)]

    def refusal(self) -> Refusal:
        return permissions.only_administrators(self.state, "change default user settings")

    def applies(self, setting: Setting, values: Settings) -> bool:
        """Leaves out the settings that each user chooses for themselves."""
        return super().applies(setting, values) and setting.name not in NOT_FOR_NEWCOMERS

    def values(self) -> Settings:
        return self.state.newcomers

    async def send(self, values: dict[str, object]) -> WireModel:
        return await self.session.client.organization.update_user_defaults(settings=values)

    def key_hints(self) -> Sequence[KeyHint]:
        applies = not permissions.level_refusal(self.state, Gate.SETTINGS_OF_OTHERS)
        return (*self.KEYS, ("newcomers.apply", "applies to existing users")) if applies else self.KEYS

    def action_apply(self) -> None:
        setting = self.selected
        if setting is None or self.refused(self._apply_refusal(setting)):
            return
        choices = [
            Choice(True, "Users who have not changed it"),
            Choice(False, "All users", "replaces what they chose"),
        ]

        def chosen(skip: bool | None) -> None:
            if skip is not None:
                self._confirm_apply(setting, skip)

        self.app.push_screen(Picker(f"Apply to existing users: {setting.title}", choices), chosen)

    def _apply_refusal(self, setting: Setting) -> str:
        if setting.name in NOT_FOR_OTHERS:
            return "Only the users themselves can change this setting."
        return self.refusal() or permissions.level_refusal(self.state, Gate.SETTINGS_OF_OTHERS)

    def _confirm_apply(self, setting: Setting, skip: bool) -> None:
        value, shown = self.values().get(setting.name), self.shown(setting)
        whom = "users who have not changed it" if skip else "all users, also for those who have changed it"

        async def apply() -> None:
            people = [user.user_id for user in self.state.users if not user.is_bot]
            response = await self.session.client.settings.update_of_users(
                settings={setting.name: value}, user_ids=people, skip_if_already_edited=skip
            )
            self.report(setting, response, "Applied to existing users")

        question = Question(f"Set '{setting.title}' to '{shown}' for {whom}?", "Apply")
        ask_first(self, question, lambda: self.work(apply()))


WELCOME_MESSAGE = "welcome_message_custom_text"


class OrganizationSettingsScreen(SettingsScreen):
    """The organization's settings and permissions. A welcome message can be sent to its author as a test."""

    TITLE_TEXT = "Organization settings and permissions"
    CATALOG = ORGANIZATION

    def refusal(self) -> Refusal:
        return permissions.only_administrators(self.state, "change these settings")

    def setting_refusal(self, setting: Setting) -> Refusal:
        return permissions.organization_refusal(self.state, setting.name)

    def unknown(self) -> list[Setting]:
        """Empty: other values reported by the server are not settings and are shown in the server's information."""
        return []

    def applies(self, setting: Setting, values: Settings) -> bool:
        return is_current(setting, values)

    def values(self) -> Settings:
        return self.state.organization

    async def send(self, values: dict[str, object]) -> WireModel:
        return await self.session.client.organization.update(settings=values)

    def open(self, item: Setting | None) -> None:
        if item is None or item.name != WELCOME_MESSAGE:
            super().open(item)
        elif not self.refused(self.setting_refusal(item)):
            self._ask_welcome_message(item)

    def _ask_welcome_message(self, setting: Setting) -> None:
        client = self.session.client.organization

        async def submit(values: Values) -> object:
            text = values.text("text")
            response = await self.send({setting.name: text})
            if text and values.flag("test"):
                await client.test_welcome_message(welcome_message_custom_text=text)
            return response

        fields = [
            Text("text", "Text", value=self.values().text(setting.name), rows=8),
            YesNo("test", "Send it to me as a test", "Once saved, it arrives as a direct message."),
        ]
        self.form(setting.title, fields, submit, done=f"Saved: {setting.title}", refusal="")
