"""Settings of the app: every key of its configuration, and the keys of every command."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from textual.binding import BindingType

from narrowcast.app.import_settings import add_account, read_zuliprc
from narrowcast.config import account_files
from narrowcast.config.config import ConfigError
from narrowcast.config.config_file import CONFIG_KEYS, ConfigKey, Value, preview, read, value_of
from narrowcast.config.config_file import check as check_value
from narrowcast.keys.hints import HasApp, Keys, with_keys
from narrowcast.keys.keymap import KeymapError, effective, key_label, keys_label, normalize, typed
from narrowcast.keys.registry import Command, Context, bindings_for, by_id, groups
from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.ask import AskScreen
from narrowcast.screens.dialogs.file_question import file_question
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.screens.settings.capture import CaptureScreen
from narrowcast.screens.settings.find import IMPORT, KEYS_OF_COMMANDS, LISTS
from narrowcast.screens.settings.themes import ThemePicker
from narrowcast.text.formats import counted
from narrowcast_api.errors import AccountError

ACCOUNT = "account"
THEME = "appearance.theme"
FIRST = "the first one"
OF_EXTENSION = "extensions."
ZULIPRC = "path, for example ~/zuliprc"


def _checked_question(
    title: str, text: str, note: str, check: Callable[[str], str], *, marked: bool = False
) -> AskScreen:
    """``check`` returns the problem with an answer, or an empty text; it runs on every change."""
    return AskScreen(title, text, notes=(note,), does="saves", check=check, checks_typing=True, marked=marked)


class AppSettingsScreen(ManageScreen[str]):
    """Two lines per setting: its value, and its description. Changes are written at once."""

    TITLE_TEXT = "App settings"
    KEYS = (("list.select", "changes"), ("manage.delete", "resets to default"))
    LINES = 2
    COUNTS = False
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.SETTINGS)]

    _text = ""
    """The text of the file, for checks while typing."""

    async def load(self) -> None:
        try:
            self._text = await asyncio.to_thread(read, app_of(self).paths.config_file)
        except ConfigError as error:
            self.say(error.problems[0], bad=True)

    def _all_keys(self) -> Mapping[str, Sequence[ConfigKey]]:
        """The app's own settings, and those of extensions."""
        settings = app_of(self).extensions.settings
        return CONFIG_KEYS if settings is None else {**CONFIG_KEYS, **settings.keys()}

    def _value(self, one: ConfigKey) -> Value:
        config, settings = app_of(self).config, app_of(self).extensions.settings
        if settings is not None and one.key.startswith(OF_EXTENSION):
            return settings.value(config.extensions, one.key)
        return value_of(config, one.key)

    def _problem(self, key: str, value: Value) -> str:
        """The problem that a value would have; empty if there is none."""
        problem = check_value(self._text, key, value)
        settings = app_of(self).extensions.settings
        if problem or settings is None or not key.startswith(OF_EXTENSION):
            return problem
        return settings.problem(preview(self._text, key, value).extensions, key)

    def rows(self) -> Sequence[ListRow[str]]:
        chosen = len(app_of(self).config.keys)
        settings = app_of(self).extensions.settings
        return [
            *self._rows_of(CONFIG_KEYS),
            ListRow(
                KEYS_OF_COMMANDS,
                KEYS_OF_COMMANDS,
                LISTS[KEYS_OF_COMMANDS],
                f"{chosen} of your own" if chosen else "",
                "Change the keys of any command; conflicts are shown",
            ),
            *self._rows_of(settings.keys() if settings is not None else {}),
            ListRow(("heading", IMPORT), "", "Import", heading=True),
            ListRow(
                IMPORT,
                IMPORT,
                LISTS[IMPORT],
                "",
                "The account, and zulip-terminal's theme, notify, autohide and editor settings",
            ),
        ]

    def _rows_of(self, by_heading: Mapping[str, Sequence[ConfigKey]]) -> Iterator[ListRow[str]]:
        keys_now = app_of(self).keys
        for heading, keys in by_heading.items():
            yield ListRow(("heading", heading), "", heading, heading=True)
            for one in keys:
                about = with_keys(keys_now, one.help)
                yield ListRow(one.key, one.key, one.title, _shown(self._value(one)), about, also=one.key)

    def open(self, item: str) -> None:
        if item == KEYS_OF_COMMANDS:
            self.app.push_screen(KeysScreen(self.session), lambda _: self.refresh_rows())
        elif item == IMPORT:
            self.app.push_screen(
                file_question(LISTS[IMPORT], does="imports", note="", placeholder=ZULIPRC),
                self._import,
            )
        else:
            self._change(next(one for keys in self._all_keys().values() for one in keys if one.key == item))

    def _change(self, one: ConfigKey) -> None:
        value = self._value(one)
        if isinstance(value, bool):
            self.save(one.key, lambda: not self._value(one))
        elif one.key == THEME:
            self.app.push_screen(ThemePicker(self.app, app_of(self).config.themes), self._chosen(one.key))
        elif one.choices or one.key == ACCOUNT:
            offered = one.choices or ("", *account_files.names(app_of(self).paths.accounts))
            choices = [Choice(each, each or FIRST, "current" if each == value else "") for each in offered]
            self.app.push_screen(Picker(one.title, choices), self._chosen(one.key))
        else:
            self._ask(one, value)

    def _chosen(self, key: str) -> Callable[[str | None], None]:
        def chosen(value: str | None) -> None:
            if value is not None:
                self.save(key, _always(value))

        return chosen

    def _ask(self, one: ConfigKey, value: Value) -> None:
        names = value if isinstance(value, Sequence) and not isinstance(value, str) else None
        text = str(value) if names is None else ", ".join(names)

        def check(typed: str) -> str:
            return self._problem(one.key, _read(typed, value))

        def answered(typed: str | None) -> None:
            if typed is not None:
                self.save(one.key, lambda: _read(typed, value))

        self.app.push_screen(
            _checked_question(
                f"{one.title} ({one.key})",
                text,
                with_keys(app_of(self).keys, one.help),
                check,
                marked=names is None,
            ),
            answered,
        )

    def save(self, key: str, value: Callable[[], Value | None]) -> None:
        """Writes a value to the file and applies it."""
        self.work(self._save(key, value))

    async def _save(self, key: str, value: Callable[[], Value | None]) -> None:
        one = next(one for keys in self._all_keys().values() for one in keys if one.key == key)
        before = self._value(one)
        if problem := await _write(self, key, value):
            self.say(problem, bad=True)
            return
        await self.reload()
        self.undo = lambda: self.save(key, _always(before))
        takes_back = self.hints(("settings.undo", "takes it back"))
        later = " Takes effect when Narrowcast starts again." if one.at_start else ""
        self.say(f"Saved: {one.title}: {_shown(self._value(one))}. {takes_back}.{later}")

    def action_delete(self) -> None:
        """Removes the value from the file, so that the default applies."""
        if (item := self.selected) and item not in (KEYS_OF_COMMANDS, IMPORT):
            self.save(item, lambda: None)

    def _import(self, path: str | None) -> None:
        if path:
            self.work(self._import_from(Path(path)))

    async def _import_from(self, path: Path) -> None:
        try:
            imported = await asyncio.to_thread(read_zuliprc, path)
        except (OSError, ValueError) as error:
            self.say(str(error), bad=True)
            return
        problems = [
            problem for key, value in imported.changes if (problem := await _write(self, key, _always(value)))
        ]
        await self.reload()
        written = len(imported.changes) - len(problems)
        said = problems[:1] + ([f"Imported {counted(written, 'setting')}."] if written else [])
        said += [f"No equivalent here: {', '.join(imported.left)}."] if imported.left else []
        if imported.has_account:
            said += await self._add_account(path)
        self.say(" ".join(said) or "Nothing to import.", bad=bool(problems))

    async def _add_account(self, path: Path) -> list[str]:
        folder = app_of(self).paths.accounts
        try:
            stored = await asyncio.to_thread(
                add_account, path, folder
            )  # the keyring may prompt the user first
        except (AccountError, OSError) as error:
            why = error.user_message if isinstance(error, AccountError) else str(error)
            return [f"The account was not added: {why}"]
        return [f"Account {stored.stem} added."] if stored is not None else []


class KeysScreen(ManageScreen[str]):
    """One line per command: its title, its id, and its keys."""

    TITLE_TEXT = "Keys"
    KEYS = (
        ("list.select", "takes a key that you press"),
        ("keys.type", "types keys"),
        ("manage.delete", "resets to default"),
    )
    COUNTS = False
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.SETTINGS, Context.KEYS)]

    def rows(self) -> Sequence[ListRow[str]]:
        app = app_of(self)
        rows: list[ListRow[str]] = []
        titles = Counter(command.title for commands in groups().values() for command in commands)
        for heading, commands in groups().items():
            rows.append(ListRow(("heading", heading), "", heading, heading=True))
            for command in commands:
                place = (
                    f" ({heading})" if titles[command.title] > 1 else ""
                )  # also where a filter hides the heading
                rows.append(self._row(command, command.title + place, app.keys, app.config.keys))
        return rows

    @staticmethod
    def _row(command: Command, text: str, keys: Keys, own: Mapping[str, object]) -> ListRow[str]:
        mark = "*" if command.id in own else " "
        return ListRow(
            command.id,
            command.id,
            text,
            keys_label(keys[command.id]) or "–",
            mark=mark,
            also=command.id,
        )

    def open(self, item: str) -> None:
        """Asks for a key to press, which replaces the present keys."""

        def pressed(key: str | None) -> None:
            if key is not None:
                self.work(self._save(item, [key]))

        title = f"Key for: {by_id()[item].title}"
        capture = CaptureScreen(
            title,
            lambda key: self._problem(item, typed(key)),
            lambda key: _losers(item, app_of(self).keys, self._with(item, typed(key))),
        )
        self.app.push_screen(capture, pressed)

    def action_type_keys(self) -> None:
        """Asks for the names of keys, which may be several, or none."""
        item = self.selected
        if item is None:
            return

        def answered(text: str | None) -> None:
            if text is not None:
                self.work(self._save(item, text.split()))

        examples = " ".join(map(key_label, ("f4", "ctrl+g", "question_mark")))
        note = f"{item}: separated by spaces, such as: {examples}"
        keys = " ".join(map(key_label, app_of(self).keys[item]))
        ask = _checked_question("Keys", keys, note, lambda text: self._problem(item, text))
        self.app.push_screen(ask, answered)

    def _problem(self, command_id: str, text: str) -> str:
        """The problem with the keys: an unknown key, or one that the user gave to another command."""
        try:
            self._with(command_id, text)
        except KeymapError as error:
            return error.problems[0]
        return ""

    def _with(self, command_id: str, text: str) -> Keys:
        """The keys of all commands, were these of the command saved. Raises `KeymapError`."""
        config = app_of(self).config
        return effective({**config.keymap, command_id: text.split()}, {*config.keys, command_id})

    async def _save(self, command_id: str, keys: list[str] | None) -> None:
        value = None if keys is None else [normalize(key) for key in keys]
        app = app_of(self)
        before = [*app.keys[command_id]] if command_id in app.config.keys else None
        keys_before = app.keys
        if problem := await _write(self, f"keys.{command_id}", lambda: value):
            self.say(problem, bad=True)
            return
        self.undo = lambda: self.work(self._save(command_id, before))
        shown = keys_label(app.keys[command_id]) or "no key"
        losers = _losers(command_id, keys_before, app.keys)
        lost = f" Taken from: {losers}." if losers else ""
        self.say(f"Saved: {shown}.{lost} {self.hints(('settings.undo', 'takes it back'))}.")

    def action_delete(self) -> None:
        if item := self.selected:
            self.work(self._save(item, None))


def _losers(command_id: str, before: Keys, after: Keys) -> str:
    """The titles of the other commands that lose a key."""
    return ", ".join(
        by_id()[one].title.partition(":")[0]
        for one, keys in before.items()
        if one != command_id and set(keys) - set(after[one])
    )


async def _write(screen: HasApp, key: str, value: Callable[[], Value | None]) -> str:
    """Changes the configuration, in the file and at once; returns the problem, or an empty text."""
    try:
        await app_of(screen).change_config(key, value)
    except ConfigError as error:
        return error.problems[0]
    return ""


def _always(value: Value) -> Callable[[], Value]:
    return lambda: value


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return "On" if value else "Off"
    if isinstance(value, int | float):
        return str(value)
    return (value if isinstance(value, str) else ", ".join(value)) or "–"


def _read(typed: str, like: Value) -> Value:
    """The typed text, converted to the type of ``like``; if that fails, the text itself, for the check to report."""
    if isinstance(like, str):
        return typed
    if isinstance(like, int | float):
        try:
            return type(like)(typed)
        except ValueError:
            return typed
    return [part.strip() for part in typed.split(",") if part.strip()]
