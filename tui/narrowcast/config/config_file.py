"""The keys of ``config.toml`` as the settings screen shows them, and changing one of them; all else is kept."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tomlkit
from msgspec import Struct
from tomlkit.exceptions import TOMLKitError

from narrowcast.config.config import Config, ConfigError
from narrowcast.config.config_load import parse
from narrowcast_api.regular_files import regular
from narrowcast_api.storage.folders import private_file, private_folder

__all__ = ["CONFIG_KEYS", "ConfigKey", "Value", "change", "check", "preview", "read", "value_of"]

NAME = "config.toml"
WIDTH = "Columns; 0: by the width of the terminal"
Value = bool | int | float | str | Sequence[str]


def change(path: Path, key: str, value: Value | None) -> Config:
    """Sets ``key`` ("appearance.theme") in the file, or removes it if the value is None; returns the whole
    new configuration.

    Writes nothing unless the whole result is valid. Raises ConfigError if the file or the value is invalid,
    or if the file cannot be written.
    """
    text = read(path)
    written = _changed(text, str(path), key, value)
    config = parse(written, str(path))
    if written != text:
        _write(path, written)
    return config


def read(path: Path) -> str:
    """The text of the file, empty if it does not exist. Raises ConfigError if it cannot be read."""
    try:
        return regular(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError([f"{path}: cannot be read: {error}"]) from error


def check(text: str, key: str, value: Value) -> str:
    """The error that setting ``key`` to a value would cause in a file with this text; empty if none."""
    try:
        preview(text, key, value)
    except ConfigError as error:
        return error.problems[0].rpartition(f"{key}: ")[2]
    return ""


def preview(text: str, key: str, value: Value) -> Config:
    """The whole configuration after `change` has changed a file with this text. Raises ConfigError."""
    return parse(_changed(text, NAME, key, value), NAME)


def _changed(text: str, name: str, key: str, value: Value | None) -> str:
    """The text after the change. Raises ConfigError."""
    try:
        document = tomlkit.parse(text)
    except TOMLKitError as error:
        raise ConfigError([f"{name}: not TOML: {error}"]) from error
    _set(document, _parts(key), value)
    return tomlkit.dumps(document)


def _parts(key: str) -> list[str]:
    """The path of a key: the ids of commands contain dots themselves."""
    if key.startswith("extensions."):
        return key.split(".", 2)
    table, _, name = key.partition(".")
    return [table, name] if name else [table]


def _set(document: tomlkit.TOMLDocument, parts: list[str], value: Value | None) -> None:
    table: Any = document
    for part in parts[:-1]:
        if part not in table:
            if value is None:
                return
            table[part] = tomlkit.table()
        table = table[part]
    if value is None:
        table.pop(parts[-1], None)
    else:
        table[parts[-1]] = value if isinstance(value, bool | int | float | str) else list(value)


def _write(path: Path, text: str) -> None:
    try:
        real = path.resolve()  # keep a symbolic link, such as into a folder of dotfiles
        if not real.parent.exists():
            private_folder(real.parent)
        draft = private_file(real.with_name(f".{real.name}.new"))
        draft.write_text(text, encoding="utf-8")
        if real.exists():
            draft.chmod(stat.S_IMODE(real.stat().st_mode))
        draft.replace(real)
    except OSError as error:
        raise ConfigError([f"{path}: cannot be written: {error}"]) from error


class ConfigKey(Struct, frozen=True):
    """One key. ``choices``: its possible values if they are few; ``at_start``: it takes effect at the next start."""

    key: str
    title: str
    help: str
    choices: tuple[str, ...] = ()
    at_start: bool = True


CONFIG_KEYS: dict[str, tuple[ConfigKey, ...]] = {
    "General": (
        ConfigKey("account", "Default account", "The account to open when none is named"),
        ConfigKey(
            "accounts.open",
            "Open accounts",
            "All stored accounts at once, or only the one on screen",
            ("all", "one"),
        ),
        ConfigKey("accounts.order", "Order of accounts", "Names, separated by commas"),
    ),
    "Appearance": (
        ConfigKey(
            "appearance.theme",
            "Theme",
            "'terminal' uses the colors of the terminal",
            ("narrowcast", "paper", "contrast", "terminal"),
            at_start=False,
        ),
        ConfigKey(
            "appearance.density",
            "Density",
            "Space between messages; 'auto' is comfortable from 28 rows on",
            ("auto", "comfortable", "compact"),
            at_start=False,
        ),
        ConfigKey(
            "appearance.sender_colors",
            "Color senders by person",
            "Not in theme 'terminal', which has too few colors",
            at_start=False,
        ),
        ConfigKey("appearance.people", "Show the user list", "Where the terminal is wide enough"),
        ConfigKey("appearance.channels_width", "Width of the channel list", WIDTH),
        ConfigKey("appearance.people_width", "Width of the user list", WIDTH),
        ConfigKey(
            "appearance.pictures",
            "Images",
            "Image protocol; 'cells' uses block characters",
            ("auto", "kitty", "sixel", "cells"),
            at_start=False,
        ),
        ConfigKey("appearance.mouse", "Use the mouse", "When off, the terminal selects text itself"),
    ),
    "Composing": (
        ConfigKey(
            "compose.enter", "Enter key", "<compose.other-enter> does the opposite", ("send", "newline")
        ),
        ConfigKey(
            "compose.undo_send",
            "Undo send",
            "Seconds, up to 20, in which <compose.leave> takes a sent message back; 0: none",
            at_start=False,
        ),
        ConfigKey(
            "compose.editor", "External editor", "A command; empty: $VISUAL, then $EDITOR", at_start=False
        ),
    ),
    "Notifications": (
        ConfigKey(
            "notifications.popup",
            "Pop-ups",
            "Notification protocol of the terminal",
            ("auto", "osc9", "osc777", "osc99", "off"),
        ),
        ConfigKey("notifications.sound", "Sound", "Played for notifications with a sound", ("bell", "off")),
        ConfigKey(
            "notifications.command",
            "Command",
            "A program and its arguments: notify-send, {title}, {body}",
        ),
        ConfigKey("notifications.title", "Window title", "Show unread messages and mentions in it"),
        ConfigKey("notifications.quiet", "Quiet hours", "Separated by commas, such as 22:00-07:30"),
        ConfigKey(
            "notifications.passthrough", "tmux and screen", "Pass pop-ups through to the outer terminal"
        ),
    ),
    "Keys": (
        ConfigKey(
            "preset",
            "Key preset",
            "Keys as in another program; your own keys override them",
            ("default", "zulip-web", "zulip-terminal", "vim", "emacs"),
            at_start=False,
        ),
    ),
}
"""The keys by heading. The keys of single commands, ``keys.*``, have a screen of their own."""


def value_of(config: Config, key: str) -> Value:
    """The value in the configuration."""
    value: object = config
    for part in key.split("."):
        value = getattr(value, part)
    return value if isinstance(value, bool | int | float | str) else [str(item) for item in value]  # type: ignore[attr-defined]
