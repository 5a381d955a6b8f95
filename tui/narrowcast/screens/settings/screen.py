"""A list of settings under headings, with their values, which can be changed."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from narrowcast.keys.registry import Context, bindings_for
from narrowcast.screens.dialogs.ask import AskScreen
from narrowcast.screens.dialogs.form_fields import Text, Values
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.screens.groups.choose import choose_holders
from narrowcast.screens.settings.catalog import (
    Catalog,
    Option,
    Setting,
    SettingKind,
    guess,
)
from narrowcast.screens.settings.own import ELSEWHERE, options_at
from narrowcast.screens.settings.typed_values import as_typed, typed_form
from narrowcast.text import names
from narrowcast.text.time_zones import time_zones
from narrowcast.widgets.empty import Empty
from narrowcast_api import permissions
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.model.user_groups import GroupSettingValue, read_group_setting, setting_to_wire
from narrowcast_api.permissions import ALLOWED, Refusal
from narrowcast_api.state.changes import ChannelsChanged, SettingsChanged, UserGroupsChanged

if TYPE_CHECKING:
    from narrowcast_api.state.settings import Settings
    from narrowcast_api.sync.session import Session
    from narrowcast_api.wire.model import WireModel

SHORT = (SettingKind.FLAG, SettingKind.CHOICE, SettingKind.CHANNEL)
"""The kinds of settings whose new value is said."""
OTHER = "Other settings"
_HIDDEN = frozenset(
    {
        "emojiset_choices",
        "available_notification_sounds",
        *(setting.name for settings in ELSEWHERE.values() for setting in settings),
    }
)


class SettingsScreen(ManageScreen["Setting | None"]):
    """Enter changes the selected setting: immediately if it is on or off, else in a dialog."""

    CATALOG: ClassVar[Catalog] = {}
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.SETTINGS)]
    EMPTY = Empty("No settings yet", "They are shown when the server has sent them.")
    KEYS = (("list.select", "changes"),)
    READ_KEYS = ()
    COUNTS = False
    FOLLOWS = (SettingsChanged, UserGroupsChanged, ChannelsChanged)

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._refused: list[tuple[Setting, str, str]] = []
        """Values that the server rejected: setting, typed text and reason, until the user is asked again."""

    def values(self) -> Settings:
        raise NotImplementedError

    async def send(self, values: dict[str, object]) -> WireModel:
        raise NotImplementedError

    def unknown(self) -> list[Setting]:
        named = {setting.name for settings in self.CATALOG.values() for setting in settings}
        guesses = [
            guess(name, value)
            for name, value in sorted(self.values().items())
            if name not in named and name not in _HIDDEN
        ]
        return [setting for setting in guesses if setting is not None]

    def applies(self, setting: Setting, values: Settings) -> bool:
        return setting.name in values

    def rows(self) -> Sequence[ListRow[Setting | None]]:
        listed: list[ListRow[Setting | None]] = []
        values = self.values()
        for heading, settings in (*self.CATALOG.items(), (OTHER, self.unknown())):
            present = [setting for setting in settings if self.applies(setting, values)]
            if not present:
                continue
            listed.append(ListRow(f" {heading}", None, heading, heading=True))
            listed += [
                ListRow(
                    setting.name,
                    setting,
                    f"  {setting.title}",
                    self.shown(setting) + self.mark(setting),
                    also=f"{heading} {setting.name}",
                )
                for setting in present
            ]
        return listed

    def shown(self, setting: Setting) -> str:
        """The text of the current value."""
        return self._label(setting, self.values().get(setting.name))

    def _label(self, setting: Setting, value: object) -> str:
        if setting.kind is SettingKind.HOLDERS:
            holders = read_group_setting(value)
            return permissions.holders(self.state, holders) if holders is not None else "?"
        if setting.kind is SettingKind.CHANNEL:
            return f"#{names.channel(self.state, value)}" if isinstance(value, int) and value > 0 else "None"
        for option, label in self.options(setting):
            if option == value and type(option) is type(value):
                return label
        return setting.shown(value)

    def options(self, setting: Setting) -> Sequence[Option]:
        """The values to choose from; some are listed by the server."""
        values = self.values()
        if setting.name == "notification_sound":
            sounds = self.state.settings.get("available_notification_sounds")
            offered = [str(sound) for sound in sounds] if isinstance(sounds, list) else []
            return [(sound, sound) for sound in ("none", *offered)]
        if setting.name == "emojiset":
            return _emoji_sets(self.state.settings.get("emojiset_choices"))
        if setting.name == "video_chat_provider":
            return _providers(values.get("available_video_chat_providers"))
        return options_at(self.state, setting)

    def mark(self, setting: Setting) -> str:
        """Who may change this setting, if the current user may not."""
        own, all_of_them = self.setting_refusal(setting), self.refusal()
        return f" · {own.short}" if own and own != all_of_them else ""

    # changing

    def refusal(self) -> Refusal:
        return ALLOWED

    def setting_refusal(self, setting: Setting) -> Refusal:
        return self.refusal()

    def open(self, item: Setting | None) -> None:
        if item is None or self.refused(self.setting_refusal(item)):
            return
        {
            SettingKind.FLAG: self._toggle,
            SettingKind.CHOICE: self._choose,
            SettingKind.CHANNEL: self._choose_channel,
            SettingKind.HOLDERS: self._choose_holders,
            SettingKind.LONG_TEXT: self._ask_long,
        }.get(item.kind, self._ask)(item)

    def save(self, setting: Setting, value: object) -> None:
        """Sends the value to the server and reports the result."""
        self.work(self._save(setting, value))

    async def _save(self, setting: Setting, value: object) -> None:
        before = self.values().get(setting.name)
        response = await self.send({setting.name: value})
        now = f": {self._label(setting, value)}" if setting.kind in SHORT else ""
        key = self.hints(("settings.undo", "takes it back"))
        if self.report(setting, response, "Saved", f"{now}. {key}"):
            self.undo = lambda: self.save(setting, _restoring(before, value))

    def report(self, setting: Setting, response: WireModel, done: str, more: str = "") -> bool:
        """Says that a change is ``done``, or that the server ignored it; returns whether it is done."""
        ignored = getattr(response, "ignored_parameters_unsupported", None)
        if ignored and setting.name in ignored:
            self.say("Not supported by this server.", bad=True)
            return False
        self.say(f"{done}: {setting.title}{more}")
        return True

    def _toggle(self, setting: Setting) -> None:
        self.save(setting, not self.values().flag(setting.name))

    def _choose(self, setting: Setting) -> None:
        options = list(self.options(setting))
        if setting.name == "timezone":
            options = [(zone, zone) for zone in time_zones()]
        if not options:
            self._ask(setting)
            return
        present = self.values().get(setting.name)
        choices = [
            Choice(place, label, "current" if option == present else "")
            for place, (option, label) in enumerate(options)
        ]

        def chosen(place: int | None) -> None:
            if place is not None and options[place][0] != present:
                self.save(setting, options[place][0])

        self.app.push_screen(Picker(setting.title, choices), chosen)

    def _choose_channel(self, setting: Setting) -> None:
        channels = sorted(self.state.channels, key=lambda channel: channel.name.casefold())
        private = setting.name == "moderation_request_channel_id"
        choices = [Choice(-1, "None")]
        choices += [
            Choice(
                channel.channel_id,
                f"#{channel.name}",
                disabled="private channels only" if private and not channel.invite_only else "",
            )
            for channel in channels
            if not channel.is_archived
        ]

        def chosen(channel_id: int | None) -> None:
            if channel_id is not None:
                self.save(setting, channel_id)

        self.app.push_screen(Picker(setting.title, choices), chosen)

    def _choose_holders(self, setting: Setting) -> None:
        def present() -> GroupSettingValue | None:
            return read_group_setting(self.values().get(setting.name))

        def save(new: GroupSettingValue, expected: GroupSettingValue | None) -> Awaitable[object]:
            change: dict[str, object] = {"new": setting_to_wire(new)}
            if expected is not None:
                change["old"] = setting_to_wire(expected)
            return self._save(setting, change)

        rule = self.state.holder_rules.of("realm", setting.name)
        choose_holders(self, self.state, setting.title, present, save, self.work, rule)

    def _ask(self, setting: Setting, typed: str | None = None, problem: str = "") -> None:
        """Asks for a number, a period or a line of text. ``typed`` and ``problem``: the rejected text, and why."""
        form = typed_form(setting)
        shown = as_typed(setting, self.values().get(setting.name))

        async def save(text: str) -> None:
            try:
                await self._save(setting, form.read(text))
            except NarrowcastError as error:
                reason = _reason(setting, error)
                if not self.is_attached:  # the screen is closed: the notice preserves the text
                    raise NarrowcastError(f"{reason} You typed: {text}") from error
                self._refused.append((setting, text, reason))
                self._ask_again()
                if self._refused:
                    self.say(reason, bad=True)

        def answered(text: str | None) -> None:
            if text is not None and text != shown:
                self.work(save(text))

        written = shown if typed is None else typed
        ask = AskScreen(
            setting.title,
            written,
            notes=(form.hint,) if form.hint else (),
            does="saves",
            check=form.problem,
            problem=problem,
            marked=typed is None,
        )
        self.app.push_screen(ask, answered)

    def _ask_again(self) -> None:
        """Asks again for a rejected value, once no other dialog is open."""
        if self._refused and self.is_active:
            self._ask(*self._refused.pop(0))

    def on_screen_resume(self) -> None:
        self._ask_again()

    def _ask_long(self, setting: Setting) -> None:
        async def submit(values: Values) -> object:
            await self._save(setting, values.text("text"))
            return True

        value = self.values().text(setting.name)
        field = Text("text", "Text", value=value, rows=8)
        self.form(setting.title, [field], submit, refusal="")


def _restoring(before: object, value: object) -> object:
    """What is sent to go from ``value``, as it was sent, back to ``before``: of permissions, both are sent."""
    if isinstance(value, dict) and "new" in value:
        return {"new": before, "old": value["new"]}
    return before


def _reason(setting: Setting, error: NarrowcastError) -> str:
    """Why a value was rejected: servers begin with the parameter's name, as in "jitsi_server_url is not a URL"."""
    said = error.user_message
    begins = f"{setting.name} "
    return f"{setting.title} {said.removeprefix(begins)}" if said.startswith(begins) else said


def _emoji_sets(value: object) -> list[Option]:
    options: list[Option] = []
    for entry in value if isinstance(value, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("key"), str):
            options.append((entry["key"], str(entry.get("text", entry["key"]))))
    return options


def _providers(value: object) -> list[Option]:
    options: list[Option] = []
    for entry in value.values() if isinstance(value, dict) else []:
        if isinstance(entry, dict) and isinstance(entry.get("id"), int):
            options.append((entry["id"], str(entry.get("name", entry["id"]))))
    return options
